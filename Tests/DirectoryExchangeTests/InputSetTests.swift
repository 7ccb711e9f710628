import DirectoryExchange
import DirectoryModel
import Platform
import SystemPackage
import TestSupport
import Testing

@Suite("The files of an import")
struct InputSetTests {
  private func formats(_ texts: [String: String]) async throws -> [String: InputFormat] {
    try await withTemporaryDirectory { folder in
      for (name, text) in texts { try write(text.utf8, to: folder.appending(name)) }
      let set = try InputSet(texts.keys.map { folder.appending($0).string })
      return Dictionary(
        set.members.map { (FilePath($0.name).lastComponent?.string ?? "", $0.format) },
        uniquingKeysWith: { $1 }
      )
    }
  }

  @Test func `are told apart by how they begin, not by their names`() async throws {
    let texts = [
      "1.txt": "id,parent_id,name\n", "2.txt": "name, ID ,department_id\n",
      "3.txt": "user_id,department_id\n", "4.txt": "level,kind,id,parent_id,name\n",
      "5.txt": "\u{FEFF}{\"kind\":", "6.txt": "\n [", "7.txt": "# hello\nversion: 1\n",
      "8.txt": "dn: dc=example\n", "9.txt": "dn:: ZGM9ZXhhbXBsZQ==\r\n",
      "10.vcf": "begin:vcard\r\nVERSION:3.0\r\n",
    ]
    #expect(
      try await formats(texts) == [
        "1.txt": .departments, "2.txt": .users, "3.txt": .memberships, "4.txt": .list,
        "5.txt": .json, "6.txt": .json, "7.txt": .ldif, "8.txt": .ldif, "9.txt": .ldif,
        "10.vcf": .vCard,
      ]
    )
  }

  @Test func `are told by their names where the text says nothing`() async throws {
    let texts = ["users.csv": "", "departments.csv": "a,b\n", "x.jsonl": "", "x.vcf": "\n"]
    #expect(
      try await formats(texts)
        == [
          "users.csv": .users, "departments.csv": .departments, "x.jsonl": .json, "x.vcf": .vCard,
        ]
    )
    let error = await #expect(throws: DirectoryError.self) {
      try await formats(["notes.txt": "hello\n"])
    }
    #expect(error?.kind == .badData)
  }

  @Test(
    arguments: [
      (
        Array("PK\u{3}\u{4}".utf8),
        """
        cannot read FILE: it begins like an Excel workbook or another ZIP archive, but is \
        truncated or damaged
        """, "copy or save it again"
      ),
      (
        Array("<html>".utf8),
        """
        cannot import FILE: it is not CSV: it begins like HTML or XML, perhaps a web page saved \
        in place of the file
        """, nil
      ),
      (Array("%PDF-1.7".utf8), "cannot import FILE: it is not text: it begins like a PDF", nil),
      (
        Array("First Name,Last Name,E-mail Address\n".utf8),
        """
        cannot import FILE: its format is not recognised; it begins with "First Name,Last \
        Name,E-mail Address"
        """,
        """
        the first line of CSV must name the columns, such as id, parent_id, name or id, \
        department_id, name; JSON, LDIF and vCards are recognised by how they begin; mail \
        programs and phones can export their contacts as vCards; a list of people from another \
        program needs a mapping; create one with: <suggest("FILE")>
        """
      ),
      (Array("sep=;\n".utf8), "cannot import FILE: it is empty", nil),
      ([], "cannot import FILE: it is empty", nil),
      (Array("\n \n".utf8), "cannot import FILE: it is empty", nil),
      (
        Array("BZh91AY&SY".utf8), "cannot import FILE: it is not text: it is compressed",
        "decompress it first"
      ),
      (
        Array(repeating: 0, count: 4_096),
        "cannot import FILE: it is not text: its byte 1 is a NUL", nil
      ),
      (
        Array(repeating: 0x61, count: 257) + Array("ustar\0".utf8),
        "cannot import FILE: it is a tar archive; extract it and name the folder", nil
      ),
    ] as [([UInt8], String, String?)]
  )
  func `are refused for what they are`(
    bytes: [UInt8],
    message: String,
    advice: String?
  ) async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.appending("people.csv")
      try write(bytes, to: path)
      let error = #expect(throws: DirectoryError.self) { try InputSet([path.string]) }
      #expect(error?.kind == .badData)
      #expect(error?.message.replacing(path.string, with: "FILE") == message)
      #expect(error?.advice?.description.replacing(path.string, with: "FILE") == advice)
    }
  }

  @Test func `are refused for what they are under every name`() async throws {
    try await withTemporaryDirectory { folder in
      for name in ["people.json", "people.ldf", "people.vcard", "people.ndjson"] {
        let path = folder.appending(name)
        try write([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], to: path)
        let error = #expect(throws: DirectoryError.self) { try InputSet([path.string]) }
        #expect(
          error?.advice == "decompress it first",
          "\(error?.message ?? "")"
        )
      }
    }
  }

  @Test func `that are written meanwhile are told`() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.appending("users.csv")
      try write("id,department_id,name\nu1,a,A\n".utf8, to: path)
      let file = try InputFile(path)
      try file.requireUnchanged()
      // Another file of the name is none of ours.
      #expect(rename(path.string, folder.appending("old.csv").string) == 0)
      try write("id\n".utf8, to: path)
      try file.requireUnchanged()
      try write("id,department_id,name\nu1,a,".utf8, to: folder.appending("old.csv"))
      let error = #expect(throws: DirectoryError.self) { try file.requireUnchanged() }
      #expect(error?.kind == .cannotRead)
    }
  }

  @Test func `that are packed to fill a disk are refused before they do`() async throws {
    try await withTemporaryDirectory { folder in
      let script = "(echo id,department_id,name; yes u1,a,A | head -c 300000000) | gzip > \"$0\""
      let path = folder.appending("users.csv.gz")
      try #require(try await runProgram("sh", ["-c", script, path.string]).status == 0)
      let error = #expect(throws: DirectoryError.self) { try InputSet([path.string]) }
      #expect(
        error?.message == """
          cannot decompress \(path): it expands to more than 200 times its size, like a \
          decompression bomb
          """
      )
    }
  }

  @Test func `of a folder are its three, or all that can be read`() async throws {
    try await withTemporaryDirectory { folder in
      try write("dn: o=x\n".utf8, to: folder.appending("b.ldif"))
      try write("[]".utf8, to: folder.appending("a.json"))
      try write("hello".utf8, to: folder.appending("README"))
      try write("hello".utf8, to: folder.appending(".hidden.csv"))
      #expect(try InputSet([folder.string]).members.map(\.format) == [.json, .ldif])
      try write("user_id,department_id\n".utf8, to: folder.appending("memberships.csv"))
      #expect(try InputSet([folder.string]).members.map(\.format) == [.memberships, .json, .ldif])
      try write("id,parent_id,name\n".utf8, to: folder.appending("departments.csv"))
      let error = #expect(throws: DirectoryError.self) { try InputSet([folder.string]) }
      #expect(error?.message == "there is no users.csv in \(folder)")
      try write("id,department_id,name\n".utf8, to: folder.appending("users.csv"))
      #expect(
        try InputSet([folder.string]).members.map(\.format) == [.departments, .users, .memberships]
      )
    }
  }

  @Test func `many are opened when they are read, and must still be what was found`() async throws {
    try await withTemporaryDirectory { folder in
      for index in 10..<60 {
        try write(
          "{\"kind\":\"department\",\"id\":\"\(index)\",\"name\":\"N\"}\n".utf8,
          to: folder.appending("\(index).json")
        )
      }
      var told: [String] = []
      let set = try InputSet([folder.string], told: { told.append($0) })
      #expect(told == ["\(folder): 50 files: JSON"])
      #expect(
        try set.members.map { try readList($0.open(), as: .json).rows.count }
          == .init(repeating: 1, count: 50)
      )
      for member in set.members { try member.requireUnchanged() }
      // Another file takes the name: of a few it is still the one that was found.
      for name in ["10.json", "59.json"] {
        try write("[]".utf8, to: folder.appending("new"))
        #expect(rename(folder.appending("new").string, folder.appending(name).string) == 0)
      }
      #expect(try readList(#require(set.members.first).open(), as: .json).rows.count == 1)
      let last = try #require(set.members.last)
      let error = #expect(throws: DirectoryError.self) { try last.open() }
      #expect(error?.kind == .cannotRead)
      #expect(
        error?.message
          == "cannot read \(folder)/59.json: it was changed while it was being read"
      )
      #expect(throws: DirectoryError.self) { try last.requireUnchanged() }
    }
  }

  @Test func `beside a folder's three are told to be left out`() async throws {
    try await withTemporaryDirectory { folder in
      try write("id,parent_id,name\n".utf8, to: folder.appending("departments.csv"))
      try write("id,department_id,name\n".utf8, to: folder.appending("users.csv"))
      try write("BEGIN:VCARD\nEND:VCARD\n".utf8, to: folder.appending("a.vcf"))
      var told: [String] = []
      _ = try InputSet([folder.string], told: { told.append($0) })
      #expect(
        told == [
          "\(folder): only departments.csv, users.csv and memberships.csv are read; "
            + "1 other file is left out"
        ]
      )
    }
  }

  @Test func `warn of the same thing once, with the number of places`() {
    var all = ProblemList(limit: 3)
    for file in 1...3 {
      var problems = ProblemList(limit: 3)
      for line in 1...2 {
        problems.warn(InputProblem(file: "\(file)", line: line, reason: "is odd"))
      }
      problems.warn(InputProblem(file: "\(file)", reason: "is odd in way \(file)"))
      all.add(contentsOf: problems)
    }
    #expect(
      all.warnings == [
        InputProblem(file: "1", line: 1, reason: "is odd (the same in 5 other places)"),
        InputProblem(file: "1", reason: "is odd in way 1"),
        InputProblem(file: "2", reason: "is odd in way 2"),
      ]
    )
    #expect(all.furtherWarningCount == 1)
  }

  @Test func `count further warnings by kind, and keep each where that is asked for`() {
    for keepsAll in [false, true] {
      var problems = ProblemList(limit: 2, keepsWarnings: keepsAll)
      for line in 1...5 {
        problems.warn(
          InputProblem(file: "a", line: line, reason: "boss \"B\"\(line)\"\" is nobody")
        )
      }
      problems.warn(InputProblem(file: "a", line: 6, reason: "is odd"))
      for line in 7...9 {
        problems.warn(InputProblem(file: "a", line: line, reason: "is even"))
      }
      #expect(problems.warnings.map(\.line) == [1, 6])
      #expect(problems.furtherWarningCount == 7)
      #expect(
        problems.furtherWarnings == "7 more warnings, by kind: boss … is nobody (4); is even (3)"
      )
      #expect(problems.allWarnings.count == (keepsAll ? 9 : 0))
    }
  }

  @Test func `may be missing`() async throws {
    for path in ["/no/such/file", "", "a\0b"] {
      let error = #expect(throws: DirectoryError.self) { try InputSet([path]) }
      #expect(error?.kind == .noInput, "\(path)")
    }
  }

  @Test func `may be packed, in one part or several`() async throws {
    try await withTemporaryDirectory { folder in
      let text = (0..<50_000).map { "{\"kind\":\"department\",\"id\":\"\($0)\",\"name\":\"N\"}\n" }
      let half = text.count / 2
      for (name, part) in [("1", text[..<half]), ("2", text[half...])] {
        try write(part.joined().utf8, to: folder.appending(name))
        let gzip = try await runProgram("gzip", [folder.appending(name).string])
        try #require(gzip.status == 0)
      }
      let parts = try ["1.gz", "2.gz"].map { try bytes(of: folder.appending($0)) }
      let whole = folder.appending("list.json.gz")
      try write(parts[0] + parts[1], to: whole)
      let set = try InputSet([whole.string])
      #expect(set.members.map(\.format) == [.json])
      #expect(try readList(#require(set.members.first).open(), as: .json).rows.count == text.count)

      try write(parts[0].dropLast(20), to: whole)
      var error = #expect(throws: DirectoryError.self) { try InputSet([whole.string]) }
      #expect(error?.message == "cannot decompress \(whole): the file is truncated")
      var broken = parts[0]
      broken[broken.count / 2] ^= 0xFF
      try write(broken, to: whole)
      error = #expect(throws: DirectoryError.self) { try InputSet([whole.string]) }
      #expect(error?.kind == .badData)
      try write(parts[0] + Array("rubbish".utf8), to: whole)
      error = #expect(throws: DirectoryError.self) { try InputSet([whole.string]) }
      #expect(
        error?.message
          == "cannot decompress \(whole): the file is damaged: incorrect header check"
      )
    }
  }

  @Test func `may be in another encoding, and are refused with the place in a wrong one`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let path = folder.appending("users.csv")
      let header = Array("id,department_id,name\n".utf8)
      try write(header + Array("u1,a,".utf8) + [0xC9, 0xCF, 0xBA, 0xA3], to: path)
      let file = try InputFile.readable(path.string, InputOptions(encoding: "GB18030"))
      var problems = ProblemList()
      var names: [String] = []
      var reader = try DirectoryFileReader(file, .users)
      reader.forEachRow(&problems) { row in
        guard case .person(let row) = row else { return }
        names.append(String(decoding: row.name, as: UTF8.self))
      }
      #expect(names == ["上海"])

      try write(header + Array("u1,a,".utf8) + [0xC9, 0x20, 0xBA, 0xA3], to: path)
      var error = #expect(throws: DirectoryError.self) {
        try InputFile.readable(path.string, InputOptions(encoding: "GB18030"))
      }
      #expect(
        error?.message == """
          cannot read \(path) as GB18030: there is no valid character at byte 28 of the file, on \
          line 2
          """
      )
      error = #expect(throws: DirectoryError.self) {
        try InputFile.readable(path.string, InputOptions(encoding: "klingon"))
      }
      #expect(error?.kind == .usage)
      try write([0xEF, 0xBB, 0xBF] + header, to: path)
      #expect(
        try InputFile.readable(path.string, InputOptions(encoding: "UTF-16")).size
          == Int64(header.count + 3)
      )
    }
  }

  @Test func `may have their fields parted by other signs, if they are named`()
    async throws
  {
    let header = "id;department_id;name;title\r\n"
    let cases: [(text: String, lines: [String], problem: String?)] = [
      (header + "u1;a;Lund, Ada;\r\n", ["u1|a|Lund, Ada|"], nil),
      (
        "\u{FEFF}\"id\";" + header.dropFirst(3) + "u1;a;Ada;\"x;\"\"y\"\",\nz\"\n",
        ["u1|a|Ada|x;\"y\",\nz"], nil
      ),
      ("sep=;\n" + header + "u1;a;Ö;,", ["u1|a|Ö|,"], nil),
      ("id;department_id;name\nu1;a;5\" by, 3\nu2;a;B", ["u2|a|B|"], "2: a quote is inside"),
      (
        "id;department_id;name\nu1;a;\"A\",b\nu2;a;B", ["u2|a|B|"],
        "2: text follows a closing quote"
      ),
      ("id;department_id;name\nu1;a\nu2;a;B", ["u2|a|B|"], "2: has 2 fields"),
      ("id,department_id,name\nu1,a,A", [], "1: has no header"),
    ]
    let separator = try FieldSeparator(";")
    try await withTemporaryDirectory { folder in
      let path = folder.appending("users.csv")
      for (text, lines, problem) in cases {
        for form in [text, text.replacing(";", with: "\t")] {
          try write(form.utf8, to: path)
          let file = try InputFile.readable(
            path.string,
            InputOptions(separator: form == text ? separator : FieldSeparator("tab"))
          )
          var problems = ProblemList()
          var rows: [String] = []
          var reader = try DirectoryFileReader(file, .users)
          reader.forEachRow(&problems) { row in
            guard case .person(let row) = row else { return }
            rows.append(
              [row.id, row.department, row.name, row.title]
                .map { String(decoding: $0, as: UTF8.self) }.joined(separator: "|")
            )
          }
          let expected = form == text ? lines : lines.map { $0.replacing(";", with: "\t") }
          #expect(rows == expected, "\(form)")
          let said = problems.problems.first.map { "\($0.line ?? 0): \($0.reason)" }
          #expect(said?.hasPrefix(problem ?? "") ?? (problem == nil), "\(said ?? "")")
        }
      }
      // Other formats are what they are.
      try write("[{\"kind\": \"department\", \"id\": \"a;b\"}]".utf8, to: path)
      #expect(
        try InputSet([path.string], InputOptions(separator: separator)).members.map(\.format) == [
          .json
        ]
      )
    }
    for name in ["", "a", "\"", "\n", ";;", "é", "1"] {
      let error = #expect(throws: DirectoryError.self) { try FieldSeparator(name) }
      #expect(error?.kind == .usage)
    }
  }

  private func bytes(of path: FilePath) throws -> [UInt8] {
    let file = try FileDescriptor.open(path, .readOnly)
    return try file.closeAfter {
      var bytes = [UInt8](repeating: 0, count: 4 << 20)
      let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
      return Array(bytes[..<count])
    }
  }
}
