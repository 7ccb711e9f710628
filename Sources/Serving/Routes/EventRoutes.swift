import ChangeHistory
import DirectoryModel
import DirectoryReading
import HTTPTypes
import HummingbirdCore
import LiveDirectory
import NIOCore
import OutlineEngine
import ServiceLifecycle
import Synchronization

extension Route {
  /// Server-sent events (HTML Standard, §9.2).
  static let events = Route(
    path: "/api/v1/events",
    summary: "Tells what changed, when another state of the directory answers, and how the rows of "
      + "an open set changed.",
    parameters: [
      Parameter(
        name: "set",
        kind: .text(most: 32),
        summary: "The name of an open set, whose row changes are sent."
      )
    ],
    answer: .events,
    problems: [.notFound]
  ) { request in
    let permit = try request.service.limits.stream(request.caller.key)
    let set = request.text("set")
    let (found, position) = try await request.readOn { directory in
      (directory: directory, outline: try set.map { try request.outline($0, of: directory) })
    }
    let start = EventStream(request, found.directory, found.outline, position)
    var reply = Reply(Answer.events.rawValue) { writer in
      defer { withExtendedLifetime(permit) {} }
      var stream = start
      try await stream.run(&writer)
    }
    reply.headers[.cacheControl] = "no-store"
    reply.headers[RouteRequest.stateField] = position?.text
    return reply
  }

  /// HTML Standard, §9.2.4.
  static let lastEventField: HTTPField.Name = {
    guard let name = HTTPField.Name("Last-Event-ID") else { preconditionFailure("a name") }
    return name
  }()
}

extension RouteRequest {
  /// Reads the directory no earlier than where a stream of any node ended, or as it is here: a browser
  /// does not connect again after an error.
  fileprivate func readOn<Result: Sendable>(
    _ body: @escaping @Sendable (Directory) throws -> Result
  ) async throws -> (result: Result, position: StatePosition?) {
    guard seen == nil, let last = headers[Route.lastEventField].flatMap({ StatePosition($0) })
    else {
      return try await read(body)
    }
    var continued = self
    continued.seen = last
    do { return try await continued.read(body) } catch { return try await read(body) }
  }
}

/// What a stream has to tell next.
private enum QueuedEvent: Sendable {
  case found(FoundChanges)
  case replaced
  case nothing
  /// There was more than a slow client could be told.
  case lost
}

/// What waits for a client that reads slowly.
private final class EventQueue: Sendable {
  let stream: AsyncStream<QueuedEvent>
  private let continuation: AsyncStream<QueuedEvent>.Continuation
  private let isLost = Mutex(false)
  private let isClosed = Mutex(false)
  private static let mostWaiting = 256

  init() {
    (stream, continuation) = AsyncStream.makeStream(
      bufferingPolicy: .bufferingOldest(Self.mostWaiting)
    )
  }

  func tell(_ event: QueuedEvent) {
    isLost.withLock { isLost in
      let result = continuation.yield(isLost ? .lost : event)
      isLost = if case .dropped = result { true } else { false }
    }
  }

  func finish() { continuation.finish() }

  /// Whether nothing more may be told, also of what waits.
  var isEnded: Bool { isClosed.withLock { $0 } }

  /// Ends it before what waits is told.
  func end() {
    isClosed.withLock { $0 = true }
    finish()
  }
}

/// One client's stream.
private struct EventStream: Sendable {
  private let request: RouteRequest
  private let events = EventQueue()
  private var directory: Directory
  private var outline: DirectoryOutline?
  private var position: StatePosition?

  /// How often a comment is sent where nothing happens, so that a lost client is noticed.
  private static let pause = Duration.seconds(20)
  /// How often it is looked whether a token still lets its client in.
  ///
  /// With `TokenHolders.freshness`, a stream ends within five seconds after its token was removed.
  private static let tokenPause = Duration.seconds(1)
  /// So many changes are told; of more the client reads again.
  private static let mostRanges = 1_000

  init(
    _ request: RouteRequest,
    _ directory: Directory,
    _ outline: DirectoryOutline?,
    _ position: StatePosition?
  ) {
    (self.request, self.directory) = (request, directory)
    (self.outline, self.position) = (outline, position)
  }

