import DirectoryModel
import DirectorySnapshot

extension SyncReport {
  /// What was found and done, in a line or two.
  ///
  /// - Parameter duration: How long it took, in words.
  /// - Returns: The lines, for people.
  package func lines(duration: String) -> [String] {
    let standby = isStandby ? " (a standby)" : ""
    var first =
      isRehearsal
      ? "a sync from \(source)\(standby) would bring" : "synced from \(source)\(standby)"
    first += isRehearsal ? " \(contents)" : ": \(contents)"
    var lines = ["\(first), in \(duration)"]
    lines.append("\(manner): \(changeText)")
    return lines
  }

  private var contents: String {
    "\(Self.count(users, "person", "people")), \(Self.count(departments, "department")) and "
      + Self.count(memberships, "membership")
  }

  private var manner: String {
    switch mode {
    case .first: "read everything"
    case .incremental: "read only what changed"
    case .compared: "compared everything (\(reason ?? "it was asked for"))"
    }
  }

  /// The changes, counted.
  private var changeText: String {
    if mode == .first { return "there was no snapshot before" }
    let parts = [
      Self.text(of: changes.users, "person", "people"),
      Self.text(of: changes.departments, "department", "departments"),
    ].compactMap { $0 }
    if parts.isEmpty {
      return changes.isEmpty
        ? "nothing differs" : "nobody differs, only the order or what is Unplaced"
    }
    return parts.joined(separator: "; ")
  }

  private static func text(
    of counts: ChangeSummary.Counts,
    _ one: String,
    _ many: String
  ) -> String? {
    let parts = ChangeSummary.Action.allCases.filter { counts[$0] > 0 }
    guard let first = parts.first else { return nil }
    return
      ([count(counts[first], one, many) + " \(first)"]
      + parts.dropFirst().map { "\(counts[$0]) \($0)" }).joined(separator: ", ")
  }

  static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    number == 1 ? "1 \(one)" : "\(number) \(many ?? one + "s")"
  }

  /// Every change by name, a line each.
  package var changeLines: [String] { changes.entries.map(\.line) }
}

extension ChangeSummary.Entry {
  /// What happened to whom, as `moved person Ada Lund (u1): Optics → Mirrors`.
  var line: String {
    let subject =
      "\(action) \(kind == .department ? "department" : "person") \(name) (\(id))"
    let details = details
    return details.isEmpty ? subject : subject + ": " + details.joined(separator: "; ")
  }

  private var details: [String] {
    var details: [String] = []
    if !from.isEmpty || !to.isEmpty { details.append(placeText) }
    if let formerName { details.append("was \(formerName)") }
    let others = fields.subtracting([.name, .place, .primary]).names
    if !others.isEmpty { details.append(others.joined(separator: ", ")) }
    return details
  }

  private var placeText: String {
    let before = from.map(\.name).joined(separator: ", ")
    let now = to.map(\.name).joined(separator: ", ")
    return switch action {
    case .added: kind == .department ? "under \(now)" : "in \(now)"
    case .removed: kind == .department ? "from under \(before)" : "from \(before)"
    default:
      from.isEmpty
        ? (kind == .department ? "now under \(now)" : "also in \(now)")
        : to.isEmpty
          ? (kind == .department ? "was under \(before)" : "left \(before)")
          : "\(before) → \(now)"
    }
  }
}

extension ChangeSummary.Fields {
  /// The fields by name, for people and programs.
  var names: [String] {
    let all: [(ChangeSummary.Fields, String)] = [
      (.name, "name"), (.description, "description"), (.title, "title"), (.email, "email"),
      (.phone, "phone"), (.sortOrder, "order"), (.place, "department"), (.primary, "primary"),
    ]
    return all.filter { contains($0.0) }.map(\.1)
  }
}
