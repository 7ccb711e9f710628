import TextRules

/// Collects the words and readings of one field's texts, each distinct text once.
struct FieldBuilder {
  private let owner: ReadingUnits.Owner
  private var texts = TextInterner()
  private var scratch = FieldTexts()
  /// The words as a dictionary has them: from a word's beginning to the next blank.
  private(set) var words = TextInterner()
  /// The words of other spellings, in the same way.
  private(set) var variants = TextInterner()
  /// Readings, two bytes each, the lower first.
  private(set) var readings = TextInterner()
  private var wordStarts: [Int] = [0]
  private var textWords: [UInt32] = []
  private var variantStarts: [Int] = [0]
  private var textVariants: [UInt32] = []
  /// By text: the number of its readings; all bits where it has none.
  private var textReadings: [UInt32] = []
  private(set) var lengths: [UInt32] = []
  /// Texts that the dictionary has no room for.
  private(set) var isOdd: [Bool] = []

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

  func words(of text: Int) -> ArraySlice<UInt32> {
    textWords[wordStarts[text]..<wordStarts[text + 1]]
  }

  func variants(of text: Int) -> ArraySlice<UInt32> {
    textVariants[variantStarts[text]..<variantStarts[text + 1]]
  }

  func readings(of text: Int) -> UInt32? {
    textReadings[text] == .max ? nil : textReadings[text]
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
    wordStarts.append(textWords.count)
    fits = Self.addWords(of: scratch.variant, to: &variants, &textVariants) && fits
    variantStarts.append(textVariants.count)
    let read = scratch.readings
    textReadings.append(
      read.isEmpty ? .max : read.withUnsafeBytes { UInt32(readings.intern($0).number) }
    )
    isOdd.append(!fits)
  }

  /// A token of more bytes, or with more beginnings of words, is odd.
  static let longestToken = 255
  private static let mostBeginnings = 32

  /// - Returns: Whether all of them fit.
  private static func addWords(
    of folded: [UInt8],
    to words: inout TextInterner,
    _ list: inout [UInt32]
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
    _ list: inout [UInt32]
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
