import CopyFormat
import DirectoryModel
import TestSupport
import Testing

@Suite("Rows of COPY")
struct CopyTextFieldsTests {
  private func decode(_ line: String) throws -> [String] {
    var column = StringColumn()
    var number: Int64 = 0
    try Array(line.utf8).withUnsafeBytes { bytes in
      var fields = try CopyTextFields(bytes)
      try fields.appendNext(to: &column)
      try fields.appendNext(to: &column, null: true)
      number = try fields.nextInt64()
      try fields.finish()
    }
    return [column[0], column[1], "\(number)"]
  }

  @Test func `give back what was escaped`() throws {
    #expect(try decode("a\tb\t0\n") == ["a", "b", "0"])
    #expect(try decode("\t\\N\t-7\n") == ["", "", "-7"])
    #expect(
      try decode("\\t\\n\\r\\b\\f\\v\\\\N\tx\\\\\t9223372036854775807\n")
        == ["\t\n\r\u{8}\u{C}\u{B}\\N", "x\\", "9223372036854775807"]
    )
    #expect(try decode("\\\\\\\\N\tb\t-9223372036854775808\n")[at: 0] == "\\\\N")
  }

  @Test(arguments: [
    "", "\n", "a\n", "a\tb\n", "a\tb\t1", "a\tb\t1\tc\n", "a\tb\t\n", "a\tb\t-\n", "a\tb\t1x\n",
    "a\tb\t9223372036854775808\n", "\\N\tb\t1\n", "a\\\tb\\\n", "a\tb\t1\t\n", "a\tb\\\t1\n",
  ])
  func `that are malformed are errors`(_ line: String) {
    #expect(throws: DirectoryError.self) { try decode(line) }
  }
}
