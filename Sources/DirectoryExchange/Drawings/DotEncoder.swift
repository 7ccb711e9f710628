import DirectoryModel
import TextRules

/// A graph for Graphviz (its manual: "The DOT Language"): `dot -Tsvg` draws it, left to right.
///
/// A label is a quoted string; in it a quote and a backslash are escaped, and an ampersand too,
/// since Graphviz reads HTML's character references there (its manual: "Character Set"). Control
/// and invisible format characters are shown by signs (`VisibleText`).
package struct DotEncoder: RowEncoder {
  private var open = OpenDepartments<Int>()
  private var count = 0

  package init() {}

  package mutating func begin(_ bytes: inout [UInt8]) {
    bytes.append(
      text: """
        digraph staffbook {
          graph [charset="UTF-8", rankdir=LR];
          node [shape=box, style=rounded, fontname="sans-serif"];
          edge [dir=none];

        """
    )
  }

  package mutating func append(_ row: RowFields, to bytes: inout [UInt8]) {
    open.leave(for: row.place.depth)
    count += 1
    bytes.append(contentsOf: "  n\(count) [label=\"".utf8)
    Self.append(row.name, to: &bytes)
    if row.kind == .department {
      if let people = row.people { bytes.append(contentsOf: " (\(people))".utf8) }
      bytes.append(text: "\", style=\"rounded,bold\"];\n")
    } else {
      if let title = row.title, !title.isEmpty {
        bytes.append(text: "\\n")
        Self.append(title, to: &bytes)
      }
      bytes.append(text: "\"];\n")
    }
    if let parent = open.innermost {
      bytes.append(contentsOf: "  n\(parent) -> n\(count);\n".utf8)
    }
    if row.kind == .department { open.enter(count, depth: row.place.depth) }
  }

  package mutating func end(_ bytes: inout [UInt8]) { bytes.append(text: "}\n") }

  private static func append(_ text: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    for byte in VisibleText.visible(String(decoding: text, as: UTF8.self)).utf8 {
      switch byte {
      case UInt8(ascii: "\""): bytes.append(text: "\\\"")
      case UInt8(ascii: "\\"): bytes.append(text: "\\\\")
      case UInt8(ascii: "&"): XMLText.append(byte, to: &bytes)
      default: bytes.append(byte)
      }
    }
  }
}
