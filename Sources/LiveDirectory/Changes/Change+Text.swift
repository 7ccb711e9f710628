import DirectoryModel

extension Change {
  /// As a person reads it, on one line: `+` is added, `~` changed, `>` moved, `-` removed.
  ///
  ///     + department Optics (opt) under Lumen
  ///     ~ department Mirrors (mir); name "Mirors" is now "Mirrors"
  ///     > Émile Noé (u3) from Mirrors to Optics; title in Optics "Grinder" is now "Head"
  ///     - Ada Lund (u1) in Optics
  ///     ~ Bo Ek (u2): forgotten
  ///
  /// It is data: what it holds may have to be made visible before a terminal shows it.
  package var text: String {
    if isForgotten {
      if id.isEmpty { return "~ a person who was forgotten" }
      return "\(action.sign) \(name.isEmpty ? id : "\(name) (\(id))"): forgotten"
    }
    let differences = differences
    var parts = [
      "\(action.sign) \(kind == .department ? "department " : "")\(name) (\(id))\(placeText)"
    ]
    parts += differences.values.map(\.text)
    parts += differences.joined.map { "also in \($0.name)" }
    parts += differences.left.map { "no longer in \($0.name)" }
    return parts.joined(separator: "; ")
  }

  private var placeText: String {
    switch action {
    case .added: text(of: to)
    case .removed: text(of: from)
    case .moved where hasMoved: movedText
    case .changed, .moved: ""
    }
  }

  /// Places of one name are told apart by their ids.
  private var movedText: String {
    let (former, latter) = (name(of: from), name(of: to))
    guard let from, let to, former.utf8.elementsEqual(latter.utf8) else {
      return " from \(former) to \(latter)"
    }
    return " from \(former) (\(from.id)) to \(latter) (\(to.id))"
  }

  private func text(of place: Place?) -> String {
    switch (kind, place) {
    case (.department, let place?): " under \(place.name)"
    case (.department, nil): " at the top level"
    case (_, let place?): " in \(place.name)"
    case (_, nil): ""
    }
  }

  private func name(of place: Place?) -> String {
    place?.name ?? (kind == .department ? "the top level" : "no department")
  }
}

extension Change.Action {
  var sign: String {
    switch self {
    case .added: "+"
    case .changed: "~"
    case .moved: ">"
    case .removed: "-"
    }
  }
}

extension ChangeDifferences.Value {
  /// Characters of a value that are shown.
  private static let valueLength = 60

  fileprivate var text: String {
    let place = department.map { " in \($0.name)" } ?? ""
    if field == RecordColumn.leads.name {
      return (new == "true" ? "now leads " : "no longer leads ") + (department?.name ?? "")
    }
    let name = field == RecordColumn.sortOrder.name ? "order" : field
    return "\(name)\(place) \(Self.shown(old)) is now \(Self.shown(new))"
  }

  private static func shown(_ value: String) -> String {
    let beginning = value.unicodeScalars.prefix(valueLength)
    let isWhole = beginning.endIndex == value.unicodeScalars.endIndex
    return "\"\(String(beginning))\(isWhole ? "" : "…")\""
  }
}
