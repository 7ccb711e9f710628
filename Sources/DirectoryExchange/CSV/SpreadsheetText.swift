/// Cells of a CSV file as Excel, LibreOffice and others take them when they open it.
///
/// A CSV file has no types, so a spreadsheet guesses: what begins like a formula is run (OWASP, "CSV
/// Injection"), and what looks like a number, a date or a truth becomes one and loses its leading
/// zeros, its plus, its case or its digits beyond the fifteenth (Microsoft, "Keeping leading zeros and
/// large numbers"). How a date looks depends on the language; English is what is known here.
///
/// | text | written | what the cell shows |
/// | --- | --- | --- |
/// | `=1+1`, `@SUM(A1)`, `-2+A1`, tab or CR first, full-width `＝＋－＠` first | `'=1+1` | `'=1+1` |
/// | `007`, `+15550100`, `1E5`, `3-4`, `12:30 PM`, `MAR1`, `2-MAY`, `$5`, `true` | `="007"` | `007` |
/// | more than 255 digits | an apostrophe in front | the same |
/// | everything else | as it is | the same |
///
/// | one or more apostrophes, then what would be written otherwise | one more apostrophe | the same |
///
/// A formula of the second kind holds nothing but digits, signs and a few words, so that nothing can
/// get out of its quotes. `plain(_:)` undoes all of it.
package enum SpreadsheetText {
  /// The longest literal in a formula (Microsoft, "Excel specifications and limits": 255
  /// characters).
  private static let longestLiteral = 255

  /// What is written in place of a text; `nil` where that is the text itself.
  ///
  /// - Complexity: O(bytes).
  static func harmless(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
    let bare = text.drop { $0 == apostrophe }
    guard let first = bare.first else { return nil }
    let form = form(of: UnsafeRawBufferPointer(rebasing: bare), first)
    if form == .itself { return nil }
    guard form == .quoted, bare.count == text.count else { return [apostrophe] + text }
    return Array("=\"".utf8) + text + [UInt8(ascii: "\"")]
  }

  /// What is written in place of a text in a file that is for no spreadsheet; `nil` where that is the
  /// text itself.
  ///
  /// Only what would be taken for a cell of the second kind gets an apostrophe: who reads the file
  /// cannot tell whether a spreadsheet's user wrote it.
  static func exact(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
    quotedText(UnsafeRawBufferPointer(rebasing: text.drop { $0 == apostrophe })) == nil
      ? nil : [apostrophe] + text
  }

  /// The text that `harmless(_:)`, or `exact(_:)`, made a cell of; other cells are texts as they stand.
  ///
  /// - Parameters:
  ///   - cell: A cell of a CSV file.
  ///   - isForSpreadsheet: Whether `harmless(_:)` wrote it, as a byte order mark tells.
  /// - Returns: A part of the cell.
  /// - Complexity: O(1) for a cell that begins with neither `=` nor an apostrophe.
  static func plain(
    _ cell: UnsafeRawBufferPointer,
    isForSpreadsheet: Bool
  ) -> UnsafeRawBufferPointer {
    switch cell.first {
    case UInt8(ascii: "="): return quotedText(cell) ?? cell
    case apostrophe:
      let text = UnsafeRawBufferPointer(rebasing: cell.dropFirst())
      let bare = UnsafeRawBufferPointer(rebasing: text.drop { $0 == apostrophe })
      guard let first = bare.first else { return cell }
      guard isForSpreadsheet else { return quotedText(bare) == nil ? cell : text }
      let form = form(of: bare, first)
      return form == .itself || form == .quoted && bare.count == text.count ? cell : text
    default: return cell
    }
  }

  /// What stands between the quotes of `="…"`, if it is what a spreadsheet would turn into something
  /// else without them.
  private static func quotedText(_ cell: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard cell.count > 3, cell[0] == UInt8(ascii: "="), cell[1] == UInt8(ascii: "\""),
      cell[cell.count - 1] == UInt8(ascii: "\"")
    else { return nil }
    let text = UnsafeRawBufferPointer(rebasing: cell[2..<(cell.count - 1)])
    return form(of: text, text[0]) == .quoted ? text : nil
  }

  /// Whether a spreadsheet that opens the text would run it.
  package static func isFormula(_ text: UnsafeRawBufferPointer) -> Bool {
    guard let first = text.first else { return false }
    return mayRun(text, first: first) && !isConverted(text)
  }

  private static let apostrophe = UInt8(ascii: "'")

  private enum Form {
    case itself, quoted, behindApostrophe
  }

  /// How a text without apostrophes in front is written.
  private static func form(of text: UnsafeRawBufferPointer, _ first: UInt8) -> Form {
    if isConverted(text) { return text.count <= longestLiteral ? .quoted : .behindApostrophe }
    return mayRun(text, first: first) ? .behindApostrophe : .itself
  }

  /// Whether a spreadsheet may take the text for a formula.
  private static func mayRun(_ text: UnsafeRawBufferPointer, first: UInt8) -> Bool {
    switch first {
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "@"), 0x09, 0x0D: true
    case UInt8(ascii: "-"): text.count > 1
    // Full-width ＝ ＋ － ＠, which a Japanese Excel takes for the plain ones.
    case 0xEF:
      text.count >= 3 && text[1] == 0xBC && [0x8B, 0x8D, 0x9D, 0xA0].contains(text[2])
    // Blanks in front of a formula are skipped.
    case 0x20, 0x0A:
      text.first { $0 != 0x20 && $0 != 0x0A }.map { "=+-@".utf8.contains($0) } ?? false
    default: false
    }
  }

  /// Whether a spreadsheet may take the text for a number, a date, a time or a truth.
  private static func isConverted(_ text: UnsafeRawBufferPointer) -> Bool {
    guard holdsDigit(text) else { return isTruth(text) }
    var position = 0
    while position < text.count {
      let length = length(ofPartAt: position, of: text)
      guard length > 0 else { return false }
      position += length
    }
    return true
  }

  @inline(__always)
  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & 0xDF) }

  /// Whether the text has a digit, of ASCII or a full-width one, which a Japanese Excel takes for it.
  private static func holdsDigit(_ text: UnsafeRawBufferPointer) -> Bool {
    for (position, byte) in text.enumerated() {
      if isDigit(byte) || byte == 0xEF && isFullWidthDigit(text, at: position) { return true }
    }
    return false
  }

  private static func isFullWidthDigit(_ text: UnsafeRawBufferPointer, at position: Int) -> Bool {
    position + 2 < text.count && text[position + 1] == 0xBC
      && (0x90...0x99).contains(text[position + 2])
  }

  /// Bytes of what stands there, if numbers, dates and times may have it; otherwise 0.
  private static func length(ofPartAt position: Int, of text: UnsafeRawBufferPointer) -> Int {
    let byte = text[position]
    switch byte {
    case 0x30...0x39: return 1
    case let byte where "+-()./:, %$".utf8.contains(byte): return 1
    case let byte where isLetter(byte): return length(ofWordAt: position, of: text)
    case 0xEF where isFullWidthDigit(text, at: position): return 3
    // No-break space, £ and ¥.
    case 0xC2 where [0xA0, 0xA3, 0xA5].contains(text[position + 1]): return 2
    // €, and a narrow no-break space.
    case 0xE2:
      let rest = UInt16(text[position + 1]) << 8 | UInt16(text[position + 2])
      return rest == 0x82AC || rest == 0x80AF ? 3 : 0
    default: return 0
    }
  }

  /// An English month, the half of a day, or what parts the digits of a number or a date.
  private static func length(ofWordAt position: Int, of text: UnsafeRawBufferPointer) -> Int {
    let word = text[position...].prefix(while: isLetter)
    let isBehindDigit = position > 0 && isDigit(text[position - 1])
    let isBehindBlank = position > 0 && text[position - 1] == 0x20
    switch word.count {
    case 1:
      return switch word[position] | 0x20 {
      case UInt8(ascii: "e"): 1
      case UInt8(ascii: "t"), UInt8(ascii: "z"): isBehindDigit ? 1 : 0
      case UInt8(ascii: "a"), UInt8(ascii: "p"): isBehindBlank ? 1 : 0
      default: 0
      }
    case 2: return isBehindDigit || isBehindBlank ? matching(["am", "pm"], word) : 0
    case 3...9: return matching(months, word)
    default: return 0
    }
  }

  /// Bytes of a word if it is one of some; otherwise 0.
  private static func matching(
    _ words: [StaticString],
    _ word: Slice<UnsafeRawBufferPointer>
  ) -> Int {
    let isKnown = words.contains { known in
      known.utf8CodeUnitCount == word.count
        && zip(UnsafeBufferPointer(start: known.utf8Start, count: word.count), word)
          .allSatisfy { $0 == $1 | 0x20 }
    }
    return isKnown ? word.count : 0
  }

  private static func isTruth(_ text: UnsafeRawBufferPointer) -> Bool {
    (4...5).contains(text.count) && matching(["true", "false"], text[...]) > 0
  }

  private static let months: [StaticString] = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep",
    "sept", "oct", "nov", "dec",
  ]
}
