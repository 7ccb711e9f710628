import ChangeHistory
import DirectoryModel
import DirectoryReading
import LiveDirectory
import Platform
import Synchronization
import Terminal

/// Runs a sync that watches until a signal ends it, and says what happens: a line for each event.
final class WatchRun: Sendable {
  /// How long a sync that is under way may take to give up once a signal has come, in seconds.
  private static let patience: UInt32 = 10

  private struct State {
    var unplaced = 0
    /// What was said last beside the syncs, which is not repeated.
    var notice = ""
    /// How it waits when nothing fails.
    var mode = "syncing"
  }

  private let asJSON: Bool
  private let isVerbose: Bool
  private let manager = ServiceManager(environment: Messages.environment)
  /// Whether lines begin with the time; the journal has its own.
  private let showsTime = Messages.environment["JOURNAL_STREAM"] == nil
  private let state = Mutex(State())

  init(asJSON: Bool, isVerbose: Bool) {
    self.asJSON = asJSON
    self.isVerbose = isVerbose
  }

  /// Watches.
  ///
  /// - Returns: The signal that ended it.
  func run(_ administrator: Administrator, _ options: WatchOptions) async throws -> CInt {
    guard let signals = TerminationSignals([SIGTERM, SIGINT, SIGHUP]) else {
      throw DirectoryError(.cannotRead, "cannot watch: a pipe cannot be created")
    }
    var options = options
    options.stop = signals.descriptor
    let task = Task { [options] in
      try await DirectoryWatch(administrator).watch(options) { self.meet($0) }
    }
    signals.whenStopped { [manager] in
      manager?.tell("STOPPING=1")
      task.cancel()
      // What is being written is beside the snapshot, and is left there.
      sleep(Self.patience)
      exit(Self.status(of: signals.signal ?? SIGTERM))
    }
    let pulse = Task { await beat() }
    defer { pulse.cancel() }
    try await task.value
    return signals.signal ?? SIGTERM
  }

  /// The exit status of a watch that a signal has ended.
  static func status(of signal: CInt) -> Int32 {
    (signal == SIGINT ? ExitStatus.interrupted : .done).rawValue
  }

  /// Says a notice of the session's, such as what is waited for, unless it was the last one.
  func note(_ text: String) {
    let isNew = state.withLock { state in
      defer { state.notice = text }
      return state.notice != text
    }
    if isNew || isVerbose { aside(text) }
  }

  /// Tells the service manager in time that we live.
  private func beat() async {
    guard let manager, let watchdog = manager.watchdog else { return }
    while !Task.isCancelled {
      manager.tell("WATCHDOG=1")
      try? await Task.sleep(for: watchdog / 3)
    }
  }

  // MARK: What is said

  private func meet(_ event: WatchEvent) {
    if asJSON, let line = event.json { Messages.data(line) }
    switch event {
    case .ready: manager?.tell("READY=1")
    case .synced(let report, let seconds): tell(report, seconds)
    case .failed(let error, let isRepeated):
      manager?.tell("STATUS=\(error.message)")
      if !isRepeated || isVerbose { aside(Self.text(of: error)) }
    case .recovered:
      let mode = state.withLock { state in
        state.notice = ""
        return state.mode
      }
      manager?.tell("STATUS=\(mode)")
      aside("syncing again")
    case .waiting(let mode):
      state.withLock { $0.mode = mode.text }
      manager?.tell("STATUS=\(mode.text)")
      if !asJSON { report(mode.text) }
    }
  }

  /// libpq's guesses at why a connection ended.
  private static let empty = [
    "This probably means the server terminated abnormally",
    "before or while processing the request", "invalid socket",
  ]

  private static func text(of error: DirectoryError) -> String {
    // libpq's reasons take several lines, and some of them say nothing.
    let lines = error.message.split(whereSeparator: \.isNewline)
      .map { String($0.drop(while: \.isWhitespace)) }
    let message = lines.filter { line in !empty.contains { line.hasPrefix($0) } }
      .joined(separator: "; ")
    // To try again when the server is back is what is done.
    let advice = error.kind == .unavailable ? nil : error.advice
    return message + (advice.map { "; \($0.words)" } ?? "") + "; trying again"
  }

  private func tell(_ report: SyncReport, _ seconds: Double) {
    if asJSON {
      for change in report.changes.map({ Array($0.lazy.map(\.json)) }) ?? [] {
        Messages.data(change)
      }
    } else if report.isWritten || isVerbose {
      self.report(report.line(duration: seconds.asDuration))
      for change in report.changes.map({ Array($0.lazy.map(\.text)) }) ?? [] {
        Messages.report(change)
      }
    }
    let isNew = state.withLock { state in
      defer { state.unplaced = report.unplaced }
      return state.unplaced != report.unplaced
    }
    if isNew, report.unplaced > 0 {
      let count = counted(report.unplaced, "record has", "records have")
      aside("warning: \(count) no place in the tree; list them all with: staffbook doctor")
    }
  }

  private var time: String {
    showsTime ? LocalTime.text(Int64(Platform.time(nil)), in: .ofProcess) + " " : ""
  }

  private func report(_ text: String) { Messages.report(time + text) }

  private func aside(_ text: String) { Messages.sayAside(time + text) }
}

extension WatchMode {
  fileprivate var text: String {
    switch self {
    case .listening: "waiting for changes announced by the database"
    case .polling(let reason): "checking for changes periodically, since \(reason.text)"
    }
  }
}

extension WatchEvent {
  /// One line for programs; `nil` where there is nothing to tell them.
  fileprivate var json: String? {
    switch self {
    case .ready, .recovered: nil
    case .synced(let report, let seconds): report.json(seconds: seconds)
    case .failed(let error, _): Self.json("problem", error.message)
    case .waiting(.listening): Self.json("listening", nil)
    case .waiting(.polling(let reason)): Self.json("polling", reason.text)
    }
  }

  private static func json(_ event: String, _ reason: String?) -> String {
    let object: JSONObject = ["event": event, "reason": reason]
    return object.line
  }
}
