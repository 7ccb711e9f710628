import DirectoryModel
import DirectoryReading
import DirectorySearch
import DirectorySnapshot
import Platform
import SystemPackage

/// What was done about a search index.
package enum SearchIndexChange: String, Sendable {
  /// All of it is new.
  case made
  /// What changed was written beside it.
  case updated
}

/// How the snapshot at hand came of the one before.
struct SnapshotTransition: Sendable {
  let former: DirectorySnapshot
  /// What became of its rows.
  let rows: RowMapping
  /// The checksum of the one at hand.
  let checksum: UInt64
}

extension SnapshotStore {
  /// Brings the search index up to a snapshot, unless it is: by what changed where that is known and
  /// not too much, otherwise by rebuilding it.
  ///
  /// The caller holds the writer's lock, and the snapshot is in place.
  ///
  /// - Parameters:
  ///   - snapshot: What will be searched.
  ///   - phones: How telephone numbers are dialled there.
  ///   - succession: How the snapshot came of the one before, where that is known.
  /// - Returns: What was written; `nil` when the index was there already.
  /// - Throws: `.badData` when the snapshot is damaged, `.cannotWrite`.
  /// - Complexity: A look at the header where the index is there; `SearchIndexUpdate` says what an
  ///   update takes, and otherwise it is O(snapshot).
  func updateSearchIndex(
    of snapshot: DirectorySnapshot,
    phones: DialingPlan,
    after succession: SnapshotTransition? = nil
  ) throws(DirectoryError) -> SearchIndexChange? {
    if case .usable = SearchIndex.open(searchIndexPath, for: snapshot, phones: phones) {
      return nil
    }
    if let succession, succession.checksum == snapshot.checksum,
      // What is damaged or cannot be written is met again below.
      (try? SearchIndexUpdate.write(
        of: snapshot,
        since: succession.former,
        succession.rows,
        beside: searchIndexPath,
        phones: phones
      )) != nil
    {
      return .updated
    }
    do throws(SnapshotError) {
      _ = try SearchIndexBuilder.write(of: snapshot, to: searchIndexPath, phones: phones)
      return .made
    } catch {
      throw DirectoryError(error)
    }
  }

  /// Brings the search index up to the snapshot at hand, also when nothing changed.
  ///
  /// The caller holds the writer's lock.
  ///
  /// - Returns: What was written; `nil` when the index was there already.
  /// - Throws: As `updateSearchIndex(of:phones:after:)`. A search works without an index.
  func updateSearchIndex(
    phones: DialingPlan,
    after succession: SnapshotTransition?
  ) throws(DirectoryError) -> SearchIndexChange? {
    let snapshot: DirectorySnapshot
    do throws(SnapshotError) {
      snapshot = try DirectorySnapshot(path: path)
    } catch {
      switch error {
      case .cannotRead, .cannotWrite: throw DirectoryError(error)
      // What cannot be used is told by who reads it.
      default: return nil
      }
    }
    return try updateSearchIndex(of: snapshot, phones: phones, after: succession)
  }

  /// Waits while another caller writes, who puts the index of a new snapshot beside it last: that takes
  /// less time than looking at every record, which would also take it from the writer.
  ///
  /// - Parameters:
  ///   - snapshot: What will be searched.
  ///   - phones: How telephone numbers are dialled there.
  /// - Returns: Whether the index is there, after two seconds at the latest.
  func waitForSearchIndex(of snapshot: DirectorySnapshot, phones: DialingPlan) -> Bool {
    let end = ContinuousClock.now + .seconds(2)
    while true {
      let isWritten = FileLock.currentHolder(of: lockPath) != nil
      if case .usable = SearchIndex.open(searchIndexPath, for: snapshot, phones: phones) {
        return true
      }
      guard isWritten, ContinuousClock.now < end else { return false }
      usleep(10_000)
    }
  }

  /// Removes an index that turned out to be damaged, so that the next search or sync rebuilds it;
  /// not while another process writes, which may just be doing that.
  func discardSearchIndex() {
    guard let lock = try? FileLock.tryAcquire(lockPath) else { return }
    for path in [searchIndexPath, SearchIndex.changesPath(of: searchIndexPath)] {
      _ = path.withPlatformString { unlink($0) }
    }
    // The lock is held to here.
    _ = consume lock
  }
}
