import Platform
import SystemPackage
import TestSupport
import Testing

@Suite("Exports that are taken back")
struct ExportRoundTripTests {
  /// Compares the records of CSV files byte for byte, whatever their order.
  ///
  /// The database keeps none. A missing file is one without records.
  private static let sameRecords = """
    import os, re, sys
    def records(path):
        if not os.path.exists(path): return []
        with open(path, 'rb') as file: data = file.read()
        parts = re.findall(rb'(?:"(?:[^"]|"")*"|[^"\\r\\n])+', data)
        return parts[:1] + sorted(parts[1:])
    for name in ('departments', 'users', 'memberships'):
        ours, theirs = (records(f'{folder}/{name}.csv') for folder in sys.argv[1:3])
        assert ours == theirs or not ours and len(theirs) == 1, (
            name, len(ours), len(theirs), (set(ours) ^ set(theirs)) and
            sorted(set(ours) ^ set(theirs))[:4])
        print(name, len(ours))
    """

  private func bytes(of folder: FilePath) async throws -> [UInt8] {
    try await runProgram("/bin/sh", ["-c", "cd \"$1\" && cat -- *", "sh", folder.string])
      .stdoutBytes
  }

  @Test(arguments: RealDataTests.sets)
  func `real directories come back byte for byte`(_ name: String) async throws {
    let source = try TestData.directory(named: name)
    try await checkRoundTrip(of: source)
  }

  @Test func `hostile texts come back`() async throws {
    try await withTemporaryDirectory { folder in
      try writeHostileCompany(to: folder)
      try await withBook { book in
        try await book.lines("import", folder.string)
        let first = book.home.appending("first")
        try await book.lines("export", "--all", "-o", first.string + "/")
        try await checkRoundTrip(of: first)
      }
    }
  }

  private func checkRoundTrip(of source: FilePath) async throws {
    try await withBook { book in
      try await book.lines("import", source.string)
      let first = book.home.appending("first")
      try await book.lines("export", "--all", "-o", first.string + "/")
      _ = try await ExportReaders.python(Self.sameRecords, source.string, first.string)
      let before = try book.contents()
      try await book.lines("import", first.string)
      #expect(try book.contents() == before, "an import of what was exported changes nothing")
      try await withBook { other in
        try await other.lines("import", first.string)
        let second = other.home.appending("second")
        try await other.lines("export", "--all", "-o", second.string + "/")
        #expect(try await bytes(of: first) == bytes(of: second))
      }
    }
  }

  @Test func `declared fields stand in columns of their names, and leads if there are any`()
    async throws
  {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
      }
      try await book.lines("field", "add", "mobile")
      try await book.lines("field", "add", "languages")
      try await book.lines("field", "add", "site", "--of", "departments")
      try book.script(
        #"""
        update staffbook.users set fields = '{"mobile": "=1+1", "languages": ["a;b", " c\\", "d"]}'
          where id = 'u2';
        update staffbook.departments set fields = '{"site": "Pier 4"}' where id = 'mir';
        update staffbook.memberships set leads = true where user_id = 'u2';
        """#
      )
      try await book.lines("sync")
      let before = try book.contents()
      let folder = book.home.appending("files")
      try await book.lines("export", "--all", "-o", folder.string + "/")
      let file = folder.appending("users.csv").string
      let text = try await ExportReaders.lines("/bin/cat", [file]).joined(separator: "\n")
      let users = text.split(whereSeparator: \.isNewline)
      #expect(
        users.first == "id,department_id,name,title,email,phone,sort_order,leads,mobile,languages"
      )
      #expect(users.contains { $0.hasSuffix(#"0,true,=1+1,a\;b;\ c\\;d"#) }, "\(users)")
      try await book.lines("import", "--replace", folder.string)
      #expect(try book.contents() == before)
      // Files without the columns leave alone what is stored.
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", "--replace", folder.string)
      }
      #expect(try book.contents() == before)
    }
  }

  @Test func `a department's files go into the directory that they are from`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
        let before = try book.contents()
        let part = book.home.appending("part")
        try await book.lines("export", "id:opt", "--all", "-o", part.string + "/")
        try await book.lines("import", part.string)
        #expect(try book.contents() == before)
      }
    }
  }

  @Test func `files in a folder are replaced only when that is said`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
        let refused = try await book.run("export", "--all", "-o", folder.string + "/")
        #expect(
          refused.status == 73
            && refused.stderr.reads(
              "staffbook: cannot write …: the file exists",
              "staffbook: replace it with --force"
            ),
          "\(refused)"
        )
        try write("mine", to: folder.appending("notes"))
        try await book.lines("export", "id:mir", "--all", "--force", "-o", folder.string + "/")
        #expect(
          try folderEntries(folder).sorted() == [
            "departments.csv", "memberships.csv", "notes", "users.csv",
          ]
        )
        // No one there is in several departments any more, and the old ones must not stay.
        let rest = try await ExportReaders.lines(
          "/bin/cat",
          [folder.appending("memberships.csv").string]
        )
        #expect(rest.count <= 2)
        let missing = try await book.run("export", "-o", book.home.string + "/no/where/")
        #expect(missing.status == 73, "\(missing)")
      }
    }
  }

  @Test func `a folder that holds nothing else is replaced as a whole`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { above in
        let folder = above.appending("set")
        try makeFolder(folder)
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
        let place = try folder.stat().inode
        try await book.lines("export", "--all", "--force", "-o", folder.string + "/")
        #expect(try folder.stat().inode != place)
        #expect(try folder.stat().permissions == .ownerReadWriteExecute)
        #expect(
          try folderEntries(folder).sorted() == ["departments.csv", "memberships.csv", "users.csv"]
        )
        // No one there is in several departments.
        try await book.lines("export", "id:vac", "--all", "--force", "-o", folder.string + "/")
        #expect(try folderEntries(folder).sorted() == ["departments.csv", "users.csv"])
        #expect(try folderEntries(above) == ["set"])
        let kept = above.appending("kept")
        try makeFolder(kept)
        let link = above.appending("link")
        #expect(
          kept.string.withCString { from in link.string.withCString { symlink(from, $0) } } == 0
        )
        try await book.lines("export", "--all", "--force", "-o", link.string + "/")
        #expect(try folderEntries(kept).count == 3, "a link stays one")
        #expect(try folderEntries(above).sorted() == ["kept", "link", "set"])
      }
    }
  }
}
