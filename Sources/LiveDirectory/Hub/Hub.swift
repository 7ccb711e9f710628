import DirectoryModel
import DirectoryReading
import DirectorySnapshot
import Dispatch
import Platform
import SiteSettings
import Synchronization
import SystemPackage

/// The newest state of a directory, for callers.
///
/// A state is made once for each class of viewers who ask, and shared by all of them, until another
/// snapshot takes the place of the one it is of. Those who ask while it is made wait for the same one.
package final class Hub: Sendable {
  package let site: Site

  /// What states of classes may take together, mapped files without a name: those that were asked for
  /// longest ago go first.
  package static let mostBytes = 2 << 30
  /// The most of them, since each is two mappings of the 65,530 that Linux lets a process have.
  package static let mostStates = 8_192
  /// For so long a long-lived process answers by the former state of a class while it makes the new one:
  /// a rule that hides is never late by more.
  package static let longestDelay = Duration.seconds(2)
  /// How many classes are rebuilt without being asked for.
  package static let mostBusy = 64
  /// States of classes that are made at once.
  private static let mostMakers = 4
  /// Viewers whose sights are remembered; to decide one again takes little.
  private static let mostViewers = 100_000

  /// A state of a class, and who asks for it.
  private struct Class: Sendable {
    var state: DirectoryState
    /// When it was asked for last, counted in questions.
    var asked: UInt64
    var questions = 1
    /// One of those who see so.
    var viewer: Viewer
  }

  /// What was known of a snapshot that was replaced.
  private struct ReplacedSnapshot: Sendable {
    let classes: [Sight: Class]
    let sights: [Viewer: Sight]
    let knowledge: LedgerKnowledge?
    /// Until when it answers.
    let until: ContinuousClock.Instant
  }

  /// What is known of the snapshot in place.
  private struct CurrentSnapshot: Sendable {
    let file: FileIdentity
    let snapshot: DirectorySnapshot
    var classes: [Sight: Class] = [:]
    /// States that are being made.
    var making: [Sight: PendingState] = [:]
    /// What the rules come to for those who have asked.
    var sights: [Viewer: Sight] = [:]
    /// Which transactions it contains, once that was read.
    var knowledge: LedgerKnowledge?
    /// What was known of the one before, and until when it answers.
    var former: ReplacedSnapshot?
    private var questions: UInt64 = 0

    init(_ file: FileIdentity, _ snapshot: DirectorySnapshot) {
      (self.file, self.snapshot) = (file, snapshot)
    }

    mutating func state(for sight: Sight) -> DirectoryState? {
      questions += 1
      classes[sight]?.asked = questions
      classes[sight]?.questions += 1
      return classes[sight]?.state
    }

    /// Keeps a state for the class, and discards others where there is no room for all.
    mutating func keep(
      _ state: DirectoryState,
      for sight: Sight,
      _ viewer: Viewer,
      mostBytes: Int
    ) {
      classes[sight] = Class(state: state, asked: questions, viewer: viewer)
      // What is of the snapshot's own file takes nothing.
      func size(_ entry: (key: Sight, value: Class)) -> Int {
        entry.key == .everything ? 0 : entry.value.state.byteCount
      }
      var bytes = classes.reduce(0) { $0 + size($1) }
      if bytes <= mostBytes, classes.count <= Hub.mostStates { return }
      for entry in classes.sorted(by: { $0.value.asked < $1.value.asked })
      where entry.key != sight && entry.key != .everything {
        // Enough at once, so that it is not done for each class that is made.
        if bytes <= mostBytes / 8 * 7, classes.count <= Hub.mostStates / 8 * 7 { break }
        bytes -= size(entry)
        classes[entry.key] = nil
      }
    }

    enum Found {
      case state(DirectoryState)
      case making(PendingState)
      /// What is there for others to wait for from now on.
      case nothing(PendingState)
    }

    mutating func found(_ sight: Sight) -> Found {
      if let state = state(for: sight) { return .state(state) }
      if let making = making[sight], making.join() { return .making(making) }
      let making = PendingState()
      self.making[sight] = making
      return .nothing(making)
    }

    /// The state of a viewer's class that was in place before, for a moment.
    func formerState(
      for viewer: Viewer
    ) -> (state: DirectoryState, whole: DirectoryState)? {
      guard let former, ContinuousClock.now < former.until,
        let state = former.sights[viewer].flatMap({ former.classes[$0]?.state }),
        let whole = former.classes[.everything]?.state
      else { return nil }
      return (state, whole)
    }
  }

  private let known = Mutex<CurrentSnapshot?>(nil)
  /// The rules that a snapshot carries.
  package typealias Rules = @Sendable (DirectorySnapshot) throws(SnapshotError) -> VisibilityRules

  package static let carriedRules: Rules = { (snapshot) throws(SnapshotError) in
    try snapshot.visibilityRules()
  }

  private let rules: Rules
  private let mostBytes: Int
  private let folder: FolderListeners
  /// How many states of classes were made.
  package let madeCount = Atomic(0)
  /// The same as a number.
  package var madeClasses: Int { madeCount.load(ordering: .relaxed) }
  /// Where states of classes are made: a caller who is cancelled ends it for no other.
  private let makers = BoundedExecutor(threads: Hub.mostMakers, label: "staffbook.states")
  /// For work beside questions, one after the other; `nil` in a process that answers once.
  private let later: DispatchQueue?
  /// Whether many questions are asked, and syncs are somebody else's work.
  package var isLongLived: Bool { later != nil }

  /// - Parameters:
  ///   - site: Where the directory is.
  ///   - isLongLived: Whether many questions are asked: then what they wait for is made ahead of them,
  ///     and classes have indexes of their own.
  ///   - mostBytes: What states of classes may take together.
  ///   - rules: The rules that a snapshot carries.
  package init(
    _ site: Site,
    isLongLived: Bool = false,
    mostBytes: Int = Hub.mostBytes,
    rules: @escaping Rules = carriedRules
  ) {
    self.site = site
    self.mostBytes = mostBytes
    self.rules = rules
    folder = FolderListeners(site.snapshots.folder.string)
    later = isLongLived ? DispatchQueue(label: "staffbook.classes", qos: .utility) : nil
  }

  /// The directory in place, as a viewer sees it.
  ///
  /// - Parameters:
  ///   - session: Who asks.
  ///   - makesIndex: Whether a search may make an index where there is none.
  ///   - isNewest: Whether a long-lived process, too, has to answer by the newest state.
  /// - Returns: `nil` where there is no snapshot, or none that can be used.
  /// - Throws: `.cannotRead`; `.badData` for one that is found to be damaged; `.notSignedIn` where another
  ///   person has the caller's id.
  /// - Complexity: A call of stat(2) where the state is known; otherwise that of making it.
  func directory(
    for session: Session,
    makesIndex: Bool,
    isNewest: Bool = false
  ) throws(DirectoryError) -> Directory? {
    guard let snapshot = try snapshot(for: session.caller) else { return nil }
    return try directory(of: snapshot, for: session, makesIndex, isNewest: isNewest).directory
  }

  private func directory(
    of snapshot: DirectorySnapshot,
    for session: Session,
    _ makesIndex: Bool,
    isNewest: Bool
  ) throws(DirectoryError) -> (directory: Directory, isFormer: Bool) {
    let viewer = session.caller.viewer
    do throws(SnapshotError) {
      let sight = try sight(of: snapshot, viewer)
      if !isNewest, let former = try formerState(of: snapshot, sight, viewer) {
        let overlay = CardOverlay(former.whole, sight, viewer)
        return (Directory(former.state, for: asker(session), over: overlay), true)
      }
      let whole =
        try viewer == .everything ? nil : state(of: snapshot, .everything, session, makesIndex)
      let state = try self.state(of: snapshot, sight, session, makesIndex)
      let overlay = whole.map { CardOverlay($0, sight, viewer) }
      return (Directory(state, for: asker(session), over: overlay), false)
    } catch {
      throw DirectoryError(error)
    }
  }

  /// The same for a client of several nodes, which is never to go back to an older state.
  ///
  /// - Parameters:
  ///   - session: Who asks.
  ///   - seen: A state that the client has seen.
  /// - Returns: The directory, and the state that it is of, where that is known; `nil` where the state
  ///   that was seen may not have come yet.
  /// - Throws: As `directory(for:makesIndex:)`; `.unavailable` where there is no snapshot, and
  ///   `.noInput` for a state of other tables.
  func directory(
    for session: Session,
    notBefore seen: StatePosition?
  ) throws(DirectoryError) -> (directory: Directory, position: StatePosition?)? {
    guard let snapshot = try snapshot(for: session.caller) else {
      throw DirectoryError(.unavailable, "there is no directory yet")
    }
    var (now, former) = knowledge(of: snapshot, isFresh: false)
    var isNewest = false
    if let seen, site.settings.source.queries == nil {
      // A sync that found nothing new may have proved more since.
      if now?.relation(of: seen) != .contained { now = knowledge(of: snapshot, isFresh: true).now }
      switch now?.relation(of: seen) {
      case .contained: isNewest = former?.relation(of: seen) != .contained
      case .unrelated:
        throw DirectoryError(.noInput, "that state belongs to another history")
      case .ahead, nil: return nil
      }
    }
    let found = try directory(of: snapshot, for: session, true, isNewest: isNewest)
    return (found.directory, (found.isFormer ? former : now)?.position)
  }

  /// When the snapshot in place was last found to be its source's state, seconds since 1970, UTC; `nil`
  /// where that is not known.
  package var checkedAt: Int64? {
    guard let snapshot = try? snapshot() else { return nil }
    return site.snapshots.watermark(of: snapshot.checksum).map { $0.readAt / 1_000_000 }
  }

  /// Which transactions a snapshot and the one before contain.
  private func knowledge(
    of snapshot: DirectorySnapshot,
    isFresh: Bool
  ) -> (now: LedgerKnowledge?, former: LedgerKnowledge?) {
    let known = known.withLock { ($0?.snapshot.checksum, $0?.knowledge, $0?.former?.knowledge) }
    guard known.0 == snapshot.checksum else { return (nil, nil) }
    if !isFresh, let now = known.1 { return (now, known.2) }
    let now = LedgerKnowledge(site.snapshots.watermark(of: snapshot.checksum)?.watermark)
    self.known.withLock { known in
      if known?.snapshot.checksum == snapshot.checksum { known?.knowledge = now }
    }
    return (now, known.2)
  }

  /// What a viewer's class saw before, and the whole of that state, where what it sees now is being
  /// made: a card that is laid over is never of another state.
  ///
  /// - Returns: `nil` also where another person had the viewer's id then.
  private func formerState(
    of snapshot: DirectorySnapshot,
    _ sight: Sight,
    _ viewer: Viewer
  ) throws(SnapshotError) -> (state: DirectoryState, whole: DirectoryState)? {
    guard later != nil, sight != .everything else { return nil }
    let former = known.withLock { known -> (state: DirectoryState, whole: DirectoryState)? in
      guard let known, known.snapshot.checksum == snapshot.checksum, known.classes[sight] == nil
      else { return nil }
      return known.formerState(for: viewer)
    }
    guard let former, case .person(let id) = viewer else { return former }
    let isSame = try former.whole.identity(of: .user(id)) == snapshot.identity(of: .user(id))
    return isSame ? former : nil
  }

  /// What a caller sees of changes, by the state in place.
  ///
  /// - Returns: `nil` for viewers who see everything.
  /// - Throws: As `directory(for:makesIndex:)`, and `.notFound` where there is no snapshot.
  package func visibility(for session: Session) throws(DirectoryError) -> Visibility? {
    guard session.caller.viewer != .everything else { return nil }
    guard let snapshot = try snapshot(for: session.caller) else { throw Self.missing }
    do throws(SnapshotError) {
      let sight = try sight(of: snapshot, session.caller.viewer)
      guard sight != .everything else { return nil }
      let state = try state(of: snapshot, sight, session, true)
      return try state.visibility(sight, of: snapshot)
    } catch {
      throw DirectoryError(error)
    }
  }

  /// What a viewer sees by the rules of a snapshot.
  private func sight(
    of snapshot: DirectorySnapshot,
    _ viewer: Viewer
  ) throws(SnapshotError) -> Sight {
    if viewer == .everything { return .everything }
    let decided = known.withLock { known in
      known?.snapshot.checksum == snapshot.checksum ? known?.sights[viewer] : nil
    }
    if let decided { return decided }
    let sight = try rules(snapshot).sight(of: viewer, in: snapshot)
    known.withLock { known in
      guard known?.snapshot.checksum == snapshot.checksum else { return }
      if (known?.sights.count ?? 0) >= Self.mostViewers { known?.sights = [:] }
      known?.sights[viewer] = sight
    }
    return sight
  }

  private func state(
    of snapshot: DirectorySnapshot,
    _ sight: Sight,
    _ session: Session,
    _ makesIndex: Bool
  ) throws(SnapshotError) -> DirectoryState {
    try state(
      of: snapshot,
      sight,
      session.caller.viewer,
      makesIndex ? support(session) : plainSupport
    )
  }

  /// The state of a class; those who ask for one that is being made wait for it, and when the last of them
  /// is cancelled it is not made.
  private func state(
    of snapshot: DirectorySnapshot,
    _ sight: Sight,
    _ viewer: Viewer,
    _ support: SearchSupport
  ) throws(SnapshotError) -> DirectoryState {
    let making: PendingState
    let found = known.withLock { known in
      known?.snapshot.checksum == snapshot.checksum ? known?.found(sight) : nil
    }
    // Another snapshot has come meanwhile: this one is the asker's alone.
    switch found ?? .nothing(PendingState()) {
    case .state(let state): return state
    case .making(let others): making = others
    case .nothing(let own):
      making = own
      let make: @Sendable () -> Void = { [self] in
        let made = Result { () throws(SnapshotError) in
          try DirectoryState(snapshot, for: sight, support)
        }
        if sight != .everything { madeCount.add(1, ordering: .relaxed) }
        known.withLock { known in
          guard known?.making[sight] === own else { return }
          known?.making[sight] = nil
          guard let state = try? made.get() else { return }
          known?.keep(state, for: sight, viewer, mostBytes: mostBytes)
        }
        own.finish(made)
      }
      // All of the snapshot is there at once.
      if sight == .everything { make() } else { own.make(on: makers, make) }
    }
    return try making.result()
  }

  /// A directory of a former state, which is not shared and has no index.
  ///
  /// - Parameters:
  ///   - past: The former state.
  ///   - time: When it was, in microseconds since 1970, UTC.
  ///   - session: Who asks.
  ///   - visibility: What is shown now; `nil` for callers who see everything.
  /// - Returns: As much of the state as the caller sees.
  /// - Throws: `.badData` for a damaged snapshot, `.notFound` where there is none.
  /// - Complexity: O(1) for viewers who see everything, otherwise O(bytes of what is shown).
  package func directory(
    of past: DirectorySnapshot,
    at time: Int64,
    for session: Session,
    _ visibility: Visibility?
  ) throws(DirectoryError) -> Directory {
    do {
      let whole = try DirectoryState(past, for: .everything, plainSupport.withoutIndex)
      guard let visibility else { return Directory(whole, for: asker(session)) }
      guard let now = try snapshot(for: session.caller) else { throw Self.missing }
      let (sight, present) = (visibility.sight, CurrentState(now, visibility, since: time))
      let state = try DirectoryState(past, for: sight, present: present, plainSupport.withoutIndex)
      var viewer = session.caller.viewer
      if case .person(let id) = viewer {
        let identity = try now.identity(of: .user(id))
        let former = try visibility.formerIDs(of: .user(id), at: time).map { UserID($0) }
          .first { try past.identity(of: .user($0)) == identity }
        viewer = former.map { .person($0) } ?? .everything
      }
      // No person is found by a former address.
      let own = CardOverlay(whole, Sight([], fields: sight.fields), viewer)
      return Directory(state, for: asker(session), over: own)
    } catch {
      throw DirectoryError(describing: error)
    }
  }

  private static var missing: DirectoryError {
    DirectoryError(.notFound, "there is no snapshot", advice: "make one with: \(.sync)")
  }

  /// The snapshot in place, for a caller.
  ///
  /// - Returns: As `snapshot()`.
  /// - Throws: `.notSignedIn` where another person has the id that the caller's was.
  private func snapshot(for caller: Caller) throws(DirectoryError) -> DirectorySnapshot? {
    guard let snapshot = try snapshot() else { return nil }
    guard case .person(let id) = caller.viewer, let identity = caller.identity else {
      return snapshot
    }
    let holder: RecordIdentity?
    do throws(SnapshotError) {
      holder = try snapshot.identity(of: .user(id))
    } catch {
      throw DirectoryError(error)
    }
    guard holder == nil || holder == identity else {
      throw DirectoryError(.notSignedIn, "another person has the id \(id) now")
    }
    return snapshot
  }

  private func snapshot() throws(DirectoryError) -> DirectorySnapshot? {
    let path = site.snapshots.path
    let file = FileIdentity(path)
    if let file, let known = known.withLock({ $0 }), known.file == file { return known.snapshot }
    guard let snapshot = try site.snapshots.open() else { return nil }
    // Of a file that was replaced while it was opened, the next one who asks finds out.
    if let file, FileIdentity(path) == file { replace(file, snapshot) }
    return snapshot
  }

  /// Puts a snapshot in the place of the one before, and has the busiest classes rebuilt.
  private func replace(_ file: FileIdentity, _ snapshot: DirectorySnapshot) {
    let busiest: [Class] = known.withLock { known in
      var next = CurrentSnapshot(file, snapshot)
      defer { known = next }
      guard later != nil, let known, known.snapshot.checksum != snapshot.checksum else { return [] }
      let classes = known.classes.filter { $0.key != .everything }.values
      // The file may have been there for long before anybody asked.
      if !classes.isEmpty, let until = file.writtenAt.map({ $0 + Self.longestDelay }), .now < until
      {
        next.former = ReplacedSnapshot(
          classes: known.classes,
          sights: known.sights,
          knowledge: known.knowledge,
          until: until
        )
      }
      return Array(classes.sorted { $0.questions > $1.questions }.prefix(Self.mostBusy))
    }
    guard let later, !busiest.isEmpty else { return }
    later.async { [self] in
      for former in busiest {
        guard known.withLock({ $0?.snapshot.checksum }) == snapshot.checksum else { return }
        guard let sight = try? sight(of: snapshot, former.viewer), sight != .everything else {
          continue
        }
        _ = try? state(of: snapshot, sight, former.viewer, plainSupport)
      }
      known.withLock { known in
        if known?.snapshot.checksum == snapshot.checksum { known?.former = nil }
      }
    }
  }

  private func asker(_ session: Session) -> SearchUser {
    let (me, tell) = (session.caller.me, session.site.tell)
    // Others are not named in a configuration, and may be hidden from themselves.
    guard session.caller.viewer == .everything else { return SearchUser(me: me) }
    return SearchUser(me: me) {
      tell(
        Advice(
          "ignoring me in config.yaml: \(me ?? "") does not match exactly one person; "
            + "set it to your id or your email address"
        )
      )
    }
  }

  private var plainSupport: SearchSupport {
    var support = SearchSupport(phones: site.settings.phones, index: site.snapshots.searchIndexPath)
    if let later { support.runsLater = { work in later.async(execute: work) } }
    return support
  }

  /// What searches of the whole directory go by.
  ///
  /// Where the index is missing or of another state it is waited for, if another caller is writing just
  /// now, and otherwise made; where that is not possible, searches look at every record.
  private func support(_ session: Session) -> SearchSupport {
    let (store, phones, notice) = (site.snapshots, site.settings.phones, session.site.notice)
    var support = plainSupport
    support.makeIndex = { snapshot in
      guard let people = try? snapshot.users().count, people >= SearchSupport.worthIndexing,
        !store.waitForSearchIndex(of: snapshot, phones: phones),
        let lock = try? FileLock.tryAcquire(store.lockPath),
        // The index is of the snapshot in place: who reads the one before must not replace it.
        (try? DirectorySnapshot(path: store.path))?.checksum == snapshot.checksum
      else { return }
      notice("building the search index (needed only once)")
      _ = try? store.updateSearchIndex(of: snapshot, phones: phones)
      _ = consume lock
    }
    support.discardIndex = { store.discardSearchIndex() }
    return support
  }

  // MARK: Replacement

  /// Says whenever another state may have taken the place of the one before, until the listener ends;
  /// of several times before it is heard, once.
  ///
  /// Where the system cannot tell, it is looked at every few seconds (inotify(7) tells on Linux).
  package func replacements() -> AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let number = folder.add { continuation.yield() }
      continuation.onTermination = { [folder] _ in folder.remove(number) }
    }
  }

  /// The directory whenever another state takes the place of the one before, until the listener
  /// ends.
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
      let last = Mutex(directory.checksum)
      let queue = DispatchQueue(label: "staffbook.replacements")
      let look: @Sendable () -> Void = { [self] in
        guard let next = try? self.directory(for: session, makesIndex: true, isNewest: true) else {
          return
        }
        let isNew = last.withLock { last in
          defer { last = next.checksum }
          return last != next.checksum
        }
        if isNew { continuation.yield(next) }
      }
      let number = folder.add { queue.async(execute: look) }
      continuation.onTermination = { [folder] _ in folder.remove(number) }
    }
  }
}

/// Calls back whenever a file of a folder may have been replaced; however many listen, the system is asked
/// once.
private final class FolderListeners: Sendable {
  private struct State {
    var source: FolderSource?
    var listeners: [Int: @Sendable () -> Void] = [:]
    var count = 0
  }

  private let folder: String
  private let state = Mutex(State())

  init(_ folder: String) { self.folder = folder }

  /// Calls it at once, too, for what came before it listened.
  ///
  /// - Parameter listener: Must not wait.
  /// - Returns: What `remove(_:)` takes.
  func add(_ listener: @escaping @Sendable () -> Void) -> Int {
    let number = state.withLock { state in
      state.count += 1
      state.listeners[state.count] = listener
      if state.source == nil {
        let source = FolderSource(folder: folder)
        state.source = source
        source.begin { [weak self] in self?.call() }
      }
      return state.count
    }
    listener()
    return number
  }

  func remove(_ number: Int) {
    state.withLock { state in
      state.listeners[number] = nil
      guard state.listeners.isEmpty else { return }
      state.source?.end()
      state.source = nil
    }
  }

  private func call() {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener() }
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
  }

  func end() { source.cancel() }
}
