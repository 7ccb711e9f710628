import DirectoryModel
import DirectoryReading

/// What of a row can be copied, and the key for it.
enum CopiedValue {
  case contact(ContactField)
  case name, path, id, card
  /// A declared field, and its number among those that are copied.
  case field(Field, Int)

  /// Of declared fields those whose values are numbers, addresses or links, as far as there are digits.
  static func all(_ directory: Directory) -> [CopiedValue] {
    let fields = directory.declaredFields.filter { [.phone, .email, .url].contains($0.kind) }
    let declared = fields.prefix(9).enumerated().map { CopiedValue.field($1, $0 + 1) }
    return ContactField.allCases.map { contact($0) } + [.name, .path, .id, .card] + declared
  }

  var key: Character {
    switch self {
    case .contact(let field): field.key.first ?? "?"
    case .name: "n"
    case .path: "t"
    case .id: "i"
    case .card: "v"
    case .field(_, let number): Character("\(number)")
    }
  }

  var label: String {
    switch self {
    case .contact(let field): field.known.label.lowercased()
    case .name: "name"
    case .path: "path"
    case .id: "id"
    case .card: "vCard"
    case .field(let field, _): field.label.lowercased()
    }
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
      case .field(let field, _):
        try directory.card(at: node).values?.values?[field.name]?.texts.joined(separator: "\n")
      }
    return text.flatMap { $0.isEmpty ? nil : $0 }
  }
}
