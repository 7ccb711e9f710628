import DirectoryModel
import Testing

@testable import DirectorySnapshot

@Suite("Hashes equal their reference implementations")
struct HashTests {
  @Test(
    arguments: [
      (0, 0xef46_db37_51d8_e999), (1, 0xe934_a84a_db05_2768), (3, 0x9ff7_0a63_5a62_09ab),
      (4, 0xae5a_cdc0_0a55_ac41), (8, 0x8711_6b33_65b9_24eb), (31, 0x0f18_7c62_b1e7_22b7),
      (32, 0x91b0_cb09_31a8_c629), (33, 0x931b_043c_f8d6_5b94), (100, 0x8e22_72c0_8247_d5db),
      (1_000, 0x2527_5608_a9cf_c168),
    ] as [(Int, UInt64)]
  )
  func `XXH64 of the bytes 0, 7, 14, … with seed 0`(count: Int, expected: UInt64) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
    #expect(bytes.withUnsafeBytes { XXHash64.digest($0) } == expected)
  }

  @Test(
    arguments: [
      (0, 0xabac_0158_050f_c4dc), (1, 0xc9f4_9bf3_7d57_ca93), (7, 0xd392_7d98_9bb1_1140),
      (8, 0x3690_9511_8d29_9a8e), (15, 0xd320_d86d_2a51_9956), (40, 0xc1d2_3632_99e4_1531),
    ] as [(Int, UInt64)]
  )
  func `SipHash-1-3 of the bytes 0, 1, 2, … with the key 00 to 0F`(count: Int, expected: UInt64) {
    let hash = SipHash13(key0: 0x0706_0504_0302_0100, key1: 0x0F0E_0D0C_0B0A_0908)
    let bytes = (0..<count).map { UInt8($0) }
    #expect(bytes.withUnsafeBytes { hash.hash($0) } == expected)
  }
}
