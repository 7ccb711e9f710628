import DirectoryModel

/// What parts the fields of a file that is CSV but for its commas.
package struct FieldSeparator: Sendable, Equatable {
  let byte: UInt8

  private static let names: [String: String] = [
    "tab": "\t", "\\t": "\t", "semicolon": ";", "comma": ",", "bar": "|", "pipe": "|",
  ]

  /// - Parameter name: The sign itself, one of ASCII that is neither letter, digit nor quote; or its
  ///   name, such as `tab`.
  /// - Throws: `.usage` for anything else.
  package init(_ name: String) throws(DirectoryError) {
    let sign = Array((Self.names[name.lowercased()] ?? name).utf8)
    guard sign.count == 1, Self.isSign(sign[0]) else {
      throw DirectoryError(
        .usage,
        "\(QuotedValue.path(name)) is not a field separator",
        advice: "give one character such as ';' or '|', or the word tab"
      )
    }
    byte = sign[0]
  }

  /// - Returns: `nil` for a byte that can be none.
  init?(byte: UInt8) {
    guard Self.isSign(byte) else { return nil }
    self.byte = byte
  }

  static let comma = FieldSeparator(sign: CSVByte.comma)

  private init(sign: UInt8) { byte = sign }

  /// For people.
  var name: String {
    switch byte {
    case 0x09: "tabs"
    case UInt8(ascii: ";"): "semicolons"
    case UInt8(ascii: "|"): "bars"
    case CSVByte.comma: "commas"
    default: "\"\(Character(Unicode.Scalar(byte)))\""
    }
  }

  private static func isSign(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09: true
    case 0x22, 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: false
    default: (0x21...0x7E).contains(byte)
    }
  }
}

/// Tells what parts the fields of a table, by how evenly it parts its first lines.
enum SeparatorDetector {
  /// Lines that are looked at.
  private static let most = 50

  /// The likeliest separator of a text.
  ///
  /// - Parameter text: The beginning of a file in UTF-8, up to the end of a line where there is one.
  /// - Returns: `nil` where none parts two lines alike, nor the first of one.
  static func separator(of text: [UInt8]) -> FieldSeparator? {
    var text = text[...]
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
    // Spreadsheets write and understand a first line that says it.
    let head = Array("sep=".utf8)
    if text.starts(with: head), text.count > 4,
      let named = FieldSeparator(byte: text[text.startIndex + 4])
    {
      return named
    }
    var best: (separator: FieldSeparator, score: Int)?
    for byte in ",;\t|".utf8 {
      guard let separator = FieldSeparator(byte: byte) else { continue }
      let score = evenness(counts(of: byte, in: text))
      if score > best?.score ?? 0 { best = (separator, score) }
    }
    return best?.separator
  }

  /// How many separators stand outside quotes in each of the first lines that are not blank.
  private static func counts(of separator: UInt8, in text: ArraySlice<UInt8>) -> [Int] {
    var counts: [Int] = []
    var count = 0
    var isQuoted = false
    var isBlank = true
    for byte in text {
      switch byte {
      case CSVByte.quote: isQuoted.toggle()
      case separator where !isQuoted: count += 1
      case CSVByte.lineFeed where !isQuoted, CSVByte.carriageReturn where !isQuoted:
        if !isBlank { counts.append(count) }
        count = 0
        isBlank = true
        if counts.count == most { return counts }
        continue
      default: break
      }
      isBlank = false
    }
    if !isBlank { counts.append(count) }
    return counts
  }

  /// Lines that have the commonest number of separators, times that number.
  private static func evenness(_ counts: [Int]) -> Int {
    var lines: [Int: Int] = [:]
    for count in counts where count > 0 { lines[count, default: 0] += 1 }
    let common = lines.max { ($0.value, $0.key) < ($1.value, $1.key) }
    guard let common else { return 0 }
    // A sign that is part of some texts parts few lines alike.
    guard 2 * common.value > counts.count || counts.count < 3 else { return 0 }
    return common.value * common.value * common.key
  }
}
