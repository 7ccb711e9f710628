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
  @Test(arguments: [3, 5, 7]) func `are made, and updated when they are restored`(
    version: Int
  ) async throws {
    let scratch = try ScratchFolder()
    let file = scratch.path.appending("older.backup").string
    try await withTestDatabase { conninfo in
      _ = try await Migrator(migrations: Array(Schema.migrations.prefix(version)))
        .migrate(conninfo: conninfo)
      var connection = try PGConnection(conninfo: conninfo)
      try connection.executeScript(
        """
        insert into staffbook.departments (id, name) values ('d', 'Lamps');
        begin;
        insert into staffbook.users (id, name, primary_department_id) values ('u', 'Ada', 'd');
        insert into staffbook.memberships (user_id, department_id) values ('u', 'd');
        commit;
        """
      )
      let made = try await Backup(Administrator(session(scratch, conninfo), to: "test")).backup(
        to: file,
        replacing: false
      ) {
        _ in
      }
      #expect(made.contents.users == 1)
    }
    try await withTestDatabase { conninfo in
      let session = try session(scratch, conninfo)
      let report = try await Backup(Administrator(session, to: "test")).restoreBackup(
        file,
        isRehearsal: false,
        tokens: .kept,
        confirm: { _ throws(DirectoryError) in false },
        progress: { _ in }
      )
      #expect(report.outcome == .done)
      #expect(try await SnapshotSync(Administrator(session, to: "test")).sync().users == 1)
      #expect(
        try await Doctor(Administrator(session, to: "test")).examine(.thorough).state < .problem
      )
    }
  }

  private func session(_ home: ScratchFolder, _ conninfo: String) throws -> Session {
    Session(
      settings: try Settings(
        environment: ["STAFFBOOK_HOME": home.path.string, "STAFFBOOK_DATABASE_URL": conninfo]
      )
    ) { _ in }
  }
}
