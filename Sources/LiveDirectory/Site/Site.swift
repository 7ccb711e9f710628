import DirectoryModel
import DirectoryReading
import DirectoryStore
import LibPQ
import Platform
import PrivateServer
import SiteSettings
import SystemPackage

/// One source of a directory, and its files here: all that there is, independent of the caller.
///
/// Reading goes to the snapshot alone and works with the database down; what writes goes to the
/// database and then brings the snapshot up to it.
package struct Site: Sendable {
  package let settings: Settings
  /// One snapshot for each source.
  package let snapshots: SnapshotStore
  /// Told what a person should know and no error is: a file set aside, a lock waited for.
  package let tell: @Sendable (Advice) -> Void

  /// Where connections to the database come from.
  package let pool: ConnectionPool

  /// Where those come from by which the past is asked for, which may take long: no sync, token or rule
  /// waits for them.
  package let pastPool: ConnectionPool

  /// The snapshot that was proved last, for the sync that follows an edit.
  let proof: SnapshotVerification

  package init(settings: Settings, tell: @escaping @Sendable (Advice) -> Void) {
    self.settings = settings
    snapshots = SnapshotStore(folder: settings.folders.cache.appending(settings.sourceKey))
    self.tell = tell
    pool = ConnectionPool()
    pastPool = ConnectionPool()
    proof = SnapshotVerification()
  }

  /// The same site, with another receiver of notices.
  init(_ site: Site, tell: @escaping @Sendable (Advice) -> Void) {
    settings = site.settings
    snapshots = site.snapshots
    self.tell = tell
    pool = site.pool
    pastPool = site.pastPool
    proof = site.proof
  }

  /// Told what has no remedy in it.
  package var notice: @Sendable (String) -> Void { { [tell] text in tell(Advice(text)) } }

  /// What syncs of a source of one's own wrote down, whatever queries were in the configuration.
  package var journalPath: FilePath {
    let key = settings.source.databaseKey(environment: settings.environment)
    return settings.folders.journals.appending(key + ".sqlite")
  }

  /// Where the saved view of the source is.
  var stateFolder: FilePath { settings.folders.state.appending(settings.sourceKey) }

  package var privateServer: PrivateServer {
    PrivateServer(
      folder: settings.folders.data,
      environment: { settings.environment[$0] },
      notice: notice
    )
  }

  /// Where connections come from, how long the database is waited for, and who is told.
  package var access: DatabaseAccess {
    DatabaseAccess(pool: pool, silenceLimit: settings.silenceLimit, notice: notice)
  }

  /// The same for questions about the past.
  package var pastAccess: DatabaseAccess {
    DatabaseAccess(pool: pastPool, silenceLimit: settings.silenceLimit, notice: notice)
  }

  /// Throws unless the source can be written to.
  package func requireWritable(_ doing: String) throws(DirectoryError) {
    guard settings.source.queries != nil else { return }
    throw DirectoryError(
      .notPermitted,
      "cannot \(doing): the source is queries on other tables, which are only read",
      advice:
        "change the data in those tables, or remove source from the configuration"
    )
  }

  /// A connection string for the source; the private server is started and migrated for it.
  ///
  /// - Parameter starting: Whether the private server may be started.
  /// - Returns: The string, which may hold a password.
  /// - Throws: `.unavailable` where the private server is stopped and is to stay so.
  package func conninfo(starting: Bool = true) async throws(DirectoryError) -> String {
    let conninfo = try await conninfoAsIs(starting: starting)
    if settings.source.server == .privateServer, settings.source.queries == nil {
      _ = try await Migrator().migrate(conninfo: conninfo, access: access)
    }
    return conninfo
  }

  /// The same for a database whose schema is left as it is.
  package func conninfoAsIs(
    starting: Bool = true,
    doing: String = "sync"
  ) async throws(DirectoryError) -> String {
    switch settings.source.server {
    case .conninfo(let conninfo): return conninfo
    case .privateServer:
      if !starting { try requireRunningServer(doing) }
      let address = try await startPrivateServer()
      do throws(PostgresError) {
        return try address.conninfo
      } catch {
        throw DirectoryError(.bug, "cannot address the private server: \(error)")
      }
    }
  }

  private func requireRunningServer(_ doing: String) throws(DirectoryError) {
    do throws(PrivateServerError) {
      if case .running = try privateServer.status().state { return }
    } catch {
      throw DirectoryError(error)
    }
    throw DirectoryError(
      .unavailable,
      "cannot \(doing): the private server was stopped and will not be restarted automatically",
      advice: "start it with: \(.run(["db", "start"]))"
    )
  }

  package func startPrivateServer() async throws(DirectoryError) -> PrivateServerAddress {
    do throws(PrivateServerError) {
      return try await privateServer.start()
    } catch {
      throw DirectoryError(error)
    }
  }
}

extension Settings {
  /// Tells sources apart.
  fileprivate var sourceKey: String { source.key(environment: environment) }
}
