import DirectoryModel
import Seeds
import SystemPackage
import Testing

@testable import DirectoryExchange

@Suite("Reading CSV by RFC 4180")
struct CSVReaderTests {
  @Test func `CRLF, LF and lone CR end lines and are counted`() throws {
    #expect(
      try read("a,b\r\nc,d\ne,f\rg,h") == [
        .record(1, ["a", "b"]), .record(2, ["c", "d"]), .record(3, ["e", "f"]),
        .record(4, ["g", "h"]),
      ]
    )
  }

  @Test func `the last line may end or not`() throws {
    #expect(try read("a\r\n") == [.record(1, ["a"])])
    #expect(try read("a\r") == [.record(1, ["a"])])
    #expect(try read("a") == [.record(1, ["a"])])
    #expect(try read("a,") == [.record(1, ["a", ""])])
    #expect(try read("\"a\"") == [.record(1, ["a"])])
    #expect(try read("").isEmpty)
  }

  @Test func `blank lines are skipped and still counted`() throws {
    #expect(try read("\r\n\na\n\r\r\nb\n\n") == [.record(3, ["a"]), .record(6, ["b"])])
  }

  @Test func `an empty field in quotes is a record, unlike a blank line`() throws {
    #expect(try read("\"\"\n\n") == [.record(1, [""])])
  }

  @Test func `quoted fields hold commas, line breaks and doubled quotes`() throws {
    #expect(
      try read("\"a,b\",\"c\r\nd\ne\rf\",\"g \"\"h\"\" \"\"\"\r\ni") == [
        .record(1, ["a,b", "c\r\nd\ne\rf", "g \"h\" \""]), .record(5, ["i"]),
      ]
    )
  }

  @Test func `blanks belong to fields`() throws {
    #expect(try read(" a , b\t\n") == [.record(1, [" a ", " b\t"])])
  }

  @Test func `a quote inside a field without quotes is named and its line left out`() throws {
    #expect(
      try read("a,5\" disk,\"x\ny\nb,c\n") == [
        .problem(1, .quoteInsideField), .record(2, ["y"]), .record(3, ["b", "c"]),
      ]
    )
    #expect(try read("a, \"b\"\nc\n") == [.problem(1, .quoteInsideField), .record(2, ["c"])])
  }

  @Test func `text behind a closing quote is named, with the line that opened it`() throws {
    #expect(
      try read("\"Eve\"x,1\na\n") == [
        .problem(1, .textAfterQuote(openedOnLine: 1)), .record(2, ["a"]),
      ]
    )
    #expect(
      try read("a\n\"b\",\"two\nlines\" x\nc\n") == [
        .record(1, ["a"]), .problem(3, .textAfterQuote(openedOnLine: 2)), .record(4, ["c"]),
      ]
    )
  }

  @Test func `a quote never closed is named by the line that opens it`() throws {
    #expect(
      try read("a\n\"b\nc\",\"d\ne\nf\n") == [.record(1, ["a"]), .problem(3, .unterminatedQuote)]
    )
    #expect(try read("a,\"") == [.problem(1, .unterminatedQuote)])
    #expect(try read("a,\"b\"\"") == [.problem(1, .unterminatedQuote)])
  }

  @Test func `a Ctrl-Z at the very end is left out with a warning`() throws {
    #expect(try read("a\r\n\u{1A}") == [.record(1, ["a"]), .warning(.endMark)])
    #expect(try read("a\u{1A}\u{1A}") == [.record(1, ["a"]), .warning(.endMark)])
    #expect(try read("\"a\"\u{1A}") == [.record(1, ["a"]), .warning(.endMark)])
    #expect(try read("a\u{1A}b\n") == [.record(1, ["a\u{1A}b"])])
  }

  @Test func `a Ctrl-Z at the end does not hide an open quote`() throws {
    #expect(try read("a\n\"b\u{1A}") == [.record(1, ["a"]), .problem(2, .unterminatedQuote)])
  }

  @Test func `a NUL is refused with its line and byte`() throws {
    #expect(
      try read("name\nab\u{0}c\nd\n") == [
        .record(1, ["name"]), .problem(2, .nul(column: 3)), .record(3, ["d"]),
      ]
    )
    #expect(try read("x,\"1\n2\u{0}\"\n") == [.problem(2, .nul(column: 2))])
  }

  @Test func `a record at the limit is read and one beyond it ends the reading`() throws {
    let text = Array((String(repeating: "x", count: 99) + "\nb\n").utf8)
    let record = Seen.record(1, [String(repeating: "x", count: 99)])
    for size in [1, 7, 64, 100, 101, 4_096] {
      #expect(
        try read(text, bufferSize: size, longestRecord: 100) == [record, .record(2, ["b"])]
      )
      #expect(
        try read(text, bufferSize: size, longestRecord: 99) == [.problem(1, .tooLong(limit: 99))]
      )
    }
  }

  @Test func `a line with more fields than the limit is refused without taking memory`() throws {
    let wide = String(repeating: ",", count: CSVReader.mostFields - 1)
    #expect(
      try read(wide + "\nb\n") == [
        .record(1, Array(repeating: "", count: CSVReader.mostFields)), .record(2, ["b"]),
      ]
    )
    #expect(
      try read(wide + ",\nb\n") == [
        .problem(1, .tooManyFields(limit: CSVReader.mostFields)), .record(2, ["b"]),
      ]
    )
  }

  @Test func `a descriptor that cannot be read is a problem, not a crash`() throws {
    let folder = try FileDescriptor.open("/", .readOnly)
    defer { try? folder.close() }
    let number = Errno.isDirectory
    #expect(
      items(of: folder) == [.problem(nil, .unreadable(number.rawValue, number.description))]
    )
  }

  @Test func `reading can stop in the middle`() throws {
    struct StopReading: Error {}
    let pipe = try FileDescriptor.pipe()
    defer { try? pipe.readEnd.close() }
    try pipe.writeEnd.closeAfter { _ = try pipe.writeEnd.writeAll("a\nb\nc\n".utf8) }
    var reader = CSVReader(reading: pipe.readEnd)
    #expect(throws: StopReading.self) { try reader.forEach { _ in throw StopReading() } }
    var lines: [Int] = []
    reader.forEach { if case .record(let record) = $0 { lines.append(record.line) } }
    #expect(lines == [2, 3])
  }
}

