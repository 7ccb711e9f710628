import DirectoryModel
import DirectoryReading
import DirectorySnapshot
import LiveDirectory
import Platform
import SystemPackage

/// What syncs of a source of one's own wrote down, which is their history.
package struct DirectoryJournal: Sendable {
  private let site: Site

  package init(_ site: Site) { self.site = site }

  /// Microseconds since 1970, UTC.
  private static var now: Int64 { Int64(Platform.time(nil)) * 1_000_000 }

  /// The history as of the snapshot at hand.
  package func open() throws(DirectoryError) -> JournalHistory {
    try JournalHistory(site.journalPath, snapshot(), now: Self.now)
  }

  private func snapshot() throws(DirectoryError) -> DirectorySnapshot {
    do throws(SnapshotError) { return try DirectorySnapshot(path: site.snapshots.path) } catch {
      throw DirectoryError(error)
    }
  }

  /// Sets how long the journal is kept, and removes what is older.
  package func keep(_ period: RetentionPeriod?) async throws(DirectoryError) -> Int {
    try await changeJournal { (journal, snapshot) throws(DirectoryError) in
      try journal.keep(period, snapshot, now: Self.now)
    }
  }

  /// Erases a person from the journal.
  package func forget(_ id: DirectoryModel.UserID) async throws(DirectoryError) -> Int {
    try await changeJournal { (journal, snapshot) throws(DirectoryError) in
      let isThere: Bool
      do throws(SnapshotError) {
        isThere = try snapshot.state(of: .user, id.rawValue) != nil
      } catch {
        throw DirectoryError(error)
      }
      return try journal.forget(id, isThere: isThere, snapshot, now: Self.now)
    }
  }

  /// Under the writer's lock.
  private func changeJournal<R>(
    _ body: (SyncJournal, DirectorySnapshot) throws(DirectoryError) -> R
  ) async throws(DirectoryError) -> R {
    try await site.requireSnapshot()
    let store = site.snapshots
    guard let journal = SyncJournal(of: site) else {
      throw DirectoryError(.bug, "a journal of a source that keeps a history itself")
    }
    guard
      let lock = try await store.lock(waiting: { site.notice("waiting for \(store.writer)") })
    else { throw site.busyError }
    let result = try body(journal, snapshot())
    // The lock is held to here.
    _ = consume lock
    return result
  }
}
