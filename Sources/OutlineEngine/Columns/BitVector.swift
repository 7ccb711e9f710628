/// A fixed number of bits in 64-bit words: bit i is bit i % 64 of word i / 64.
///
/// Bits past the last one are always 0, so that words can be counted and compared whole.
package struct BitVector: Sendable, Equatable {
  package static let bitsPerWord = 64

  package let count: Int
  package var words: [UInt64]

  static func wordCount(forBits count: Int) -> Int { (count + bitsPerWord - 1) / bitsPerWord }

  /// Bits that are all 0.
  package init(count: Int) {
    self.count = count
    words = Array(repeating: 0, count: Self.wordCount(forBits: count))
  }

  /// The first `count` bits of `words`; what follows them in the last word is cleared.
  package init(count: Int, words: [UInt64]) {
    self.count = count
    self.words = words
    precondition(self.words.count == Self.wordCount(forBits: count), "words that do not fit")
    if let last = self.words.indices.last {
      self.words[last] &= Self.mask(count - last * Self.bitsPerWord)
    }
  }

  /// The first `count` bits of a column of words.
  ///
  /// - Complexity: O(`count` / 64).
  package init(count: Int, column: OutlineColumn<UInt64>) {
    self.init(count: count, words: column.withUnsafeBufferPointer { Array($0) })
  }

  package subscript(position: Int) -> Bool {
    get {
      precondition(position < count, "bit outside the vector")
      return words[position / Self.bitsPerWord] >> UInt64(position % Self.bitsPerWord) & 1 == 1
    }
    set {
      precondition(position < count, "bit outside the vector")
      let bit: UInt64 = 1 << UInt64(position % Self.bitsPerWord)
      if newValue {
        words[position / Self.bitsPerWord] |= bit
      } else {
        words[position / Self.bitsPerWord] &= ~bit
      }
    }
  }

  /// Sets the bits of `range`.
  ///
  /// - Complexity: O(`range.count` / 64).
  package mutating func insert(_ range: Range<Int>) {
    forEachWord(of: range) { $0 |= $1 }
  }

  /// Clears the bits of `range`.
  ///
  /// - Complexity: O(`range.count` / 64).
  package mutating func remove(_ range: Range<Int>) {
    forEachWord(of: range) { $0 &= ~$1 }
  }

  /// Sets the bits of `range` that are set in `other`, whose words may end in anything.
  ///
  /// - Complexity: O(`range.count` / 64).
  package mutating func insert(_ range: Range<Int>, of other: OutlineColumn<UInt64>) {
    var word = range.lowerBound / Self.bitsPerWord
    forEachWord(of: range) {
      $0 |= other[word] & $1
      word += 1
    }
  }

  /// Sets the bits of `range` that are set in `other`.
  ///
  /// - Complexity: O(`range.count` / 64).
  mutating func insert(_ range: Range<Int>, of other: BitVector) {
    combine(range, with: other) { $0 | $1 }
  }

  /// Clears the bits of `range` that are set in `other`.
  ///
  /// - Complexity: O(`range.count` / 64).
  mutating func remove(_ range: Range<Int>, of other: BitVector) {
    combine(range, with: other) { $0 & ~$1 }
  }

  /// The first set bit of `range`.
  package func first(in range: Range<Int>) -> Int? {
    words.withUnsafeBufferPointer { words in Self.firstBit(in: range) { words[$0] } }
  }

  /// The first set bit of `range` in the words that `word` gives by index.
  ///
  /// - Complexity: O(number of words passed over).
  @inline(__always)
  static func firstBit(in range: Range<Int>, of word: (Int) -> UInt64) -> Int? {
    guard !range.isEmpty else { return nil }
    var index = range.lowerBound / bitsPerWord
    let last = (range.upperBound - 1) / bitsPerWord
    var bits = word(index) & ~mask(range.lowerBound % bitsPerWord)
    while bits == 0 {
      guard index < last else { return nil }
      index += 1
      bits = word(index)
    }
    let position = index * bitsPerWord + bits.trailingZeroBitCount
    return position < range.upperBound ? position : nil
  }

  /// The last set bit of `range`.
  ///
  /// - Complexity: O(number of words passed over).
  package func last(in range: Range<Int>) -> Int? {
    guard !range.isEmpty else { return nil }
    let first = range.lowerBound / Self.bitsPerWord
    var index = (range.upperBound - 1) / Self.bitsPerWord
    var bits = words[index] & Self.mask((range.upperBound - 1) % Self.bitsPerWord + 1)
    while bits == 0 {
      guard index > first else { return nil }
      index -= 1
      bits = words[index]
    }
    let position = (index + 1) * Self.bitsPerWord - 1 - bits.leadingZeroBitCount
    return position >= range.lowerBound ? position : nil
  }

  /// A word whose lowest `bits` bits are set.
  @inline(__always)
  static func mask(_ bits: Int) -> UInt64 { bits >= bitsPerWord ? ~0 : (1 << UInt64(bits)) - 1 }

  @inline(__always)
  private mutating func combine(
    _ range: Range<Int>,
    with other: BitVector,
    by operation: (UInt64, UInt64) -> UInt64
  ) {
    var word = range.lowerBound / Self.bitsPerWord
    other.words.withUnsafeBufferPointer { others in
      forEachWord(of: range) {
        $0 = operation($0, others[word] & $1)
        word += 1
      }
    }
  }

  /// Hands each word that `range` touches to `change`, with the bits of the range set in a mask.
  @inline(__always)
  private mutating func forEachWord(of range: Range<Int>, change: (inout UInt64, UInt64) -> Void) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "bits outside the vector")
    guard !range.isEmpty else { return }
    let first = range.lowerBound / Self.bitsPerWord
    let last = (range.upperBound - 1) / Self.bitsPerWord
    let head = ~Self.mask(range.lowerBound % Self.bitsPerWord)
    let tail = Self.mask(range.upperBound - last * Self.bitsPerWord)
    words.withUnsafeMutableBufferPointer { words in
      guard first < last else { return change(&words[first], head & tail) }
      change(&words[first], head)
      for index in first + 1..<last { change(&words[index], ~0) }
      change(&words[last], tail)
    }
  }
}
