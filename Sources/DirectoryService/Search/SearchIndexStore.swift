import DirectoryModel
import DirectorySearch
import DirectorySnapshot
import SystemPackage

/// What was done about a search index.
package struct SearchIndexReport: Sendable {
  package var byteCount: Int
  /// Time that the disk took to make it durable.
  package var synchronizing: Duration
}

extension SnapshotStore {
  /// The search index, beside the snapshot it belongs to.
  package var searchIndexPath: FilePath { Self.searchIndexPath(beside: path) }

  static func searchIndexPath(beside snapshot: FilePath) -> FilePath {
    snapshot.removingLastComponent().appending("search.index")
  }

  /// Makes the search index of a snapshot unless it is there.
  ///
  /// The caller holds the writer's lock, and the snapshot is in place.
  ///
  /// - Parameters:
  ///   - snapshot: What will be searched.
  ///   - phones: How telephone numbers are dialled there.
  /// - Returns: What was written; `nil` when the index was there already.
  /// - Throws: `.badData` when the snapshot is damaged, `.cannotWrite`.
  /// - Complexity: A look at the header where the index is there; otherwise O(snapshot).
  package func updateSearchIndex(
    of snapshot: DirectorySnapshot,
    phones: PhoneRules
  ) throws(DirectoryError) -> SearchIndexReport? {
    if case .usable = SearchIndex.open(searchIndexPath, for: snapshot, phones: phones) {
      return nil
    }
    do throws(SnapshotError) {
      let written = try SearchIndexBuilder.write(
        of: snapshot,
        to: searchIndexPath,
        phones: phones
      )
      return SearchIndexReport(
        byteCount: written.byteCount,
        synchronizing: written.synchronizing
      )
    } catch {
      throw Self.directoryError(error)
    }
  }
}

extension StaffbookService {
  /// With fewer people a search without an index is quick enough not to make one for it.
  private static let worthIndexing = 2_000

  /// Searches of a directory.
  ///
  /// Where the index is missing or of another state it is made, if nobody else is writing just now;
  /// where that is not possible, searches look at every record.
  ///
  /// - Parameter directory: What `directory(fresh:progress:)` gave.
  /// - Returns: What a front searches with.
  /// - Throws: `.usage` for a country that is not known, `.badData` for a damaged snapshot.
  package func searcher(
    of directory: Directory
  ) throws(DirectoryError) -> DirectorySearcher {
    let phones = try phoneRules()
    let store = snapshots
    var state = SearchIndex.open(store.searchIndexPath, for: directory.snapshot, phones: phones)
    if case .usable = state {
    } else if directory.userCount >= Self.worthIndexing,
      let lock = try? FileLock.tryAcquire(store.lockPath)
    {
      notice("making the search index, once")
      _ = try? store.updateSearchIndex(of: directory.snapshot, phones: phones)
      _ = consume lock
      state = SearchIndex.open(store.searchIndexPath, for: directory.snapshot, phones: phones)
    }
    return try directory.searcher(state, phones)
  }

  /// Makes the search index of the snapshot at hand, for a sync.
  ///
  /// To be called after the snapshot is in its place, also when nothing changed. The caller holds the
  /// writer's lock.
  ///
  /// - Returns: What was written; `nil` when the index was there already.
  /// - Throws: As `SnapshotStore.updateSearchIndex(of:phones:)`. A search works without an index.
  @discardableResult
  package func updateSearchIndex() throws(DirectoryError) -> SearchIndexReport? {
    let phones = try phoneRules()
    guard let directory = try snapshots.open(notice: { _ in }) else { return nil }
    return try snapshots.updateSearchIndex(of: directory.snapshot, phones: phones)
  }

  /// How telephone numbers are dialled where the directory is.
  ///
  /// - Throws: `.usage` when the configuration names a country that is not known.
  package func phoneRules() throws(DirectoryError) -> PhoneRules {
    guard let country = settings.country else { return .unknown }
    guard let rules = PhoneRules(country: country) else {
      throw DirectoryError(
        .usage,
        "the configuration names a country that is not known: \(country)",
        advice: "set country to two letters of ISO 3166 such as DE, US or JP"
      )
    }
    return rules
  }
}

extension Directory {
  /// Searches with the index beside the snapshot, where there is one, and by its rules.
  func searcher() throws(DirectoryError) -> DirectorySearcher {
    let path = SnapshotStore.searchIndexPath(beside: snapshot.path)
    return try searcher(SearchIndex.open(path, for: snapshot, phones: nil), .unknown)
  }

  func searcher(
    _ state: SearchIndex.State,
    _ phones: PhoneRules
  ) throws(DirectoryError) -> DirectorySearcher {
    do throws(SnapshotError) {
      guard case .usable(let index) = state else {
        return DirectorySearcher(self, try SearchEngine(snapshot, phones: phones))
      }
      return DirectorySearcher(
        self,
        try SearchEngine(snapshot, phones: index.rules, index: index)
      )
    } catch {
      throw SnapshotStore.directoryError(error)
    }
  }
}
