import DirectoryModel
import TextRules

/// A flowchart for Mermaid (its manual: "Flowcharts – Basic Syntax"), left to right.
///
/// In a quoted label everything but letters, digits, blanks and a few harmless signs of ASCII is
/// written as `#number;` ("Entity codes to escape characters"), so that no label can end its quotes
/// or be taken for Markdown or HTML; so are signs at its beginning that would make a list of it, and
/// a letter of `direction`, which Mermaid 11 takes for the statement even inside a label. Control
/// and invisible format characters are shown by signs (`VisibleText`). Mermaid itself draws at most
/// 500 edges and 50,000 characters unless its page allows more (`maxEdges`, `maxTextSize`).
package struct MermaidEncoder: RowEncoder {
  private var open = OpenDepartments<Int>()
  private var count = 0

  package init() {}

  package mutating func begin(_ bytes: inout [UInt8]) { bytes.append(text: "flowchart LR\n") }

  package mutating func append(_ row: RowFields, to bytes: inout [UInt8]) {
    open.leave(for: row.place.depth)
    count += 1
    let isDepartment = row.kind == .department
    bytes.append(contentsOf: "  n\(count)\(isDepartment ? "[\"" : "(\"")".utf8)
    Self.append(row.name, to: &bytes)
    if isDepartment, let people = row.people { bytes.append(contentsOf: " (\(people))".utf8) }
    if !isDepartment, let title = row.title, !title.isEmpty {
      bytes.append(text: "<br>")
      Self.append(title, to: &bytes)
    }
    bytes.append(text: isDepartment ? "\"]\n" : "\")\n")
    if let parent = open.innermost {
      bytes.append(contentsOf: "  n\(parent) --- n\(count)\n".utf8)
    }
    if isDepartment { open.enter(count, depth: row.place.depth) }
  }

  private static let statement = Array("direction".utf8)

  private static func append(_ text: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    var matched = 0
    var mayBeginList = true
    for byte in VisibleText.visible(String(decoding: text, as: UTF8.self)).utf8 {
      let isMarker = mayBeginList && "-+.)".utf8.contains(byte)
      mayBeginList = mayBeginList && (byte == 0x20 || (0x30...0x39).contains(byte))
      matched = byte == statement[matched] ? matched + 1 : byte == statement[0] ? 1 : 0
      let endsStatement = matched == statement.count
      if endsStatement { matched = 0 }
      switch byte {
      case _ where endsStatement:
        bytes.append(text: "#")
        bytes.append(decimal: Int(byte))
        bytes.append(text: ";")
      case 0x80..., 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x20: bytes.append(byte)
      case let byte where !isMarker && "-.,'()/+@".utf8.contains(byte): bytes.append(byte)
      default:
        bytes.append(text: "#")
        bytes.append(decimal: Int(byte))
        bytes.append(text: ";")
      }
    }
  }
}
