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
    #expect(column.bytes.count == end)
    #expect(
      column.ends.map { Int($0) } == Self.texts.indices.map { column.range(of: $0).upperBound }
    )
  }

  @Test func `a column without rows has neither bytes nor ends`() {
    let column = StringColumn()
    #expect(column.count == 0)
    #expect(column.bytes.isEmpty && column.ends.isEmpty)
  }

  @Test func `a column of empty rows has rows and no bytes`() throws {
    let column = try column(["", "", ""])
    #expect(column.count == 3)
    #expect(column.bytes.isEmpty)
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
}
