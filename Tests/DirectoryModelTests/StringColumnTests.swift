import DirectoryModel
import Testing

@Suite("A column of strings")
struct StringColumnTests {
  private static let texts = [
    "", "Lumen", "", "", "Grüße", "e\u{301}", "\u{E9}", "株式会社", "a\u{0}b", "👩‍👩‍👧", "",
  ]

  private func column(_ texts: [String]) throws -> StringColumn {
    var column = StringColumn()
    for text in texts { try column.append(text) }
    return column
  }

  @Test func `every row is what was put there, byte for byte`() throws {
    let column = try column(Self.texts)
    #expect(column.count == Self.texts.count)
    for (row, text) in Self.texts.enumerated() {
      #expect(column[row].utf8.elementsEqual(text.utf8), "row \(row)")
      #expect(column.withBytes(at: row) { Array($0) } == Array(text.utf8), "row \(row)")
      #expect(column.isEmpty(at: row) == text.isEmpty, "row \(row)")
    }
  }

  @Test func `ranges follow each other without gaps, to the end of the bytes`() throws {
    let column = try column(Self.texts)
    var end = 0
    for (row, text) in Self.texts.enumerated() {
      #expect(column.range(of: row) == end..<end + text.utf8.count, "row \(row)")
      end += text.utf8.count
    }
    #expect(column.byteCount == end)
    let (bytes, ends) = column.withAllBytes { (Array($0), $1.map { Int($0) }) }
    #expect(bytes == Self.texts.flatMap { Array($0.utf8) })
    #expect(ends == Self.texts.indices.map { column.range(of: $0).upperBound })
  }

  @Test func `a column without rows has neither bytes nor ends`() {
    let column = StringColumn()
    #expect(column.count == 0)
    #expect(column.byteCount == 0)
    #expect(column.withAllBytes { $0.isEmpty && $1.isEmpty })
  }

  @Test func `a column of empty rows has rows and no bytes`() throws {
    let column = try column(["", "", ""])
    #expect(column.count == 3)
    #expect(column.byteCount == 0)
    #expect((0..<3).allSatisfy { column.range(of: $0) == 0..<0 && column[$0].isEmpty })
    #expect(column.withBytes(at: 1) { $0.count } == 0)
  }

  @Test func `rows may be put together from pieces`() throws {
    var column = StringColumn()
    column.reserve(rows: 3, bytes: 16)
    for byte in "ab".utf8 { column.appendByte(byte) }
    Array("cdé".utf8).withUnsafeBytes { column.appendBytes($0) }
    try column.endRow()
    try column.endRow()
    try Array("whole".utf8).withUnsafeBytes { try column.append($0) }
    #expect((0..<column.count).map { column[$0] } == ["abcdé", "", "whole"])
  }

  @Test func `a copy does not see what is added later`() throws {
    var column = try column(["one"])
    let copy = column
    try column.append("two")
    #expect(copy.count == 1 && column.count == 2)
    #expect(copy[0] == "one")
  }

  @Test func `a copy that is added to leaves the first one alone`() throws {
    let column = try column(["one", "two"])
    var copy = column
    try copy.append("three")
    copy.appendByte(UInt8(ascii: "x"))
    #expect(column.count == 2 && copy.count == 3)
    #expect(column.byteCount == 6 && copy.byteCount == 11)
    #expect((0..<3).map { copy[$0] } == ["one", "two", "three"])
  }

  @Test func `it grows past any first guess`() throws {
    var column = StringColumn()
    let long = String(repeating: "grün ", count: 5_000)
    for row in 0..<20_000 { try column.append(row % 1_000 == 0 ? long : "\(row)") }
    #expect(column.count == 20_000)
    #expect(column[19_000] == long && column[19_999] == "19999" && column[1] == "1")
  }
}
