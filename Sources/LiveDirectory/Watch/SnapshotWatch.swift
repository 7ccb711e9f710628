import DirectoryModel
import DirectoryStore
import LibPQ
import Platform
import SiteSettings

/// Keeps a snapshot up to its source, sync after sync, until its task is cancelled.
///
/// Nothing that is written is missed while the database notifies: after a sync, a look finds out whether
/// something was written since; if not, writers learn of the waiting process, and another look,
/// once every transaction has ended that may not have learnt it, closes the gap.
struct SnapshotWatch {
  private let site: Site
  private let options: WatchOptions
  private let poll: Duration
  private let tell: @Sendable (WatchEvent) -> Void
  /// Writes the watcher's state, before `tell`: whoever reads the message may ask for the status at once.
  private let note: (WatcherState.Mode, String?) -> Void

  private var listener: ChangeListener?
  /// Where writers know of a waiting process, the transaction below which some may not; `nil` where
  /// they do not know.
  private var horizon: UInt64?
  private var pace = WatchBackoff()
  private var mode: WatchMode?
  /// What failed last; `nil` after a success.
  private var problem: DirectoryError?
  private var hasSynced = false
  private var isReady = false
  /// Whether the next sync is done because something was written.
  private var expectsChanges = false

  /// How long the first look for what transactions under way have left waits.
  private static let firstLook = Duration.milliseconds(20)
  /// How long after a lock was not to be had it is tried again.
  private static let lockPause = Duration.seconds(10)
  private static let clock = ContinuousClock()

  init(
    _ site: Site,
    _ options: WatchOptions,
    tell: @escaping @Sendable (WatchEvent) -> Void,
    note: @escaping (WatcherState.Mode, String?) -> Void
  ) {
    self.site = site
    self.options = options
    self.poll = options.poll ?? DirectoryWatch.pollPause(site.settings)
    self.tell = tell
    self.note = note
  }

  /// - Parameter isHeld: Whether the lock is still ours, which is asked after each sync; it ends where not.
  /// - Throws: What no further try can better.
  mutating func run(while isHeld: () -> Bool) async throws(DirectoryError) {
    if (try? site.snapshots.open()) != nil { becomeReady() }
    while !Task.isCancelled {
      do throws(DirectoryError) {
        guard try await cycle(isHeld) else { return }
      } catch {
        disconnect()
        guard !Task.isCancelled else { return }
        guard error.kind != .usage, error.kind != .bug else { throw error }
        await fail(error)
      }
    }
  }

  /// One sync, and the wait for the next.
  ///
  /// - Returns: `false` when another process may watch.
  private mutating func cycle(_ isHeld: () -> Bool) async throws(DirectoryError) -> Bool {
    let began = Self.clock.now
    var options = options.sync
    options.startsServer = !hasSynced
    let report = try await SnapshotSync(site).sync(options)
    let duration = Self.clock.now - began
    hasSynced = true
    succeed(report, duration)
    guard isHeld() else { return false }
    let pause = pace.beforeSync(
      after: duration,
      foundNothing: expectsChanges && !report.isWritten
    )
    expectsChanges = false
    // A server that has been cut off from the one that is read may tell what is not news there.
    if pace.isVain { disconnect() }
    let synced = Self.clock.now
    let end = synced + WatchBackoff.withJitter(poll, by: 0.1)
    if report.isWritten { returnFreeMemory() }
    if listener == nil { await listen() }
    if let listener, let watermark = report.watermark {
      if try await hasChanges(listener, since: watermark, until: end) {
        expectsChanges = true
        // The time since the sync counts: no one was kept busy in it.
        await rest(max(synced + pause - Self.clock.now, WatchBackoff.shortest))
      }
    } else {
      await rest(end - Self.clock.now)
    }
    return true
  }

  private mutating func disconnect() {
    listener = nil
    horizon = nil
  }

  private mutating func becomeReady() {
    guard !isReady else { return }
    isReady = true
    tell(.ready)
  }

  private mutating func succeed(_ report: SyncReport, _ duration: Duration) {
    pace.succeed()
    if problem != nil {
      problem = nil
      // Before the first wait there is no mode to go back to.
      if let mode { note(mode) } else { note(.starting, nil) }
      tell(.recovered)
    }
    becomeReady()
    tell(.synced(report, seconds: duration / .seconds(1)))
  }

  private mutating func fail(_ error: DirectoryError) async {
    // A server that is away is one failure, in however many words it says so: the connection is lost, then
    // refused, then the server is starting up.
    let isRepeated =
      error.message == problem?.message
      || error.kind == .unavailable && problem?.kind == .unavailable
    if error.message != problem?.message { note(.failing, error.message) }
    problem = error
    tell(.failed(error, isRepeated: isRepeated))
    // What was refused has to be read again, and it is not the server that has to come back.
    await rest(error.kind == .refusedForNow ? poll : pace.afterFailure())
  }

  private func rest(_ duration: Duration) async {
    // Cancelled is over.
    try? await Task.sleep(for: max(duration, .zero))
  }

  // MARK: Waiting

  private mutating func announce(_ next: WatchMode) {
    guard next != mode else { return }
    mode = next
    note(next)
    tell(.waiting(next))
  }

  private func note(_ mode: WatchMode) {
    switch mode {
    case .listening: note(.listening, nil)
    case .polling(let reason): note(.polling, reason.text)
    }
  }

  /// Begins to listen where that is possible; it is tried again after each poll, since a standby may
  /// have become a primary.
  private mutating func listen() async {
    guard site.settings.source.queries == nil else { return announce(.polling(.ownTables)) }
    guard !options.sync.preferStandby else { return announce(.polling(.prefersStandby)) }
    do throws(DirectoryError) {
      let conninfo = try await site.conninfo(starting: false)
      let outcome = try await ChangeListener.connect(
        conninfo: conninfo,
        silenceLimit: site.settings.silenceLimit,
        rest: poll
      )
      switch outcome {
      case .success(let listener): self.listener = listener
      case .failure(let cause): announce(.polling(.init(cause)))
      }
    } catch {
      announce(.polling(.refused(error.message)))
    }
  }

  /// Waits until something is written that a read has not seen.
  ///
  /// - Returns: `false` when the time is over first.
  private mutating func hasChanges(
    _ listener: ChangeListener,
    since watermark: SourceWatermark,
    until end: ContinuousClock.Instant
  ) async throws(DirectoryError) -> Bool {
    while horizon == nil {
      // In a burst no notifications are needed: what is new already is read first.
      guard try await !listener.look(since: watermark).hasChanges else { return true }
      switch try await listener.arm() {
      case .success(let own): horizon = own
      case .failure(let cause):
        announce(.polling(.init(cause)))
        let next = min(end, Self.clock.now + Self.lockPause)
        let came = try await listener.wait(until: next, orReadable: options.stop)
        guard came != .interrupted, Self.clock.now < end else { return false }
      }
    }
    guard let horizon else { return false }
    announce(.listening)
    var look = try await listener.look(since: watermark)
    var pause = Self.firstLook
    while !look.hasChanges {
      let isSettled = look.xmin >= horizon
      let deadline = isSettled ? end : min(end, Self.clock.now + pause)
      switch try await listener.wait(until: deadline, orReadable: options.stop) {
      case .interrupted: return false
      case .timedOut where Self.clock.now >= end: return false
      case .timedOut:
        look = try await listener.look(since: watermark)
        pause *= 2
        continue
      case .notified: break
      }
      break
    }
    try await listener.disarm()
    self.horizon = nil
    return true
  }
}
