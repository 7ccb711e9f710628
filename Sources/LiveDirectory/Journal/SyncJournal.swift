import DirectoryModel
import DirectoryReading
import DirectorySnapshot
import Platform
import SQLite
import SiteSettings
import SystemPackage

/// What syncs of a source of one's own write down: such a source keeps no history itself.
///
/// A transaction is durable before the snapshot that it leads to has its name, and both are named in it
/// by their checksums. A writer that dies in between leaves a transaction that starts from the snapshot
/// that is still there: the next writer removes it, and until then it is not read. Writers hold the lock
/// of the snapshot.
package struct SyncJournal {
  package let path: FilePath
  private let site: Site

  /// - Returns: `nil` where the database keeps a history itself.
  package init?(of site: Site) {
    guard site.settings.source.queries != nil else { return nil }
    (path, self.site) = (site.journalPath, site)
  }

  /// Writes down what a sync found.
  ///
  /// - Parameters:
  ///   - changes: The changes.
  ///   - stored: The snapshot they start from; `nil` for the first one, which is the beginning.
  ///   - checksum: That of the snapshot they lead to.
  ///   - time: When that was read, in microseconds since 1970, UTC.
  /// - Throws: `.cannotWrite`; the journal is then as it was.
  /// - Complexity: O(changes), whatever the journal holds already.
  func record(
    _ changes: some Sequence<Change>,
    from stored: DirectorySnapshot?,
    to checksum: UInt64,
    at time: Int64
  ) throws(DirectoryError) {
    try mending { () throws(SQLiteError) in
      try write(after: stored, now: time) { (journal) throws(SQLiteError) in
        if let stored {
          try journal.append(from: stored.checksum, to: checksum, at: time, changes)
        } else {
          try journal.begin(with: checksum, at: time)
        }
      }
    }
  }

  /// Sees to it that the journal leads to the snapshot, where a sync found nothing.
  func settle(_ stored: DirectorySnapshot, now: Int64) throws(DirectoryError) {
    try mending { () throws(SQLiteError) in try write(after: stored, now: now) { _ in } }
  }

  /// Sets how long changes are kept, and removes what is older.
  ///
  /// - Returns: How many transactions went.
  package func keep(
    _ period: RetentionPeriod?,
    _ stored: DirectorySnapshot,
    now: Int64
  ) throws(DirectoryError) -> Int {
    try naming { () throws(SQLiteError) in
      try write(after: stored, now: now) { (journal) throws(SQLiteError) in
        try journal.keep(period)
        return try period.map { period throws(SQLiteError) in
          try journal.prune(before: period.beginning(before: now))
        } ?? 0
      }
    }
  }

  /// Erases a person's values.
  ///
  /// - Parameters:
  ///   - id: Whose.
  ///   - isThere: Whether they are in the directory; of others the id goes, too.
  ///   - stored: The snapshot.
  ///   - now: Microseconds since 1970, UTC.
  /// - Returns: In how many transactions there were any.
  /// - Throws: `.cannotWrite`; the journal is then as it was.
  package func forget(
    _ id: DirectoryModel.UserID,
    isThere: Bool,
    _ stored: DirectorySnapshot,
    now: Int64
  ) throws(DirectoryError) -> Int {
    try naming { () throws(SQLiteError) in
      try write(after: stored, now: now) { (journal) throws(SQLiteError) in
        let count = try journal.forget(id, isThere: isThere)
        if count > 0 {
          let checksum = stored.checksum
          try journal.append(from: checksum, to: checksum, at: now, hasForgotten: true)
        }
        return count
      }
    }
  }

  /// Writes to a journal without what came to nothing, and with a beginning where it does not lead to
  /// the stored snapshot: then that was rebuilt, or by a program without a journal.
  private func write<R>(
    after stored: DirectorySnapshot?,
    now: Int64,
    _ body: (borrowing JournalDatabase) throws(SQLiteError) -> R
  ) throws(SQLiteError) -> R {
    let journal = try JournalDatabase(path, making: true)
    return try journal.commit { () throws(SQLiteError) in
      if let stored {
        let last = try journal.last()
        if last?.former == stored.checksum, last?.latter != stored.checksum {
          try journal.removeLast()
        }
        try journal.begin(with: stored.checksum, at: stored.metadata.takenAt * 1_000_000)
      }
      try journal.note(folder: site.snapshots.folder.lastComponent?.string)
      let result = try body(journal)
      if let horizon = try journal.period()?.beginning(before: now) {
        _ = try journal.prune(before: horizon)
      }
      return result
    }
  }

  /// Makes the folder, and names the journal where it cannot be used.
  private func naming<R>(_ body: () throws(SQLiteError) -> R) throws(DirectoryError) -> R {
    try site.settings.folders.createJournals()
    noteFormer()
    do throws(SQLiteError) { return try body() } catch {
      throw DirectoryError(error, journal: path, "write")
    }
  }

  /// The same, and begins another one where it is damaged or not a journal at all.
  private func mending(_ body: () throws(SQLiteError) -> Void) throws(DirectoryError) {
    try naming { () throws(SQLiteError) in
      do throws(SQLiteError) { try body() } catch {
        let reason: String
        switch error {
        case .foreign: reason = "\(path) is not a journal of Staffbook"
        case .damaged(let part): reason = "the journal \(path) is damaged (\(part))"
        default: throw error
        }
        let aside = FilePath(path.string + ".unusable")
        do throws(Errno) {
          // What SQLite would undo belongs to it, and not to its successor.
          let undo = FilePath(path.string + "-journal")
          if FileIdentity(undo) != nil {
            try FileName.move(undo, to: FilePath(aside.string + "-journal"))
          }
          try FileName.move(path, to: aside)
        } catch { throw .failed(error) }
        site.notice("\(reason); it is kept as \(aside)")
        try body()
      }
    }
  }

  /// Takes over the snapshot that the journal leads to where a query was edited, which gives snapshots
  /// another folder: the sync then finds what differs, and the record goes on.
  func adoptSnapshot() {
    let store = site.snapshots
    guard FileIdentity(store.path) == nil, let journal = try? JournalDatabase(path),
      let name = try? journal.folder(), let folder = FilePath.Component(name)
    else { return }
    let former = SnapshotStore(folder: site.settings.folders.cache.appending(folder)).path
    // Files of snapshots are replaced and never altered, so that both names can be of one file.
    _ = former.withPlatformString { former in store.path.withPlatformString { link(former, $0) } }
  }

  /// Says where the journal of earlier versions is, once.
  private func noteFormer() {
    let former = site.snapshots.folder.appending("directory.journal")
    guard FileIdentity(path) == nil, FileIdentity(former) != nil else { return }
    site.notice(
      "the journal of earlier versions, \(former), is no longer read; the history begins again in \(path)"
    )
  }
}

extension JournalDatabase {
  /// Notes that the record begins with a snapshot, unless it leads there.
  fileprivate func begin(with checksum: UInt64, at time: Int64) throws(SQLiteError) {
    guard try last()?.latter != checksum else { return }
    try append(from: nil, to: checksum, at: time)
  }
}
