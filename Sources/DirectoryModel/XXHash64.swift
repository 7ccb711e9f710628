/// XXH64, the checksum of the blocks of a snapshot.
///
/// Source: "xxHash fast digest algorithm", algorithm description version 0.2.0, §XXH64. It finds
/// damage, not forgery: anyone who may write the file may also write its checksum.
package enum XXHash64 {
  private static let prime1: UInt64 = 11_400_714_785_074_694_791
  private static let prime2: UInt64 = 14_029_467_366_897_019_727
  private static let prime3: UInt64 = 1_609_587_929_392_839_161
  private static let prime4: UInt64 = 9_650_029_242_287_828_579
  private static let prime5: UInt64 = 2_870_177_450_012_600_261

  /// The digest of `bytes` with seed 0.
  ///
  /// - Complexity: O(n), 32 bytes a step.
  package static func digest(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var offset = 0
    var hash: UInt64
    if bytes.count >= 32 {
      hash = digestStripes(bytes, &offset)
    } else {
      hash = prime5
    }
    hash &+= UInt64(bytes.count)
    return avalanche(digestTail(bytes, from: offset, hash))
  }

  private static func digestStripes(
    _ bytes: UnsafeRawBufferPointer,
    _ offset: inout Int
  ) -> UInt64 {
    var lane1 = prime1 &+ prime2
    var lane2 = prime2
    var lane3: UInt64 = 0
    var lane4 = 0 &- prime1
    while offset &+ 32 <= bytes.count {
      lane1 = round(lane1, word(bytes, offset))
      lane2 = round(lane2, word(bytes, offset &+ 8))
      lane3 = round(lane3, word(bytes, offset &+ 16))
      lane4 = round(lane4, word(bytes, offset &+ 24))
      offset &+= 32
    }
    var hash =
      rotated(lane1, 1) &+ rotated(lane2, 7) &+ rotated(lane3, 12) &+ rotated(lane4, 18)
    for lane in [lane1, lane2, lane3, lane4] {
      hash = (hash ^ round(0, lane)) &* prime1 &+ prime4
    }
    return hash
  }

  private static func digestTail(
    _ bytes: UnsafeRawBufferPointer,
    from start: Int,
    _ initial: UInt64
  ) -> UInt64 {
    var hash = initial
    var offset = start
    while offset + 8 <= bytes.count {
      hash ^= round(0, word(bytes, offset))
      hash = rotated(hash, 27) &* prime1 &+ prime4
      offset += 8
    }
    if offset + 4 <= bytes.count {
      let half = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
      hash ^= UInt64(UInt32(littleEndian: half)) &* prime1
      hash = rotated(hash, 23) &* prime2 &+ prime3
      offset += 4
    }
    while offset < bytes.count {
      hash ^= UInt64(bytes[offset]) &* prime5
      hash = rotated(hash, 11) &* prime1
      offset += 1
    }
    return hash
  }

  private static func avalanche(_ value: UInt64) -> UInt64 {
    var hash = value
    hash = (hash ^ (hash >> 33)) &* prime2
    hash = (hash ^ (hash >> 29)) &* prime3
    return hash ^ (hash >> 32)
  }

  @inline(__always)
  private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
    rotated(lane &+ input &* prime2, 31) &* prime1
  }

  @inline(__always)
  private static func rotated(_ value: UInt64, _ count: UInt64) -> UInt64 {
    (value &<< count) | (value &>> (64 &- count))
  }

  @inline(__always)
  private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}
