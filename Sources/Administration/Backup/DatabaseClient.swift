import DirectoryModel
import LibPQ
import LiveDirectory
import Platform
import PrivateServer
import SiteSettings
import Subprocess
import SystemPackage

/// The command of one of PostgreSQL's programs for a database.
package struct DatabaseClient: Sendable {
  /// The program, looked for in `PATH` unless it is a path, and its arguments.
  package var words: [String]
  /// For `PGPASSWORD`: arguments can be seen by others, the environment only by us.
  package var password: String?

  /// How the program was named.
  var program: String { FilePath(words[0]).lastComponent?.string ?? words[0] }

  /// The same with further arguments.
  func adding(_ arguments: String...) -> DatabaseClient {
    DatabaseClient(words: words + arguments, password: password)
  }

  /// How Subprocess runs it, with messages in English, which are recognised.
  var configuration: Configuration {
    var environment = Environment.inherit.updating(["LC_ALL": "C.UTF-8"])
    if let password { environment = environment.updating(["PGPASSWORD": password]) }
    return Configuration(
      executable: words[0].contains("/") ? .path(FilePath(words[0])) : .name(words[0]),
      arguments: Arguments(Array(words.dropFirst())),
      environment: environment
    )
  }

  /// How much of what a program complains about is kept, in bytes.
  static let messageLimit = 1 << 20

  /// Throws why a program failed, unless it succeeded.
  ///
  /// - Parameters:
  ///   - status: How it ended.
  ///   - message: What it wrote to standard error.
  ///   - kind: Of the error, where the message does not say.
  ///   - doing: What was being done, for the error.
  /// - Throws: Why the program failed.
  func check(
    _ status: TerminationStatus,
    _ message: String?,
    kind: DirectoryError.Kind,
    doing: String
  ) throws(DirectoryError) {
    guard !status.isSuccess else { return }
    try DirectoryError.checkCancellation()
    let reason = LogText.lastMeaningfulLine(in: message ?? "") ?? "it ended early (\(status))"
    if case .signaled(let signal) = status, [SIGINT, SIGTERM].contains(signal) {
      throw DirectoryError(.interrupted, "cannot \(doing): \(program) was interrupted")
    }
    throw DirectoryError(
      Self.kind(of: reason) ?? kind,
      "cannot \(doing): \(program): \(reason)",
      advice: Self.advice(on: reason)
    )
  }

  /// What kept a program from being run, as the directory's error.
  func cannotRun(_ error: any Error, doing: String) -> DirectoryError {
    if let error = error as? DirectoryError { return error }
    if error is CancellationError { return DirectoryError(.interrupted, "interrupted") }
    return DirectoryError(
      .unavailable,
      "cannot \(doing): \(words[0]) cannot be run: \(error)",
      advice: "install PostgreSQL's programs: apt-get install postgresql-client"
    )
  }

  private static func kind(of reason: String) -> DirectoryError.Kind? {
    if reason.contains("permission denied") || reason.contains("must be owner") {
      return .notPermitted
    }
    if reason.contains("lock timeout") { return .refusedForNow }
    if reason.contains("No space left") { return .cannotWrite }
    return nil
  }

  private static func advice(on reason: String) -> Advice? {
    if reason.contains("permission denied for database") {
      return "have the owner of the database grant CREATE on it to this user"
    }
    if reason.contains("permission denied") || reason.contains("must be owner") {
      return "connect as the owner of the schema staffbook"
    }
    if reason.contains("server version mismatch") {
      return "install the programs of the server's version, and put them first in PATH"
    }
    if reason.hasPrefix("role "), reason.hasSuffix(" does not exist") {
      return "have an administrator create that role; the backup grants it privileges"
    }
    if reason.contains("lock timeout") { return "the tables are in use; try again later" }
    return nil
  }
}

extension DatabaseServer {
  /// How one of PostgreSQL's programs is run on the database.
  ///
  /// - Parameters:
  ///   - program: `psql`, `pg_dump`.
  ///   - arguments: Further ones for it.
  /// - Returns: The command.
  /// - Throws: When the private server cannot be started.
  package func client(
    _ program: String,
    _ arguments: [String] = []
  ) async throws(DirectoryError) -> DatabaseClient {
    switch site.settings.source.server {
    case .privateServer:
      do throws(PrivateServerError) {
        return DatabaseClient(words: try await site.privateServer.client(program) + arguments)
      } catch {
        throw DirectoryError(error)
      }
    case .conninfo(let conninfo):
      let parts = (try? PGConninfo(parsing: conninfo)) ?? PGConninfo()
      return DatabaseClient(
        words: [program, "--dbname=" + parts.withoutSecrets.pairs] + arguments,
        password: parts["password"]
      )
    }
  }

  /// `pg_restore`, which reads an archive from standard input and needs no database.
  func archiveReader() async throws(DirectoryError) -> DatabaseClient {
    guard site.settings.source.server == .privateServer else {
      return DatabaseClient(words: ["pg_restore", "--file=-", "--no-owner"])
    }
    do throws(PrivateServerError) {
      let path = try await site.privateServer.path(of: "pg_restore")
      return DatabaseClient(words: [path.string, "--file=-", "--no-owner"])
    } catch {
      throw DirectoryError(error)
    }
  }
}
