import DirectoryModel
import LibPQ

/// What a repair of the schema did.
package struct RepairReport: Sendable {
  /// What was made again, such as `trigger users.bury_deleted`.
  package var mended: [String] = []
  /// What it could not make again.
  package var remaining: [String] = []
  /// What the database had to say.
  package var notices: [String] = []
}

extension Migrator {
  /// Makes functions, triggers, indexes and rights again as the migrations made them, all in one
  /// transaction or nothing; records stay as they are.
  ///
  /// It runs the files of all steps again, which make what is missing and leave alone what is there.
  ///
  /// - Parameters:
  ///   - conninfo: Any libpq connection string; its user has to own the schema.
  ///   - access: Where connections come from, how long to wait for the server, and whom to tell.
  /// - Returns: What was done.
  /// - Throws: Why the database cannot be repaired.
  package func repair(
    conninfo: String,
    access: DatabaseAccess = DatabaseAccess()
  ) async throws(DirectoryError) -> RepairReport {
    let notices = NoticeList()
    let doing = "repair the database"
    let database = try await Database.connect(
      conninfo: conninfo,
      doing: doing,
      access: access,
      notices: { notices.append($0) }
    )
    var report = try await database.run { (connection) throws(StoreFailure) in
      try connection.inTransaction(.write) { (connection) throws(StoreFailure) in
        try connection.asOwner(doing, repair)
      }
    }
    report.notices = notices.texts
    return report
  }

  private func repair(_ connection: inout PGConnection) throws(StoreFailure) -> RepairReport {
    try lockAndPrepare(&connection)
    let before = try SchemaInspection(&connection)
    guard !before.isNewer else {
      throw .refusal(
        .badData,
        "cannot repair the database: a later version of Staffbook migrated it",
        advice: "repair it with that version"
      )
    }
    for migration in Schema.migrations {
      try connection.script(String(decoding: migration.script, as: UTF8.self))
    }
    try grantRoles(&connection)
    let after = try SchemaInspection(&connection)
    var report = RepairReport()
    report.remaining = after.repairable
    report.mended = before.repairable.filter { !report.remaining.contains($0) }
    return report
  }
}