@Suite("CSV in pieces")
struct CSVPiecesTests {
  private static let pieces: [[UInt8]] = [
    Array("a".utf8), Array("bc".utf8), Array(",".utf8), Array(",".utf8), Array("\"".utf8),
    Array("\"".utf8), Array("\"\"".utf8), Array("\n".utf8), Array("\r".utf8), Array("\r\n".utf8),
    Array("é".utf8), Array("山".utf8), Array("🗼".utf8), [0x1A], [0x00], [0xE5], [0xF0, 0x9F],
    Array("a longer run of text".utf8), [0xEF, 0xBB, 0xBF],
  ]

  @Test(arguments: 0..<300) func `the size of the buffer changes nothing`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let bytes = (0..<Int.random(in: 0...60, using: &random)).flatMap { _ in
      Self.pieces.randomElement(using: &random) ?? []
    }
    let whole = try read(bytes)
    for size in 1...17 {
      #expect(try read(bytes, bufferSize: size) == whole, "seed \(seed), buffer of \(size)")
    }
  }

  @Test(arguments: 0..<100) func `what is written is read again`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let width = Int.random(in: 1...6, using: &random)
    let alphabet = Array("ab ,\"\r\nçЖ漢🗼\u{1A}\u{7}=x")
    let rows = (0..<Int.random(in: 1...40, using: &random)).map { _ in
      (0..<width).map { _ in
        String(
          (0..<Int.random(in: 0...9, using: &random)).map { _ in
            alphabet.randomElement(using: &random) ?? "a"
          }
        )
      }
    }
    var writer = CSVWriter()
    var bytes: [UInt8] = []
    for row in rows {
      for field in row { writer.append(field, to: &bytes) }
      writer.endRecord(to: &bytes)
    }
    let read = try read(bytes, bufferSize: Int.random(in: 1...80, using: &random)).map {
      guard case .record(_, let fields) = $0 else { return ["\($0)"] }
      return fields
    }
    #expect(read == rows, "seed \(seed)")
  }
}

