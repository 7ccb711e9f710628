/// SipHash-1-3 with a stored key, the hash of the id indexes.
///
/// Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF"; one compression round and
/// three at the end. Keyed, so that no one can choose ids which all meet in one slot; not Swift's
/// `Hasher`, whose key dies with the process.
package struct SipHash13: Sendable, Equatable {
  package let key0: UInt64
  package let key1: UInt64

  package init(key0: UInt64, key1: UInt64) {
    self.key0 = key0
    self.key1 = key1
  }

  /// A hash with a key of its own.
  package static func random() -> SipHash13 {
    var generator = SystemRandomNumberGenerator()
    return SipHash13(key0: generator.next(), key1: generator.next())
  }

  package func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var state = State(key0, key1)
    let whole = bytes.count & ~7
    var offset = 0
    while offset < whole {
      state.compress(
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      )
      offset &+= 8
    }
    var last = UInt64(truncatingIfNeeded: bytes.count) &<< 56
    while offset < bytes.count {
      last |= UInt64(bytes[offset]) &<< UInt64((offset &- whole) &* 8)
      offset &+= 1
    }
    state.compress(last)
    return state.finish()
  }

  private struct State {
    var v0: UInt64
    var v1: UInt64
    var v2: UInt64
    var v3: UInt64

    @inline(__always)
    init(_ key0: UInt64, _ key1: UInt64) {
      v0 = key0 ^ 0x736f_6d65_7073_6575
      v1 = key1 ^ 0x646f_7261_6e64_6f6d
      v2 = key0 ^ 0x6c79_6765_6e65_7261
      v3 = key1 ^ 0x7465_6462_7974_6573
    }

    @inline(__always)
    mutating func round() {
      v0 &+= v1
      v1 = ((v1 &<< 13) | (v1 &>> 51)) ^ v0
      v0 = (v0 &<< 32) | (v0 &>> 32)
      v2 &+= v3
      v3 = ((v3 &<< 16) | (v3 &>> 48)) ^ v2
      v0 &+= v3
      v3 = ((v3 &<< 21) | (v3 &>> 43)) ^ v0
      v2 &+= v1
      v1 = ((v1 &<< 17) | (v1 &>> 47)) ^ v2
      v2 = (v2 &<< 32) | (v2 &>> 32)
    }

    @inline(__always)
    mutating func compress(_ word: UInt64) {
      v3 ^= word
      round()
      v0 ^= word
    }

    @inline(__always)
    mutating func finish() -> UInt64 {
      v2 ^= 0xFF
      round()
      round()
      round()
      return v0 ^ v1 ^ v2 ^ v3
    }
  }
}
