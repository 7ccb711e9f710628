import DirectoryModel

/// Tells what parts the fields of a table, by how evenly it parts its first lines.
enum SeparatorGuess {
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
