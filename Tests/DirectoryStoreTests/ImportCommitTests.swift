import DirectoryModel
import DirectoryStore
import LibPQ
import SystemPackage
import TestSupport
import Testing

@Suite("A connection that breaks at COMMIT")
struct ImportCommitTests {
  private static let company = ImportFiles(
    departments: [.init(id: "a")],
    users: [.init(id: "u1", department: "a")]
  )

  /// Imports by way of the user who cuts the line at the first COMMIT.
  private func importThrough(
    _ moment: LineCutter.Moment,
    _ body: (_ commit: () async throws -> ImportCommit.Certainty, SQLSession) async throws -> Void
  ) async throws {
    try await withDirectory { conninfo in
      try await withTemporaryDirectory { folder in
        let cutter = try LineCutter(conninfo: conninfo, folder: folder, at: moment)
        defer { cutter.stop() }
        let importer = try await Self.company.locked(cutter.conninfo)
        try await importer.checkAndApply()
        try await body({ try await importer.commit() }, try await SQLSession(conninfo))
        #expect(cutter.hasCut)
      }
    }
  }

  @Test func `before the server heard of it is found to have applied nothing`() async throws {
    try await importThrough(.beforeCommit) { commit, sql in
      let error = await #expect(throws: DirectoryError.self) { _ = try await commit() }
      #expect(error?.kind == .unavailable)
      #expect(
        error?.message == """
          cannot import the directory: the connection was lost during COMMIT, and the server \
          reports that nothing was applied
          """
      )
      #expect(try await sql.value("select count(*) from staffbook.users") == "0")
      // The lock is free.
      try await sql.run("insert into staffbook.departments (id, name) values ('x', 'X')")
    }
  }

  @Test func `after the server did it is found to have applied all`() async throws {
    try await importThrough(.beforeAnswer) { commit, sql in
      let certainty = try await commit()
      #expect(certainty == .foundOut)
      #expect(try await sql.value("select count(*) from staffbook.users") == "1")
    }
  }

  @Test func `with a server that does not return says how to find out`() async throws {
    try await withDirectory { conninfo in
      try await withTemporaryDirectory { folder in
        let cutter = try LineCutter(
          conninfo: conninfo,
          folder: folder,
          at: .beforeAnswer,
          forGood: true
        )
        defer { cutter.stop() }
        let importer = try await Self.company.locked(cutter.conninfo)
        try await importer.checkAndApply()
        let commit = Task { try await importer.commit() }
        try await wait(until: "the line is cut") { cutter.hasCut }
        // Anyone who interrupts need not wait for the server to come back.
        commit.cancel()
        let error = await #expect(throws: DirectoryError.self) { _ = try await commit.value }
        #expect(error?.kind == .unavailable)
        // What follows is libpq's.
        #expect(
          error?.message.hasPrefix(
            "cannot import the directory with certainty: the connection was lost during COMMIT, "
              + "and it is unknown whether the changes were applied: "
          ) == true
        )
        #expect(
          error?.advice?.description.replacing(#/'\d+'/#, with: "'…'") == """
            when the server is back, run: select pg_xact_status('…'); importing the same files \
            again does no harm
            """
        )
      }
    }
  }
}
