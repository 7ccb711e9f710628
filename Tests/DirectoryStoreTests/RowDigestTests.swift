import DirectoryModel
import LibPQ
import TestSupport
import Testing

@Suite("Hashing rows on both sides")
struct ServerRowDigestTests {
  @Test func `every length and any seed hash as the server does it`() async throws {
    let session = try await SQLSession(TestDatabase.serverConninfo())
    for seed in [0, 1, -1, Int64.random(in: .min ... .max)] {
      for length in 0...40 {
        let bytes = text(ofBytes: length)
        let ours = bytes.withUnsafeBytes {
          PostgresHash.extended($0, seed: UInt64(bitPattern: seed))
        }
        let theirs = try await session.value(
          "select hashtextextended($1, \(seed))",
          [.text(String(decoding: bytes, as: UTF8.self))]
        )
        #expect(String(Int64(bitPattern: ours)) == theirs, "length \(length), seed \(seed)")
      }
    }
  }

  /// Well-formed text of so many bytes, in scalars of one to four.
  private func text(ofBytes count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for scalar in "灯x☎\u{1}é#\u{10FFFF}Ab灯台守é".unicodeScalars {
      let encoded = Array(String(scalar).utf8)
      if bytes.count + encoded.count <= count { bytes += encoded }
    }
    return bytes + [UInt8](repeating: UInt8(ascii: "z"), count: count - bytes.count)
  }
}
