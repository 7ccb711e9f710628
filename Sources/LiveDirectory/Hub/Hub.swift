import Configuration
import DirectoryModel
import DirectoryReading
import DirectorySnapshot
import Dispatch
import Platform
import Synchronization
import SystemPackage

/// The newest state of a directory, for whoever asks.
///
/// A state is made once for each sight that somebody has, and shared by all with the same one, until
/// another snapshot takes the place of the one it is of. Nobody waits for anybody else who makes one.
package final class Hub: Sendable {
  package let site: Site

  /// States of sights that are kept; the one that was asked for longest ago goes first.
  package static let mostSights = 64

  /// What is known of the snapshot in place.
  private struct Known: Sendable {
    let file: FileIdentity
    let snapshot: DirectorySnapshot
    var states: [Sight: (state: DirectoryState, asked: UInt64)] = [:]
    private var askings: UInt64 = 0

    init(_ file: FileIdentity, _ snapshot: DirectorySnapshot) {
      (self.file, self.snapshot) = (file, snapshot)
    }

    mutating func state(for sight: Sight) -> DirectoryState? {
      askings += 1
      states[sight]?.asked = askings
      return states[sight]?.state
    }

    /// - Returns: The state that everybody has from now on.
    mutating func keep(_ state: DirectoryState, for sight: Sight) -> DirectoryState {
      if let other = self.state(for: sight) { return other }
      if states.count >= Hub.mostSights,
        let oldest = states.min(by: { $0.value.asked < $1.value.asked })?.key
      {
        states[oldest] = nil
      }
      states[sight] = (state, askings)
      return state
    }
  }

  private let known = Mutex<Known?>(nil)

  package init(_ site: Site) { self.site = site }

  /// The directory in place, as somebody sees it.
  ///
  /// - Parameters:
  ///   - session: Who asks.
  ///   - makesIndex: Whether a search may make an index where there is none.
  /// - Returns: `nil` where there is no snapshot, or none that can be used.
  /// - Throws: `.cannotRead`; `.badData` for one that is found to be damaged; `.usage` for a sight with
  ///   unknown fields.
  /// - Complexity: A call of stat(2) where the state is known; otherwise that of making it.
  func directory(
    for session: Session,
    makesIndex: Bool
  ) throws(DirectoryError) -> Directory? {
    guard let snapshot = try snapshot() else { return nil }
    return Directory(try state(of: snapshot, session, makesIndex), for: asker(session))
  }

  /// What a caller sees of changes, by the state in place.
  ///
  /// - Returns: `nil` for whoever sees everything.
  /// - Throws: As `directory(for:makesIndex:)`, and `.notFound` where there is no snapshot.
  package func visibility(for session: Session) throws(DirectoryError) -> Visibility? {
    let sight = session.caller.sight
    guard sight != .everything else { return nil }
    guard let snapshot = try snapshot() else { throw Self.missing }
    let state = try state(of: snapshot, session, true)
    do throws(SnapshotError) {
      return try state.visibility(sight, of: snapshot)
    } catch {
      throw DirectoryError(error)
    }
  }

  private func state(
    of snapshot: DirectorySnapshot,
    _ session: Session,
    _ makesIndex: Bool
  ) throws(DirectoryError) -> DirectoryState {
    let sight = session.caller.sight
    let state = known.withLock { known in
      known?.snapshot.checksum == snapshot.checksum ? known?.state(for: sight) : nil
    }
    if let state { return state }
    do throws(SnapshotError) {
      let support = makesIndex ? support(session) : plainSupport
      let made = try DirectoryState(snapshot, for: sight, support)
      return known.withLock { known in
        // Another snapshot has come meanwhile: this one is the asker's alone.
        known?.snapshot.checksum == snapshot.checksum ? known?.keep(made, for: sight) ?? made : made
      }
    } catch {
      throw DirectoryError(error)
    }
  }

  /// A directory of a former state, which is nobody else's and has no index.
  ///
  /// - Throws: `.badData` for a damaged snapshot, `.notFound` where there is none.
  /// - Complexity: O(1) for whoever sees everything, otherwise that of `Sight.ofThen(_:now:)`.
  package func directory(
    of past: DirectorySnapshot,
    for session: Session
  ) throws(DirectoryError) -> Directory {
    do {
      var sight = session.caller.sight
      if sight != .everything {
        guard let now = try snapshot() else { throw Self.missing }
        sight = try sight.ofThen(past, now: now)
      }
      let state = try DirectoryState(past, for: sight, plainSupport.withoutIndex)
      return Directory(state, for: asker(session))
    } catch {
      throw DirectoryError(describing: error)
    }
  }

  private static var missing: DirectoryError {
    DirectoryError(.notFound, "there is no snapshot", advice: "make one with: \(.sync)")
  }

  private func snapshot() throws(DirectoryError) -> DirectorySnapshot? {
    let path = site.snapshots.path
    let file = FileIdentity(path)
    if let file, let known = known.withLock({ $0 }), known.file == file { return known.snapshot }
    guard let snapshot = try site.snapshots.open() else { return nil }
    // Of a file that was replaced while it was opened, the next one who asks finds out.
    if let file, FileIdentity(path) == file { known.withLock { $0 = Known(file, snapshot) } }
    return snapshot
  }

  private func asker(_ session: Session) -> Asker {
    let (me, tell) = (session.caller.me, session.site.tell)
    return Asker(me: me) {
      tell(
        Advice(
          "ignoring me in config.yaml: nobody, or more than one person, is called \(me ?? ""); "
            + "set it to your id or your email address"
        )
      )
    }
  }

  /// With fewer people a search without an index is quick enough not to make one for it.
  private static let worthIndexing = 2_000

  private var plainSupport: SearchSupport {
    SearchSupport(phones: site.settings.phones, index: site.snapshots.searchIndexPath)
  }

  /// What searches of the whole directory go by.
  ///
  /// Where the index is missing or of another state it is made, if nobody else is writing just now;
  /// where that is not possible, searches look at every record.
  private func support(_ session: Session) -> SearchSupport {
    let (store, phones, notice) = (site.snapshots, site.settings.phones, session.site.notice)
    var support = plainSupport
    support.makeIndex = { snapshot in
      guard let people = try? snapshot.users().count, people >= Self.worthIndexing,
        let lock = try? FileLock.tryAcquire(store.lockPath),
        // The index is of the snapshot in place: who reads the one before must not replace it.
        (try? DirectorySnapshot(path: store.path))?.checksum == snapshot.checksum
      else { return }
      notice("building the search index, which is done once")
      _ = try? store.updateSearchIndex(of: snapshot, phones: phones)
      _ = consume lock
    }
    support.discardIndex = { store.discardSearchIndex() }
    return support
  }

  // MARK: Replacement

  /// The directory whenever another state takes the place of the one before, until nobody listens.
  ///
  /// Where the system cannot tell, it is looked at every few seconds (inotify(7) tells on Linux).
  ///
  /// - Parameters:
  ///   - directory: What the caller has.
  ///   - session: Who asks.
  /// - Returns: Each time the newest.
  package func replacements(
    of directory: Directory,
    for session: Session
  ) -> AsyncStream<Directory> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let source = FolderSource(folder: site.snapshots.folder.string)
      let last = Mutex(directory.checksum)
      source.begin { [self] in
        guard let next = try? self.directory(for: session, makesIndex: true) else { return }
        let isNew = last.withLock { last in
          defer { last = next.checksum }
          return last != next.checksum
        }
        if isNew { continuation.yield(next) }
      }
      continuation.onTermination = { _ in source.end() }
    }
  }
}

/// Calls back when a file of a folder may have been replaced.
// @unchecked: a source of Dispatch may be used by any thread, and the rest never changes.
private final class FolderSource: @unchecked Sendable {
  private let watch: FolderWatch
  private let queue = DispatchQueue(label: "staffbook.hub")
  private let source: any DispatchSourceProtocol

  /// How often it is looked at where nothing tells.
  private static let pause = DispatchTimeInterval.seconds(5)

  init(folder: String) {
    watch = FolderWatch(folder: folder)
    if let descriptor = watch.descriptor {
      source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    } else {
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.schedule(deadline: .now() + Self.pause, repeating: Self.pause)
      source = timer
    }
  }

  func begin(_ body: @escaping @Sendable () -> Void) {
    source.setEventHandler { [self] in
      watch.drain()
      body()
    }
    source.activate()
    // What came before it listened.
    queue.async(execute: body)
  }

  func end() { source.cancel() }
}
