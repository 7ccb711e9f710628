import TextRules
import Testing

private struct UnknownEncoding: Error {
  var name: String
}

@Suite("Decoding")
struct TextDecoderTests {
  private func decode(
    _ bytes: [UInt8],
    as name: String,
    pieces: Int = .max
  ) throws -> String {
    guard var decoder = TextDecoder(name) else { throw UnknownEncoding(name: name) }
    var result: [UInt8] = []
    var rest = bytes[...]
    repeat {
      let piece = rest.prefix(pieces)
      rest = rest.dropFirst(piece.count)
      try piece.withUnsafeBytes { try decoder.decode($0, isLast: rest.isEmpty, to: &result) }
    } while !rest.isEmpty
    return try #require(String(validating: result, as: UTF8.self))
  }

  @Test(arguments: [1, 2, 3, 7, .max])
  func `gives the same text whatever the pieces`(_ pieces: Int) throws {
    let gbk: [UInt8] = [0xC9, 0xCF, 0xBA, 0xA3, 0x2C, 0x41]
    #expect(try decode(gbk, as: "GBK", pieces: pieces) == "上海,A")
    #expect(try decode([0x80, 0xE9], as: "windows-1252", pieces: pieces) == "€é")
    let utf16: [UInt8] = [0xFF, 0xFE, 0x3D, 0xD8, 0x00, 0xDE, 0x41, 0x00]
    #expect(try decode(utf16, as: "UTF-16", pieces: pieces) == "😀A")
    let japanese: [UInt8] = [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x4B, 0x5C, 0x1B, 0x28, 0x42]
    #expect(try decode(japanese, as: "ISO-2022-JP", pieces: pieces) == "日本")
    #expect(try decode([0x93, 0xFA, 0x96, 0x7B], as: "Shift_JIS", pieces: pieces) == "日本")
  }

  @Test func `takes texts of any length`() throws {
    let many = [UInt8](repeating: 0xE9, count: 100_000)
    #expect(try decode(many, as: "ISO-8859-1").unicodeScalars.count == 100_000)
    let pairs = (0..<20_000).flatMap { _ in [0x3D, 0xD8, 0x00, 0xDE] as [UInt8] }
    #expect(try decode([0x41, 0x00] + pairs, as: "UTF-16LE").unicodeScalars.count == 20_001)
  }

  @Test(arguments: [1, 3, .max])
  func `says where the first byte is that is not of the encoding`(_ pieces: Int) throws {
    func offset(_ bytes: [UInt8], _ name: String) throws -> Int? {
      do {
        _ = try decode(bytes, as: name, pieces: pieces)
        return nil
      } catch let fault as TextDecoder.MalformedText {
        return fault.offset
      }
    }
    #expect(try offset([0x41, 0xC9, 0xCF, 0xC9, 0x20, 0x41], "GBK") == 3)
    #expect(try offset([0x41, 0xFF], "US-ASCII") == 1)
    #expect(try offset([0x41, 0x42, 0xC9], "GBK") == 2)
    #expect(try offset([0x41, 0x00, 0x00, 0xDC, 0x41, 0x00], "UTF-16LE") == 2)
    #expect(try offset([0x41, 0x00, 0x3D, 0xD8], "UTF-16LE") == 2)
    #expect(try offset([0x41, 0xE2, 0x82, 0x41], "UTF-8") == 1)
  }

  @Test(arguments: [1, 2, 5, .max])
  func `knows encodings that ICU does not`(_ pieces: Int) throws {
    let cases: [([UInt8], String, String)] = [
      ([0xAA, 0x74, 0xE3, 0xFE, 0xD0, 0xE9], "ISO-8859-16", "ȘtățĐé"),
      ([0xAF, 0x74, 0xBE, 0xDF, 0x8E], "x-mac-romanian", "Ștățé"),
      ([0xA9, 0xC8, 0xE6, 0xF0, 0xBE, 0xC6], "mac-croatian", "ŠČćđžĆ"),
      ([0xDE, 0xDC, 0xA0, 0xE0, 0xBE], "x-mac-icelandic", "ÞÐÝýæ"),
      ([0xA5, 0xAB, 0xEB], "cp720", "حسن"),
    ]
    for (bytes, name, text) in cases {
      let decoded = try decode(bytes, as: name, pieces: pieces)
      #expect(decoded.unicodeScalars.elementsEqual(text.unicodeScalars), "\(decoded)")
    }
  }

  @Test(arguments: [1, 2, 3, .max])
  func `makes Vietnamese letters of letters and marks`(_ pieces: Int) throws {
    let bytes: [UInt8] = [0x4E, 0x67, 0x75, 0x79, 0xEA, 0xDE, 0x6E, 0x20, 0xC2, 0xEC]
    let text = try decode(bytes, as: "windows-1258", pieces: pieces)
    #expect(text.unicodeScalars.elementsEqual("Nguyễn Ấ".unicodeScalars), "\(text)")
  }

  @Test func `knows no encoding of another name`() {
    for name in ["", "no-such-encoding", "\u{0}", String(repeating: "x", count: 1_000)] {
      #expect(throws: UnknownEncoding.self) { try decode([], as: name) }
    }
  }
}
