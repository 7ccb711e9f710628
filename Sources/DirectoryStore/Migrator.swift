import DirectoryModel
import LibPQ
import Platform

/// What a run of the migrator did.
package struct MigrationReport: Hashable, Sendable {
  /// The steps that this run applied, in order: `step 17 (baseline)`.
  package var applied: [String] = []
  /// The version that the database is at now; above this program's where a later one migrated it.
  package var version = 0
  /// What the database had to say, such as a role that must be created.
  package var notices: [String] = []
}

/// Brings a database to the schema that this program knows.
///
/// An empty database gets the baseline; one of an earlier step that can be led to it is led. Each step runs
/// in one transaction and is recorded there with the SHA-256 of its text. An advisory lock keeps several
/// processes that start at once apart: the others find the work done. Only the schema `staffbook` is
/// written to.
package struct Migrator: Sendable {
  private let migrations: [Migration]

  /// - Parameter migrations: The baseline and the steps after it.
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
      try connection.asOwner(Self.doing, run)
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
      if let applied { report.applied.append("step \(applied.version) (\(applied.name))") }
    }
    report.version = try connection.inTransaction(.look) { (connection) throws(StoreFailure) in
      try MigrationRecord.read(&connection).newest
    }
    return report
  }

  private func isUpToDate(_ connection: inout PGConnection) throws(StoreFailure) -> Bool {
    try connection.inTransaction(.look) { (connection) throws(StoreFailure) in
      let recorded = try MigrationRecord.read(&connection)
      try compare(recorded, &connection)
      if next(after: recorded) == nil { return true }
      try ServerRequirements.checkWritable(&connection, doing: Self.doing)
      return false
    }
  }

  private func next(after recorded: [MigrationRecord]) -> Migration? {
    migrations.first { $0.version > recorded.newest }
  }

  /// Applies the first step that is missing once the lock is ours; `nil` when none is.
  private func applyNext(
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> Migration? {
    try lock(&connection)
    let recorded = try MigrationRecord.read(&connection)
    try compare(recorded, &connection)
    guard let next = next(after: recorded) else { return nil }
    try connection.script(Self.settings)
    if recorded.isEmpty {
      try prepareSchema(&connection)
    } else if recorded.newest < Schema.baseline {
      try connection.script(
        String(decoding: EmbeddedFile.bytes(named: Schema.upgradeFile), as: UTF8.self)
      )
    }
    try connection.script(String(decoding: next.script, as: UTF8.self))
    try connection.perform(
      """
      insert into staffbook.migrations (version, name, checksum, min_reader, min_writer, reason)
        values ($1::int4, $2, $3, $4::int4, $5::int4, $6)
      """,
      [
        .int64(Int64(next.version)), .text(next.name), .text(try checksum(of: next, &connection)),
        .int64(Int64(next.service.minReader)), .int64(Int64(next.service.minWriter)),
        .text(next.service.reason),
      ]
    )
    if next.version == migrations.last?.version { try grantRoles(&connection) }
    return next
  }

  private func lock(_ connection: inout PGConnection) throws(StoreFailure) {
    try connection.perform("select pg_advisory_xact_lock($1::int8)", [.int64(Self.lockKey)])
  }

  /// Keeps other migrators out, and refuses a schema that is not that of our migrations.
  func lockAndPrepare(_ connection: inout PGConnection) throws(StoreFailure) {
    try lock(&connection)
    let recorded = try MigrationRecord.read(&connection)
    try compare(recorded, &connection)
    guard next(after: recorded) == nil else {
      throw .refusal(
        .badData,
        "cannot repair the database: it is at version \(recorded.newest) of the schema, and this program "
          + "needs version \(Schema.newestVersion)",
        advice: "run: \(.migrate)"
      )
    }
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

  /// Creates the schema where it is missing, and refuses one that contains anything.
  private func prepareSchema(_ connection: inout PGConnection) throws(StoreFailure) {
    let schema = try connection.query(
      """
      select exists (select from pg_catalog.pg_class c where c.relnamespace = n.oid),
          exists (select from pg_catalog.pg_attribute a where a.attname = 'identity'
            and a.attrelid = (select c.oid from pg_catalog.pg_class c
              where c.relnamespace = n.oid and c.relname = 'users'))
        from pg_catalog.pg_namespace n where n.nspname = 'staffbook'
      """
    )
    guard schema.rowCount > 0 else { return try createSchema(&connection) }
    guard schema.bool(row: 0, column: 0) == true else { return }
    guard try connection.hasMigrations() else {
      throw .refusal(
        .badData,
        "cannot migrate the database: it has a schema named staffbook that contains "
          + "something else",
        advice: "use another database, or rename that schema"
      )
    }
    guard schema.bool(row: 0, column: 1) == true, let baseline = migrations.first else {
      throw .refusal(
        .badData,
        "cannot migrate the database: staffbook.migrations is empty, so that the version of the schema is "
          + "unknown",
        advice: "restore its rows from a backup"
      )
    }
    throw Self.missingRecord(of: baseline, try checksum(of: baseline, &connection))
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
  /// Throws unless what is recorded is the beginning of what we would apply, byte for byte, or all of it
  /// and steps of a later program that still serves this one, or can be led to our baseline.
  private func compare(
    _ recorded: [MigrationRecord],
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    guard !recorded.isEmpty else { return }
    guard recorded.newest >= Schema.baseline else { return try checkFormer(recorded) }
    if let known = migrations.last?.version, recorded.newest > known {
      try ServerRequirements.checkService(
        &connection,
        recorded.newest,
        for: .reading,
        known,
        doing: Self.doing
      )
    }
    for (record, migration) in zip(recorded, migrations) {
      let checksum = try checksum(of: migration, &connection)
      guard record.version <= migration.version else {
        throw Self.missingRecord(of: migration, checksum)
      }
      guard
        (record.version, record.name, record.checksum)
          == (migration.version, migration.name, checksum)
      else { throw Self.otherStep(record) }
    }
  }

  /// Throws unless the newest step is one from which a database is led to the baseline, and all are those that
  /// we know.
  private func checkFormer(_ recorded: [MigrationRecord]) throws(StoreFailure) {
    guard Schema.upgradable.contains(recorded.newest) else {
      throw .refusal(
        .badData,
        "cannot \(Self.doing): it is at version \(recorded.newest) of the schema, and this program upgrades "
          + "databases from version \(Schema.upgradable.lowerBound) on",
        advice: """
          migrate it with an earlier Staffbook that knows version \(String(Schema.baseline - 1)), and then \
          with this one
          """
      )
    }
    for record in recorded {
      let index = record.version - 1
      guard Schema.formerSteps.indices.contains(index),
        (record.name, record.checksum) == Schema.formerSteps[index]
      else { throw Self.otherStep(record) }
    }
  }

  /// SHA-256 of a script, in hexadecimal.
  private func checksum(
    of migration: Migration,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> String {
    try connection.query("select encode(sha256($1), 'hex')", [.bytes(migration.script)]).cell(0)
  }

  private static func otherStep(_ record: MigrationRecord) -> StoreFailure {
    .refusal(
      .badData,
      "cannot \(doing): its migration \(record.version) (\(record.name)) is not that of this program",
      advice: """
        the database was migrated by another build of Staffbook; use that one, or import into \
        a new database
        """
    )
  }

  private static func missingRecord(of migration: Migration, _ checksum: String) -> StoreFailure {
    .refusal(
      .badData,
      "cannot \(doing): what step \(migration.version) (\(migration.name)) creates exists, but its row in "
        + "staffbook.migrations is missing",
      advice: """
        if nothing else was changed, have the owner restore it: insert into staffbook.migrations (version, \
        name, checksum) values (\(String(migration.version)), '\(migration.name)', '\(checksum)');
        """
    )
  }
}

/// A row of `staffbook.migrations`.
struct MigrationRecord {
  var version: Int
  var name: String
  var checksum: String

  /// All rows, by version; none where there is no such table.
  static func read(_ connection: inout PGConnection) throws(StoreFailure) -> [MigrationRecord] {
    guard try connection.hasMigrations() else { return [] }
    let result = try connection.query(
      "select version, name, checksum from staffbook.migrations order by version"
    )
    return (0..<result.rowCount).map { row in
      MigrationRecord(
        version: result.int(row: row, column: 0) ?? 0,
        name: result.cell(1, row: row),
        checksum: result.cell(2, row: row)
      )
    }
  }
}

extension [MigrationRecord] {
  /// The newest version; 0 without any.
  var newest: Int { last?.version ?? 0 }
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
