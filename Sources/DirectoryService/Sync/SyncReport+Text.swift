import DirectoryModel
import DirectorySnapshot
import Outlines

extension SyncReport {
  /// What was found and done, in a line or two.
  ///
  /// - Parameter duration: How long it took, in words.
  /// - Returns: The lines, for people.
  package func lines(duration: String) -> [String] {
    let standby = isStandby ? " (a standby)" : ""
    var first =
      isRehearsal
      ? "a sync from \(source)\(standby) would result in" : "synced from \(source)\(standby)"
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
    case .compared: "compared everything (\(reason ?? "as requested"))"
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
      if changes.isEmpty { return "nothing differs" }
      return changes.differsOtherwise
        ? "only the order, or what is unplaced, differs" : "only the declared fields differ"
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
    let others = fields.subtracting([.name, .place, .primary]).names + declaredFields
    if !others.isEmpty { details.append(others.joined(separator: ", ")) }
    return details
  }

  private var placeText: String {
    let before = from.map(\.name).joined(separator: ", ")
    let now = to.map(\.name).joined(separator: ", ")
    return switch action {
    case .added: kind == .department ? "under \(now)" : "in \(now)"
    case .removed: kind == .department ? "was under \(before)" : "from \(before)"
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
      (.leads, "leads"),
    ]
    return all.filter { contains($0.0) }.map(\.1)
  }
}

extension DirectoryTree {
  /// A record without a place, as `person Ada Lund (u1): belongs to no department`.
  private func unplacedText(at index: Int) -> String {
    let node = Int(unplacedNodes[index])
    let record = Int(nodeRecords[node])
    let (kind, name, id): (String, String, String)
    if hierarchy.isGroup(node) {
      (kind, name, id) =
        ("department", records.departments.names[record], records.departments.ids[record])
    } else {
      let user = Int(membershipUsers[record])
      (kind, name, id) = ("person", records.users.names[user], records.users.ids[user])
    }
    return "\(kind) \(name) (\(id)): \(unplacedReasons[index])"
  }

  /// The first records without a place, in preorder.
  func unplacedLines(atMost limit: Int) -> [String] {
    unplacedNodes.indices.prefix(limit).map { unplacedText(at: $0) }
  }
}
