import DirectoryExchange
import DirectoryModel
import SystemPackage
import TestSupport
import Testing

/// The rows of one file, copied, and what was wrong.
struct FileReading {
  var rows: [String] = []
  var problems = ProblemList()
  var isComplete = false

  var reasons: [String] {
    problems.problems.map { $0.reason + ($0.advice.map { "; \($0)" } ?? "") }
  }
  var lines: [Int?] { problems.problems.map(\.line) }
}

func text(_ bytes: UnsafeRawBufferPointer) -> String { String(decoding: bytes, as: UTF8.self) }

/// The three files of a folder.
struct FolderFiles {
  let departments: InputFile
  let users: InputFile
  let memberships: InputFile?

  init(_ folder: FilePath) throws(DirectoryError) {
    let members = try InputSet([folder.string]).members
    departments = try members[0].open()
    users = try members[1].open()
    memberships = members.count > 2 ? try members[2].open() : nil
  }
}

func readUsers(_ file: InputFile) throws -> FileReading {
  var reading = FileReading()
  var reader = try DirectoryFileReader(file, .users)
  reader.forEachRow(&reading.problems) { row in
    guard case .person(let row) = row else { return }
    let values = ([row.id, row.department, row.name, row.title] + row.contacts.all).map(text)
    reading.rows.append("\(row.line): \(values.joined(separator: "|"))|\(row.sortOrder)")
  }
  reading.isComplete = reader.isComplete
  return reading
}

func readDepartments(_ file: InputFile) throws -> FileReading {
  var reading = FileReading()
  var reader = try DirectoryFileReader(file, .departments)
  reader.forEachRow(&reading.problems) { row in
    guard case .department(let row) = row else { return }
    let values = [row.id, row.parent, row.name, row.description].map(text)
    reading.rows.append("\(row.line): \(values.joined(separator: "|"))|\(row.sortOrder)")
  }
  reading.isComplete = reader.isComplete
  return reading
}

func readMemberships(_ file: InputFile) throws -> FileReading {
  var reading = FileReading()
  var reader = try DirectoryFileReader(file, .memberships)
  reader.forEachRow(&reading.problems) { row in
    guard case .membership(let row) = row else { return }
    let values = [row.user, row.department, row.title].map(text)
    reading.rows.append("\(row.line): \(values.joined(separator: "|"))|\(row.sortOrder)")
  }
  reading.isComplete = reader.isComplete
  return reading
}

private func reading<Bytes: Sequence<UInt8>>(
  _ bytes: Bytes,
  _ read: (InputFile) throws -> FileReading
) async throws -> FileReading {
  try await withTemporaryDirectory { folder in
    let path = folder.appending("file.csv")
    try write(bytes, to: path)
    return try read(InputFile(path))
  }
}

private func users(_ text: String) async throws -> FileReading {
  try await reading(text.utf8, readUsers)
}

private func departments(_ text: String) async throws -> FileReading {
  try await reading(text.utf8, readDepartments)
}

private let header = "id,department_id,name,title,email,phone,sort_order\n"

@Suite("The header of a file")
struct HeaderTests {
  @Test func `columns may come in any order, with blanks and in any case`() async throws {
    let found = try await users("Sort_Order, NAME ,department_id,\tid\n7,Ada,D,u1\n")
    #expect(found.rows == ["2: u1|D|Ada||||7"])
    #expect(found.problems.isEmpty && found.isComplete)
  }