  /// Sends events until the client, or the server, ends, or the caller is no longer let in.
  mutating func run(_ writer: inout any ResponseBodyWriter) async throws {
    let events = self.events
    let found = request.service.found
    let number = found.add { events.tell(.found($0)) }
    defer { found.remove(number) }
    let replacements = request.service.hub.replacements()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { for await _ in replacements { events.tell(.replaced) } }
      group.addTask {
        while true {
          try await Task.sleep(for: Self.pause)
          events.tell(.nothing)
        }
      }
      if request.caller.scope != nil {
        group.addTask { [request] in
          while await request.isStillLetIn { try await Task.sleep(for: Self.tokenPause) }
          events.end()
        }
      }
      defer { group.cancelAll() }
      try await withGracefulShutdownHandler {
        try await request.body?.consumeWithInboundCloseHandler { _ in
          try await send(events.stream, &writer)
        } onInboundClosed: {
          events.finish()
        }
      } onGracefulShutdown: {
        events.finish()
      }
    }
  }

  private mutating func send(
    _ events: AsyncStream<QueuedEvent>,
    _ writer: inout any ResponseBodyWriter
  ) async throws {
    let seen = request.headers[Route.lastEventField]
    do {
      try await send(seen == nil || seen == position?.text ? "state" : "reset", state, &writer)
      for await event in events {
        // People are removed by a sync, which is an event.
        guard await request.isStillLetIn else { return }
        try await send(event, &writer)
      }
    } catch let error as DirectoryError where error.kind == .notSignedIn {
      // Found out before an event was written; or the state that came meanwhile gives the caller's
      // id to another person.
      return
    }
  }

  private mutating func send(
    _ event: QueuedEvent,
    _ writer: inout any ResponseBodyWriter
  ) async throws {
    switch event {
    case .nothing:
      try await writer.write(ByteBuffer(string: ":\n\n"))
      try await follow(&writer)
    case .found(let found): try await tell(found, &writer)
    case .replaced: try await follow(withPosition: position != nil, &writer)
    case .lost: try await send("reset", state, &writer)
    }
  }

  private struct FoundJSON: Encodable {
    var added: [Record] = []
    var changed: [Record] = []
    var removed: [Record] = []

    struct Record: Encodable {
      var kind: String
      var id: String
    }
  }

  /// Tells what a sync has found; the state that is in place stays the one that the stream is at.
  private func tell(
    _ found: FoundChanges,
    _ writer: inout any ResponseBodyWriter
  ) async throws {
    let session = request.session
    guard let seen = try await request.service.read({ try found.seen(by: session) }) else { return }
    guard !seen.isEmpty else { return }
    var json = FoundJSON()
    for record in seen {
      let name = FoundJSON.Record(
        kind: record.kind == .department ? "department" : "user",
        id: record.id
      )
      switch record.action {
      case .added: json.added.append(name)
      case .removed: json.removed.append(name)
      default: json.changed.append(name)
      }
    }
    try await send("changes", JSONLine.encode(json), &writer)
  }

  /// Tells what has become of the directory since; nothing where the caller sees nothing else.
  ///
  /// - Parameters:
  ///   - withPosition: Whether a state without a position is left for later: a sync writes it after the
  ///     state, which is a replacement again, and a client cannot go on from an event without.
  ///   - writer: Of the stream.
  /// - Throws: As `RouteRequest.read(isLimited:_:)`, and where the client has disconnected.
  private mutating func follow(
    withPosition: Bool = false,
    _ writer: inout any ResponseBodyWriter
  ) async throws {
    let former = self
    let (found, position) = try await request.read { directory -> EventStream? in
      guard directory.checksum != former.directory.checksum else { return nil }
      var next = former
      next.directory = directory
      return next
    }
    guard var next = found, position != nil || !withPosition else { return }
    next.position = position
    let isSame = try await request.service.compare { [next] in
      try next.directory.shows(sameAs: former.directory)
    }
    var event = ("state", next.state)
    if next.directory.sight != directory.sight {
      // A set of the class before may not be known to this one.
      next.outline = try await request.service.read { [next] in
        try next.request.text("set").flatMap {
          try next.request.service.openSets.outline($0, of: next.directory)
        }
      }
      event = ("reset", next.state)
    } else if next.outline != nil {
      (event, next.outline) = try await request.service.read { [next] in
        var outline = next.outline
        guard let rows = try outline?.follow(to: next.directory).rows else {
          return (("state", next.state), outline)
        }
        let changes = RowChangesJSON(rows, count: outline?.rowCount ?? 0)
        return (
          changes.ranges > Self.mostRanges ? ("reset", next.state) : ("rows", changes.text), outline
        )
      }
    }
    self = next
    if !isSame { try await send(event.0, event.1, &writer) }
  }

  private var state: String {
    let object: JSONObject = [
      "takenAt": UTCTime.text(directory.takenAt * 1_000_000),
      "count": outline?.rowCount,
    ]
    return object.line
  }

  /// Sends an event, which may have taken long to make: a token may have been removed meanwhile.
  ///
  /// - Throws: `.notSignedIn` then, and where the client has disconnected.
  private func send(
    _ event: String,
    _ data: String,
    _ writer: inout any ResponseBodyWriter
  ) async throws {
    guard !events.isEnded, await request.isStillLetIn else {
      throw DirectoryError(.notSignedIn, "the caller is no longer let in")
    }
    let id = position.map { "id: \($0.text)\n" } ?? ""
    try await writer.write(ByteBuffer(string: "\(id)event: \(event)\ndata: \(data)\n\n"))
  }
}

/// Row changes as JSON, in the order in which they are carried out: numbers of before, then of after.
private struct RowChangesJSON: Sendable {
  private struct JSON: Encodable {
    struct Move: Encodable {
      var from: [Int]
      var to: [Int]
    }

    var count: Int
    var removed: [[Int]]
    var inserted: [[Int]]
    var moved: [Move]
    var redrawn: [[Int]]
  }

  let text: String
  /// How many there are.
  let ranges: Int

  init(_ changes: RowChanges, count: Int) {
    func pair(_ range: Range<Int>) -> [Int] { [range.lowerBound, range.upperBound] }
    ranges =
      changes.removed.count + changes.inserted.count + changes.moved.count + changes.redrawn.count
    text = JSONLine.encode(
      JSON(
        count: count,
        removed: changes.removed.map(pair),
        inserted: changes.inserted.map(pair),
        moved: changes.moved.map { JSON.Move(from: pair($0.from), to: pair($0.to)) },
        redrawn: changes.redrawn.map(pair)
      )
    )
  }
}
