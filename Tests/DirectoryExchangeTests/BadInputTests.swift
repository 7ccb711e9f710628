import DirectoryExchange
import DirectoryModel
import SystemPackage
import TestSupport
import Testing

/// Broken and odd inputs, read in place; what needs both ends of a reference is the store's.
@Suite("Broken input")
struct BadInputTests {
  private func folder(_ name: String) throws -> FilePath {
    try TestData.directory(named: "badinput").appending(name)
  }

  private func users(_ name: String) throws -> FileReading {
    try readUsers(FolderFiles(folder(name)).users)
  }

  /// Rows that each file of a case delivers without a problem.
  static let sound: [(String, departments: Int, users: Int, memberships: Int?)] = [
    ("00-sound", 6, 6, 2), ("01-cycle-1", 7, 6, nil), ("03-cycle-3", 10, 6, nil),
    ("05-orphan-department", 7, 6, nil), ("07-duplicate-user-id", 6, 7, nil),
    ("09-ids-differ-by-case", 7, 7, nil), ("11-ids-nfc-nfd", 8, 6, nil),
    ("13-several-roots", 8, 6, nil), ("15-parent-is-a-blank", 7, 6, nil),
    ("17-chain-of-100000", 100_000, 1, nil), ("19-children-50000-of-one", 50_001, 0, nil),
    ("21-missing-optional-column", 6, 6, nil), ("23-columns-in-another-order", 6, 6, nil),
    ("31-crlf", 6, 6, nil), ("33-cr", 6, 6, nil), ("35-blank-lines", 6, 6, nil),
    ("53-ctrl-z", 6, 6, nil), ("57-ansi-escapes", 7, 14, nil),
    ("59-line-breaks-in-names", 6, 13, nil), ("61-look-alikes", 6, 10, nil),
    ("63-nfc-nfd-names", 6, 11, nil), ("69-like-wildcards", 6, 11, nil),
    ("73-memberships", 6, 6, 5), ("79-real-orphans", 2, 103, nil),
  ]

  @Test(arguments: sound)
  func `what is well-formed is read whole`(
    name: String,
    departments: Int,
    users: Int,
    memberships: Int?
  ) throws {
    let files = try FolderFiles(folder(name))
    let found = try [readDepartments(files.departments), readUsers(files.users)]
    #expect(found.map(\.rows.count) == [departments, users])
    for reading in found {
      #expect(reading.problems.problems == [] && reading.isComplete)
    }
    #expect(try files.memberships.map { try readMemberships($0).rows.count } == memberships)
  }

  @Test(arguments: ["23-columns-in-another-order", "33-cr", "31-crlf"])
  func `the form of a file does not change its rows`(name: String) throws {
    #expect(try users(name).rows == users("00-sound").rows)
  }

