import Platform
import SystemPackage
import TestSupport
import Testing

/// Programs of two versions use one home, as while a company's machines are upgraded one by one.
@Suite("Files of another version")
struct OtherVersionTests {
  /// Where a snapshot and an index have their version, 32 bits in little-endian order.
  private static let place = 8

  private func withCompany(_ body: (Book, _ cache: FilePath) async throws -> Void) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
      }
      let cache = book.home.appending("cache")
      let source = try #require(try folderEntries(cache).first)
      try await body(book, cache.appending(source))
    }
  }

  private func version(of path: FilePath) throws -> UInt8 { try bytes(of: path)[Self.place] }

  /// Makes a sound file one of an earlier version, or of the one after.
  private func change(_ path: FilePath, by step: Int) throws {
    let file = try FileDescriptor.open(path, .readWrite)
    let version = UInt8(Int(try version(of: path)) + step)
    _ = try file.closeAfter { try file.writeAll(toAbsoluteOffset: Int64(Self.place), [version]) }
  }

  @Test(arguments: [-2, 1])
  func `a snapshot is not read, and the next one is made of the database`(_ step: Int) async throws
  {
    try await withCompany { book, cache in
      let snapshot = cache.appending("directory.snapshot")
      let ours = try version(of: snapshot)
      // What the file holds is no longer so: anyone who reads it shows Ada's old number.
      try book.script("update staffbook.users set phone = '+1 555 0199' where id = 'u1'")
      try change(snapshot, by: step)
      let shown = try await book.run("show", "id:u1", "--json")
      #expect(shown.status == 0, "\(shown)")
      #expect(values(of: "phone", in: [shown.stdout]) == ["+1 555 0199"], "\(shown)")
      #expect(try version(of: snapshot) == ours)
      let aside = FilePath(snapshot.string + ".unusable")
      if step > 0 {
        // A program of that version may still want it.
        #expect(try version(of: aside) == ours + 1)
        #expect(
          shown.stderr.reads(
            "staffbook: the snapshot \(snapshot) has format \(ours + 1), which is newer than this program "
              + "supports; it is kept as \(aside)"
          ),
          "\(shown)"
        )
      } else {
        #expect(shown.stderr.reads(""), "\(shown)")
        #expect(try !folderEntries(cache).contains("directory.snapshot.unusable"))
      }
    }
  }

  @Test(arguments: [-2, 1])
  func `an index finds nothing, and the next sync makes another`(_ step: Int) async throws {
    try await withCompany { book, cache in
      let index = cache.appending("search.index")
      let ours = try version(of: index)
      let found = try await book.lines("search", "lukasz", "--json")
      try change(index, by: step)
      #expect(try await book.lines("search", "lukasz", "--json") == found)
      try await book.lines("sync")
      #expect(try version(of: index) == ours)
      #expect(try await book.lines("search", "lukasz", "--json") == found)
    }
  }

  @Test func `a saved view is not taken for one of ours`() async throws {
    try await withCompany { book, cache in
      try await book.lines("expand", "Optics")
      let state = book.home.appending("state").appending(cache.lastComponent?.string ?? "")
      let path = state.appending("view.json")
      let text = String(decoding: try bytes(of: path), as: UTF8.self)
      try write(text.replacing(#""version":1"#, with: #""version":2"#), to: path)
      let tree = try await book.run("tree")
      #expect(tree.status == 0, "\(tree)")
      #expect(
        tree.stderr.reads("staffbook: the saved view \(path) is damaged; starting with a new one"),
        "\(tree)"
      )
      #expect(!tree.stdout.contains("Mirrors"), "\(tree)")
    }
  }

  @Test(arguments: ["{}\n0\n", "", #"{"version":9}"#])
  func `a watermark is no proof, and the next sync compares everything`(_ text: String) async throws
  {
    try await withCompany { book, cache in
      let watermark = cache.appending("directory.watermark")
      let ours = try bytes(of: watermark)
      try write(text, to: watermark)
      try book.script("update staffbook.users set phone = '+1 555 0199' where id = 'u1'")
      let sync = try await book.lines("sync", "--json")
      #expect(values(of: "mode", in: sync).last == "compared", "\(sync)")
      let shown = try await book.lines("show", "id:u1", "--json")
      #expect(values(of: "phone", in: shown) == ["+1 555 0199"], "\(shown)")
      #expect(try bytes(of: watermark).count > ours.count / 2)
      let next = try await book.lines("sync", "--json")
      #expect(values(of: "mode", in: next).last == "incremental", "\(next)")
    }
  }

  @Test func `a schema two versions newer is read where it serves us, and left alone otherwise`()
    async throws
  {
    try await withCompany { book, _ in
      let known = try #require(Int(try book.value("select max(version) from staffbook.migrations")))
      try book.script(
        """
        insert into staffbook.migrations (version, name, checksum, min_reader, min_writer) values
          (\(known + 1), 'one', 'x', \(known), \(known + 1)),
          (\(known + 2), 'two', 'x', \(known), \(known + 1));
        update staffbook.users set phone = '+1 555 0199' where id = 'u1'
        """
      )
      let contents = try book.contents()
      try await book.lines("sync")
      let shown = try await book.lines("show", "id:u1", "--json")
      #expect(values(of: "phone", in: shown) == ["+1 555 0199"], "\(shown)")
      let edit = try await book.run("set", "id:u1", "phone=1")
      #expect(
        edit.status == 65
          && edit.stderr.reads(
            "staffbook: cannot change id:u1: the database is at version \(known + 2), whose writers must know version \(known + 1); this program knows versions up to \(known)",
            "staffbook: install the version of Staffbook that migrated it, or a later one"
          ),
        "\(edit)"
      )
      try book.script(
        "update staffbook.migrations set min_reader = version where version = \(known + 2)"
      )
      let sync = try await book.run("sync")
      #expect(
        sync.status == 65
          && sync.stderr.reads(
            "staffbook: cannot load the directory: the database is at version \(known + 2), whose readers must know version \(known + 2); this program knows versions up to \(known)",
            "staffbook: install the version of Staffbook that migrated it, or a later one"
          ),
        "\(sync)"
      )
      #expect(try await book.lines("show", "id:u1", "--json") == shown)
      #expect(try book.contents() == contents)
    }
  }

  @Test func `a journal that is newer is named and kept, and nothing is lost`() async throws {
    try await JournalCommandTests().withTables { book in
      let folder = book.home.appending("data/journals")
      let name = try #require(try folderEntries(folder).first)
      let path = folder.appending(name)
      let log = try await book.lines("log", "--json")
      // `PRAGMA user_version`: 32 bits in big-endian order at 60 (SQLite, "Database File Format").
      func set(version: UInt8) throws {
        let file = try FileDescriptor.open(path, .readWrite)
        _ = try file.closeAfter { try file.writeAll(toAbsoluteOffset: 63, [version]) }
      }
      #expect(try bytes(of: path)[60..<64] == [0, 0, 0, 1])
      try set(version: 2)
      let newer = try bytes(of: path)
      try book.script("update person set mail = 'a' where no = 'u2'")
      for command in ["log", "sync"] {
        let outcome = try await book.run(command)
        #expect(
          outcome.status == 65
            && outcome.stderr.reads(
              "staffbook: cannot … the journal: \(path) has format 2, which is newer than this program supports",
              "staffbook: install the newer version of this program, or move the journal elsewhere"
            ),
          "\(outcome)"
        )
      }
      #expect(try bytes(of: path) == newer)
      #expect(try folderEntries(folder) == [name])
      try set(version: 1)
      #expect(try await book.lines("log", "--json") == log)
      try await book.lines("sync")
      #expect(try await book.lines("log", "--json").count == log.count + 1)
    }
  }

  @Test func `a journal of before is left where it is and named once`() async throws {
    try await JournalCommandTests().withTables { book in
      let cache = book.home.appending("cache")
      let source = try #require(try folderEntries(cache).first)
      let former = cache.appending(source).appending("directory.journal")
      try write("SBJOURN1 and so on", to: former)
      let folder = book.home.appending("data/journals")
      let path = folder.appending(try #require(try folderEntries(folder).first))
      unlink(path.string)
      let sync = try await book.run("sync")
      #expect(
        sync.status == 0
          && sync.stderr.reads(
            "staffbook: the journal of earlier versions, \(former), is no longer read; the history begins again in \(path)"
          ),
        "\(sync)"
      )
      #expect(try await book.run("sync").stderr.reads(""))
      #expect(try bytes(of: former) == Array("SBJOURN1 and so on".utf8))
      #expect(
        try await book.lines("log")
          .contains("  the history begins here; earlier changes are unknown")
      )
    }
  }
}
