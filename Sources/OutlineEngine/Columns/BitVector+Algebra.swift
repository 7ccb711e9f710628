extension BitVector {
  /// The bits that one of the two has and the other has not.
  ///
  /// - Complexity: O(`count` / 64).
  package func symmetricDifference(_ other: BitVector) -> BitVector { combined(with: other, by: ^) }

  /// - Complexity: O(`count` / 64).
  package func intersection(_ other: BitVector) -> BitVector { combined(with: other, by: &) }

  /// - Complexity: O(`count` / 64).
  package func subtracting(_ other: BitVector) -> BitVector { combined(with: other) { $0 & ~$1 } }

  /// - Complexity: O(`count` / 64).
  package func union(_ other: BitVector) -> BitVector { combined(with: other, by: |) }

  /// Whether no bit is set.
  package var isClear: Bool { words.allSatisfy { $0 == 0 } }

  /// Number of set bits.
  ///
  /// - Complexity: O(`count` / 64).
  package var setCount: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

  /// The positions of the set bits, rising.
  ///
  /// - Complexity: O(`count` / 64 + set bits) in all.
  package var setBits: SetBits { SetBits(bits: self) }

  /// Hands over every set bit, rising.
  ///
  /// - Complexity: O(`count` / 64 + set bits).
  @inline(__always)
  package func forEach(_ body: (Int) -> Void) {
    for (index, word) in words.enumerated() {
      var rest = word
      while rest != 0 {
        body(index * Self.bitsPerWord + rest.trailingZeroBitCount)
        rest &= rest - 1
      }
    }
  }

  @inline(__always)
  private func combined(
    with other: BitVector,
    by operation: (UInt64, UInt64) -> UInt64
  ) -> BitVector {
    precondition(count == other.count, "vectors of different lengths")
    let combined = words.withUnsafeBufferPointer { words in
      other.words.withUnsafeBufferPointer { others in
        [UInt64](unsafeUninitializedCapacity: words.count) { combined, initializedCount in
          for index in words.indices {
            combined.initializeElement(at: index, to: operation(words[index], others[index]))
          }
          initializedCount = words.count
        }
      }
    }
    return BitVector(count: count, words: combined)
  }
}

/// Walks over the set bits of a vector.
package struct SetBits: Sequence, IteratorProtocol, Sendable {
  let bits: BitVector
  private var position = 0

  init(bits: BitVector) { self.bits = bits }

  package mutating func next() -> Int? {
    guard let bit = bits.first(in: position..<bits.count) else { return nil }
    position = bit + 1
    return bit
  }
}
