import DirectoryModel
import DirectorySearch
import DirectorySnapshot
import Platform
import Synchronization
import SystemPackage

/// How one state is searched: with the index of exactly this snapshot from when it is there, and by
/// looking at every record before, and after it turned out to be damaged.
///
/// A sync puts the snapshot in its place first and then writes the index, so that no caller waits
/// for changes longer than they have to. Who opened the state in between looks for the index again
/// with each search, which takes two calls of stat(2) as long as it is not there.
final class StateSearch: Sendable {
  private let snapshot: DirectorySnapshot
  private let support: SearchSupport
  private let current = Mutex<Choice?>(nil)

  /// An engine, and why it is the one.
  private struct Choice: Sendable {
    var engine: PreparedEngine
    /// The files in whose place an index was sought last; nothing is looked for where it was found.
    var files: IndexFiles?
    /// Whether someone was asked to make the index.
    var isAskedFor: Bool
  }

  init(_ snapshot: DirectorySnapshot, _ support: SearchSupport) {
    self.snapshot = snapshot
    self.support = support
  }

  /// What searches from now on.
  ///
  /// No one waits for another caller who makes it ready: of several, one result stays.
  ///
  /// - Parameter makesIndex: Whether the index is worth being made for what is asked.
  /// - Returns: What was made ready before, or is now.
  /// - Throws: `SnapshotError.damaged`.
  func engine(makesIndex: Bool) throws(SnapshotError) -> PreparedEngine {
    let known = current.withLock { $0 }
    if let known, known.engine.hasIndex { return known.engine }
    guard let path = support.index else {
      let engine = if let known { known.engine } else { try publish(nil, nil, false) }
      if makesIndex { try makeOwnIndex() }
      return engine
    }
    let asks = makesIndex && known?.isAskedFor != true
    let files = IndexFiles(path)
    if let known, known.files == files, !asks { return known.engine }
    var index = usableIndex(path)
    if index == nil, asks {
      support.makeIndex(snapshot)
      index = usableIndex(path)
    }
    // What was found before it was made is looked at once more, should nothing have come of it.
    return try publish(index, files, asks || known?.isAskedFor == true)
  }

  /// Has an index made that is of this state alone, once; searches look at every record until it is there.
  private func makeOwnIndex() throws(SnapshotError) {
    guard let runsLater = support.runsLater,
      try snapshot.users().count > SearchSupport.worthIndexing
    else { return }
    let isFirst = current.withLock { current in
      defer { current?.isAskedFor = true }
      return current?.isAskedFor == false
    }
    guard isFirst else { return }
    runsLater { [weak self] in
      // Who has quit meanwhile needs none; where there is no room searches go without.
      guard let self,
        let index = try? SearchIndexBuilder.scratch(
          of: self.snapshot,
          phones: self.support.phones ?? .unknown
        ),
        let engine = try? SearchEngine(self.snapshot, phones: index.rules, index: index)
      else { return }
      self.current.withLock { $0 = Choice(engine: PreparedEngine(engine), isAskedFor: true) }
    }
  }

  /// Size of the index that is of this state alone.
  var ownByteCount: Int {
    support.index == nil ? current.withLock { $0?.engine.engine.index?.byteCount ?? 0 } : 0
  }

  private func usableIndex(_ path: FilePath) -> SearchIndex? {
    guard case .usable(let index) = SearchIndex.open(path, for: snapshot, phones: support.phones)
    else { return nil }
    return index
  }

  private func publish(
    _ index: SearchIndex?,
    _ files: IndexFiles?,
    _ isAskedFor: Bool
  ) throws(SnapshotError) -> PreparedEngine {
    let known = current.withLock { $0 }
    let engine: PreparedEngine
    if index == nil, let known, !known.engine.hasIndex {
      engine = known.engine
    } else {
      let phones = index?.rules ?? support.phones ?? .unknown
      engine = PreparedEngine(try SearchEngine(snapshot, phones: phones, index: index))
    }
    return current.withLock { current in
      if let other = current, other.engine.hasIndex || index == nil && other.files == files {
        current?.isAskedFor = isAskedFor || other.isAskedFor
        return other.engine
      }
      current = Choice(engine: engine, files: files, isAskedFor: isAskedFor)
      return engine
    }
  }

  /// Asks an engine; where its index is damaged that is discarded and every record looked at.
  ///
  /// - Parameters:
  ///   - engine: As `engine(makesIndex:)` gave it.
  ///   - ask: Searches.
  /// - Returns: What `ask` gave.
  /// - Throws: What `ask` throws for any other reason.
  func answer<Answer>(
    _ engine: PreparedEngine,
    _ ask: (PreparedEngine) throws(SearchError) -> Answer
  ) throws(SearchError) -> Answer {
    // It may have turned out since.
    let engine = current.withLock { $0?.engine } ?? engine
    do throws(SearchError) {
      return try ask(engine)
    } catch {
      guard case .snapshot(.damaged(let path, _)) = error, path != snapshot.path, engine.hasIndex
      else { throw error }
      // What another thread found meanwhile may be followed by a sound index already.
      if let other = current.withLock({ $0?.engine }), other !== engine { return try ask(other) }
      let files = support.index.map { IndexFiles($0) }
      support.discardIndex()
      let scan: PreparedEngine
      do throws(SnapshotError) {
        scan = PreparedEngine(try SearchEngine(snapshot, phones: engine.engine.phones))
      } catch {
        throw .snapshot(error)
      }
      current.withLock { $0 = Choice(engine: scan, files: files, isAskedFor: true) }
      return try ask(scan)
    }
  }
}

/// Which files stand where an index and its changes are.
private struct IndexFiles: Equatable {
  private let files: [FileVersion?]

  init(_ path: FilePath) {
    files = [FileVersion(path), FileVersion(SearchIndex.changesPath(of: path))]
  }
}

/// An engine, and who is near whom by it.
final class PreparedEngine: Sendable {
  let engine: SearchEngine
  /// By who asks; `nil` for an unknown asker.
  private let near = Mutex<[String: Neighbourhood?]>([:])

  init(_ engine: SearchEngine) { self.engine = engine }

  var hasIndex: Bool { engine.index != nil }

  /// Each takes up to a megabyte at a million people.
  private static let mostNeighbourhoods = 16

  /// Who is near who asks; `nil` where no one is meant.
  ///
  /// What cannot be read is told by the search itself.
  func neighbourhood(of asker: SearchUser) -> Neighbourhood? {
    guard let me = asker.me, !me.isEmpty else { return nil }
    if let known = near.withLock({ $0[me] }) { return known }
    var found: Neighbourhood?
    if let leaf = try? engine.leaf(of: me) {
      found = try? Neighbourhood(of: leaf, engine)
    } else {
      asker.reportUnknownMe()
    }
    return near.withLock { near in
      if near.count >= Self.mostNeighbourhoods { near = [:] }
      near[me] = .some(found)
      return found
    }
  }
}