  @Test func `missing optional columns read as empty, with a warning`() async throws {
    let found = try await users("id,department_id,name\nu1,D,Ada\n")
    #expect(found.rows == ["2: u1|D|Ada||||0"])
    #expect(
      found.problems.warnings.map(\.reason)
        == ["title", "email", "phone", "sort_order"].map {
          "has no column \($0); stored values are kept, and new rows have none"
        }
    )
  }

  @Test func `a reader knows which columns its file has`() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.appending("users.csv")
      try write("id,department_id,name,email\n".utf8, to: path)
      var reader = try DirectoryFileReader(InputFile(path), .users)
      var problems = ProblemList()
      reader.forEachRow(&problems) { _ in }
      #expect(problems.isEmpty && reader.isComplete)
      #expect(
        reader.absence.people == [.description, .title, .contact(.phone), .sortOrder, .leads]
      )
    }
  }

  @Test func `an unknown column is left out with a warning`() async throws {
    let found = try await users("id,department_id,name,manager,\nu1,D,Ada,Bo,\n")
    #expect(found.rows == ["2: u1|D|Ada||||0"])
    #expect(
      found.problems.warnings.prefix(2).map(\.reason) == [
        "the column \"manager\" is unknown and is ignored",
        "column 5 has no name and is ignored",
      ]
    )
  }

  @Test(arguments: [
    ("id,department_id,name,Name\n", "the header names the column name twice"),
    ("id,name\n", "the header has no column department_id"),
    ("name,title\n", "the header has no column id and no column department_id"),
    (
      "id;department_id;name\nu1;D;Ada\n",
      "the header is not as expected: its fields seem to be separated by semicolons; "
        + "they must be separated by commas, or by the character given with <separator>"
    ),
    (
      "u1\tD\tAda\n",
      "the header is not as expected: its fields seem to be separated by tabs; "
        + "they must be separated by commas, or by the character given with <separator>"
    ),
    (
      "u1,D,Ada\n",
      "has no header: the first line must name the columns "
        + "id, department_id, name, title, email, phone, sort_order"
    ),
  ])
  func `a first line that is no header is refused`(text: String, reason: String) async throws {
    let found = try await users("\n" + text)
    #expect(found.reasons == [reason])
    #expect(found.lines == [2])
    #expect(found.rows.isEmpty && !found.isComplete)
  }

  @Test(arguments: ["", "\u{FEFF}", "\r\n\r\n", "\u{1A}"])
  func `a file of nothing has no header`(text: String) async throws {
    let found = try await users(text)
    #expect(found.reasons == ["is empty and has no header"])
    #expect(!found.isComplete)
  }

  @Test func `a fault in the first line ends the reading`() async throws {
    let found = try await users("id,\"name\"x\nu1,D\n")
    #expect(found.problems.total == 1 && found.lines == [1])
  }

  @Test func `a file of a header alone is an empty table`() async throws {
    let found = try await users(header)
    #expect(found.rows.isEmpty && found.problems.isEmpty && found.isComplete)
  }
}

