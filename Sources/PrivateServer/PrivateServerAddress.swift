import LibPQ
import Platform
import SystemPackage

/// How to reach the private server while it runs.
package struct PrivateServerAddress: Equatable, Sendable {
  /// The role, and the database that it owns.
  static let name = "staffbook"

  /// The folder with the server's socket.
  package let socketFolder: FilePath
  package let port: Int
  /// The account that the server runs as; libpq talks to no other. (`requirepeer`)
  package let accountName: String

  /// All that makes the connection, and nothing else.
  private var settings: PGConninfo {
    var settings = PGConninfo()
    settings["host"] = socketFolder.string
    settings["port"] = String(port)
    settings["user"] = Self.name
    settings["dbname"] = Self.name
    settings["requirepeer"] = accountName
    return settings
  }

  /// The connection string for `PGConnection`; `PG*` variables have no say in it.
  package var conninfo: String {
    get throws(PostgresError) { try settings.shieldedFromEnvironment().pairs }
  }

  /// One libpq URI, which holds no password since there is none.
  package var url: String { settings.uri }

  /// The command that runs one of PostgreSQL's clients there, to be run by the caller, without
  /// `PG*` variables.
  func client(_ program: FilePath) -> [String] {
    let variables = ((try? PGConninfo.environmentVariables()) ?? [:]).keys
      .filter { getenv($0) != nil }.sorted()
    guard !variables.isEmpty else { return [program.string, url] }
    return ["/usr/bin/env"] + variables.flatMap { ["-u", $0] } + [program.string, url]
  }
}
