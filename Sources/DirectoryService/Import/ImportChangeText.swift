import DirectoryStore
import TextRules

/// A change as a person reads it, on one line.
enum ImportChangeText {
  /// Characters of a value that are shown.
  private static let valueLength = 60

  static func line(_ change: ImportChange) -> String {
    var parts = ["\(sign(change.action)) \(change.name) (\(change.id))\(place(of: change))"]
    parts += change.values.map(text)
    parts += change.joined.map { "also in \($0.name)" }
    parts += change.left.map { "no longer in \($0.name)" }
    return parts.joined(separator: "; ")
  }

  private static func sign(_ action: ImportChange.Action) -> String {
    switch action {
    case .added: "+"
    case .changed: "~"
    case .moved: ">"
    case .removed: "-"
    }
  }

  private static func place(of change: ImportChange) -> String {
    switch change.action {
    case .added:
      guard let to = change.to else { return " at the top level" }
      return change.kind == .department ? " under \(to.name)" : " in \(to.name)"
    case .moved where change.hasMoved:
      return " from \(name(change.from)) to \(name(change.to))"
    case .changed, .moved, .removed: return ""
    }
  }

  private static func name(_ place: ImportChange.Place?) -> String {
    place?.name ?? "the top level"
  }

  private static func text(of value: ImportChange.Value) -> String {
    let field = value.field == .sortOrder ? "order" : value.field.rawValue
    let place = value.department.map { " in \($0.name)" } ?? ""
    return "\(field)\(place) \(shown(value.old)) is now \(shown(value.new))"
  }

  private static func shown(_ value: String) -> String {
    let beginning = value.unicodeScalars.prefix(valueLength)
    let isWhole = beginning.endIndex == value.unicodeScalars.endIndex
    return "\"\(String(beginning))\(isWhole ? "" : "…")\""
  }
}
