import DirectoryModel
import DirectorySnapshot
import DirectoryStore
import Platform
import SiteSettings

/// Brings the snapshot up to its source.
package struct SnapshotSync: Sendable {
  private let site: Site

  package init(_ administrator: Administrator) { self.init(administrator.site) }

  init(_ site: Site) { self.site = site }

  /// Brings the snapshot up to the source: by changes alone where that can be proved to be enough,
  /// otherwise by comparing everything.
  ///
  /// - Parameters:
  ///   - options: How.
  ///   - progress: Told how far it has come; called from other threads.
  ///   - observer: Called in the transaction of each read, for tests.
  /// - Returns: What changed, and how that was found out.
  /// - Throws: `.refusedForNow` where too much was removed, otherwise what the database or the disk
  ///   said; the snapshot is then as it was.
  package func sync(
    _ options: SyncOptions = SyncOptions(),
    progress: (@Sendable (SyncProgress) -> Void)? = nil,
    observer: DirectoryRepository.Observer? = nil
  ) async throws(DirectoryError) -> SyncReport {
    guard
      let report = try await syncUnlessBusy(
        options,
        patience: FileLock.patience,
        progress: progress,
        observer: observer
      )
    else { throw site.busyError }
    return report
  }

  /// The same; `nil` when another process has been writing the snapshot for so long.
  func syncUnlessBusy(
    _ options: SyncOptions,
    patience: Duration,
    progress: (@Sendable (SyncProgress) -> Void)? = nil,
    observer: DirectoryRepository.Observer? = nil
  ) async throws(DirectoryError) -> SyncReport? {
    try site.settings.requireSound()
    let store = site.snapshots
    guard !options.isRehearsal else {
      // It may be replaced meanwhile; what is open stays what it was.
      let stored = try? store.openProved()
      let run = try await SyncRun(site, options, stored: stored, progress, observer)
      return try await run.result(storingIn: nil)
    }
    try site.settings.folders.createHome()
    let acquired = try await store.lock(patience: patience) {
      site.notice(
        "waiting for \(store.writer), which is writing the snapshot; giving up after "
          + "\(patience.components.seconds) seconds"
      )
    }
    guard let lock = acquired else { return nil }
    SyncJournal(of: site)?.adoptSnapshot()
    let stored = store.openForUpdate(lock, site.proof, notice: site.notice)
    let run = try await SyncRun(site, options, stored: stored, progress, observer)
    let report = try await run.result(storingIn: store)
    // The lock is held to here.
    _ = consume lock
    return report
  }
}

extension Site {
  /// Makes a snapshot where there is none that can be used.
  package func requireSnapshot() async throws(DirectoryError) {
    if try snapshots.open() == nil { _ = try await SnapshotSync(self).sync() }
  }

  /// Another process writes the snapshot, and does not come to an end.
  package var busyError: DirectoryError {
    DirectoryError(
      .refusedForNow,
      "cannot write the snapshot: \(snapshots.writer) is still writing it",
      advice: "wait until it has finished, or end it, and try again"
    )
  }
}

/// How a sync is to be done.
package struct SyncOptions: Sendable {
  /// Reads everything, also where only changes would do.
  package var full = false
  /// Lets a source that lost much, or all, replace the snapshot.
  package var acceptDeletions = false
  /// Finds out what a sync would do and writes nothing.
  package var isRehearsal = false
  /// Reads from a standby where the connection string names several hosts and one of them is.
  package var preferStandby = false

  /// Names every change, and not only counts them.
  package var namesChanges = false

  /// Starts the private server where it is not running; otherwise that is an error.
  package var startsServer = true

  /// Told what was found to be other than before, when it is certain and not written yet.
  package var found: (@Sendable (FoundChanges) -> Void)?

  package init() {}
}

/// How far a sync has come.
package enum SyncProgress: Sendable {
  /// Rows read so far, and the server's guess at all of them.
  case reading(rows: Int, expected: Int?)
  /// Comparing, linking and sorting.
  case building
  /// Writing the snapshot and making it durable.
  case writing
  /// Making the search index.
  case indexing

  /// What is being done, in one word.
  package var phase: String {
    switch self {
    case .reading: "reading"
    case .building: "building"
    case .writing: "writing"
    case .indexing: "indexing"
    }
  }
}
