/// Cells of a CSV file as Excel, LibreOffice and others take them when they open it.
///
/// A CSV file has no types, so a spreadsheet guesses: what begins like a formula is run (OWASP, "CSV
/// Injection"), and what looks like a number or a date becomes one and loses its leading zeros, its
/// plus or its digits beyond the fifteenth (Microsoft, "Keeping leading zeros and large numbers").
///
/// | text | written | what the cell shows |
/// | --- | --- | --- |
/// | `=1+1`, `@SUM(A1)`, `-2+A1`, tab or CR first, full-width `＝＋－＠` first | `'=1+1` | `'=1+1` |
/// | `007`, `+15550100`, `1E5`, `3-4`, `12:30`, `MAR1` | `="007"` | `007` |
/// | everything else | as it is | the same |
///
/// A formula of the second kind holds nothing but digits, signs and the letters of a month, so that
/// nothing can get out of its quotes.
enum SpreadsheetText {
  /// The longest literal in a formula (Microsoft, "Excel specifications and limits": 255
  /// characters).
  private static let longestLiteral = 255

  /// What is written in place of a text; `nil` where that is the text itself.
  static func harmless(_ text: UnsafeRawBufferPointer) -> String? {
    guard let first = text.first else { return nil }
    if isConverted(text, first: first) {
      return "=\"\(String(decoding: text, as: UTF8.self))\""
    }
    return mayRun(text, first: first) ? "'\(String(decoding: text, as: UTF8.self))" : nil
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

  /// Whether a spreadsheet may take the text for a number, a date or a time.
  private static func isConverted(_ text: UnsafeRawBufferPointer, first: UInt8) -> Bool {
    guard text.count <= longestLiteral, text.contains(where: isDigit) else { return false }
    let rest = text.dropFirst(monthLength(text))
    return rest.allSatisfy { isDigit($0) || "+-()./:, eE%".utf8.contains($0) }
  }

  @inline(__always)
  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// Length of an English month, whole or short, that the text begins with.
  private static func monthLength(_ text: UnsafeRawBufferPointer) -> Int {
    let letters = text.prefix(9).map { $0 | 0x20 }
    for month in months {
      for name in [month, String(month.prefix(4)), String(month.prefix(3))]
      where letters.starts(with: name.utf8) {
        return name.utf8.count
      }
    }
    return 0
  }

  private static let months = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
  ]
}
