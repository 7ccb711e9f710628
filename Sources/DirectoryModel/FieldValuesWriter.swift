/// Writes the text that `FieldValues` describes, field by field, in bytes.
///
/// Fields come in the order of `Field.isWritten(before:)`, each once.
package struct FieldValuesWriter {
  private var bytes: [UInt8] = []

  package init() {}

  package mutating func append(_ name: String, _ value: some Sequence<UInt8>) {
    begin(name)
    append(value)
  }

  /// Adds a field that has several values, or one that stands in a list.
  package mutating func append(_ name: String, list: some Sequence<[UInt8]>) {
    begin(name)
    bytes.append(UInt8(ascii: "["))
    var isFirst = true
    for value in list {
      if !isFirst { appendSeparator() }
      isFirst = false
      append(value)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// The text; empty where nothing was added.
  package func finished() -> [UInt8] {
    bytes.isEmpty ? [] : bytes + [UInt8(ascii: "}")]
  }

  private mutating func begin(_ name: String) {
    if bytes.isEmpty { bytes.append(UInt8(ascii: "{")) } else { appendSeparator() }
    append(name.utf8)
    bytes.append(UInt8(ascii: ":"))
    bytes.append(UInt8(ascii: " "))
  }

  private mutating func appendSeparator() {
    bytes.append(UInt8(ascii: ","))
    bytes.append(UInt8(ascii: " "))
  }

  private mutating func append(_ value: some Sequence<UInt8>) {
    bytes.append(UInt8(ascii: "\""))
    for byte in value {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0x08: bytes.append(contentsOf: #"\b"#.utf8)
      case 0x0C: bytes.append(contentsOf: #"\f"#.utf8)
      case 0x0A: bytes.append(contentsOf: #"\n"#.utf8)
      case 0x0D: bytes.append(contentsOf: #"\r"#.utf8)
      case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
      case 0..<0x20:
        bytes.append(contentsOf: #"\u00"#.utf8)
        bytes.append(Self.digit(byte >> 4))
        bytes.append(Self.digit(byte & 15))
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func digit(_ number: UInt8) -> UInt8 {
    number < 10 ? 0x30 + number : 0x57 + number
  }
}

extension Field {
  /// Whether its values stand first in the text of a record: by the names' lengths, then bytes.
  package func isWritten(before other: Field) -> Bool {
    Self.isWritten(name, before: other.name)
  }

  static func isWritten(_ left: String, before right: String) -> Bool {
    left.utf8.count != right.utf8.count
      ? left.utf8.count < right.utf8.count : left.utf8.lexicographicallyPrecedes(right.utf8)
  }
}

extension [Field] {
  /// The fields of departments, or of users, in the same order.
  package func of(_ owner: RecordKind) -> [Field] { filter { $0.owner == owner } }

  /// Whether the values of a person's field are ids of people: of the id itself, too.
  package func namesPeople(_ field: String) -> Bool {
    field == RecordColumn.id.name
      || contains { $0.owner == .user && $0.name == field && $0.kind == .person }
  }
}
