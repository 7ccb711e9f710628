import DirectoryModel

/// CSV with a header: `level,kind,id,parent_id,name,description,title,email,phone,people`.
///
/// The rows are those of a list, departments and people mixed; a value that does not apply is
/// empty. For a spreadsheet, text that one would run as a formula gets an apostrophe in front
/// (OWASP, "CSV Injection"); without that every value is kept byte for byte.
package struct CSVRowEncoder: RowEncoder {
  package static let columns = [
    "level", "kind", "id", "parent_id", "name", "description", "title", "email", "phone", "people",
  ]

  private let isForSpreadsheet: Bool
  private var writer = CSVWriter()

  package init(forSpreadsheet isForSpreadsheet: Bool = false) {
    self.isForSpreadsheet = isForSpreadsheet
  }

  package mutating func begin(_ bytes: inout [UInt8]) {
    // Without it Excel takes the file for one in the system's old encoding.
    if isForSpreadsheet { bytes.append(contentsOf: [0xEF, 0xBB, 0xBF]) }
    for column in Self.columns { writer.append(column, to: &bytes) }
    writer.endRecord(to: &bytes)
  }

  package mutating func append(_ row: DirectoryRow, to bytes: inout [UInt8]) {
    append(row.level, to: &bytes)
    writer.append(row.kind.rawValue, to: &bytes)
    append(row.id, to: &bytes)
    append(row.parent?.rawValue, to: &bytes)
    append(row.name, to: &bytes)
    append(row.description, to: &bytes)
    append(row.title, to: &bytes)
    append(row.email, to: &bytes)
    append(row.phone, to: &bytes)
    append(row.people, to: &bytes)
    writer.endRecord(to: &bytes)
  }

  private mutating func append(_ number: Int?, to bytes: inout [UInt8]) {
    if let number {
      writer.append(Int64(number), to: &bytes)
    } else {
      writer.append("", to: &bytes)
    }
  }

  private mutating func append(_ text: String?, to bytes: inout [UInt8]) {
    let text = text ?? ""
    let isRisky = isForSpreadsheet && Self.mayRun(text)
    writer.append(isRisky ? "'" + text : text, to: &bytes)
  }

  /// Whether a spreadsheet may take the text for a formula.
  ///
  /// What has digits and their signs alone, such as a phone number with its `+`, is at worst read
  /// as a number.
  private static func mayRun(_ text: String) -> Bool {
    guard let first = text.utf8.first else { return false }
    switch first {
    case UInt8(ascii: "="), UInt8(ascii: "@"), 0x09, 0x0D: return true
    case UInt8(ascii: "+"), UInt8(ascii: "-"):
      return !text.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-(). ".utf8.contains($0) }
    default: return isFullWidthSign(text)
    }
  }

  /// Full-width `＝ ＋ － ＠`, which a Japanese Excel takes for the plain ones.
  private static func isFullWidthSign(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first else { return false }
    return [0xFF1D, 0xFF0B, 0xFF0D, 0xFF20].contains(first.value)
  }
}
