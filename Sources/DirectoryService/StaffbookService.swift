import DirectoryModel
import DirectoryReading
import DirectoryStore
import LibPQ
import Platform
import PrivateServer
import Synchronization
import SystemPackage

/// The use cases that every front calls.
///
/// Reading goes to the snapshot alone and works with the database down; what writes goes to the
/// database and then brings the snapshot up to it.
package struct StaffbookService: Sendable {
  package let settings: Settings
  /// Where all connections to the database come from.
  let pool = ConnectionPool()
  /// Told what a person should know and no error is: a file set aside, a lock waited for.
  private let tell: @Sendable (Advice) -> Void
  /// Says once that `me` in the configuration is nobody.
  let missMe: @Sendable () -> Void

  package init(settings: Settings, notice: @escaping @Sendable (Advice) -> Void) {
    self.settings = settings
    tell = notice
    let me = settings.me ?? ""
    let once = Once()
    missMe = {
      once.run {
        notice(
          Advice(
            "ignoring me in config.yaml: nobody, or more than one person, is called \(me); "
              + "set it to your id or your email address"
          )
        )
      }
    }
  }

  /// Told what has no remedy in it.
  package var notice: @Sendable (String) -> Void { { [tell] text in tell(Advice(text)) } }

  /// One snapshot and one saved view for each source.
  private var sourceKey: String { settings.source.key(environment: settings.environment) }

  package var snapshots: SnapshotStore {
    SnapshotStore(folder: settings.folders.cache.appending(sourceKey))
  }

  package var views: ViewStore {
    ViewStore(folder: settings.folders.state.appending(sourceKey))
  }

  package var privateServer: PrivateServer {
    PrivateServer(
      folder: settings.folders.data,
      environment: { settings.environment[$0] },
      notice: notice
    )
  }

  /// Where connections come from, how long the database is waited for, and who is told.
  var access: DatabaseAccess {
    DatabaseAccess(pool: pool, silenceLimit: settings.silenceLimit, notice: notice)
  }

  /// The directory to read.
  ///
  /// The first time there is no snapshot yet; then, or when it cannot be used, it is made.
  ///
  /// - Parameters:
  ///   - fresh: Whether to bring the snapshot up to the database first.
  ///   - progress: Told how far a sync has come, if there is one.
  /// - Returns: The directory as the snapshot has it.
  /// - Throws: What made a sync impossible, or the snapshot unreadable.
  package func directory(
    fresh: Bool = false,
    progress: (@Sendable (SyncProgress) -> Void)? = nil
  ) async throws(DirectoryError) -> Directory {
    // What is wrong with a snapshot is told by the sync that sets it aside.
    if !fresh, let directory = try snapshots.open(searchSupport, notice: { _ in }) {
      noticeOtherLocale(of: directory)
      return directory
    }
    let patience = fresh ? Self.freshPatience : FileLock.patience
    let report = try await syncUnlessBusy(SyncOptions(), patience: patience, progress: progress)
    guard let directory = try snapshots.open(searchSupport, notice: notice) else {
      throw report == nil
        ? busyError : DirectoryError(.bug, "cannot find the snapshot that was just written")
    }
    if report == nil {
      notice(
        "\(snapshots.writer) is still writing the snapshot; showing the previous one"
      )
    }
    return directory
  }

  /// The snapshot as it is, for a question in passing: nothing is made, mended or told for it.
  ///
  /// - Returns: `nil` where there is none that can be used.
  package func directoryAtHand() -> Directory? {
    let support = SearchSupport(phones: settings.phones, index: snapshots.searchIndexPath)
    return try? snapshots.open(support) { _ in }
  }

  /// When a directory was last found to be its source's state, where that is longer ago than `max_age`
  /// allows.
  ///
  /// - Returns: Seconds since 1970, UTC; `nil` where it is fresh, or nobody asked.
  package func oldAge(of directory: Directory) -> Int64? {
    guard let limit = settings.maxAge else { return nil }
    let watermark = snapshots.watermark(of: directory.checksum)
    let checkedAt = watermark.map { $0.readAt / 1_000_000 } ?? directory.takenAt
    return Int64(Platform.time(nil)) - checkedAt > limit ? checkedAt : nil
  }

  /// How long a look at the newest state waits for somebody else who writes the snapshot, before it
  /// takes what there is.
  private static let freshPatience = Duration.seconds(10)

  private func noticeOtherLocale(of directory: Directory) {
    let locale = directory.locale
    if locale != settings.locale, settings.problems.isEmpty {
      tell(
        "names are sorted for the locale \(locale); sort them for \(settings.locale) with: \(.sync)"
      )
    }
  }

  /// The view that somebody saved, or the one a first run shows.
  ///
  /// - Parameters:
  ///   - directory: The directory to show.
  ///   - levels: How many levels stand open where nothing was saved.
  /// - Returns: The view.
  /// - Throws: When the snapshot is damaged.
  package func view(
    of directory: Directory,
    levels: Int = 1
  ) throws(DirectoryError) -> SavedView {
    if let saved = views.load(notice: notice) { return saved }
    return try .initial(levels: levels, of: directory)
  }

  /// Changes the saved view, under its lock: of two changes at the same moment none is lost.
  ///
  /// - Parameters:
  ///   - directory: The directory to show.
  ///   - change: What becomes of the view as it was saved last.
  /// - Returns: The view as it is saved now.
  /// - Throws: What `change` throws, or why the view cannot be saved.
  package func changeView(
    of directory: Directory,
    _ change: (inout SavedView) throws -> Void
  ) async throws -> SavedView {
    try settings.folders.createHome()
    let lock = try await views.lock {
      notice("waiting for another staffbook that is changing the saved view")
    }
    var view = try view(of: directory)
    try change(&view)
    try views.save(view)
    // The lock is held to here.
    _ = consume lock
    return view
  }

  /// Throws unless the source can be written to.
  func requireWritable(_ doing: String) throws(DirectoryError) {
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
  func conninfo(starting: Bool = true) async throws(DirectoryError) -> String {
    switch settings.source.server {
    case .conninfo(let conninfo): return conninfo
    case .privateServer:
      if !starting { try requireRunningServer() }
      let conninfo = try await privateConninfo()
      if settings.source.queries == nil {
        _ = try await Migrator().migrate(conninfo: conninfo, access: access)
      }
      return conninfo
    }
  }

  func privateConninfo() async throws(DirectoryError) -> String {
    let address = try await startPrivateServer()
    do throws(PostgresError) {
      return try address.conninfo
    } catch {
      throw DirectoryError(.bug, "cannot address the private server: \(error)")
    }
  }

  private func requireRunningServer() throws(DirectoryError) {
    do throws(PrivateServerError) {
      if case .running = try privateServer.status().state { return }
    } catch {
      throw DirectoryError(error)
    }
    throw DirectoryError(
      .unavailable,
      "cannot sync: the private server was stopped, and is not started again by itself",
      advice: "start it with: \(.run(["db", "start"]))"
    )
  }

  func startPrivateServer() async throws(DirectoryError) -> PrivateServerAddress {
    do throws(PrivateServerError) {
      return try await privateServer.start()
    } catch {
      throw DirectoryError(error)
    }
  }
}

/// Something that is done the first time.
private final class Once: Sendable {
  private let isDone = Mutex(false)

  func run(_ body: () -> Void) {
    let isFirst = isDone.withLock { isDone in
      defer { isDone = true }
      return !isDone
    }
    if isFirst { body() }
  }
}
