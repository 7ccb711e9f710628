/// PostgreSQL's own hash of text, so that both sides can hash rows and compare.
///
/// Source: PostgreSQL, `src/common/hashfn.c` (`hash_bytes_extended`): Bob Jenkins' lookup3 over the
/// bytes. What a server stores in its hash indexes and partitions rests on it, and so it stays; it
/// is that of little-endian servers, and of collations that compare byte for byte.
package enum PostgresHash {
  /// What `hashtextextended(text, seed)` gives for UTF-8, as a number without sign.
  ///
  /// - Complexity: O(n), 12 bytes a step.
  package static func extended(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    var state = State(byteCount: bytes.count, seed: seed)
    var offset = 0
    while bytes.count &- offset >= 12 {
      state.a &+= word(bytes, offset)
      state.b &+= word(bytes, offset &+ 4)
      state.c &+= word(bytes, offset &+ 8)
      state.mix()
      offset &+= 12
    }
    state.addRest(UnsafeRawBufferPointer(rebasing: bytes[offset...]))
    return state.finish()
  }

  private struct State {
    var a: UInt32
    var b: UInt32
    var c: UInt32

    @inline(__always)
    init(byteCount: Int, seed: UInt64) {
      a = 0x9E37_79B9 &+ UInt32(truncatingIfNeeded: byteCount) &+ 3_923_095
      b = a
      c = a
      if seed != 0 {
        a &+= UInt32(truncatingIfNeeded: seed &>> 32)
        b &+= UInt32(truncatingIfNeeded: seed)
        mix()
      }
    }

    /// Adds the last bytes, fewer than twelve; the lowest byte of `c` is kept for the length.
    @inline(__always)
    mutating func addRest(_ bytes: UnsafeRawBufferPointer) {
      for (index, byte) in bytes.enumerated() {
        let byte = UInt32(byte)
        switch index {
        case 0...3: a &+= byte &<< UInt32(8 &* index)
        case 4...7: b &+= byte &<< UInt32(8 &* (index &- 4))
        default: c &+= byte &<< UInt32(8 &* (index &- 7))
        }
      }
    }

    @inline(__always)
    mutating func mix() {
      a = (a &- c) ^ rotated(c, 4)
      c &+= b
      b = (b &- a) ^ rotated(a, 6)
      a &+= c
      c = (c &- b) ^ rotated(b, 8)
      b &+= a
      a = (a &- c) ^ rotated(c, 16)
      c &+= b
      b = (b &- a) ^ rotated(a, 19)
      a &+= c
      c = (c &- b) ^ rotated(b, 4)
      b &+= a
    }

    @inline(__always)
    mutating func finish() -> UInt64 {
      c = (c ^ b) &- rotated(b, 14)
      a = (a ^ c) &- rotated(c, 11)
      b = (b ^ a) &- rotated(a, 25)
      c = (c ^ b) &- rotated(b, 16)
      a = (a ^ c) &- rotated(c, 4)
      b = (b ^ a) &- rotated(a, 14)
      c = (c ^ b) &- rotated(b, 24)
      return UInt64(b) &<< 32 | UInt64(c)
    }

    @inline(__always)
    private func rotated(_ value: UInt32, _ count: UInt32) -> UInt32 {
      value &<< count | value &>> (32 &- count)
    }
  }

  @inline(__always)
  private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
    UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}
