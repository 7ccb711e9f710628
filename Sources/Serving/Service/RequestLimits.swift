import DirectoryModel
import Platform
import SiteSettings
import Synchronization

/// How much one caller may ask for.
final class RequestLimits: Sendable {
  /// Exports that are made at once, for all viewers and for one, by whatever tokens.
  static let mostExports = 16
  static let mostExportsOfOne = 2
  /// Looks at past times that are under way at once, for all viewers and for one.
  static let mostPasts = 16
  static let mostPastsOfOne = 2
  /// Other answers that are made at once for one viewer, by whatever tokens: no one has all threads.
  static let mostAnswersOfOne = max(2, DirectoryService.threadCount / 2)
  private static let answerPatience = Duration.seconds(1)
  /// Questions about history that are answered at once for one viewer, by whatever tokens.
  static let mostLogsOfOne = 2
  /// Streams of events that one caller may have open.
  static let mostStreamsOfOne = 20
  /// Wrong tokens of one address, at first and in a minute.
  static let mostWrongTokens = 10

  private struct Bucket {
    var tokens: Double
    var at: ContinuousClock.Instant
  }

  private let settings: ServerSettings
  private let requests = Mutex<[String: Bucket]>([:])
  private let exports = Mutex<[String: Bucket]>([:])
  private let wrongTokens = Mutex<[String: Bucket]>([:])
  private let running = PermitCounts()
  private let pasts = PermitCounts()
  private let answers = PermitLines()
  private let logs = PermitCounts()
  private let streams = PermitCounts()
  /// Callers who are remembered; those who did not ask for long have full buckets in any case.
  private static let mostCallers = 10_000

  init(_ settings: ServerSettings) { self.settings = settings }

  /// - Throws: `.tooManyRequests`.
  func takeRequest(_ caller: String) throws(Problem) {
    let rate = Double(settings.requestsPerSecond)
    try take(caller, requests, most: 2 * rate, perSecond: rate)
  }

  /// Notes a wrong token; right ones are never slowed down by the wrong ones of others.
  ///
  /// - Parameter network: As `network(of:)`.
  /// - Throws: `.tooManyRequests`.
  func takeWrongToken(_ network: String) throws(Problem) {
    let most = Double(Self.mostWrongTokens)
    try take(network, wrongTokens, most: most, perSecond: most / 60)
  }

  /// Begins an export, which ends with the permit.
  ///
  /// - Throws: `.tooManyRequests`.
  func export(_ caller: SignedCaller) throws(Problem) -> Permit {
    let name = "\(caller.viewer)"
    guard let permit = Permit(name, running, of: Self.mostExportsOfOne, all: Self.mostExports)
    else {
      throw Problem(.tooManyRequests, "other exports are under way", retryAfter: 5)
    }
    try takeExport(caller)
    return permit
  }

  /// Begins a look at a past time, which ends with the permit.
  ///
  /// Clients that read exports slowly keep nobody from it.
  ///
  /// - Throws: `.tooManyRequests`.
  func past(_ caller: SignedCaller) throws(Problem) -> Permit {
    let name = "\(caller.viewer)"
    guard let permit = Permit(name, pasts, of: Self.mostPastsOfOne, all: Self.mostPasts) else {
      throw Problem(.tooManyRequests, "other looks at past times are under way", retryAfter: 5)
    }
    try takeExport(caller)
    return permit
  }

  private func takeExport(_ caller: SignedCaller) throws(Problem) {
    let most = Double(settings.exportsPerHour)
    try take(caller.key, exports, most: most, perSecond: most / 3_600)
  }

  /// Begins an answer from the directory, which ends with the permit.
  ///
  /// Waits a moment for others to end: a page asks for several things at once.
  ///
  /// - Throws: `.tooManyRequests`, and `CancellationError` in a cancelled task.
  func answer(_ viewer: Viewer) async throws -> Permit {
    let most = Self.mostAnswersOfOne
    if let permit = await answers.permit(viewer, of: most, within: Self.answerPatience) {
      return permit
    }
    try Task.checkCancellation()
    throw Problem(
      .tooManyRequests,
      "\(most) requests are being answered already",
      retryAfter: 1
    )
  }

  /// Begins a question about history, which ends with the permit.
  ///
  /// Those of others wait in line for a connection.
  ///
  /// - Throws: `.tooManyRequests`.
  func log(_ viewer: Viewer) throws(Problem) -> Permit {
    guard let permit = Permit("\(viewer)", logs, of: Self.mostLogsOfOne) else {
      throw Problem(
        .tooManyRequests,
        "\(Self.mostLogsOfOne) questions about history are being answered already",
        retryAfter: 1
      )
    }
    return permit
  }

  /// Begins a stream of events, which ends with the permit.
  ///
  /// - Throws: `.tooManyRequests`.
  func stream(_ caller: String) throws(Problem) -> Permit {
    guard let permit = Permit(caller, streams, of: Self.mostStreamsOfOne) else {
      throw Problem(
        .tooManyRequests,
        "\(Self.mostStreamsOfOne) streams of events are open already",
        retryAfter: 60
      )
    }
    return permit
  }

  /// How many streams of events are open.
  var streamCount: Int { streams.count }

