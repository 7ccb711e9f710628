/// Which blocks of documents may hold a text: a bit for each block in one of many rows, chosen by a
/// hash of a few neighbouring bytes (a gram).
///
/// Grams are runs of two, three and four bytes, the first one to four bytes of a word, the last one
/// to three, and whole words. A block whose bit is not set in a row holds no such gram; one whose bit
/// is set may hold another one of that row. What the user types is first looked for as a whole
/// word, letter after letter, and mostly is none: so whole words have two rows each, and those of
/// one to three bytes, which are rare, three.
enum GramFilter {
  /// What a gram is made of, so that those of different kinds are told apart.
  private enum Kind: UInt32 {
    case inside = 1, first, last, whole, second, third
  }

  private static let shortWholes: [Kind] = [.whole, .second, .third]
  private static let longWholes: [Kind] = [.whole, .second]

  /// The most bytes at the beginning and at the end of a word that are a gram.
  private static let mostFirst = 4
  private static let mostLast = 3

  /// Rows for so many documents: a power of two.
  static func rowCount(documents: Int) -> Int {
    var rows = 1_024
    while rows < documents, rows < 1 << 17 { rows *= 2 }
    return rows
  }

  static func rowBytes(blocks: Int) -> Int { (blocks + 7) / 8 }

  /// Calls `body` with the hash of each gram of a text in the filter.
  static func forEachGram(of text: BorrowedText, _ body: (UInt32) -> Void) {
    let count = text.count
    var window: UInt32 = 0
    for index in 0..<count {
      window = window << 8 | UInt32(text[index])
      if index >= 1 { body(hash(window & 0xFFFF, 2, .inside)) }
      if index >= 2 { body(hash(window & 0xFF_FFFF, 3, .inside)) }
      if index >= 3 { body(hash(window, 4, .inside)) }
      if WordSearch.beginsWord(text, index) {
        forEachRun(text, from: index) { value, length, end in
          body(hash(value, length, .first))
          if length <= mostLast, WordSearch.endsWord(text, end) {
            for kind in shortWholes { body(hash(value, length, kind)) }
          }
        }
        let word = word(in: text, from: index)
        if word.count > mostLast {
          let value = value(ofLong: word)
          for kind in longWholes { body(hash(value, word.count, kind)) }
        }
      }
      if WordSearch.endsWord(text, index + 1) {
        for length in 1...min(3, index + 1) {
          body(
            hash(window & (length == 3 ? 0xFF_FFFF : length == 2 ? 0xFFFF : 0xFF), length, .last)
          )
        }
      }
    }
  }

  private static func forEachRun(
    _ text: BorrowedText,
    from start: Int,
    _ body: (_ value: UInt32, _ length: Int, _ end: Int) -> Void
  ) {
    var value: UInt32 = 0
    for length in 1...mostFirst where start + length <= text.count {
      value = value << 8 | UInt32(text[start + length - 1])
      body(value, length, start + length)
    }
  }

  /// What stands from an offset to the next separator; nothing where one stands there.
  private static func word(in text: BorrowedText, from start: Int) -> BorrowedText {
    var end = start
    while end < text.count, !WordSearch.isSeparator(text[end]) { end += 1 }
    return BorrowedText(rebasing: text[start..<end])
  }

  private static func value(ofLong word: BorrowedText) -> UInt32 {
    word.reduce(0) { ($0 &* 0x0100_0193) ^ UInt32($1) }
  }

  /// The hashes that all stand for a block that holds a word so, the most telling first.
  static func grams(of word: [UInt8], _ quality: MatchQuality) -> [UInt32] {
    var grams: [UInt32] = []
    func value(_ range: Range<Int>) -> UInt32 {
      word[range].reduce(0) { $0 << 8 | UInt32($1) }
    }
    if quality == .whole {
      if word.count <= mostLast {
        grams += shortWholes.map { hash(value(0..<word.count), word.count, $0) }
      } else if !word.contains(where: WordSearch.isSeparator) {
        let value = word.withUnsafeBufferPointer { self.value(ofLong: $0) }
        grams += longWholes.map { hash(value, word.count, $0) }
      }
      let edge = min(mostLast, word.count)
      grams.append(hash(value(word.count - edge..<word.count), edge, .last))
    }
    if quality <= .start {
      let edge = min(mostFirst, word.count)
      grams.append(hash(value(0..<edge), edge, .first))
    }
    let size = min(4, word.count)
    if size >= 2 {
      for start in 0...(word.count - size) {
        grams.append(hash(value(start..<start + size), size, .inside))
      }
    }
    return grams
  }

  @inline(__always)
  private static func hash(_ value: UInt32, _ length: Int, _ kind: Kind) -> UInt32 {
    var hash = UInt64(value) | UInt64(length) << 32 | UInt64(kind.rawValue) << 40
    hash = (hash ^ 0x2545_F491_4F6C_DD1D) &* 0x9E37_79B9_7F4A_7C15
    hash ^= hash >> 29
    hash = hash &* 0xBF58_476D_1CE4_E5B9
    return UInt32(truncatingIfNeeded: hash >> 32)
  }
}

/// Fills a filter, block after block.
struct GramFilterBuilder: Sendable {
  private let rowMask: UInt32
  private let rowBytes: Int
  private var block: Int
  /// Rows that the block at hand has a bit in.
  private var marks: [UInt64]
  private(set) var bits: [UInt8]

  /// - Parameters:
  ///   - documents: How many there are in all.
  ///   - firstBlock: The block that is added first.
  init(documents: Int, firstBlock: Int) {
    block = firstBlock
    let rows = GramFilter.rowCount(documents: documents)
    let blocks = (documents + SearchIndexFormat.blockSize - 1) / SearchIndexFormat.blockSize
    rowMask = UInt32(rows - 1)
    rowBytes = GramFilter.rowBytes(blocks: blocks)
    marks = [UInt64](repeating: 0, count: rows / 64)
    bits = [UInt8](repeating: 0, count: rows * rowBytes)
  }

  /// Takes a text of the block at hand.
  mutating func add(_ text: BorrowedText) {
    let mask = rowMask
    marks.withUnsafeMutableBufferPointer { marks in
      GramFilter.forEachGram(of: text) { hash in
        let row = Int(hash & mask)
        marks[row >> 6] |= 1 << UInt64(row & 63)
      }
    }
  }

  /// Ends a block.
  mutating func endBlock() {
    let bit: UInt8 = 1 << UInt8(block & 7)
    for index in marks.indices {
      var word = marks[index]
      marks[index] = 0
      while word != 0 {
        let row = index << 6 | word.trailingZeroBitCount
        bits[row * rowBytes + block >> 3] |= bit
        word &= word &- 1
      }
    }
    block += 1
  }

  /// Adds the blocks of another one.
  mutating func formUnion(_ other: GramFilterBuilder) {
    for index in bits.indices { bits[index] |= other.bits[index] }
  }
}
