import DirectoryModel
import DirectoryReading
import HTTPTypes
import LiveDirectory
import NIOCore
import NIOPosix
import Platform
import SiteSettings
import Synchronization

/// What all requests share.
package final class DirectoryService: Sendable {
  package let hub: Hub
  package let settings: Settings
  package let version: String
  let signIn: SignIn
  let openSets = OpenSets()
  let limits: RequestLimits
  let counters = ServiceCounters()
  let freshness = Freshness()
  /// What syncs of this process have found.
  let found = Broadcast<FoundChanges>()
  /// How long a question about the past may take.
  let longestAnswer: Duration
  /// How long the content of a request may take to arrive.
  let longestContent: Duration
  private let people: ViewerLookUp
  private let tokens: TokenHolders
  private let administrator: Administrator
  /// Where directories are read, so that a long search holds up no connection.
  private let threads = BoundedExecutor(
    threads: DirectoryService.threadCount,
    label: "staffbook.requests"
  )
  static let threadCount = max(4, 2 * System.coreCount)
  /// Where it is looked who asks, so that requests that take long keep nobody from signing in, and no
  /// stream from ending.
  private let signInThreads = BoundedExecutor(threads: 2, label: "staffbook.sign-in")
  /// Where exports are made, each of which holds a thread while its client reads.
  private let exportThreads = BoundedExecutor(
    threads: RequestLimits.mostExports,
    label: "staffbook.exports"
  )

  /// Where questions about the past are prepared and answered, which for tables of one's own wait for a
  /// file.
  let pastThreads = BoundedExecutor(threads: 4, label: "staffbook.past")

  /// Where states are compared, which takes as long as an export: one after the other, so that requests
  /// go on meanwhile and what was found of a class is found once.
  private let comparing = BoundedExecutor(threads: 1, label: "staffbook.comparisons")

  /// - Parameters:
  ///   - settings: Of the directory and of the server.
  ///   - version: The program's.
  ///   - longestAnswer: How long a question about the past may take.
  ///   - longestContent: How long the content of a request may take to arrive.
  ///   - tell: Told what its administrator should know and no error is.
  /// - Throws: Nothing, as its own caller sees everything.
  package init(
    _ settings: Settings,
    version: String,
    longestAnswer: Duration = .seconds(10),
    longestContent: Duration = .seconds(30),
    tell: @escaping @Sendable (Advice) -> Void
  ) throws(DirectoryError) {
    self.settings = settings
    self.version = version
    self.longestAnswer = longestAnswer
    self.longestContent = longestContent
    hub = Hub(Site(settings: settings, tell: tell), isLongLived: true)
    signIn = SignIn(settings.server)
    limits = RequestLimits(settings.server)
    let own = Session(hub, settings.caller(.everything), tell: tell)
    administrator = try Administrator(own, to: "serve")
    people = ViewerLookUp(administrator)
    tokens = TokenHolders(administrator)
  }

  /// What stands behind the slash of the address to open; `nil` where a proxy signs people in.
  package var entrance: String? { signIn.key.map { "?key=\($0)" } }

  /// Keeps the directory fresh beside the requests, until the task is cancelled.
  ///
  /// - Throws: As `DirectoryWatch.watch(_:_:)`.
  func watch(_ tell: @escaping @Sendable (WatchEvent) -> Void) async throws(DirectoryError) {
    var options = WatchOptions()
    options.sync.found = { [found] in found.send($0) }
    // It may wait for the database in the system, which only a descriptor ends.
    let stop = Pipe()
    options.stop = stop?.reading ?? -1
    defer { for end in [stop?.reading, stop?.writing] { end.map { _ = close($0) } } }
    let watching = options
    do {
      try await withTaskCancellationHandler {
        try await DirectoryWatch(administrator).watch(watching, tell)
      } onCancel: {
        stop.map { _ = write($0.writing, [0], 1) }
      }
    } catch {
      throw DirectoryError(describing: error)
    }
  }

  /// Who sends a request.
  ///
  /// - Throws: As `SignIn.caller(_:person:holder:)`; `.tooManyRequests` after several wrong tokens.
  func caller(_ origin: RequestOrigin) async throws -> SignedCaller {
    do {
      return try await signedIn(origin)
    } catch let problem as Problem where problem.kind == .notSignedIn {
      if origin.headers[.authorization] != nil { try limits.takeWrongToken(origin.network) }
      throw problem
    }
  }

  /// Whether a request that was let in would be so now, as the same caller.
  ///
  /// It is not where that cannot be found out: the request would be refused, too.
  func isStill(_ caller: SignedCaller, _ origin: RequestOrigin) async -> Bool {
    (try? await signedIn(origin)) == caller
  }

  private func signedIn(_ origin: RequestOrigin) async throws -> SignedCaller {
    try await signIn.caller(
      origin,
      person: { [people] name in try await look { try people.person(signedInAs: name) } },
      holder: { [people, tokens] text in
        guard let holder = try await tokens.holder(of: text),
          try await look({ try people.hasID(holder.viewer, holder.identity) })
        else { return nil }
        return SignedCaller(
          viewer: holder.viewer,
          identity: holder.identity,
          scope: holder.scope,
          key: "token:\(holder.token)"
        )
      }
    )
  }

  /// A session of a caller who is signed in.
  func session(_ signed: SignedCaller) -> Session {
    var caller = settings.caller(signed.viewer)
    caller.identity = signed.identity
    if case .person(let id) = signed.viewer {
      (caller.me, caller.actor) = (id.rawValue, id.rawValue)
    }
    return Session(hub, caller, tell: { _ in })
  }

  /// Reads on a thread that may wait; not where the task was cancelled before its turn came.
  func read<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withTaskExecutorPreference(threads) { () async throws -> Result in
      try Task.checkCancellation()
      return try body()
    }
  }

  /// Reads who somebody is, on a thread that no other request has.
  private func look<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withTaskExecutorPreference(signInThreads) { try body() }
  }

  /// Compares states of the directory.
  func compare<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withTaskExecutorPreference(comparing) { try body() }
  }

  /// Makes an export on a thread that waits for its client.
  func export<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withTaskExecutorPreference(exportThreads) { try body() }
  }
}