  /// The address, or the /64 that an IPv6 address is one of: a household has so many.
  ///
  /// - Parameter address: In any spelling (RFC 4291 §2.2); `nil` for a Unix socket.
  /// - Returns: A text that is the same for addresses of one network.
  static func network(of address: String?) -> String {
    guard let address else { return "socket" }
    var bytes = [UInt8](repeating: 0, count: 16)
    guard inet_pton(AF_INET6, address, &bytes) == 1 else { return address }
    // All of IPv4 would be one /64 (RFC 4291 §2.5.5.2).
    if bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]) {
      return bytes[12...].map { "\($0)" }.joined(separator: ".")
    }
    return "\(bytes[..<8])"
  }

  private func take(
    _ caller: String,
    _ buckets: borrowing Mutex<[String: Bucket]>,
    most: Double,
    perSecond: Double
  ) throws(Problem) {
    let now = ContinuousClock.now
    let wait: Double? = buckets.withLock { buckets in
      if buckets.count >= Self.mostCallers {
        buckets = buckets.filter { entry in
          entry.value.tokens + entry.value.at.duration(to: now) / .seconds(1) * perSecond < most
        }
      }
      var bucket = buckets[caller] ?? Bucket(tokens: most, at: now)
      let gained = bucket.at.duration(to: now) / .seconds(1) * perSecond
      bucket.tokens = min(most, bucket.tokens + gained)
      bucket.at = now
      defer { buckets[caller] = bucket }
      guard bucket.tokens < 1 else {
        bucket.tokens -= 1
        return nil
      }
      return (1 - bucket.tokens) / perSecond
    }
    guard let wait else { return }
    throw Problem(.tooManyRequests, retryAfter: max(1, Int(wait.rounded(.up))))
  }
}

/// How many things of a kind are under way, by caller.
private final class PermitCounts: Sendable {
  private let counts = Mutex<[String: Int]>([:])

  var count: Int { counts.withLock { $0.values.reduce(0, +) } }

  func begin(_ caller: String, of one: Int, all: Int) -> Bool {
    counts.withLock { counts in
      guard counts[caller, default: 0] < one, counts.values.reduce(0, +) < all else { return false }
      counts[caller, default: 0] += 1
      return true
    }
  }

  func end(_ caller: String) {
    counts.withLock { counts in
      guard let count = counts[caller] else { return }
      counts[caller] = count > 1 ? count - 1 : nil
    }
  }
}

/// Permits for which viewers stand in line, each in one of their own.
private final class PermitLines: Sendable {
  private struct Line {
    var count = 0
    /// The first comes next.
    var waiting: [(id: Int, turn: CheckedContinuation<Bool, Never>)] = []
  }

  private struct State {
    var lines: [Viewer: Line] = [:]
    var lastID = 0
  }

  private let state = Mutex(State())

  /// A permit, of which a viewer has at most `most`.
  ///
  /// - Returns: `nil` if it was not the viewer's turn in time, or the task was cancelled.
  func permit(_ viewer: Viewer, of most: Int, within patience: Duration) async -> Permit? {
    let id: Int? = state.withLock { state in
      if state.lines[viewer, default: Line()].count < most {
        state.lines[viewer, default: Line()].count += 1
        return nil
      }
      state.lastID += 1
      return state.lastID
    }
    if let id {
      let isTurn = await withTaskCancellationHandler {
        await withCheckedContinuation { turn in
          let isFree = state.withLock { state in
            if state.lines[viewer, default: Line()].count < most {
              state.lines[viewer, default: Line()].count += 1
              return true
            }
            state.lines[viewer, default: Line()].waiting.append((id, turn))
            return false
          }
          if isFree { return turn.resume(returning: true) }
          if Task.isCancelled { return leave(viewer, id) }
          Task { [weak self] in
            try? await Task.sleep(for: patience)
            self?.leave(viewer, id)
          }
        }
      } onCancel: {
        leave(viewer, id)
      }
      guard isTurn else { return nil }
    }
    return Permit { [self] in end(viewer) }
  }

  /// Gives up waiting, unless it is one's turn already.
  private func leave(_ viewer: Viewer, _ id: Int) {
    let turn = state.withLock { state in
      state.lines[viewer]?.waiting.firstIndex { $0.id == id }.flatMap { index in
        state.lines[viewer]?.waiting.remove(at: index).turn
      }
    }
    turn?.resume(returning: false)
  }

  /// Hands a permit to the next in line.
  private func end(_ viewer: Viewer) {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      guard var line = state.lines[viewer] else { return nil }
      let next = line.waiting.isEmpty ? nil : line.waiting.removeFirst().turn
      if next == nil { line.count -= 1 }
      state.lines[viewer] = line.count > 0 ? line : nil
      return next
    }
    next?.resume(returning: true)
  }
}

/// Something of which a caller may have only so many under way: it ends with the last who holds it.
final class Permit: Sendable {
  private let end: @Sendable () -> Void

  fileprivate init(_ end: @escaping @Sendable () -> Void) { self.end = end }

  /// - Returns: `nil` where there are as many as there may be.
  fileprivate convenience init?(
    _ caller: String,
    _ counts: PermitCounts,
    of one: Int,
    all: Int = .max
  ) {
    guard counts.begin(caller, of: one, all: all) else { return nil }
    self.init { counts.end(caller) }
  }

  deinit { end() }
}
