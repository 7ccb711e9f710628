import DirectorySearch
import DirectorySnapshot
import Synchronization

/// Searches with an index until it turns out to be damaged, and from then on without.
final class SearchFallback: Sendable {
  /// Tells more than searching: what is found where in a hit.
  let engine: SearchEngine
  /// Who is near who asks.
  let neighbourhood: Neighbourhood?
  private let snapshot: DirectorySnapshot
  private let discardIndex: @Sendable () -> Void
  private let scan = Mutex<SearchEngine?>(nil)

  init(
    _ engine: SearchEngine,
    _ neighbourhood: Neighbourhood?,
    _ snapshot: DirectorySnapshot,
    _ discardIndex: @escaping @Sendable () -> Void
  ) {
    self.engine = engine
    self.neighbourhood = neighbourhood
    self.snapshot = snapshot
    self.discardIndex = discardIndex
  }

  /// Asks the engine with the index; where that is damaged it is discarded and every record looked
  /// at.
  ///
  /// - Parameter ask: Searches.
  /// - Returns: What `ask` gave.
  /// - Throws: What `ask` throws for any other reason.
  func answer<Answer>(
    _ ask: (SearchEngine) throws(SearchError) -> Answer
  ) throws(SearchError) -> Answer {
    if let scan = scan.withLock({ $0 }) { return try ask(scan) }
    do throws(SearchError) {
      return try ask(engine)
    } catch {
      guard case .snapshot(.damaged(let path, _)) = error, path != snapshot.path,
        engine.index != nil
      else { throw error }
      discardIndex()
      return try ask(withoutIndex())
    }
  }

  private func withoutIndex() throws(SearchError) -> SearchEngine {
    do throws(SnapshotError) {
      let other = try SearchEngine(snapshot, phones: engine.phones)
      scan.withLock { $0 = other }
      return other
    } catch {
      throw .snapshot(error)
    }
  }
}