  @Test func `blank lines count as lines`() throws {
    #expect(
      try users("35-blank-lines").rows.map { $0.prefix { $0 != ":" } }
        == ["2", "3", "4", "7", "8", "9"]
    )
  }

  @Test func `a Ctrl-Z at the end is said`() throws {
    #expect(
      try users("53-ctrl-z").problems.warnings.map(\.reason)
        == ["a Ctrl-Z (1A) at the end of the file was ignored"]
    )
  }

  @Test func `a missing column reads as empty and is said`() throws {
    let found = try users("21-missing-optional-column")
    #expect(
      found.problems.warnings.map(\.reason) == [
        "has no column phone; stored values are kept, and new rows have none"
      ]
    )
    #expect(found.rows.allSatisfy { $0.contains("||") })
  }

  private static func notUTF8(_ byte: String, at column: Int) -> String {
    "is not UTF-8: byte \(byte) at byte \(column) of the line; save the file as UTF-8, or name its "
      + "encoding with <encoding>"
  }

  static let faults: [(String, [Int?], [String])] = [
    (
      "25-no-header", [1],
      [
        "has no header: the first line must name the columns id, department_id, name, title, "
          + "email, phone, sort_order"
      ]
    ),
    ("27-short-row", [5], ["has 4 fields, the header has 7"]),
    ("29-empty-file", [nil], ["is empty and has no header"]),
    (
      "37-tabs", [1],
      [
        "the header is not as expected: its fields seem to be separated by tabs; they must be "
          + "separated by commas, or by the character given with <separator>"
      ]
    ),
    ("41-truncated", [7], ["the file ends in the middle of a character; it is truncated"]),
    (
      "45-a-workbook", [nil],
      [
        "is not UTF-8 text: it begins like an Excel workbook or another ZIP archive; save the "
          + "sheet as \"CSV UTF-8\""
      ]
    ),
    ("47-gbk", [3, 4], [notUTF8("D5", at: 12), notUTF8("D5", at: 12)]),
    (
      "49-utf-16-bom", [nil],
      ["is UTF-16 text; save it as UTF-8, or import it with <encoding> UTF-16"]
    ),
    (
      "51-bad-utf-8", [8, 9, 10, 11, 12],
      [
        notUTF8("C0", at: 11), notUTF8("ED", at: 12), notUTF8("FF", at: 8), notUTF8("E5", at: 11),
        notUTF8("F4", at: 8),
      ]
    ),
    ("75-user-without-department", [8], ["has no department"]),
  ]

  @Test(arguments: faults)
  func `a fault is named by file, line and reason`(
    name: String,
    lines: [Int?],
    reasons: [String]
  ) throws {
    let found = try users(name)
    #expect(found.lines == lines)
    #expect(found.reasons == reasons)
    let path = try folder(name).appending("users.csv").string
    #expect(found.problems.problems.allSatisfy { $0.file == path })
  }

  @Test func `a quote inside and text behind a quote are told apart`() throws {
    let found = try users("39-quote-inside")
    #expect(found.lines == [8, 9])
    #expect(
      found.reasons == [
        "a quote is inside a field that does not begin with one; quote the field and double the "
          + "quotes inside it (RFC 4180)",
        "text follows a closing quote; double the quotes that belong to the text (RFC 4180)",
      ]
    )
    #expect(found.rows.count == 6 && !found.isComplete)
  }

  @Test func `every bad sort order is named with its value`() throws {
    let found = try users("71-sort-order")
    let values = ["abc", "1.5", "1e3", " ", "99999999999999999999", "０１", "0x1F", "NaN"]
    #expect(
      found.reasons
        == values.map { "sort_order \"\($0)\" is not a whole number from -2^63 to 2^63-1" }
    )
    #expect(found.lines == (8..<16).map { $0 })
    #expect(found.problems.problems.map(\.id) == (0..<8).map { "o\($0)" })
    #expect(found.rows.count == 15 && found.isComplete)
  }

  @Test func `an id beyond the limit is named shortly`() throws {
    let found = try readDepartments(FolderFiles(folder("55-long-id")).departments)
    #expect(found.lines == [8])
    let shown = "X" + String(repeating: "p", count: 39)
    #expect(found.reasons == ["id \"\(shown)…\" is 10000 bytes long; the limit is 255"])
  }

  @Test func `a folder without departments says so`() throws {
    let folder = try folder("43-no-departments-file")
    do throws(DirectoryError) {
      _ = try FolderFiles(folder)
      Issue.record("the set was found")
    } catch {
      #expect(error.kind == .noInput)
      #expect(error.message == "there is no departments.csv in \(folder)")
    }
  }

  @Test(
    arguments: [
      ("rust-team", 218, 666, 585), ("cn-divisions", 45_115, 22_283, nil),
      ("us-congress", 342, 537, 3_879), ("jp-councillors", 50, 247, 752),
      ("cldr-world", 281, 940, nil),
    ] as [(String, Int, Int, Int?)]
  )
  func `the real directories are read whole and without a word`(
    name: String,
    departments: Int,
    users: Int,
    memberships: Int?
  ) throws {
    let files = try FolderFiles(TestData.directory(named: name))
    let found = try [readDepartments(files.departments), readUsers(files.users)]
    let further = try files.memberships.map { try readMemberships($0) }
    #expect(found.map(\.rows.count) == [departments, users])
    #expect(further?.rows.count == memberships)
    for reading in found + [further].compactMap({ $0 }) {
      #expect(reading.problems.problems == [] && reading.problems.warnings == [])
    }
  }
}
