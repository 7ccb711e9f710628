/// The text of a cell of a personnel list.
enum CellText {
  /// Appends a cell's text: without what a spreadsheet puts around values so that they stay texts
  /// (`="007"`, `'007`), and with a blank for each run of blanks and line breaks, none at the ends.
  ///
  /// A blank that is due is written before the next character, so that cells may be put together.
  ///
  /// - Returns: Whether the cell has any text.
  @discardableResult
  static func append(_ cell: UnsafeRawBufferPointer, to text: inout [UInt8]) -> Bool {
    let bare = unwrapped(cell)
    let start = text.count
    var isBlankDue = false
    var position = 0
    while position < bare.count {
      let blank = blankLength(bare, at: position)
      if blank > 0 {
        isBlankDue = text.count > start
        position += blank
        continue
      }
      let byte = bare[position]
      position += 1
      // `""` stands for a quote inside `="…"`.
      if bare.count != cell.count, byte == quote, position < bare.count, bare[position] == quote {
        position += 1
      }
      if isBlankDue { text.append(0x20) }
      isBlankDue = false
      text.append(byte)
    }
    return text.count > start
  }

  private static let quote = UInt8(ascii: "\"")

  /// The cell without `="…"`, or without the apostrophe in front of a number or a formula.
  private static func unwrapped(_ cell: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard cell.count > 1 else { return cell }
    if cell.count >= 3, cell[0] == UInt8(ascii: "="), cell[1] == quote,
      cell[cell.count - 1] == quote
    {
      return UnsafeRawBufferPointer(rebasing: cell[2..<(cell.count - 1)])
    }
    guard cell[0] == UInt8(ascii: "'") else { return cell }
    switch cell[1] {
    case 0x30...0x39, UInt8(ascii: "+"), UInt8(ascii: "="), UInt8(ascii: "-"), UInt8(ascii: "@"):
      return UnsafeRawBufferPointer(rebasing: cell.dropFirst())
    default: return cell
    }
  }

  /// Bytes of a blank or line break: of ASCII, U+00A0, U+202F, U+3000 or U+FEFF; otherwise 0.
  @inline(__always)
  private static func blankLength(_ text: UnsafeRawBufferPointer, at position: Int) -> Int {
    let byte = text[position]
    if byte <= 0x20 { return byte == 0x20 || (0x09...0x0D).contains(byte) ? 1 : 0 }
    if byte < 0xC2 { return 0 }
    let rest = text[position...]
    if byte == 0xC2 { return rest.starts(with: [0xC2, 0xA0]) ? 2 : 0 }
    guard byte == 0xE2 || byte == 0xE3 || byte == 0xEF else { return 0 }
    return rest.starts(with: [0xE2, 0x80, 0xAF]) || rest.starts(with: [0xE3, 0x80, 0x80])
      || rest.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  /// The parts of a text between signs, trimmed, without empty ones.
  static func parts(of text: [UInt8], by sign: [UInt8]) -> [[UInt8]] {
    guard !sign.isEmpty else { return text.isEmpty ? [] : [text] }
    var parts: [[UInt8]] = []
    var start = 0
    var position = 0
    func end(at stop: Int) {
      var part: [UInt8] = []
      text[start..<stop].withUnsafeBytes { if append($0, to: &part) { parts.append(part) } }
    }
    while position + sign.count <= text.count {
      if text[position] == sign[0], text[position..<(position + sign.count)].elementsEqual(sign) {
        end(at: position)
        position += sign.count
        start = position
      } else {
        position += 1
      }
    }
    end(at: text.count)
    return parts
  }
}

extension CSVRecord {
  /// The texts of its cells.
  var texts: [[UInt8]] {
    (0..<count).map { position in
      var text: [UInt8] = []
      CellText.append(self[position], to: &text)
      return text
    }
  }
}
