import TextRules

/// Collects the words and readings of one field's texts, each distinct text once.
struct FieldBuilder: Sendable {
  private let owner: ReadingUnits.Owner
  private var texts = TextInterner()
  private var scratch = FieldTexts()
  /// The words as a dictionary has them: from a word's beginning to the next blank.
  private(set) var words = TextInterner()
  /// The words of other spellings, in the same way.
  private(set) var variants = TextInterner()
  /// Readings, two bytes each, the lower first.
  private(set) var readings = TextInterner()
  /// By text: the numbers of its words, and of the words of its other spelling.
  private(set) var textWords = NumberLists()
  private(set) var textVariants = NumberLists()
  /// By text: the number of its readings, or `noReadings`.
  private(set) var textReadings: [UInt32] = []
  static let noReadings = UInt32.max
  private(set) var lengths: [UInt32] = []
  /// Texts that the dictionary has no room for.
  private(set) var isOdd: [Bool] = []
  private(set) var hasOdd = false

  init(_ owner: ReadingUnits.Owner) { self.owner = owner }

  /// Takes a text.
  ///
  /// - Parameter text: As it is written.
  /// - Returns: Its number.
  /// - Complexity: O(n); folding and reading only the first time.
  mutating func add(_ text: UnsafeRawBufferPointer) -> Int {
    let (number, isNew) = texts.intern(text)
    if isNew { describe(text) }
    return number
  }

  private mutating func describe(_ text: UnsafeRawBufferPointer) {
    scratch.take(text, of: owner)
    lengths.append(
      scratch.folded.reduce(into: 0) { count, byte in if byte & 0xC0 != 0x80 { count += 1 } }
    )
    var fits = Self.addWords(of: scratch.folded, to: &words, &textWords)
    if !scratch.joined.isEmpty {
      fits = Self.addWords(of: scratch.joined, to: &words, &textWords) && fits
    }
    textWords.endRun()
    fits = Self.addWords(of: scratch.variant, to: &variants, &textVariants) && fits
    textVariants.endRun()
    let read = scratch.readings
    textReadings.append(
      read.isEmpty ? Self.noReadings : read.withUnsafeBytes { UInt32(readings.intern($0).number) }
    )
    isOdd.append(!fits)
    if !fits { hasOdd = true }
  }

  /// A token of more bytes, or with more beginnings of words, is odd.
  static let longestToken = 255
  private static let mostBeginnings = 32

  /// - Returns: Whether all of them fit.
  private static func addWords(
    of folded: [UInt8],
    to words: inout TextInterner,
    _ list: inout NumberLists
  ) -> Bool {
    var fits = true
    folded.withUnsafeBufferPointer { folded in
      var start = 0
      while start < folded.count {
        if folded[start] == 0x20 {
          start += 1
          continue
        }
        var end = start
        while end < folded.count, folded[end] != 0x20 { end += 1 }
        fits = addToken(BorrowedText(rebasing: folded[start..<end]), to: &words, &list) && fits
        start = end
      }
    }
    return fits
  }

  private static func addToken(
    _ token: BorrowedText,
    to words: inout TextInterner,
    _ list: inout NumberLists
  ) -> Bool {
    guard token.count <= longestToken else { return false }
    var beginnings = 0
    for offset in token.indices where WordSearch.beginsWord(token, offset) {
      beginnings += 1
      guard beginnings <= mostBeginnings else { return false }
      let word = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: token[offset...]))
      list.append(UInt32(words.intern(word).number))
    }
    return true
  }
}
