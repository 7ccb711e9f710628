/// Writes a bit vector from front to back, up to 64 bits at a time.
package struct BitWriter {
  private var words: [UInt64] = []
  private var count = 0

  package init(capacity: Int) { words.reserveCapacity(BitVector.wordCount(forBits: capacity)) }

  /// Appends the lowest `width` bits of `bits`, 1 to 64.
  @inline(__always)
  mutating func append(_ bits: UInt64, width: Int) {
    let bits = bits & BitVector.mask(width)
    let used = count % BitVector.bitsPerWord
    if used == 0 {
      words.append(bits)
    } else {
      words[words.count - 1] |= bits << UInt64(used)
      if used + width > BitVector.bitsPerWord {
        words.append(bits >> UInt64(BitVector.bitsPerWord - used))
      }
    }
    count += width
  }

  /// Appends the bits of `range`.
  ///
  /// - Complexity: O(`range.count` / 64).
  package mutating func append(_ range: Range<Int>, of other: BitVector) {
    var position = range.lowerBound
    while position < range.upperBound {
      let width = min(BitVector.bitsPerWord, range.upperBound - position)
      append(other.bits(at: position), width: width)
      position += width
    }
  }

  /// Appends `count` bits that are 0.
  package mutating func appendClear(_ count: Int) {
    var rest = count
    while rest > 0 {
      let width = min(BitVector.bitsPerWord, rest)
      append(0, width: width)
      rest -= width
    }
  }

  package consuming func finish() -> BitVector { BitVector(count: count, words: words) }
}

extension BitVector {
  /// The 64 bits from `position` on, the first one lowest; 0 past the end.
  @inline(__always)
  package func bits(at position: Int) -> UInt64 {
    let index = position / Self.bitsPerWord
    let offset = UInt64(position % Self.bitsPerWord)
    guard index < words.count else { return 0 }
    let low = words[index] >> offset
    guard offset > 0, index + 1 < words.count else { return low }
    return low | words[index + 1] << (UInt64(Self.bitsPerWord) - offset)
  }

  /// Clears up to 64 bits from `position` on, those that are set in `bits`.
  @inline(__always)
  package mutating func clear(_ bits: UInt64, at position: Int) {
    let index = position / Self.bitsPerWord
    let offset = UInt64(position % Self.bitsPerWord)
    guard index < words.count else { return }
    words[index] &= ~(bits << offset)
    guard offset > 0, index + 1 < words.count else { return }
    words[index + 1] &= ~(bits >> (UInt64(Self.bitsPerWord) - offset))
  }
}
