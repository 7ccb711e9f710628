import Configuration
import DirectoryModel
import DirectoryReading
import DirectorySnapshot
import Platform
import SystemPackage

/// What syncs of a source of one's own write down: such a source keeps no history itself.
///
/// An entry is durable before the snapshot that it leads to has its name, and both are named in it by
/// their checksums. Whoever dies in between leaves an entry that starts from the snapshot that is still
/// there: the next writer cuts it off, and until then nobody reads it. Whoever writes holds the lock of
/// the snapshot.
package struct SyncJournal {
  package let path: FilePath
  private let notice: (String) -> Void

  package init(path: FilePath, notice: @escaping (String) -> Void) {
    self.path = path
    self.notice = notice
  }

  /// - Returns: `nil` where the database keeps a history itself.
  init?(of site: Site) {
    guard site.settings.source.queries != nil else { return nil }
    self.init(path: site.snapshots.journalPath, notice: site.notice)
  }

  /// Writes down what a sync found.
  ///
  /// - Parameters:
  ///   - changes: The changes.
  ///   - totals: How many there are.
  ///   - stored: The snapshot they start from; `nil` for the first one, which is the beginning.
  ///   - checksum: That of the snapshot they lead to.
  ///   - time: When that was read, in microseconds since 1970, UTC.
  /// - Throws: What the system said; the journal is then as it was.
  /// - Complexity: O(changes), whatever the journal holds already.
  func record(
    _ changes: some Sequence<Change>,
    _ totals: ChangeTotals,
    from stored: DirectorySnapshot?,
    to checksum: UInt64,
    at time: Int64
  ) throws(Errno) {
    var appender = try settled(after: stored, now: time)
    guard let stored else { return try appender.begin(checksum, at: time) }
    var mark = appender.next(at: time)
    (mark.former, mark.latter) = (stored.checksum, checksum)
    (mark.departments, mark.users) = (totals.departments, totals.users)
    try appender.append(mark, changes)
  }

  /// Sees to it that the journal leads to the snapshot, where a sync found nothing.
  package func settle(_ stored: DirectorySnapshot, now: Int64) throws(Errno) {
    _ = try settled(after: stored, now: now)
  }

  /// The journal without what came to nothing, and with a beginning where it does not lead to the stored
  /// snapshot: then that was made anew, or by a program without a journal.
  private func settled(
    after stored: DirectorySnapshot?,
    now: Int64
  ) throws(Errno) -> JournalAppender {
    try mend()
    var appender = try JournalAppender(path)
    guard let stored else { return appender }
    if let last = appender.last, last.mark.former == stored.checksum,
      last.mark.latter != stored.checksum, !last.mark.flags.contains(.isBeginning)
    {
      try appender.cutLast()
    }
    if appender.last?.mark.latter != stored.checksum {
      try appender.begin(stored.checksum, at: stored.metadata.takenAt * 1_000_000)
    }
    if let horizon = appender.overdueHorizon(now: now) {
      _ = try prune(before: horizon)
      appender = try JournalAppender(path)
    }
    return appender
  }

  /// Sets a file aside that is no journal or is damaged, and keeps what is whole of it.
  private func mend() throws(Errno) {
    let aside = FilePath(path.string + ".unusable")
    let file: JournalFile
    do throws(JournalFile.Fault) {
      file = try JournalFile(path)
    } catch {
      switch error {
      case .missing: return
      case .unreadable(let reason): throw reason
      case .foreign, .damaged:
        try move(to: aside)
        return notice("\(path) is no journal of Staffbook; it is kept as \(aside)")
      }
    }
    guard file.tail == .damaged else { return }
    try move(to: aside)
    notice("the journal was damaged at byte \(file.end); it is kept as \(aside)")
    try replace(file.keeping, nil, file, from: JournalFormat.headerSize)
  }

  private func move(to aside: FilePath) throws(Errno) { try FileName.move(path, to: aside) }
}

