import DirectoryModel
import TextRules

/// A nested list in Markdown (CommonMark 0.31 §5.2, §5.3): departments bold with the number of
/// their people, people with title and contact fields, both with their declared fields by label.
///
/// What would be markup is escaped by a backslash (§2.4) or written as a character reference
/// (§2.5), and control and invisible format characters are shown by signs (`VisibleText`). Below 32
/// levels a list gets no deeper and says the level instead; indented in full, a chain of
/// departments would be the square of its length.
package struct MarkdownEncoder: RowEncoder {
  private static let deepestIndent = 32

  private let fields: [Field]
  private let personName: PersonName
  private var open = OpenDepartments<Void>()

  /// - Parameters:
  ///   - fields: The declared fields.
  ///   - personName: Names the people of fields of that kind.
  package init(fields: [Field] = [], personName: @escaping PersonName = { $0 }) {
    self.fields = fields
    self.personName = personName
  }

  package mutating func append(_ row: RowFields, to bytes: inout [UInt8]) throws {
    open.leave(for: row.place.depth)
    let level = open.count
    bytes.append(contentsOf: repeatElement(0x20, count: min(level, Self.deepestIndent) * 2))
    bytes.append(text: "- ")
    if row.kind == .department {
      bytes.append(text: "**")
      Self.append(row.name, to: &bytes)
      bytes.append(text: "**")
      if let people = row.people { bytes.append(contentsOf: " (\(people))".utf8) }
      Self.append(row.description, after: " – ", to: &bytes)
      open.enter((), depth: row.place.depth)
    } else {
      Self.append(row.name, beginsItem: true, to: &bytes)
      Self.append(row.title, after: ", ", to: &bytes)
      if row.leads == true { bytes.append(text: " (leads)") }
      for field in Field.contacts {
        Self.append(row.contacts?[field], after: " · ", to: &bytes)
      }
    }
    for (label, value) in try fields.shown(of: row, personName: personName) {
      bytes.append(text: " · ")
      label.withUnsafeBytes { Self.append($0, to: &bytes) }
      bytes.append(text: " ")
      value.withUnsafeBytes { Self.append($0, to: &bytes) }
    }
    if level > Self.deepestIndent { bytes.append(contentsOf: " (level \(level))".utf8) }
    bytes.append(text: "\n")
  }

  private static func append(
    _ text: UnsafeRawBufferPointer?,
    after separator: String,
    to bytes: inout [UInt8]
  ) {
    guard let text, !text.isEmpty else { return }
    bytes.append(contentsOf: separator.utf8)
    append(text, to: &bytes)
  }

  /// Appends a text that means nothing but itself.
  ///
  /// - Parameters:
  ///   - text: UTF-8.
  ///   - beginsItem: Whether it is the first of its item, where signs and numbers begin lists.
  ///   - bytes: Where it goes.
  static func append(
    _ text: UnsafeRawBufferPointer,
    beginsItem: Bool = false,
    to bytes: inout [UInt8]
  ) {
    let visible = VisibleText.visible(String(decoding: text, as: UTF8.self)).unicodeScalars
    // Blanks at either end are lost, or keep the asterisks beside them from being emphasis (§6.2).
    let isVisible = { (scalar: Unicode.Scalar) in
      scalar.isASCII ? scalar.value > 0x20 : !scalar.properties.isWhitespace
    }
    let first = visible.firstIndex(where: isVisible) ?? visible.endIndex
    let end = visible.lastIndex(where: isVisible).map(visible.index(after:)) ?? first
    appendReferences(visible[..<first], to: &bytes)
    let inner = Substring(visible[first..<end]).utf8
    // Digits at the beginning and what follows would number a list.
    let digits = !beginsItem ? 0 : inner.prefix { (0x30...0x39).contains($0) }.count
    // What GitHub would make a link of begins with `www.`.
    var letters = 0
    for (index, byte) in inner.enumerated() {
      switch byte {
      case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"):
        XMLText.append(byte, to: &bytes)
      case let byte
      where isMarkup(byte, isFirst: beginsItem && index == 0)
        || digits > 0 && index == digits && ".)".utf8.contains(byte)
        || letters == 3 && byte == UInt8(ascii: "."):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      default: bytes.append(byte)
      }
      letters = byte | 0x20 == UInt8(ascii: "w") ? letters + 1 : 0
    }
    appendReferences(visible[end...], to: &bytes)
  }

  private static func appendReferences(
    _ blanks: Substring.UnicodeScalarView,
    to bytes: inout [UInt8]
  ) {
    for blank in blanks { bytes.append(contentsOf: "&#\(blank.value);".utf8) }
  }

  /// Besides CommonMark's own: `~` and `|` (GitHub's strikethrough and tables), `:` and `@` (its
  /// links without brackets; those to a mail address it makes nevertheless), `$` (formulas).
  private static func isMarkup(_ byte: UInt8, isFirst: Bool) -> Bool {
    switch byte {
    case UInt8(ascii: "\\"), UInt8(ascii: "`"), UInt8(ascii: "*"), UInt8(ascii: "_"),
      UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "!"), UInt8(ascii: "#"),
      UInt8(ascii: "~"), UInt8(ascii: "|"), UInt8(ascii: "$"), UInt8(ascii: ":"),
      UInt8(ascii: "@"), UInt8(ascii: "^"):
      true
    case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "="): isFirst
    default: false
    }
  }
}
