import DirectoryModel
import DirectoryReading
import HTTPTypes
import HummingbirdCore
import LiveDirectory
import Logging
import NIOCore
import SiteSettings

/// Parses a request, finds out who asks, calls the route, and encodes its reply.
struct ServiceResponder: Sendable {
  private let service: DirectoryService
  private let router = Router(Route.all)
  private let peers: PeerAddresses
  private let clock = HTTPClock()
  private let connections: ClientConnections
  private let logger: Logger

  /// The most bytes of a request's content.
  static let mostContent = 1 << 20

  init(
    _ service: DirectoryService,
    _ peers: PeerAddresses,
    _ connections: ClientConnections,
    _ logger: Logger
  ) {
    (self.service, self.peers, self.connections, self.logger) = (
      service, peers, connections, logger
    )
  }

  /// Answers one request of a connection.
  func respond(
    to request: Request,
    _ writer: consuming ResponseWriter,
    _ channel: any Channel
  ) async throws {
    service.counters.change { $0.open += 1 }
    let began = ContinuousClock.now
    let target = RequestTarget(request.head.path ?? "/")
    let match = router.match(request.method, target.path)
    let reply = await reply(to: request, target, match, from: channel)
    var (head, body) = reply.response(to: request.head)
    head.headerFields[.date] = clock.date
    let duration = began.duration(to: .now) / .seconds(1)
    service.counters.change { values in
      values.open -= 1
      values.seconds += duration
      values.requests[head.status.code, default: 0] += 1
    }
    if service.settings.server.accessLog { log(request.method, match, head.status, duration) }
    try await writer.write(response: head, body: body)
  }

  /// Writes the route and not the path, which names people.
  private func log(
    _ method: HTTPRequest.Method,
    _ match: Router.Match,
    _ status: HTTPResponse.Status,
    _ seconds: Double
  ) {
    let route: String = if case .route(let route, _) = match { route.path } else { "-" }
    logger.info(
      "request",
      metadata: [
        "method": "\(HTTPRequest.Method.known.contains(method) ? method.rawValue : "-")",
        "route": "\(route)", "status": "\(status.code)", "seconds": "\(seconds)",
      ]
    )
  }

  private func reply(
    to request: Request,
    _ target: RequestTarget,
    _ match: Router.Match,
    from channel: any Channel
  ) async -> Reply {
    let problem: Problem
    do {
      let origin = RequestOrigin(
        address: peers.address(of: channel),
        authority: request.head.authority ?? "",
        headers: request.headers,
        isRead: request.method == .get || request.method == .head
      )
      return try await reply(to: request, target, match, origin) { [connections] in
        await connections.end(of: channel)
      }
    } catch let error as Problem {
      problem = error
    } catch is CancellationError {
      problem = Problem(.unavailable)
    } catch {
      let error = DirectoryError(describing: error)
      problem = Problem(error)
      if problem.kind == .internalError { logger.error("cannot answer: \(error.message)") }
    }
    return problem.reply(to: request.headers)
  }

  private func reply(
    to request: Request,
    _ target: RequestTarget,
    _ match: Router.Match,
    _ origin: RequestOrigin,
    _ departure: @escaping @Sendable () async -> Void
  ) async throws -> Reply {
    // Balancers and monitoring ask by address.
    if case .route(let route, _) = match, route.access == .anybody {
      // Each route apart: a flood of one keeps nobody behind the same proxy from the others.
      if route.isLimited {
        try service.limits.takeRequest("\(origin.network) \(route.path)")
      }
    } else {
      try service.signIn.requireOwnSite(origin)
    }
    if let entered = try service.signIn.entering(target.path, target.query) { return entered }
    guard case .route(let route, let values) = match else { throw Self.missing(match) }
    var caller = SignedCaller(viewer: .device(""), key: origin.network)
    if route.access != .anybody {
      caller = try await service.caller(origin)
      try service.limits.takeRequest(caller.key)
    }
    if route.access == .copiers, let scope = caller.scope, scope < .copy {
      throw Problem(.notPermitted, "this token does not permit copy", remedy: "use one that does")
    }
    let question = try RouteRequest(
      route,
      service,
      caller,
      origin,
      path: values,
      query: target.query ?? "",
      content: route.body == nil ? [] : try await content(of: request),
      body: route.answer == .events ? request.body : nil,
      departure: departure
    )
    return try await route.reply(question)
  }

  private static func missing(_ match: Router.Match) -> Problem {
    guard case .otherMethod(let methods) = match else {
      return Problem(.notFound, "this path does not exist", remedy: "GET /openapi.json lists all")
    }
    var problem = Problem(.methodNotAllowed)
    problem.headers[.allow] = methods.map(\.rawValue).joined(separator: ", ")
    return problem
  }

  /// The content of a request.
  ///
  /// - Throws: `.tooSlow` after `DirectoryService.longestContent`, also in silence; `.tooLarge`, and
  ///   `.badRequest`.
  private func content(of request: Request) async throws -> [UInt8] {
    try await withThrowingTaskGroup(of: [UInt8].self) { group in
      defer { group.cancelAll() }
      group.addTask { [body = request.body] in try await Self.bytes(of: body) }
      group.addTask { [service] in
        try await Task.sleep(for: service.longestContent)
        throw Problem(.tooSlow)
      }
      guard let bytes = try await group.next() else { throw CancellationError() }
      return bytes
    }
  }

  private static func bytes(of body: RequestBody) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    do {
      for try await part in body {
        bytes += part.readableBytesView
        guard bytes.count <= mostContent else {
          throw Problem(.tooLarge, "the content has more than \(mostContent) bytes")
        }
      }
    } catch  where !(error is Problem || error is CancellationError) {
      // Of the client's doing: no chunk, or the end of the connection.
      throw Problem(.badRequest, "the content is malformed or incomplete")
    }
    return bytes
  }
}

extension HTTPRequest.Method {
  /// Others are anybody's texts.
  fileprivate static let known: Set = [
    get, head, post, put, delete, options, patch, trace, connect,
  ]
}

/// The path and query of a request, still encoded.
private struct RequestTarget {
  let path: String
  let query: String?

  /// - Parameter text: In origin-form or absolute-form (RFC 9112 §3.2).
  init(_ text: String) {
    var rest = text[...]
    if !rest.hasPrefix("/"), let scheme = rest.firstRange(of: "://") {
      rest = rest[scheme.upperBound...].drop { $0 != "/" && $0 != "?" }
    }
    let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = parts.first.map { $0.isEmpty ? "/" : String($0) } ?? "/"
    query = parts.count > 1 ? String(parts[1]) : nil
  }
}