/// Rewriting: what is left is put in the journal's place as a whole.
extension SyncJournal {
  /// Sets how long changes are kept, and removes what is older.
  ///
  /// - Returns: How many entries went.
  package func keep(_ period: KeptPeriod?, now: Int64) throws(DirectoryError) -> Int {
    do throws(Errno) {
      let file = try opened()
      let keeping = JournalKeeping(period)
      let horizon = period?.beginning(before: now) ?? .min
      return try prune(file, keeping, before: horizon)
    } catch {
      throw DirectoryError(SnapshotError.cannotWrite(path, error))
    }
  }

  private func prune(before horizon: Int64) throws(Errno) -> Int {
    let file = try opened()
    return try prune(file, file.keeping, before: horizon)
  }

  private func prune(
    _ file: JournalFile,
    _ keeping: JournalKeeping,
    before horizon: Int64
  ) throws(Errno) -> Int {
    var end = file.end
    var removed = 0
    var beginning: JournalMark?
    var start = JournalFormat.headerSize
    do throws(JournalFile.Fault) {
      while let entry = try file.entry(endingAt: end) {
        if entry.mark.at < horizon, beginning == nil {
          start = end
          var mark = JournalMark()
          mark.flags = .isBeginning
          (mark.number, mark.at, mark.latter) = (entry.mark.number, horizon, entry.mark.latter)
          mark.length = JournalFormat.markSize
          beginning = mark
        }
        if beginning != nil, !entry.mark.flags.contains(.isBeginning) { removed += 1 }
        end = entry.start
      }
    } catch {
      throw error.reason
    }
    try replace(keeping, beginning, file, from: start)
    return removed
  }

  /// Erases a person's values.
  ///
  /// - Parameters:
  ///   - id: Whose.
  ///   - isThere: Whether they are in the directory; of others the id goes, too.
  ///   - now: Microseconds since 1970, UTC.
  /// - Returns: In how many entries there were any.
  /// - Throws: `.cannotWrite`; the journal is then as it was.
  /// - Complexity: O(bytes of the journal).
  package func forget(_ id: DirectoryModel.UserID, isThere: Bool, now: Int64) throws(DirectoryError)
    -> Int
  {
    do throws(Errno) {
      let file = try opened()
      var entries: [JournalFile.Entry] = []
      var end = file.end
      do throws(JournalFile.Fault) {
        while let entry = try file.entry(endingAt: end) {
          entries.append(entry)
          end = entry.start
        }
      } catch {
        throw error.reason
      }
      let erasure = JournalErasure(id: id, isThere: isThere)
      let count = try erasure.rewrite(file, entries.reversed(), to: path, now: now)
      return count
    } catch {
      throw DirectoryError(SnapshotError.cannotWrite(path, error))
    }
  }

  private func opened() throws(Errno) -> JournalFile {
    do throws(JournalFile.Fault) { return try JournalFile(path) } catch { throw error.reason }
  }

  /// Writes a header, perhaps a beginning, and what stands from an offset on.
  private func replace(
    _ keeping: JournalKeeping,
    _ beginning: JournalMark?,
    _ file: JournalFile,
    from start: Int
  ) throws(Errno) {
    let new = try AtomicFile(
      target: path,
      permissions: .ownerReadWrite,
      existing: .replaced,
      provisional: .fixed
    )
    try new.descriptor.append(keeping.header + (beginning?.bytes ?? []))
    do throws(JournalFile.Fault) {
      try file.copy(from: start, to: file.end, into: new.descriptor)
    } catch {
      throw error.reason
    }
    try new.commit()
  }
}

extension JournalFile.Fault {
  /// What the system would say of it.
  var reason: Errno {
    switch self {
    case .missing: .noSuchFileOrDirectory
    case .foreign, .damaged: .ioError
    case .unreadable(let reason): reason
    }
  }
}

extension FileDescriptor {
  func append(_ bytes: [UInt8]) throws(Errno) {
    do { _ = try writeAll(bytes) } catch { throw (error as? Errno) ?? .ioError }
  }
}
