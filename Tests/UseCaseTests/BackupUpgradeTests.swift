import Administration
import DirectoryModel
import DirectoryStore
import LibPQ
import LiveDirectory
import SiteSettings
import SystemPackage
import TestSupport
import Testing

@Suite("Backups of an older schema")
struct BackupUpgradeTests {
  @Test func `are made, and upgraded when they are restored`() async throws {
    let scratch = try ScratchFolder()
    let file = scratch.path.appending("older.backup").string
    try await withTestDatabase { conninfo in
      try await restoreStep14(into: conninfo)
      let made = try await Backup(Administrator(session(scratch, conninfo), to: "test")).backup(
        to: file,
        replacing: false
      ) {
        _ in
      }
      #expect(made.contents.users == 8)
    }
    try await withTestDatabase { conninfo in
      let session = try session(scratch, conninfo)
      let report = try await restore(file, session)
      #expect(report.outcome == .done)
      #expect(try await SnapshotSync(Administrator(session, to: "test")).sync().users == 8)
      #expect(
        try await Doctor(Administrator(session, to: "test")).examine(.thorough).state < .problem
      )
      var connection = try PGConnection(conninfo: conninfo)
      let people = try connection.execute(
        """
        select count(distinct c.identity) from staffbook.changes c
            join staffbook.users u on u.identity = c.identity
          where c.kind = 'user' and c.key1 = 'ann'
        """
      ).text(row: 0, column: 0)
      #expect(people == "2")
    }
  }

  @Test func `from before step 14 are refused before anything is touched`() async throws {
    let scratch = try ScratchFolder()
    let file = scratch.path.appending("old.backup").string
    try await withTestDatabase { conninfo in
      try await restoreStep14(into: conninfo)
      let session = try session(scratch, conninfo)
      var connection = try PGConnection(conninfo: conninfo)
      try connection.executeScript("delete from staffbook.migrations where version > 13")
      _ = try await Backup(Administrator(session, to: "test")).backup(to: file, replacing: false) {
        _ in
      }
      let error = await #expect(throws: DirectoryError.self) { try await restore(file, session) }
      #expect(error?.kind == .badData)
      #expect(
        error?.message == """
          cannot restore \(file): it has version 13 of the schema; this program upgrades backups from \
          version 14 on
          """
      )
      let newest = try connection.execute("select max(version) from staffbook.migrations")
        .text(row: 0, column: 0)
      #expect(newest == "13")
    }
  }

  private func restore(_ file: String, _ session: Session) async throws -> RestoreReport {
    try await Backup(Administrator(session, to: "test")).restoreBackup(
      file,
      isRehearsal: false,
      tokens: .kept,
      confirm: { _ throws(DirectoryError) in true },
      progress: { _ in }
    )
  }

  private func session(_ home: ScratchFolder, _ conninfo: String) throws -> Session {
    Session(
      settings: try Settings(
        environment: ["STAFFBOOK_HOME": home.path.string, "STAFFBOOK_DATABASE_URL": conninfo]
      )
    ) { _ in }
  }
}
