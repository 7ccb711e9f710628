import Dispatch
import Platform
import Synchronization
import Terminal

/// Says what became of an import or an edit that is interrupted, and then lets the signal end the program.
///
/// Until COMMIT is sent, nothing was changed, and the server undoes the rest by itself. Afterwards the
/// server's answer is waited for, unless the user interrupts a second time.
final class ImportInterrupts: Sendable {
  enum Stage: Sendable {
    case undecided, committing, applied
  }

  private struct State {
    var stage = Stage.undecided
    /// The one that came while the server committed.
    var pending: CInt?
    var hasStopped = false
    /// What is said, too, when nothing was applied.
    var remark = ""
  }

  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  private let state = Mutex(State())
  private let handled: [CInt]
  private let verb: String
  private let makeRoom: @Sendable () -> Void

  /// Begins to watch for interrupts.
  ///
  /// - Parameters:
  ///   - verb: What is done with records: `imported`.
  ///   - makeRoom: Clears the line that shows progress.
  init(_ verb: String = "imported", makeRoom: @escaping @Sendable () -> Void = {}) {
    self.verb = verb
    self.makeRoom = makeRoom
    let ends = Pipe()
    handled = ends == nil ? [] : Self.signals.filter(Self.isDefault)
    guard let ends else { return }
    signalPipe.store(ends.writing, ordering: .sequentiallyConsistent)
    for signal in handled { Self.handle(signal, passOn) }
    let reading = ends.reading
    // One that waits for nothing else, so that an interrupt never waits.
    DispatchQueue(label: "staffbook.interrupts").async {
      var signal: UInt8 = 0
      while true {
        let count = read(reading, &signal, 1)
        if count == 1 {
          self.meet(CInt(signal))
        } else if count == 0 || errno != EINTR {
          return
        }
      }
    }
  }

  /// Goes on to the next stage; one that follows the server's answer acts upon an interrupt that came
  /// meanwhile.
  func enter(_ stage: Stage) {
    let pending = state.withLock { state in
      state.stage = stage
      return stage == .committing ? nil : state.pending
    }
    if let pending { end(pending, text(.applied)) }
  }

  /// Adds to what is said to a user whose work was not applied.
  func add(_ remark: String) { state.withLock { $0.remark = "; " + remark } }

  /// Leaves interrupts to the system again, which ends the program.
  func stop() {
    state.withLock { $0.hasStopped = true }
    for signal in handled { Self.handle(signal, nil) }
  }

  private func meet(_ signal: CInt) {
    // The lock is held until the end: no one commits behind what is said here.
    state.withLock { state in
      guard !state.hasStopped else { return Self.raise(signal) }
      if state.stage == .committing, state.pending == nil {
        state.pending = signal
        makeRoom()
        Messages.notice("interrupted while the server commits; waiting for its answer")
        return
      }
      end(signal, text(state.stage) + (state.stage == .applied ? "" : state.remark))
    }
  }

  private func end(_ signal: CInt, _ text: String) {
    ChildProgram.end(with: signal)
    makeRoom()
    Messages.notice(text)
    Self.raise(signal)
  }

  private func text(_ stage: Stage) -> String {
    switch stage {
    case .undecided: "interrupted: nothing was \(verb)"
    case .committing:
      "interrupted before the server answered: it is not known whether anything was \(verb); see "
        + "what differs with --dry-run"
    case .applied:
      "interrupted: everything was \(verb); update the snapshot with: staffbook sync"
    }
  }
}

// MARK: - Signals

/// Where the handler writes the signals' numbers.
private let signalPipe = Atomic<CInt>(-1)

/// What may be done in a handler: one write(2). (signal-safety(7))
private let passOn: @convention(c) (CInt) -> Void = { signal in
  let saved = errno
  var byte = UInt8(truncatingIfNeeded: signal)
  _ = write(signalPipe.load(ordering: .relaxed), &byte, 1)
  errno = saved
}

extension ImportInterrupts {
  /// Whether a signal would end the program: the parent process may have it ignored (nohup).
  private static func isDefault(_ signal: CInt) -> Bool {
    var current = sigaction()
    sigaction(signal, nil, &current)
    return current.handler == nil
  }

  private static func handle(_ signal: CInt, _ handler: (@convention(c) (CInt) -> Void)?) {
    var action = sigaction()
    action.handler = handler
    action.sa_flags = CInt(SA_RESTART)
    sigaction(signal, &action, nil)
  }

  /// Ends the program as the signal would have.
  private static func raise(_ signal: CInt) {
    handle(signal, nil)
    var only = sigset_t()
    sigemptyset(&only)
    sigaddset(&only, signal)
    pthread_sigmask(SIG_UNBLOCK, &only, nil)
    kill(getpid(), signal)
  }
}
