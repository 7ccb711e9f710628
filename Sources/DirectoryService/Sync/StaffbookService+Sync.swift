import DirectoryModel
import DirectorySnapshot
import DirectoryStore

extension StaffbookService {
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
    let store = snapshots
    guard !options.isRehearsal else {
      // It may be replaced meanwhile; what is open stays what it was.
      let stored = try? store.openProved()
      let run = try await SyncRun(self, options, stored: stored, progress, observer)
      return try await run.result(storingIn: nil)
    }
    try settings.folders.createHome()
    let lock = try await store.lock {
      notice("another staffbook is writing the snapshot; waiting for it")
    }
    let stored = store.openForUpdate(lock, notice: notice)
    let run = try await SyncRun(self, options, stored: stored, progress, observer)
    let report = try await run.result(storingIn: store)
    // The lock is held to here.
    _ = consume lock
    return report
  }
}
