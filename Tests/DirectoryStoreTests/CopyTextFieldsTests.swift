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

  @Test func `bring identities, and an empty text for none`() throws {
    let uuid = "0d2c8a1e-5b77-4c1b-9a52-7e3f1c0b6d94"
    var departments = DepartmentTable()
    var users = UserTable()
    for identity in [uuid, ""] {
      try Array("d\t\\N\tLamps\t\t\(identity)\t{}\t7\n".utf8).withUnsafeBytes {
        try departments.append(copied: $0)
      }
      try Array("u\td\tAda\te\tp\t\(identity)\t{\"a\": \"b\"}\n".utf8).withUnsafeBytes {
        try users.append(copied: $0)
      }
    }
    #expect(departments[0].identity == RecordIdentity(uuid) && departments[1].identity == nil)
    #expect(departments[0].fields.isEmpty && departments[0].sortOrder == 7)
    #expect(users[0].identity == RecordIdentity(uuid) && users[1].identity == nil)
    #expect(users[1].contacts[.phone] == "p" && users[1].fields == FieldValues(["a": .one("b")]))
    #expect(throws: DirectoryError.self) {
      var table = DepartmentTable()
      try Array("d\t\\N\tLamps\t\t\\N\t{}\t7\n".utf8).withUnsafeBytes {
        try table.append(copied: $0)
      }
    }
  }

  @Test(arguments: [
    "", "\n", "a\n", "a\tb\n", "a\tb\t1", "a\tb\t1\tc\n", "a\tb\t\n", "a\tb\t-\n", "a\tb\t1x\n",
    "a\tb\t9223372036854775808\n", "\\N\tb\t1\n", "a\\\tb\\\n", "a\tb\t1\t\n", "a\tb\\\t1\n",
  ])
  func `that are malformed are errors`(_ line: String) {
    #expect(throws: DirectoryError.self) { try decode(line) }
  }
}
