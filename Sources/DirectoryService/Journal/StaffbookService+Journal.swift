import DirectoryModel
import DirectoryReading
import DirectorySnapshot
import Platform
import SystemPackage

extension StaffbookService {
  /// What syncs write down; `nil` where the database keeps a history itself.
  var journal: SyncJournal? {
    settings.source.queries == nil
      ? nil : SyncJournal(path: snapshots.journalPath, notice: notice)
  }

  /// Microseconds since 1970, UTC.
  private static var now: Int64 { Int64(Platform.time(nil)) * 1_000_000 }

  func openJournal() throws(DirectoryError) -> JournalHistory {
    let store = snapshots
    let snapshot: DirectorySnapshot
    do throws(SnapshotError) {
      snapshot = try DirectorySnapshot(path: store.path)
    } catch {
      throw DirectoryError(error)
    }
    return try JournalHistory(store.journalPath, snapshot, now: Self.now)
  }

  /// The directory as it was at a time, by the snapshot and the journal alone.
  func pastDirectory(_ words: String) async throws(DirectoryError) -> Directory {
    _ = try await directory()
    let history = try openJournal()
    guard let time = try await time(words, history) else {
      throw DirectoryError(.bug, "a time without words")
    }
    let beginning = try history.beginning()
    guard time >= beginning else { throw Self.tooEarly(words, beginning) }
    let changes = try history.changes(backTo: time)
    noteForgotten(changes.forgottenPeople)
    guard let past = try Self.past(of: history.snapshot, changes, time) else {
      throw DirectoryError(
        .notFound,
        "cannot look back to \(words): the journal of a source of one's own does not tell where "
          + "records stood that have no place in the tree, or names were sorted otherwise since",
        advice: "see what changed with: \(.showLog)"
      )
    }
    do throws(SnapshotError) {
      return try Directory(past, for: .everything, searchSupport.withoutIndex)
    } catch {
      throw DirectoryError(error)
    }
  }

  /// Sets how long the journal is kept, and removes what is older.
  func keepJournal(_ period: KeptPeriod?) async throws(DirectoryError) -> Int {
    try await changeJournal { (journal, _) throws(DirectoryError) in
      try journal.keep(period, now: Self.now)
    }
  }

  /// Erases a person from the journal.
  func forgetInJournal(_ id: DirectoryModel.UserID) async throws(DirectoryError) -> Int {
    try await changeJournal { (journal, snapshot) throws(DirectoryError) in
      let isThere: Bool
      do throws(SnapshotError) {
        isThere = try snapshot.state(of: .user, id.rawValue) != nil
      } catch {
        throw DirectoryError(error)
      }
      return try journal.forget(id, isThere: isThere, now: Self.now)
    }
  }

  /// Under the writer's lock, with a journal that leads to the snapshot.
  private func changeJournal<R>(
    _ body: (SyncJournal, DirectorySnapshot) throws(DirectoryError) -> R
  ) async throws(DirectoryError) -> R {
    _ = try await directory()
    let store = snapshots
    let journal = SyncJournal(path: store.journalPath, notice: notice)
    guard
      let lock = try await store.lock(waiting: { notice("waiting for \(store.writer)") })
    else { throw busyError }
    let snapshot: DirectorySnapshot
    do throws(SnapshotError) {
      snapshot = try DirectorySnapshot(path: store.path)
    } catch {
      throw DirectoryError(error)
    }
    do throws(Errno) {
      try journal.settle(snapshot, now: Self.now)
    } catch {
      throw DirectoryError(SnapshotError.cannotWrite(journal.path, error))
    }
    let result = try body(journal, snapshot)
    // The lock is held to here.
    _ = consume lock
    return result
  }
}