@Suite("The values of a row")
struct RowValueTests {
  @Test func `a row of the wrong length names both counts and its id`() async throws {
    let found = try await users(header + "u9,HR,Kurz,x\nu10\nu11,D,Ada,,,,0\n")
    let file = try #require(found.problems.problems.first).file
    #expect(
      found.problems.problems == [
        InputProblem(
          file: file,
          line: 2,
          id: "u9",
          reason: "has 4 fields, the header has 7"
        ),
        InputProblem(
          file: file,
          line: 3,
          id: "u10",
          reason: "has 1 field, the header has 7"
        ),
      ]
    )
    #expect(found.rows == ["4: u11|D|Ada||||0"] && !found.isComplete)
  }

  @Test func `a short last line without an end is said to be cut`() async throws {
    let found = try await users(header + "u1,D,Ada,,,,0\nu2,D,Bo")
    #expect(
      found.reasons == [
        "has 3 fields, the header has 7; the file ends in this line and may be truncated"
      ]
    )
  }

  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("+5", 5), ("-5", -5), ("007", 7), ("", 0),
      ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
    ] as [(String, Int64)]
  )
  func `a whole number is taken`(value: String, number: Int64) async throws {
    let found = try await users(header + "u1,D,Ada,,,,\(value)\n")
    #expect(found.rows == ["2: u1|D|Ada||||\(number)"] && found.problems.isEmpty)
  }

  @Test(arguments: [
    "abc", "1.5", "1e3", " ", " 1", "1 ", "99999999999999999999", "9223372036854775808",
    "-9223372036854775809", "０１", "0x1F", "NaN", "-", "+", "--1", "1_000", "−1", "١",
  ])
  func `what is no whole number is named, and the row still handed on`(value: String) async throws {
    let found = try await users(header + "u1,D,Ada,,,,\(value)\n")
    #expect(
      found.reasons == ["sort_order \"\(value)\" is not a whole number from -2^63 to 2^63-1"]
    )
    #expect(found.problems.problems.first?.id == "u1")
    #expect(found.rows == ["2: u1|D|Ada||||0"] && found.isComplete)
  }

  @Test func `ids are 1 to 255 bytes`() async throws {
    let long = String(repeating: "é", count: 127)
    let found = try await users(
      header + "\(long)x,D,Ada,,,,0\n\(long)xx,D,Ada,,,,0\n,D,Ada,,,,0\n"
    )
    #expect(found.rows.count == 1 && !found.isComplete)
    #expect(
      found.reasons == [
        "id \"\(long.prefix(40))…\" is 256 bytes long; the limit is 255", "has no id",
      ]
    )
    #expect(found.problems.problems.map(\.id) == [nil, nil])
  }

  @Test func `rows without anything are no rows, as spreadsheets write them`() async throws {
    let found = try await users(header + "u1,D,Ada,,,,\n,,,,,,\n\"\",,\nu2,D,Bo,,,,\n,,\n")
    #expect(found.rows == ["2: u1|D|Ada||||0", "5: u2|D|Bo||||0"])
    #expect(found.problems.isEmpty && found.isComplete)
  }

  @Test func `values that another program put in place of others are taken, and told`()
    async throws
  {
    let found = try await users(
      header + "u1,D,\\N,NULL,#N/A,4.9E+11,\n u2 ,D,#1 Fan,Null,a@x,\"4,93E+11\",\n"
        + "1E+05,D,N,\\Nord,######,5E+1,\n"
    )
    #expect(found.rows.count == 3 && found.rows[at: 0] == "2: u1|D|\\N|NULL|#N/A|4.9E+11|0")
    #expect(
      found.problems.warnings.map { "\($0.line ?? 0): \($0.reason)" } == [
        "2: name \"\\N\" is what some databases write for a missing value; CSV leaves the field empty; "
          + "it is imported unchanged (2 such values)",
        "2: email \"#N/A\" is what spreadsheets show for a missing value; it is imported "
          + "unchanged (2 such values)",
        "2: phone \"4.9E+11\" looks like a number that a spreadsheet has shortened; it is imported "
          + "unchanged (3 such values)",
        "3: id \" u2 \" begins or ends with a blank, which is part of the id; it is imported "
          + "unchanged",
      ]
    )
  }

  @Test func `a user without a department is named and still handed on`() async throws {
    let found = try await users(header + "u7,,Nobody,,,,0\n")
    #expect(found.problems.problems.map(\.id) == ["u7"])
    #expect(found.reasons == ["has no department"])
    #expect(found.rows == ["2: u7||Nobody||||0"])
  }

  @Test func `a parent of one blank is an id like any other`() async throws {
    let found = try await departments("id,parent_id,name\nA, ,Alpha\nB,,Beta\n")
    #expect(found.rows == ["2: A| |Alpha||0", "3: B||Beta||0"] && found.problems.isEmpty)
  }

  @Test(
    arguments: [
      (" ", " "), ("\u{200B}", "\\u{200B}"), ("\u{3000}\u{AD}", "\u{3000}\\u{AD}"),
      ("\u{202E}", "\\u{202E}"), ("\u{FEFF}", "\\u{FEFF}"),
    ]
  )
  func `a name needs something to be seen`(name: String, shown: String) async throws {
    let found = try await users(header + "u1,D,\(name),,,,0\n")
    #expect(found.reasons == ["name \"\(shown)\" has no visible character"])
    #expect(found.rows == ["2: u1|D|?||||0"])
  }

  @Test func `lengths are counted in characters, not bytes`() async throws {
    let long = String(repeating: "山", count: 1_000)
    let sound = try await users(header + "u1,D,\(long),\(long),\(long),\(long),0\n")
    #expect(sound.problems.isEmpty)
    let found = try await users(header + "u1,D,\(long)x,\(long)x,\(long)x,\(long)x,0\n")
    #expect(
      found.reasons
        == ["name", "title", "email", "phone"].map {
          "\($0) is 1001 characters long; the limit is 1000"
        }
    )
    #expect(found.rows == ["2: u1|D|?||||0"])
  }

  @Test func `a message shows hostile values harmlessly`() async throws {
    let found = try await users(header + "u1,D,Ada,,,,\u{1B}[2J\u{202E}1\n")
    let reason = try #require(found.reasons.first)
    #expect(!reason.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
  }

  @Test func `problems are counted beyond those that are kept`() async throws {
    let rows = (0..<1_000).map { "u\($0),,Ada,,,,x\n" }.joined()
    let found = try await users(header + rows)
    #expect(found.problems.problems.count == 20)
    #expect(found.problems.total == 2_000)
    #expect(found.problems.kind == .badData)
  }
}

