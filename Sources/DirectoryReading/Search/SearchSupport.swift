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
  /// Who asks: an id, a name that one person has, or an address; people near come first among equals.
  package var me: String?
  /// Told once that `me` is nobody.
  package var missMe: @Sendable () -> Void = {}
  /// Called when a search wants the index and there is none of this state; may make it.
  package var makeIndex: @Sendable (DirectorySnapshot) -> Void = { _ in }
  /// Told that the index turned out to be damaged.
  package var discardIndex: @Sendable () -> Void = {}

  package init(phones: PhoneRules? = nil, index: FilePath? = nil) {
    self.phones = phones
    self.index = index
  }

  /// The same for another state of the directory, which has no index.
  package var withoutIndex: SearchSupport {
    var support = SearchSupport(phones: phones)
    (support.me, support.missMe) = (me, missMe)
    return support
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
      let engine = try engine()
      let near = neighbourhood(engine)
      let engines = SearchFallback(engine, near, snapshot, support.discardIndex)
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

  /// Who is near who asks; `nil` where nobody is meant.
  ///
  /// What cannot be read is told by the search itself.
  private func neighbourhood(_ engine: SearchEngine) -> Neighbourhood? {
    guard let me = support.me, !me.isEmpty else { return nil }
    guard let leaf = try? leaf(of: me, engine) else {
      support.missMe()
      return nil
    }
    return try? Neighbourhood(of: leaf, engine)
  }

  private func leaf(of me: String, _ engine: SearchEngine) throws -> Int? {
    if let user = try snapshot.userIndex().row(of: me) { return try engine.leaf(ofUser: user) }
    return try engine.leaf(ofPersonCalled: me)
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
