import DirectoryModel
import LibPQ

/// Ids that an import adds and that differ from ids in the database only by zeros in front, where
/// the files lack the latter.
package struct LeadingZeroConflicts: Sendable {
  package struct Pair: Sendable {
    package var id: String
    package var name: String
    package var recorded: String
    package var recordedName: String
  }

  /// How many there are.
  package private(set) var count = 0
  /// All that are added.
  package private(set) var added = 0
  /// The first ones.
  package private(set) var examples: [Pair] = []

  private static let namedCount = 5

  /// Whether most of what is added is of this kind: then it is the column, and no coincidence.
  package var areMost: Bool { count * 2 > added }

  /// - Parameters:
  ///   - kind: Departments or users.
  ///   - connection: In the import's transaction, with its plan.
  /// - Throws: When the database cannot be asked.
  /// - Complexity: Linear in the rows of files and database.
  init?(_ kind: RecordKind, _ connection: inout PGConnection) throws(StoreFailure) {
    let table = kind == .department ? "departments" : "users"
    let found = try connection.query(
      """
      select s.id, s.name, t.id, t.name, count(*) over (),
          (select count(*) from pg_temp.import_\(table) where action = 'a')
        from pg_temp.import_\(table) p join pg_temp.staged_\(table) s on s.id = p.id
          join staffbook.\(table) t on ltrim(t.id, '0') = ltrim(s.id, '0')
        where p.action = 'a' and s.id ~ '^[0-9]+$' and t.id ~ '^[0-9]+$'
          and not exists (select from pg_temp.staged_\(table) k where k.id = t.id)
        order by s.id, t.id limit \(Self.namedCount)
      """
    )
    guard found.rowCount > 0 else { return nil }
    count = found.int(row: 0, column: 4) ?? 0
    added = found.int(row: 0, column: 5) ?? 0
    for row in 0..<found.rowCount {
      examples.append(
        Pair(
          id: found.cell(0, row: row),
          name: found.cell(1, row: row),
          recorded: found.cell(2, row: row),
          recordedName: found.cell(3, row: row)
        )
      )
    }
  }
}
