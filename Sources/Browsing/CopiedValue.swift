import DirectoryModel
import DirectoryReading

/// What of a row can be copied, and the key for it.
enum CopiedValue {
  case contact(Field)
  case name, path, id, card

  static let all = Field.contacts.map { contact($0) } + [.name, .path, .id, .card]

  var key: Character {
    switch self {
    case .contact(let field): field.name.first ?? "?"
    case .name: "n"
    case .path: "t"
    case .id: "i"
    case .card: "v"
    }
  }

  var label: String {
    switch self {
    case .contact(let field): field.label.lowercased()
    case .name: "name"
    case .path: "path"
    case .id: "id"
    case .card: "vCard"
    }
  }

  init?(key: Character) {
    guard let value = Self.all.first(where: { $0.key == key }) else { return nil }
    self = value
  }

  /// The value of a node; `nil` where it has none.
  func text(of node: Node, in directory: Directory) throws -> String? {
    let row = try directory.listRow(at: node)
    let text: String? =
      switch self {
      case .contact(let field): row.contacts?[field]
      case .name: row.name
      case .path: DepartmentName.path((row.path ?? []) + [row.name])
      case .id: row.id
      case .card: row.kind == .user ? try directory.vCard(at: node) : nil
      }
    return text.flatMap { $0.isEmpty ? nil : $0 }
  }
}
