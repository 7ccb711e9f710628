import DirectoryModel
import LibPQ
import TestSupport
import Testing

@testable import DirectoryStore

/// Runs `body` with a migrated database of its own.
func withDirectory<R>(
  isolation: isolated (any Actor)? = #isolation,
  _ body: (_ conninfo: String) async throws -> R
) async throws -> R {
  try await withTestDatabase(template: migrated) { conninfo in try await body(conninfo) }
}

private let migrated = TemplateDatabase { _ = try await Migrator().migrate(conninfo: $0) }

/// A session for plain SQL.
struct SQLSession: Sendable {
  private let session: PGSession

  /// Connects, with the rights of a role if one is given.
  init(_ conninfo: String, role: String? = nil) async throws {
    let settings = role.map { conninfo + " options=-crole=\($0)" } ?? conninfo
    session = try await PGSession.connect(conninfo: settings)
  }

  /// Runs one or several statements.
  func run(_ sql: String) async throws(PostgresError) {
    try await session.withConnection { (connection) throws(PostgresError) in
      try connection.executeScript(sql)
    }
  }

  /// All cells of all rows; "∅" is NULL.
  func rows(
    _ sql: String,
    _ parameters: [PGParameter] = []
  ) async throws(PostgresError) -> [[String]] {
    try await session.withConnection { (connection) throws(PostgresError) in
      let result = try connection.execute(sql, parameters)
      return (0..<result.rowCount).map { row in
        (0..<result.columnCount).map { result.text(row: row, column: $0) ?? "∅" }
      }
    }
  }

  /// The only cell of the only row.
  func value(_ sql: String, _ parameters: [PGParameter] = []) async throws -> String {
    let rows = try await rows(sql, parameters)
    return try #require(rows.first?.first)
  }

  /// Does what doctor advises for triggers that are not enabled as they must be.
  func mendTriggers() async throws {
    for trigger in try await rows(BrokenTrigger.query) { try await run(trigger[1]) }
  }

  /// What the server says against a statement; `nil` when it has nothing against it.
  func refusal(of sql: String) async throws -> PGDiagnostic? {
    do throws(PostgresError) {
      try await run(sql)
      return nil
    } catch {
      guard case .refused(let diagnostic) = error else { throw error }
      return diagnostic
    }
  }
}

/// Departments a, b, c below each other, one user in each.
let smallCompany = """
  begin;
  insert into staffbook.departments (id, parent_id, name) values
    ('a', null, 'Lamps'), ('b', 'a', 'Lenses'), ('c', 'b', 'Grinding');
  insert into staffbook.users (id, name, primary_department_id) values
    ('u1', 'Ngaire Holm', 'a'), ('u2', 'Tomasz Brandt', 'b'), ('u3', '灯 美', 'c');
  insert into staffbook.memberships (user_id, department_id, title) values
    ('u1', 'a', 'Keeper'), ('u2', 'b', 'Grinder'), ('u3', 'c', ''), ('u3', 'a', 'Guest');
  commit;
  """

/// A name that no other test uses, for what belongs to the whole cluster.
func uniqueName(_ prefix: String) -> String {
  "\(prefix)_\(UInt64.random(in: .min ... .max))"
}
