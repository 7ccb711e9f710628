import DirectorySearch
import DirectorySnapshot
import Synchronization

/// Searches with an index until it turns out to be damaged, and from then on without.
final class SearchFallback: Sendable {
  /// Tells more than searching: what is found where in a hit.
  let engine: SearchEngine
  private let snapshot: DirectorySnapshot
  private let discardIndex: @Sendable () -> Void
  private let findNeighbourhood: @Sendable (SearchEngine) -> Neighbourhood?
  /// Who is near who asks, when somebody wanted to know.
  private let near = Mutex<Neighbourhood??>(nil)
  private let scan = Mutex<SearchEngine?>(nil)

  init(
    _ engine: SearchEngine,
    _ findNeighbourhood: @escaping @Sendable (SearchEngine) -> Neighbourhood?,
    _ snapshot: DirectorySnapshot,
    _ discardIndex: @escaping @Sendable () -> Void
  ) {
    self.engine = engine
    self.findNeighbourhood = findNeighbourhood
    self.snapshot = snapshot
    self.discardIndex = discardIndex
  }

  /// Who is near who asks; looked up the first time.
  var neighbourhood: Neighbourhood? {
    near.withLock { near in
      if let known = near { return known }
      let found = findNeighbourhood(engine)
      near = .some(found)
      return found
    }
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
