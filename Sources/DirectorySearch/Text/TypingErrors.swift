/// Words that differ by what fingers do: a letter too many, too few, another one, or two swapped.
///
/// Distances are those of optimal string alignment: Damerau's four errors, no letter touched twice.
/// Source: F. J. Damerau, "A technique for computer detection and correction of spelling errors",
/// CACM 7 (1964).
struct TypingErrors: Sendable {
  /// The word as it was typed, in scalars.
  let letters: [UInt32]
  /// The most errors that it may have.
  let limit: Int
  /// Whether all letters are ASCII; then words with others are not compared: fingers do not slip
  /// from one script into another.
  let isASCII: Bool

  /// Words of four letters and more may have one error, of eight and more two.
  ///
  /// - Returns: `nil` for a word that is shorter, or not all letters.
  init?(_ word: [UInt8]) {
    guard word.count >= 4, !word.contains(where: { $0 < 0x80 && !($0 &- 0x61 < 26) }) else {
      return nil
    }
    letters = String(decoding: word, as: UTF8.self).unicodeScalars.map(\.value)
    guard letters.count >= 4 else { return nil }
    isASCII = letters.allSatisfy { $0 < 0x80 }
    limit = letters.count >= 8 ? 2 : 1
  }

  /// With a limit of one's own, for suggestions.
  init(_ word: [UInt8], limit: Int) {
    letters = String(decoding: word, as: UTF8.self).unicodeScalars.map(\.value)
    isASCII = letters.allSatisfy { $0 < 0x80 }
    self.limit = limit
  }

  /// How a number of errors counts.
  static func quality(_ errors: Int) -> MatchQuality {
    errors <= 1 ? .oneError : .twoErrors
  }

  /// How many errors lie between the typed word and another.
  ///
  /// - Returns: `nil` when there are more than the limit.
  /// - Complexity: O(n · m), less where the limit is passed early.
  func count(to other: BorrowedText) -> Int? {
    // Every byte but the trailing ones of UTF-8 begins a letter.
    var length = 0
    for byte in other {
      if byte & 0xC0 != 0x80 { length &+= 1 }
      if byte >= 0x80, isASCII { return nil }
    }
    guard abs(length - letters.count) <= limit else { return nil }
    var rows = EditDistanceRows(width: letters.count)
    var position = 0
    while position < other.count {
      let (letter, size) = Self.letter(at: position, of: other)
      position += size
      guard rows.advance(letter, letters, limit: limit) else { return nil }
    }
    return rows.distance <= limit ? rows.distance : nil
  }

  /// The word of a text with the fewest errors, of several the first, and how many.
  ///
  /// - Returns: `nil` when all have more than the limit.
  func nearest(in text: [UInt8]) -> (range: Range<Int>, count: Int)? {
    text.withUnsafeBufferPointer { text in
      var nearest: (range: Range<Int>, count: Int)?
      WordSearch.forEachWord(in: text) { range in
        if let count = count(to: BorrowedText(rebasing: text[range])),
          nearest.map({ count < $0.count }) ?? true
        {
          nearest = (range, count)
        }
      }
      return nearest
    }
  }

  /// The scalar at an offset of well-formed UTF-8; one byte as itself where it is not.
  @inline(__always)
  static func letter(at offset: Int, of text: BorrowedText) -> (value: UInt32, size: Int) {
    let lead = UInt32(text[offset])
    let size = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
    guard size > 1, offset + size <= text.count else { return (lead, 1) }
    var value = lead & (0xFF >> UInt32(size + 1))
    for index in 1..<size { value = value << 6 | UInt32(text[offset + index] & 0x3F) }
    return (value, size)
  }
}

/// The last three rows of the table of distances, one row for each letter of the other word.
struct EditDistanceRows {
  private(set) var row: [Int32]
  private var previous: [Int32]
  private var lastLetter: UInt32 = .max
  private var count: Int32 = 0

  /// - Parameter width: Letters of the typed word.
  init(width: Int) {
    row = (0...Int32(width)).map { $0 }
    previous = row
  }

  /// The distance to the letters given so far.
  var distance: Int { Int(row[row.count - 1]) }

  /// Takes the next letter of the other word.
  ///
  /// - Returns: Whether any continuation can be within the limit.
  mutating func advance(_ letter: UInt32, _ letters: [UInt32], limit: Int) -> Bool {
    count += 1
    var next = [Int32](repeating: count, count: row.count)
    var least = count
    for index in letters.indices {
      var best = row[index] + (letters[index] == letter ? 0 : 1)
      best = min(best, min(row[index + 1], next[index]) + 1)
      if index > 0, count > 1, letters[index] == lastLetter, letters[index - 1] == letter {
        best = min(best, previous[index - 1] + 1)
      }
      next[index + 1] = best
      least = min(least, best)
    }
    // A swap looks two letters back, so that one row past the limit is not yet the end.
    let isAlive = Int(least) <= limit || Int(row.min() ?? 0) < limit
    previous = row
    row = next
    lastLetter = letter
    return isAlive
  }
}
