import DirectoryModel
import DirectoryReading

/// What of a row can be copied, and the key for it.
enum CopiedValue: String, CaseIterable {
  case email, phone, name, path, id, card

  var key: Character {
    switch self {
    case .path: "t"
    case .card: "v"
    default: rawValue.first ?? "?"
    }
  }

  var label: String {
    switch self {
    case .email: "email address"
    case .phone: "phone number"
    case .card: "vCard"
    default: rawValue
    }
  }

  init?(key: Character) {
    guard let value = Self.allCases.first(where: { $0.key == key }) else { return nil }
    self = value
  }

  /// The value of a node; `nil` where it has none.
  func text(of node: Int, in directory: Directory) throws -> String? {
    let row = try directory.card(at: node)
    let text: String? =
      switch self {
      case .email: row.email
      case .phone: row.phone
      case .name: row.name
      case .path: DepartmentName.path((row.path ?? []) + [row.name])
      case .id: row.id
      case .card: row.kind == .user ? try directory.vCard(at: node) : nil
      }
    return text.flatMap { $0.isEmpty ? nil : $0 }
  }
}
