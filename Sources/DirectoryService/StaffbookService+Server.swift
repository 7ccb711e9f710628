import DirectoryModel
import DirectoryStore
import LibPQ
import PrivateServer

extension StaffbookService {
  /// Whether a connection string carries a password.
  package static func holdsPassword(_ conninfo: String) -> Bool {
    (try? PGConninfo(parsing: conninfo))?.holdsSecret ?? false
  }

  /// Starts the private server.
  ///
  /// - Returns: Where it can be reached.
  /// - Throws: `.usage` when the source is somebody else's server.
  package func startServer() async throws(DirectoryError) -> String {
    try requirePrivateServer("start")
    return try await startPrivateServer().url
  }

  /// Stops the private server.
  ///
  /// - Returns: Whether it was running.
  /// - Throws: `.usage` when the source is somebody else's server.
  package func stopServer() async throws(DirectoryError) -> Bool {
    try requirePrivateServer("stop")
    do throws(PrivateServerError) {
      return try await privateServer.stop()
    } catch {
      throw DirectoryError(error)
    }
  }

  private func requirePrivateServer(_ verb: String) throws(DirectoryError) {
    guard settings.source.server == .privateServer else {
      throw DirectoryError(
        .usage,
        "cannot \(verb) \(sourceDescription): it is not the private server",
        advice: "remove the connection setting to use the private server"
      )
    }
  }

  /// One libpq URI without a password; the private server is started so that it can be used.
  package func databaseURL() async throws(DirectoryError) -> String {
    switch settings.source.server {
    case .privateServer: return try await startPrivateServer().url
    case .conninfo(let conninfo):
      var parts = (try? PGConninfo(parsing: conninfo)) ?? PGConninfo()
      for (keyword, variable) in SourceSetting.identifyingKeywords + [("user", "PGUSER")]
      where parts[keyword] == nil && parts["service"] == nil {
        parts[keyword] = settings.environment[variable].flatMap { $0.isEmpty ? nil : $0 }
      }
      return parts.withoutSecrets.uri
    }
  }

  /// Brings the schema up to this program.
  ///
  /// - Returns: What was done, line by line.
  /// - Throws: Why the database cannot be migrated.
  package func migrate() async throws(DirectoryError) -> [String] {
    try requireWritable("migrate")
    let conninfo: String
    switch settings.source.server {
    case .privateServer: conninfo = try await privateConninfo()
    case .conninfo(let given): conninfo = given
    }
    let report = try await Migrator().migrate(conninfo: conninfo, patience: patience)
    let applied = report.applied.map { "applied \($0)" }
    return (applied.isEmpty ? ["the schema is up to date"] : applied)
      + ["schema version \(report.version)"] + report.notices
  }

  /// How psql is opened on the database.
  ///
  /// - Parameter arguments: Further ones for psql.
  /// - Returns: The command, for whoever has a terminal to give it.
  /// - Throws: When the private server cannot be started.
  package func shell(_ arguments: [String]) async throws(DirectoryError) -> DatabaseShell {
    switch settings.source.server {
    case .privateServer:
      do throws(PrivateServerError) {
        return DatabaseShell(words: try await privateServer.shell() + arguments)
      } catch {
        throw DirectoryError(error)
      }
    case .conninfo(let conninfo):
      let parts = (try? PGConninfo(parsing: conninfo)) ?? PGConninfo()
      return DatabaseShell(
        words: ["psql", "--dbname=" + parts.withoutSecrets.pairs] + arguments,
        password: parts["password"]
      )
    }
  }
}

/// A command that opens psql.
package struct DatabaseShell: Sendable {
  /// The program, looked for in `PATH`, and its arguments.
  package var words: [String]
  /// For `PGPASSWORD`: arguments can be seen by others, the environment only by us.
  package var password: String?
}
