import DirectoryModel
import LibPQ

/// What a run of the migrator did.
package struct MigrationReport: Hashable, Sendable {
  /// File names of the migrations that this run applied, in order.
  package var applied: [String] = []
  /// The version that the database is at now; above this program's where a later one migrated it.
  package var version = 0
  /// What the database had to say, such as a role that must be created.
  package var notices: [String] = []
}

/// Brings a database to the schema that this program knows.
///
/// Each migration runs in one transaction and is recorded there with the SHA-256 of its text. An
/// advisory lock keeps several processes that start at once apart: the others find the work done.
/// Only the schema `staffbook` is written to.
package struct Migrator: Sendable {
  /// The version of the schema that this program needs.
  package static var newestVersion: Int { Schema.migrations.count }

  private let migrations: [Migration]

  package init(migrations: [Migration] = Schema.migrations) { self.migrations = migrations }

  /// Applies what is missing; does nothing, and writes nothing, when nothing is.
  ///
  /// - Parameters:
  ///   - conninfo: Any libpq connection string.
  ///   - access: Where connections come from, how long to wait for the server, and whom to tell.
  /// - Returns: What was done.
  /// - Throws: Why the database cannot be migrated.
  package func migrate(
    conninfo: String,
    access: DatabaseAccess = DatabaseAccess()
  ) async throws(DirectoryError) -> MigrationReport {
    let notices = NoticeList()
    let database = try await Database.connect(
      conninfo: conninfo,
      doing: Self.doing,
      access: access,
      notices: { notices.append($0) }
    )
    var report = try await database.run { (connection) throws(StoreFailure) in
      try run(&connection)
    }
    report.notices = notices.texts
    return report
  }

  private static let doing = "migrate the database"

  private func run(_ connection: inout PGConnection) throws(StoreFailure) -> MigrationReport {
    try ServerRequirements.check(connection, doing: Self.doing)
    var report = MigrationReport()
    while try !isUpToDate(&connection) {
      let applied = try connection.inTransaction(.write) { (connection) throws(StoreFailure) in
        try applyNext(&connection)
      }
      if let applied { report.applied.append(applied.fileName) }
    }
    report.version = try connection.inTransaction(.look) { (connection) throws(StoreFailure) in
      try recordedMigrations(&connection).count
    }
    return report
  }

  private func isUpToDate(_ connection: inout PGConnection) throws(StoreFailure) -> Bool {
    try connection.inTransaction(.look) { (connection) throws(StoreFailure) in
      let recorded = try recordedMigrations(&connection)
      try compare(recorded, &connection)
      if recorded.count >= migrations.count { return true }
      try ServerRequirements.checkWritable(&connection, doing: Self.doing)
      return false
    }
  }

  /// Applies the first migration that is missing once the lock is ours; `nil` when none is.
  private func applyNext(
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> Migration? {
    try lock(&connection)
    let recorded = try recordedMigrations(&connection)
    try compare(recorded, &connection)
    guard recorded.count < migrations.count else { return nil }
    let next = migrations[recorded.count]
    try connection.script(Self.settings)
    try makeRecord(&connection)
    let checksum = try checksum(of: next, &connection)
    do throws(StoreFailure) {
      try connection.script(String(decoding: next.script, as: UTF8.self))
    } catch {
      throw error.isAboutDuplicates ? Self.missingRecord(of: next, checksum) : error
    }
    try connection.perform(
      "insert into staffbook.migrations (version, name, checksum) values ($1::int4, $2, $3)",
      [.int64(Int64(next.version)), .text(next.name), .text(checksum)]
    )
    if let service = next.service {
      try connection.perform(
        """
        update staffbook.migrations
          set min_reader = $2::int4, min_writer = $3::int4, reason = $4 where version = $1::int4
        """,
        [
          .int64(Int64(next.version)), .int64(Int64(service.minReader)),
          .int64(Int64(service.minWriter)), .text(service.reason),
        ]
      )
    }
    if next.version == migrations.count { try grantRoles(&connection) }
    return next
  }

  private func lock(_ connection: inout PGConnection) throws(StoreFailure) {
    try connection.perform("select pg_advisory_xact_lock($1::int8)", [.int64(Self.lockKey)])
  }

  /// Keeps other migrators out, and refuses a schema that is not that of our migrations.
  func lockAndPrepare(_ connection: inout PGConnection) throws(StoreFailure) {
    try lock(&connection)
    try compare(recordedMigrations(&connection), &connection)
    try connection.script(Self.settings)
  }

  /// "staffbk" in ASCII; an advisory lock is a number known to all who need it.
  private static let lockKey: Int64 = 0x73_74_61_66_66_62_6B

  /// Makes the scripts independent of what the user, role or database set.
  private static let settings = """
    set local check_function_bodies = on;
    set local default_tablespace = '';
    set local default_table_access_method = heap;
    set local client_min_messages = notice;
    set local quote_all_identifiers = off;
    """

  /// Creates the schema and the table of migrations where they are missing.
  private func makeRecord(_ connection: inout PGConnection) throws(StoreFailure) {
    let schema = try connection.query(
      """
      select exists (select from pg_catalog.pg_class c where c.relnamespace = n.oid)
        from pg_catalog.pg_namespace n where n.nspname = 'staffbook'
      """
    )
    if schema.rowCount == 0 {
      try createSchema(&connection)
    } else if schema.bool(row: 0, column: 0) == true {
      guard try !connection.hasMigrations() else { return }
      throw .refusal(
        .badData,
        "cannot migrate the database: it has a schema named staffbook that contains "
          + "something else",
        advice: "use another database, or rename that schema"
      )
    }
    try connection.script(Self.recordScript)
  }

  private func createSchema(_ connection: inout PGConnection) throws(StoreFailure) {
    do throws(PostgresError) { try connection.executeScript("create schema staffbook") } catch {
      guard error.sqlstate == .insufficientPrivilege else { throw .postgres(error) }
      throw .refusal(
        .notPermitted,
        "cannot migrate the database: \(connection.user) may not create the schema staffbook "
          + "in \(connection.database)",
        advice: """
          have its owner run: create schema staffbook authorization \
          \(connection.user.quotedIdentifier);
          """
      )
    }
  }

  private static let recordScript = """
    create table staffbook.migrations (
      version int not null,
      name text not null,
      checksum text not null,
      applied_at timestamptz not null default transaction_timestamp(),
      constraint migrations_pkey primary key (version)
    );
    comment on table staffbook.migrations is 'Steps of the schema that were applied';
    comment on column staffbook.migrations.version is 'Number of the step, from 1 without gaps';
    comment on column staffbook.migrations.name is 'What the step is about';
    comment on column staffbook.migrations.checksum is 'SHA-256 of the script, in hexadecimal';
    comment on column staffbook.migrations.applied_at is 'When its transaction began';
    """

  /// Gives the roles what was added; the functions are themselves the work of steps.
  func grantRoles(_ connection: inout PGConnection) throws(StoreFailure) {
    for role in ["reader", "editor", "historian", "admin", "server"] {
      let function = "staffbook.grant_\(role)()"
      let found = try connection.query("select to_regprocedure($1)", [.text(function)])
      guard !found.isNull(row: 0, column: 0) else { continue }
      try connection.perform("select \(function)")
    }
  }
}

extension Migrator {
  private struct Record: Equatable {
    var version: Int
    var name: String
    var checksum: String
  }

  private func recordedMigrations(
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> [Record] {
    guard try connection.hasMigrations() else { return [] }
    let result = try connection.query(
      "select version, name, checksum from staffbook.migrations order by version"
    )
    return (0..<result.rowCount).map { row in
      Record(
        version: result.int(row: row, column: 0) ?? 0,
        name: result.cell(1, row: row),
        checksum: result.cell(2, row: row)
      )
    }
  }

  /// Throws unless what is recorded is the beginning of what we would apply, byte for byte, or all of it
  /// and steps of a later program that still serves this one.
  private func compare(
    _ recorded: [Record],
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    if recorded.count > migrations.count {
      try ServerRequirements.checkService(
        &connection,
        recorded.count,
        for: .reading,
        migrations.count,
        doing: Self.doing
      )
    }
    for (record, migration) in zip(recorded, migrations) {
      let checksum = try checksum(of: migration, &connection)
      let expected = Record(
        version: migration.version,
        name: migration.name,
        checksum: checksum
      )
      guard record.version <= migration.version else {
        throw Self.missingRecord(of: migration, checksum)
      }
      guard record == expected else {
        throw .refusal(
          .badData,
          "cannot migrate the database: its migration \(record.version) (\(record.name)) is "
            + "not \(migration.fileName) of this program",
          advice: """
            the database was migrated by another build of Staffbook; use that one, or import into \
            a new database
            """
        )
      }
    }
  }
}

extension Migrator {
  /// SHA-256 of a script, in hexadecimal.
  private func checksum(
    of migration: Migration,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> String {
    try connection.query("select encode(sha256($1), 'hex')", [.bytes(migration.script)]).cell(0)
  }

  private static func missingRecord(of migration: Migration, _ checksum: String) -> StoreFailure {
    .directory(
      DirectoryError(
        .badData,
        "cannot migrate the database: what \(migration.fileName) creates exists, but its row in "
          + "staffbook.migrations is missing",
        advice: "if nothing else was changed, have the owner restore it: insert into "
          + "staffbook.migrations (version, name, checksum) values (\(migration.version), "
          + "'\(migration.name)', '\(checksum)');"
      )
    )
  }
}

extension StoreFailure {
  /// Whether something is there already.
  fileprivate var isAboutDuplicates: Bool {
    guard case .postgres(let error) = self else { return false }
    switch error.sqlstate {
    case .duplicateTable?, .duplicateObject?, .duplicateFunction?, .duplicateColumn?: return true
    default: return false
    }
  }
}

extension DirectoryError {
  static func databaseIsNewer(
    _ version: Int,
    serving oldest: Int,
    known: Int,
    for use: ServerRequirements.Use,
    doing: String
  ) -> DirectoryError {
    DirectoryError(
      .badData,
      "cannot \(doing): the database is at version \(version), whose "
        + (use == .reading ? "readers" : "writers")
        + " must know version \(oldest); this program knows versions up to \(known)",
      advice: "install the version of Staffbook that migrated it, or a later one"
    )
  }
}

extension String {
  /// The text as an SQL identifier in quotation marks.
  var quotedIdentifier: String {
    "\"" + split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }
}
