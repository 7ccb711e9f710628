import DirectoryModel
import LibPQ

/// Reads and changes what a database has beside its records: declared fields, the rules of who may see
/// whom, the lists that were imported, tokens and devices.
///
/// Each change is one transaction.
package struct DatabaseEditor: Sendable {
  private let conninfo: String
  private let access: DatabaseAccess
  /// Who changes it, for the history.
  private let authorship: Authorship

  package init(
    conninfo: String,
    authorship: Authorship = Authorship(),
    access: DatabaseAccess = DatabaseAccess()
  ) {
    self.conninfo = conninfo
    self.access = access
    self.authorship = authorship
  }

  func look<R: Sendable>(
    for use: ServerRequirements.Use = .reading,
    _ doing: String,
    _ body: @Sendable (inout PGConnection) throws(StoreFailure) -> R
  ) async throws(DirectoryError) -> R {
    try await Database.look(at: conninfo, for: use, doing: doing, access: access, body)
  }

  func write<R: Sendable>(
    _ doing: String,
    _ body: @escaping @Sendable (inout PGConnection) throws(StoreFailure) -> R
  ) async throws(DirectoryError) -> R {
    try await WriteTransaction.run(conninfo, access, by: authorship, doing: doing, body)
  }
}
