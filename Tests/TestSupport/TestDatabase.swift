import LibPQ
import Platform

/// What a test needs and the environment does not give.
package struct TestSetupError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// The throw-away PostgreSQL that the tests use.
package enum TestDatabase {
  /// A connection string of a superuser there.
  package static func serverConninfo() throws -> String {
    guard let conninfo = environmentValue("STAFFBOOK_TEST_DATABASE"), !conninfo.isEmpty else {
      throw TestSetupError(
        """
        STAFFBOOK_TEST_DATABASE is not set: give it the connection string of a superuser on a \
        PostgreSQL server that may be thrown away, or run scripts/test, which starts one
        """
      )
    }
    return conninfo
  }

  /// The connection string of another database on the same server.
  package static func conninfo(database: String) throws -> String {
    var settings = try PGConninfo(parsing: serverConninfo())
    settings["dbname"] = database
    return settings.pairs
  }
}

/// Runs `body` with a database of its own, which is dropped afterwards whatever happens.
///
/// - Parameters:
///   - template: The database to copy; `nil` is an empty one (`template0`, UTF8, locale C).
///   - isolation: The caller's own.
///   - body: Gets the connection string of the new database.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws, or why there is no database.
package func withTestDatabase<R>(
  template: TemplateDatabase? = nil,
  isolation: isolated (any Actor)? = #isolation,
  _ body: (_ conninfo: String) async throws -> R
) async throws -> R {
  let name = "test_\(getpid())_\(UInt64.random(in: .min ... .max))"
  // Anyone who has a place and wants a second database would wait for others who want one, too.
  let isNested = TestDatabase.hasPlace
  if !isNested { await TestDatabase.turnstile.enter() }
  let span = TestMeasures.Span()
  let outcome: Result<R, any Error>
  do {
    try await TestDatabase.create(name, from: template?.name())
    let conninfo = try TestDatabase.conninfo(database: name)
    outcome = .success(
      try await TestDatabase.$hasPlace.withValue(true) { try await body(conninfo) }
    )
  } catch {
    outcome = .failure(error)
  }
  let dropped = await TestDatabase.dropping(name)
  span.end()
  if !isNested { await TestDatabase.turnstile.leave() }
  let value = try outcome.get()
  try dropped.get()
  return value
}

/// A migrated database of which tests get copies, since to copy it takes less than half of the time.
///
/// It is made when it is first wanted, and stays until the server goes.
package actor TemplateDatabase {
  private let migrate: @Sendable (_ conninfo: String) async throws -> Void
  private var making: Task<String, any Error>?

  /// - Parameter migrate: Gives an empty database the schema; no connection may be left afterwards.
  package init(_ migrate: @escaping @Sendable (_ conninfo: String) async throws -> Void) {
    self.migrate = migrate
  }

  fileprivate func name() async throws -> String {
    let task =
      making
      ?? Task { [migrate] in
        let name = "template_\(getpid())_\(UInt64.random(in: .min ... .max))"
        try await TestDatabase.create(name)
        try await migrate(try TestDatabase.conninfo(database: name))
        return name
      }
    making = task
    return try await task.value
  }
}

extension TestDatabase {
  /// Whether this task is in already.
  @TaskLocal fileprivate static var hasPlace = false

  /// Tests run all at once, and the server takes 100 connections.
  fileprivate static let turnstile = Turnstile(capacity: 8)

  fileprivate static func create(_ name: String, from template: String? = nil) async throws {
    TestMeasures.countDatabase(isCopied: template != nil)
    guard let template else {
      return try await execute(
        "create database \(name) template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C'"
      )
    }
    try await execute("create database \(name) template \(template)")
    // What is granted on a database itself is not copied.
    try await execute("grant temporary on database \(name) to staffbook_editor")
  }

  fileprivate static func dropping(_ name: String) async -> Result<Void, any Error> {
    do {
      return .success(try await execute("drop database if exists \(name) with (force)"))
    } catch {
      return .failure(error)
    }
  }

  /// Runs a statement on a connection of its own, which was removed afterwards.
  fileprivate static func execute(_ sql: String) async throws {
    let session = try await PGSession.connect(conninfo: serverConninfo())
    try await session.withConnection { (connection) throws(PostgresError) in
      _ = try connection.execute(sql).commandTag
    }
  }
}

/// A variable of the test process's environment.
package func environmentValue(_ name: String) -> String? {
  getenv(name).map { String(cString: $0) }
}