/// How old the directory is, and whether the database could be read last.
final class Freshness: Sendable {
  private let state = Mutex((syncedAt: Int64?.none, isFailing: false))

  /// - Parameter moment: Seconds since 1970, UTC.
  func noteSync(at moment: Int64? = nil) {
    state.withLock { $0 = (moment ?? Int64(Platform.time(nil)), false) }
  }

  func noteFailure() { state.withLock { $0.isFailing = true } }

  /// Seconds since the directory was last found to be its source's; `nil` where it never was.
  var lag: Int64? {
    state.withLock { state in state.syncedAt.map { max(0, Int64(Platform.time(nil)) - $0) } }
  }

  var isFailing: Bool { state.withLock { $0.isFailing } }
}

/// Hands values to all listeners.
final class Broadcast<Value: Sendable>: Sendable {
  private let listeners = Mutex((count: 0, bodies: [Int: @Sendable (Value) -> Void]()))

  func send(_ value: Value) {
    for body in listeners.withLock({ Array($0.bodies.values) }) { body(value) }
  }

  /// - Parameter body: Must not wait.
  /// - Returns: What `remove(_:)` takes.
  func add(_ body: @escaping @Sendable (Value) -> Void) -> Int {
    listeners.withLock { listeners in
      listeners.count += 1
      listeners.bodies[listeners.count] = body
      return listeners.count
    }
  }

  func remove(_ number: Int) { listeners.withLock { $0.bodies[number] = nil } }
}

/// Numbers for `/metrics`.
final class ServiceCounters: Sendable {
  struct Values {
    var requests: [Int: Int] = [:]
    var open = 0
    var connections = 0
    /// Those whose requests are answered; the others wait.
    var takenConnections = 0
    var seconds = 0.0
  }

  private let values = Mutex(Values())

  func change(_ change: (inout Values) -> Void) { values.withLock { change(&$0) } }

  var now: Values { values.withLock { $0 } }
}