@Suite("Text that is not UTF-8")
struct CSVEncodingTests {
  private func reason(_ bytes: [UInt8]) throws -> Seen? {
    try read(Array("id\nab".utf8) + bytes + Array("c\nd\n".utf8)).dropFirst().first
  }

  @Test(
    arguments: [
      [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0xAF], [0xE0, 0x9F, 0xBF],
      [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x82, 0x82, 0xAC], [0xF0, 0x8F, 0xBF, 0xBF],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80], [0xFE], [0xFF],
      [0xE5, 0xBC], [0xF0, 0x9F, 0x97], [0xC3],
    ] as [[UInt8]]
  )
  func `a malformed sequence is named by line and byte`(bytes: [UInt8]) throws {
    #expect(try reason(bytes) == .problem(2, .notUTF8(byte: bytes[0], column: 3)))
  }

  @Test(arguments: [
    "\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}",
  ])
  func `the borders of well-formed UTF-8 are taken`(character: String) throws {
    #expect(try read("id\n\(character)\n") == [.record(1, ["id"]), .record(2, [character])])
  }

  @Test func `every faulty line is named and the others are read`() throws {
    let bytes = Array("a\n".utf8) + [0xFF, 0x0A] + Array("b\n".utf8) + [0xC0, 0x0A]
    #expect(
      try read(bytes) == [
        .record(1, ["a"]), .problem(2, .notUTF8(byte: 0xFF, column: 1)), .record(3, ["b"]),
        .problem(4, .notUTF8(byte: 0xC0, column: 1)),
      ]
    )
  }

  @Test(arguments: [[0xE5], [0xE5, 0xBC], [0xF0, 0x9F, 0x97], [0xC3]] as [[UInt8]])
  func `a file that ends inside a character is said to be cut`(tail: [UInt8]) throws {
    #expect(
      try read(Array("a\nb,".utf8) + tail) == [.record(1, ["a"]), .problem(2, .cutInsideCharacter)]
    )
  }

  @Test func `a UTF-8 byte order mark is left out`() throws {
    #expect(
      try read([0xEF, 0xBB, 0xBF] + Array("id,name\n".utf8)) == [.record(1, ["id", "name"])]
    )
    #expect(try read([0xEF, 0xBB, 0xBF]).isEmpty)
  }

  static let signatures: [([UInt8], FileSignature)] = [
    ([0xFF, 0xFE, 0x69, 0x00], .utf16), ([0xFE, 0xFF, 0x00, 0x69], .utf16),
    ([0xFF, 0xFE, 0x00, 0x00, 0x69, 0, 0, 0], .utf32), ([0x00, 0x00, 0xFE, 0xFF], .utf32),
    ([0x69, 0, 0x64, 0, 0x2C, 0, 0x6E, 0, 0x61, 0], .utf16),
    ([0, 0x69, 0, 0x64, 0, 0x2C, 0, 0x6E, 0, 0x61], .utf16),
    ([0x69, 0, 0, 0, 0x64, 0, 0, 0, 0x2C], .utf32),
    (Array("PK\u{3}\u{4}\u{14}\u{0}".utf8), .zip), ([0x1F, 0x8B, 8, 0], .gzip),
    ([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], .oldExcel), (Array("%PDF-1.7".utf8), .pdf),
    (Array("<!DOCTYPE html>\n".utf8), .markup), (Array("<?xml version".utf8), .markup),
  ]

  @Test(arguments: signatures)
  func `another kind of file is named for what it is`(
    bytes: [UInt8],
    signature: FileSignature
  ) throws {
    for size in [1, 5, 4_096] {
      #expect(
        try read(bytes + Array("\nrest\n".utf8), bufferSize: size)
          == [.problem(nil, .signature(signature))]
      )
    }
  }

  @Test func `no message holds a byte of the file`() throws {
    let seen = try read(Array("a\n".utf8) + [0x1B, 0x5B, 0xFF, 0x07, 0x0A])
    guard case .problem(let line, let reason) = seen.last else {
      Issue.record("\(seen)")
      return
    }
    let problem = CSVProblem(line: line, reason: reason)
    #expect(
      problem.description == "is not UTF-8: byte FF at byte 3 of the line"
        && problem.advice == "save the file as UTF-8, or name its encoding with \(.encoding)"
    )
  }
}
