import DirectoryModel
import DirectorySearch
import DirectorySnapshot
import Synchronization
import SystemPackage

/// What searches of a directory go by beside the snapshot.
///
/// That is how telephone numbers are dialled, and the index, which others write and remove: reading
/// does neither.
package struct SearchSupport: Sendable {
  /// How numbers are dialled where the directory is; `nil` for what the index was made with.
  package var phones: PhoneRules?
  /// The file of the index; `nil` for searches that look at every record.
  package var index: FilePath?
  /// Called when a search wants the index and there is none of this state; may make it.
  package var makeIndex: @Sendable (DirectorySnapshot) -> Void = { _ in }
  /// Told that the index turned out to be damaged.
  package var discardIndex: @Sendable () -> Void = {}

  package init(phones: PhoneRules? = nil, index: FilePath? = nil) {
    self.phones = phones
    self.index = index
  }
}

/// The one way in which a directory is searched, made ready by the first search.
final class Searching: Sendable {
  private let snapshot: DirectorySnapshot
  private let support: SearchSupport
  private let ready = Mutex<SearchFallback?>(nil)

  init(_ snapshot: DirectorySnapshot, _ support: SearchSupport) {
    self.snapshot = snapshot
    self.support = support
  }

  /// - Throws: `.badData` for a damaged snapshot.
  func engines() throws(DirectoryError) -> SearchFallback {
    if let engines = ready.withLock({ $0 }) { return engines }
    do throws(SnapshotError) {
      let engines = SearchFallback(try engine(), snapshot, support.discardIndex)
      ready.withLock { $0 = engines }
      return engines
    } catch {
      throw DirectoryError(error)
    }
  }

  private func engine() throws(SnapshotError) -> SearchEngine {
    guard let index = usableIndex() else {
      return try SearchEngine(snapshot, phones: support.phones ?? .unknown)
    }
    return try SearchEngine(snapshot, phones: index.rules, index: index)
  }

  private func usableIndex() -> SearchIndex? {
    guard let path = support.index else { return nil }
    if case .usable(let index) = SearchIndex.open(path, for: snapshot, phones: support.phones) {
      return index
    }
    support.makeIndex(snapshot)
    if case .usable(let index) = SearchIndex.open(path, for: snapshot, phones: support.phones) {
      return index
    }
    return nil
  }
}

extension Directory {
  /// Searches: for `search`, for look-ups and for filtered trees alike, so that they agree.
  ///
  /// - Throws: `.badData` for a damaged snapshot.
  package func searcher() throws(DirectoryError) -> DirectorySearcher {
    DirectorySearcher(self, try searching.engines())
  }
}