@Suite("Finding the files")
struct FolderFilesTests {
  /// - Returns: The refusal of a folder, which is called `FOLDER` in it.
  private func failure(
    _ prepare: (FilePath) throws -> Void
  ) async throws -> DirectoryError {
    try await withTemporaryDirectory { folder in
      try prepare(folder)
      var error: DirectoryError?
      do throws(DirectoryError) {
        _ = try FolderFiles(folder)
      } catch let caught {
        error = caught
      }
      var found = try #require(error)
      found.message = found.message.replacing(folder.string, with: "FOLDER")
      return found
    }
  }

  @Test func `memberships may be missing, the others not`() async throws {
    try await withTemporaryDirectory { folder in
      try write(header.utf8, to: folder.appending("users.csv"))
      try write(header.utf8, to: folder.appending("departments.csv"))
      #expect(try FolderFiles(folder).memberships == nil)
      try write(header.utf8, to: folder.appending("memberships.csv"))
      #expect(try FolderFiles(folder).memberships?.size == Int64(header.utf8.count))
    }
    let none = try await failure { _ in }
    #expect(none.kind == .noInput)
    #expect(none.message == "there is no departments.csv and no users.csv in FOLDER")
    let users = try await failure { try write(header.utf8, to: $0.appending("departments.csv")) }
    #expect(users.kind == .noInput && users.message == "there is no users.csv in FOLDER")
  }

  @Test func `a folder or a pipe in the place of a file is refused without waiting`() async throws {
    let folder = try await failure {
      try write(header.utf8, to: $0.appending("users.csv"))
      #expect(makeFolder($0.appending("departments.csv")))
    }
    #expect(folder.kind == .noInput)
    #expect(
      folder.message
        == "cannot read FOLDER/departments.csv: it is a folder, not a regular file"
    )
    let pipe = try await failure {
      try write(header.utf8, to: $0.appending("users.csv"))
      #expect(makePipe($0.appending("departments.csv")))
    }
    #expect(pipe.kind == .noInput)
    #expect(
      pipe.message == "cannot read FOLDER/departments.csv: it is a pipe, not a regular file"
    )
  }

  @Test func `a file that the system refuses is not called missing`() async throws {
    let error = try await failure { folder in
      try write(header.utf8, to: folder.appending("users.csv"))
      #expect(makeLink(folder.appending("departments.csv"), to: "departments.csv"))
    }
    #expect(error.kind == .cannotRead)
    #expect(
      error.message
        == "cannot read FOLDER/departments.csv: \(Errno.tooManySymbolicLinkLevels)"
    )
  }

  #if os(Linux)
    @Test func `a file that fails while it is read is a problem of its own kind`() throws {
      // The kernel's view of our own memory: a regular file whose first page is not there.
      let found = try readUsers(InputFile("/proc/self/mem"))
      #expect(found.problems.kind == .cannotRead)
      #expect(found.reasons.first?.hasPrefix("cannot be read: ") == true)
      #expect(!found.isComplete)
    }
  #endif

  @Test func `a file can be read twice`() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.appending("users.csv")
      try write((header + "u1,D,Ada,,,,0\n").utf8, to: path)
      let file = try InputFile(path)
      #expect(try readUsers(file).rows == readUsers(file).rows)
    }
  }
}
