import DirectoryModel
import TextRules

/// One page for a browser, with nothing beside it: a tree that opens and closes, as it was on
/// screen, with search, for the keyboard and for screen readers (WAI-ARIA 1.2, `tree`), light and
/// dark, and for paper.
///
/// Rows stand one below the other and say their level (`aria-level`), in blocks that a browser lays
/// out only when they come near the window; nested elements would end at a few hundred levels.
/// Texts are made visible as on a terminal (`VisibleText`), escaped, and each one isolated in its
/// direction, so that no name reorders what stands beside it.
package struct HTMLEncoder: RowEncoder {
  private static let rowsInBlock = 100
  /// The style has an indent for each level up to this one.
  private static let deepestIndent = 12

  private let title: String
  private let fields: [Field]
  private let personName: PersonName
  private var open = OpenDepartments<Void>()
  /// Rows of the block being written: it is hidden when all of them are.
  private var block: [UInt8] = []
  private var rowsHere = 0
  private var isAnyShown = false

  /// - Parameters:
  ///   - title: What the page is called.
  ///   - fields: The declared fields.
  ///   - personName: Names the people of fields of that kind.
  package init(title: String, fields: [Field] = [], personName: @escaping PersonName = { $0 }) {
    self.title = VisibleText.visible(title)
    self.fields = fields
    self.personName = personName
  }

  package mutating func begin(_ bytes: inout [UInt8]) {
    HTMLPage.appendHead(title: title, to: &bytes)
  }

  package mutating func append(_ row: RowFields, to bytes: inout [UInt8]) throws {
    open.leave(for: row.place.depth)
    let level = open.count + 1
    if row.kind == .department { open.enter((), depth: row.place.depth) }
    beginRow(row, level: level)
    try appendContent(row)
    block.append(text: "</div>\n")
    rowsHere += 1
    isAnyShown = isAnyShown || !row.place.isFolded
    if rowsHere == Self.rowsInBlock { endBlock(&bytes) }
  }

  package mutating func end(_ bytes: inout [UInt8]) {
    if rowsHere > 0 { endBlock(&bytes) }
    HTMLPage.appendEnd(to: &bytes)
  }

  private mutating func endBlock(_ bytes: inout [UInt8]) {
    bytes.append(
      text: isAnyShown
        ? "<div class=\"k\" role=\"none\">" : "<div class=\"k\" role=\"none\" hidden>"
    )
    bytes.append(contentsOf: block)
    bytes.append(text: "</div>\n")
    block.removeAll(keepingCapacity: true)
    rowsHere = 0
    isAnyShown = false
  }

  private mutating func beginRow(_ row: RowFields, level: Int) {
    block.append(text: row.kind == .department ? "<div class=\"r d" : "<div class=\"r")
    if level > Self.deepestIndent { block.append(text: " x") }
    block.append(text: "\" role=\"treeitem\" aria-level=\"")
    block.append(decimal: level)
    block.append(text: "\"")
    if row.kind == .department && row.place.hasRowsBelow {
      block.append(
        text: row.disclosure == .expanded ? " aria-expanded=\"true\"" : " aria-expanded=\"false\""
      )
    }
    block.append(text: row.place.isFolded ? " hidden>" : ">")
  }

  private mutating func appendContent(_ row: RowFields) throws {
    append(row.name, in: "b")
    if let people = row.people {
      block.append(text: "<i>")
      block.append(decimal: people)
      block.append(text: "</i>")
    }
    append(row.title, in: "small")
    if row.leads == true { block.append(text: "<small>leads</small>") }
    append(row.description, in: "small")
    for field in Field.contacts { appendLink(row.contacts?[field], field.kind) }
    for (label, value) in try fields.shown(of: row, personName: personName) {
      block.append(text: "<small>")
      label.withUnsafeBytes { appendText($0) }
      block.append(text: " <bdi>")
      value.withUnsafeBytes { appendText($0) }
      block.append(text: "</bdi></small>")
    }
  }

  private mutating func append(_ text: UnsafeRawBufferPointer?, in element: String) {
    guard let text, !text.isEmpty else { return }
    block.append(contentsOf: "<\(element)><bdi>".utf8)
    appendText(text)
    block.append(contentsOf: "</bdi></\(element)>".utf8)
  }

  private mutating func appendLink(_ text: UnsafeRawBufferPointer?, _ kind: FieldKind) {
    guard let text, !text.isEmpty else { return }
    block.append(text: "<span>")
    if kind == .phone, !Self.isPlainNumber(text), let link = Self.link(number: text) {
      block.append(contentsOf: "<a tabindex=\"-1\" href=\"".utf8)
      for byte in link.utf8 { XMLText.append(byte, to: &block) }
      block.append(text: "\">")
      appendText(text)
      block.append(text: "</a></span>")
      return
    }
    let isPlain = kind == .phone ? Self.isPlainNumber(text) : Self.isPlainAddress(text)
    if isPlain, let scheme = kind.scheme {
      block.append(contentsOf: "<a tabindex=\"-1\" href=\"\(scheme)".utf8)
      for byte in text where byte != 0x20 { XMLText.append(byte, to: &block) }
      block.append(text: "\">")
      appendText(text)
      block.append(text: "</a></span>")
    } else {
      block.append(text: "<bdi>")
      appendText(text)
      block.append(text: "</bdi></span>")
    }
  }

  private mutating func appendText(_ text: UnsafeRawBufferPointer) {
    XMLText.append(VisibleText.visible(String(decoding: text, as: UTF8.self)), to: &block)
  }

  /// Whether an address needs nothing to be one in a link (RFC 6068 §2): others are only shown.
  private static func isPlainAddress(_ text: UnsafeRawBufferPointer) -> Bool {
    guard text.count(where: { $0 == UInt8(ascii: "@") }) == 1,
      text.first != UInt8(ascii: "@"), text.last != UInt8(ascii: "@")
    else { return false }
    return text.allSatisfy { isAlphanumeric($0) || "@.-_+".utf8.contains($0) }
  }

  /// Whether a number can be dialled as it stands, without its blanks (RFC 3966 §3).
  private static func isPlainNumber(_ text: UnsafeRawBufferPointer) -> Bool {
    let rest = text.first == UInt8(ascii: "+") ? text.dropFirst() : text[...]
    return rest.contains { (0x30...0x39).contains($0) }
      && rest.first != UInt8(ascii: "-")
      && rest.allSatisfy { (0x30...0x39).contains($0) || "-.() ".utf8.contains($0) }
  }

  /// The link of a number with an extension or in letters.
  private static func link(number text: UnsafeRawBufferPointer) -> String? {
    let text = String(decoding: text, as: UTF8.self)
    let phone = WrittenPhone(text)
    guard !phone.digits.isEmpty, !phone.extension.isEmpty || !phone.spelled.isEmpty else {
      return nil
    }
    return WrittenPhone.link(text)
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
  }
}
