import Configuration
import DirectoryModel
import DirectorySnapshot
import DirectoryStore
import Platform

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
  /// - Throws: `.refusedForNow` where too much is gone, otherwise what the database or the disk
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

  /// The same; `nil` when somebody else has been writing the snapshot for so long.
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

  /// Somebody else writes the snapshot, and does not come to an end.
  package var busyError: DirectoryError {
    DirectoryError(
      .refusedForNow,
      "cannot write the snapshot: \(snapshots.writer) is still writing it",
      advice: "wait until it has finished, or end it, and try again"
    )
  }
}
