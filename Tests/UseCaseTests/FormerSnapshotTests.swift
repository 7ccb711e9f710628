import DirectoryModel
import DirectorySnapshot
import DirectoryStore
import DirectoryTestSupport
import LibPQ
import LiveDirectory
import Platform
import SiteSettings
import SystemPackage
import TestSupport
import Testing

@Suite("A snapshot of the version before")
struct FormerSnapshotTests {
  private func sync(_ session: Session) async throws -> SyncReport {
    try await SnapshotSync(Administrator(session, to: "test")).sync()
  }

  @Test func `is read until a sync compares everything, and then has identities`() async throws {
    let scratch = try ScratchFolder()
    try await withTestDatabase(template: migrated) { conninfo in
      let settings = try Settings(
        environment: [
          "STAFFBOOK_HOME": scratch.path.string, "STAFFBOOK_DATABASE_URL": conninfo,
          "STAFFBOOK_LOCALE": "C",
        ]
      )
      let session = Session(settings: settings) { _ in }
      var connection = try PGConnection(conninfo: conninfo)
      try connection.executeScript(
        """
        begin;
        insert into staffbook.departments (id, name) values ('root', 'root');
        insert into staffbook.users (id, name, primary_department_id) values ('u', 'u', 'root');
        insert into staffbook.memberships (user_id, department_id) values ('u', 'root');
        commit
        """
      )
      var company = Company()
      try company.department("root")
      try company.user("u", in: "root")
      let path = session.site.snapshots.path
      try Folders.create(path.removingLastComponent())
      try company.writeFormer(to: path)
      let former = try DirectorySnapshot(path: path)
      #expect(former.isOfFormerVersion)
      #expect(try former.users().count == 1 && former.users().identities.isBlank)

      let report = try await sync(session)
      #expect(report.mode == .compared && report.isWritten)
      #expect(report.reason == ComparisonReason.formerSnapshot.description)
      let snapshot = try DirectorySnapshot(path: path)
      #expect(!snapshot.isOfFormerVersion)
      let identity = try connection.execute("select identity::text from staffbook.users")
        .text(row: 0, column: 0)
      #expect(try snapshot.users().identities[0] == identity)
      let next = try await sync(session)
      #expect(next.mode == .incremental && !next.isWritten)
    }
  }
}
