import LibPQ
import Platform
import SystemPackage
import TestSupport
import Testing

/// What docs/install.md promises of a database that a later program has migrated.
@Suite("After a later program's db migrate")
struct LaterSchemaTests {
  /// Does what a later step of the schema does that only adds something.
  private func migrate(_ book: Book, reader: Int, writer: Int) throws {
    try book.script(
      """
      begin;
      create table staffbook.later (x int);
      insert into staffbook.migrations (version, name, checksum, min_reader, min_writer, reason)
        select max(version) + 1, 'later', 'x', max(version) + \(reader), max(version) + \(writer), 'a test'
          from staffbook.migrations;
      commit
      """
    )
  }

  private func withCompany(_ body: (Book) async throws -> Void) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
      }
      try await body(book)
    }
  }

  @Test func `a program that is served goes on with everything`() async throws {
    try await withCompany { book in
      try migrate(book, reader: 0, writer: 0)
      for arguments in [
        ["set", "u1", "phone=+1 555 0142"], ["sync"], ["sync", "--full"], ["tree"], ["log"],
        ["blame", "u1"],
        ["tree", "--as-of", "1"], ["field", "add", "desk"], ["undo", "2", "--yes"], ["doctor"],
        ["db", "migrate"],
      ] {
        let outcome = try await book.run(arguments)
        #expect(outcome.status == 0, "\(arguments): \(outcome)")
      }
    }
  }

  @Test func `a program that may only read goes on reading`() async throws {
    try await withCompany { book in
      try migrate(book, reader: 0, writer: 1)
      for arguments in [["sync"], ["tree", "--fresh"], ["log"], ["show", "u1"]] {
        let outcome = try await book.run(arguments)
        #expect(outcome.status == 0, "\(arguments): \(outcome)")
      }
      for arguments in [
        ["set", "u1", "phone=1"], ["remove", "u1", "--yes"], ["forget", "u1", "--yes"],
      ] {
        let outcome = try await book.run(arguments)
        #expect(outcome.status == 65, "\(arguments): \(outcome)")
        #expect(
          outcome.stderr.reads(
            "staffbook: cannot …writers must know version …; this program knows versions up to …",
            "staffbook: install the version of Staffbook that migrated it, or a later one"
          ),
          "\(outcome)"
        )
      }
    }
  }

  @Test func `a program that is not served says what it needs, and reads its snapshot`()
    async throws
  {
    try await withCompany { book in
      try await book.lines("sync")
      try migrate(book, reader: 1, writer: 1)
      let outcome = try await book.run("sync")
      #expect(outcome.status == 65)
      #expect(
        outcome.stderr.reads(
          "staffbook: cannot load the directory: the database is at version …, whose readers must know version …; this program knows versions up to …",
          "staffbook: install the version of Staffbook that migrated it, or a later one"
        ),
        "\(outcome)"
      )
      #expect(try await book.run("show", "u1").status == 0)
      try await book.withoutConnections {
        for arguments in [["tree"], ["search", "ada"]] {
          let outcome = try await book.run(arguments)
          #expect(outcome.status == 0, "\(arguments): \(outcome)")
        }
      }
    }
  }
}
