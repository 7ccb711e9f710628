/// The SHA-256 digest (FIPS 180-4 §6.2): 32 bytes that name a run of bytes.
///
/// It names records and pages and keeps no secret. swift-crypto 4.5 would add two minutes of processor
/// time to a clean build and 0.9 MB to a program of 9, for this one function.
enum SHA256 {
  private static let blockSize = 64

  /// - Complexity: O(bytes).
  static func digest(of message: [UInt8]) -> [UInt8] {
    let words = message.withUnsafeBytes(words(of:))
    return words.indices.flatMap { index in
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: words[index] >> $0) }
    }
  }

  /// The digest as eight words, each with its highest byte first.
  ///
  /// - Complexity: O(bytes); nothing is allocated but on the stack.
  static func words(of message: UnsafeRawBufferPointer) -> SIMD8<UInt32> {
    var state: SIMD8<UInt32> = [
      0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a,
      0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    let whole = message.count / blockSize * blockSize
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: blockSize) { schedule in
      for start in stride(from: 0, to: whole, by: blockSize) {
        absorb(message, at: start, schedule, into: &state)
      }
      absorbEnd(of: message, from: whole, schedule, into: &state)
    }
    return state
  }

  /// Takes in what does not fill a block, and the length (§5.1.1).
  private static func absorbEnd(
    of message: UnsafeRawBufferPointer,
    from start: Int,
    _ schedule: UnsafeMutableBufferPointer<UInt32>,
    into state: inout SIMD8<UInt32>
  ) {
    let rest = message.count - start
    // A bit that is set, and 64 bits of length, stand behind the message.
    let size = rest + 9 > blockSize ? 2 * blockSize : blockSize
    withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { blocks in
      blocks.copyBytes(from: message[start...])
      for index in rest..<size { blocks[index] = 0 }
      blocks[rest] = 0x80
      let bits = UInt64(message.count) * 8
      blocks.storeBytes(of: bits.bigEndian, toByteOffset: size - 8, as: UInt64.self)
      for start in stride(from: 0, to: size, by: blockSize) {
        absorb(UnsafeRawBufferPointer(blocks), at: start, schedule, into: &state)
      }
    }
  }

  private static func absorb(
    _ message: UnsafeRawBufferPointer,
    at start: Int,
    _ schedule: UnsafeMutableBufferPointer<UInt32>,
    into state: inout SIMD8<UInt32>
  ) {
    for index in 0..<16 {
      schedule[index] = UInt32(
        bigEndian: message.loadUnaligned(fromByteOffset: start + index * 4, as: UInt32.self)
      )
    }
    for index in 16..<64 {
      let early = schedule[index - 15]
      let late = schedule[index - 2]
      let small0 = early.turned(7) ^ early.turned(18) ^ early >> 3
      let small1 = late.turned(17) ^ late.turned(19) ^ late >> 10
      schedule[index] = schedule[index - 16] &+ small0 &+ schedule[index - 7] &+ small1
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for (constant, word) in zip(constants, schedule) {
      let big1 = e.turned(6) ^ e.turned(11) ^ e.turned(25)
      let first = h &+ big1 &+ ((e & f) ^ (~e & g)) &+ constant &+ word
      let big0 = a.turned(2) ^ a.turned(13) ^ a.turned(22)
      let second = big0 &+ ((a & b) ^ (a & c) ^ (b & c))
      (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
    }
    state = state &+ SIMD8(a, b, c, d, e, f, g, h)
  }

  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
    0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
    0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
    0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
    0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
    0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
    0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
    0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
    0xc671_78f2,
  ]
}

extension UInt32 {
  /// The word rotated to the right.
  @inline(__always)
  fileprivate func turned(_ count: UInt32) -> UInt32 { self >> count | self << (32 - count) }
}
