import DirectoryModel
import DirectoryReading
import FoundationEssentials
import HTTPTypes
import HummingbirdCore
import LiveDirectory
import Platform

/// A request whose values were judged by its route.
package struct RouteRequest: Sendable {
  let service: DirectoryService
  /// Who asks; of a route for anybody it sees nothing.
  let session: Session
  let caller: SignedCaller
  private let origin: RequestOrigin
  /// The state that the client has seen.
  var seen: StatePosition?
  /// The content, where the route takes some.
  let content: [UInt8]
  /// By which a stream learns that its client has disconnected.
  let body: RequestBody?
  /// Returns when the client has gone.
  private let departure: @Sendable () async -> Void
  private let values: [String: String]
  private let parameters: [Route.Parameter]

  /// What a client and a server say of the newest state that they know.
  static let stateField: HTTPField.Name = {
    guard let name = HTTPField.Name("Staffbook-State") else { preconditionFailure("a name") }
    return name
  }()
  /// How long a request waits for a state that its client has seen at another node.
  private static let patience = Duration.seconds(2)

  /// Judges the values of the path, and of the query, which is still encoded.
  ///
  /// - Throws: `.badRequest` for a name that the route does not have, one that is there twice, and a
  ///   value that its kind refuses.
  init(
    _ route: Route,
    _ service: DirectoryService,
    _ caller: SignedCaller,
    _ origin: RequestOrigin,
    path: [String: String],
    query: String,
    content: [UInt8],
    body: RequestBody?,
    departure: @escaping @Sendable () async -> Void
  ) throws(Problem) {
    var values = path
    for pair in query.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentEncoding.decoded(parts[0], isQuery: true),
        let value = PercentEncoding.decoded(parts.count > 1 ? parts[1] : "", isQuery: true)
      else { throw Problem(.badRequest, "the query is not percent-encoded UTF-8") }
      guard route.parameters.contains(where: { $0.name == name && $0.place == .query }) else {
        let known = route.parameters.filter { $0.place == .query }.map(\.name)
        throw Problem(
          .badRequest,
          "unknown parameter \"\(name)\"",
          remedy: known.isEmpty ? nil : "the parameters are \(known.joined(separator: ", "))"
        )
      }
      guard values.updateValue(value, forKey: name) == nil else {
        throw Problem(.badRequest, "the parameter \"\(name)\" is given twice")
      }
    }
    for parameter in route.parameters {
      guard let value = values[parameter.name] else {
        if parameter.isRequired {
          throw Problem(.badRequest, "the parameter \"\(parameter.name)\" is missing")
        }
        continue
      }
      if let fault = parameter.fault(of: value) {
        throw Problem(.badRequest, "the parameter \"\(parameter.name)\" \(fault)")
      }
    }
    var seen: StatePosition?
    if route.access != .anybody, let text = origin.headers[Self.stateField] {
      seen = StatePosition(text)
      if seen == nil {
        throw Problem(.badRequest, "the header \(Self.stateField) is not one that a server gave")
      }
    }
    (self.service, self.caller, self.origin) = (service, caller, origin)
    (self.content, self.body, self.departure) = (content, body, departure)
    (self.values, self.seen, parameters) = (values, seen, route.parameters)
    session = service.session(caller)
  }

  var headers: HTTPFields { origin.headers }

  /// Whether it would be let in now, as the same caller.
  var isStillLetIn: Bool { get async { await service.isStill(caller, origin) } }

  // MARK: Values

  func text(_ name: String) -> String? { values[name] }

  /// A value that the route requires.
  func required(_ name: String) -> String {
    guard let value = values[name] else { preconditionFailure("\(name) is not required") }
    return value
  }

  func number(_ name: String) -> Int {
    guard case .number(_, let usual) = parameters.first(where: { $0.name == name })?.kind else {
      preconditionFailure("\(name) is not a number")
    }
    return values[name].flatMap { Int($0) } ?? usual
  }

  func flag(_ name: String) -> Bool { values[name] == "true" }

  /// The content as JSON.
  ///
  /// - Throws: `.badRequest`.
  func decoded<Value: Decodable>() throws(Problem) -> Value {
    do {
      return try JSONDecoder().decode(Value.self, from: Data(content))
    } catch {
      throw Problem(.badRequest, "the content is not the JSON that this path accepts")
    }
  }

  // MARK: Answers

  /// Reads the directory as the caller sees it, on a thread that may wait.
  ///
  /// - Parameters:
  ///   - isLimited: Whether a viewer has only so many at a time, which whatever has a limit of its own
  ///     does not need.
  ///   - body: Is called once it is there.
  /// - Returns: What it gives, and the state that it was of.
  /// - Throws: `.unavailable` where the state that the client has seen does not come in time,
  ///   `.tooManyRequests`, `CancellationError` when the client has gone, and what `body` throws.
  func read<Result: Sendable>(
    isLimited: Bool = false,
    _ body: @escaping @Sendable (Directory) throws -> Result
  ) async throws -> (result: Result, position: StatePosition?) {
    if let found = try await find(isLimited: isLimited, body) { return found }
    // A state is there before it is known which one it is: either is a replacement.
    let (signals, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    async let _: Void = {
      for await _ in service.hub.replacements() { continuation.yield() }
    }()
    async let _: Void = {
      try? await Task.sleep(for: Self.patience)
      continuation.finish()
    }()
    for await _ in signals {
      if let found = try await find(isLimited: isLimited, body) { return found }
    }
    throw Problem(
      .unavailable,
      "this node has not yet reached the state that the client has seen",
      retryAfter: 1
    )
  }

  private func find<Result: Sendable>(
    isLimited: Bool,
    _ body: @escaping @Sendable (Directory) throws -> Result
  ) async throws -> (result: Result, position: StatePosition?)? {
    let permit = isLimited ? try await service.limits.answer(caller.viewer) : nil
    defer { withExtendedLifetime(permit) {} }
    return try await untilDeparture { [service, session, seen] in
      try await service.read {
        try DirectoryOpener(session).directory(notBefore: seen).map {
          (result: try body($0.directory), position: $0.position)
        }
      }
    }
  }

  /// Waits for something that is cancelled when the client has gone.
  ///
  /// - Throws: `CancellationError` then, and what `body` throws.
  func untilDeparture<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { group in
      defer { group.cancelAll() }
      group.addTask { try await body() }
      group.addTask { [departure] in
        await departure()
        throw CancellationError()
      }
      guard let result = try await group.next() else { throw CancellationError() }
      return result
    }
  }

  /// Asks what may take long, and ends it in the database too when the client has gone or it takes longer
  /// than `DirectoryService.longestAnswer`.
  ///
  /// - Throws: `.unavailable`, and what `body` throws.
  func endingWithClient<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await withThrowingTaskGroup(of: Result?.self) { group in
      defer { group.cancelAll() }
      group.addTask(executorPreference: service.pastThreads) { try await body() }
      group.addTask { [service] in
        try await Task.sleep(for: service.longestAnswer)
        return nil
      }
      group.addTask { [departure] in
        await departure()
        throw CancellationError()
      }
      guard let result = try await group.next() ?? nil else {
        throw Problem(
          .unavailable,
          "the answer takes more than \(service.longestAnswer.components.seconds) seconds",
          remedy: "ask for less",
          retryAfter: 60
        )
      }
      return result
    }
  }

  /// Answers from the directory as the caller sees it.
  ///
  /// - Throws: As `read(isLimited:_:)`.
  func reply(_ body: @escaping @Sendable (Directory) throws -> Reply) async throws -> Reply {
    var (reply, position) = try await read(isLimited: true, body)
    reply.headers[Self.stateField] = position?.text
    return reply
  }
}

extension Route.Parameter {
  /// Why a value cannot be one; `nil` where it can.
  fileprivate func fault(of value: String) -> String? {
    switch kind {
    case .text(let most):
      if value.utf8.count > most { return "has more than \(most) bytes" }
      return value.utf8.contains(0) ? "has a NUL" : nil
    case .number(let range, _):
      if let number = Int(value), range.contains(number) { return nil }
      return "is not a number from \(range.lowerBound) to \(range.upperBound)"
    case .flag: return ["true", "false"].contains(value) ? nil : "is neither true nor false"
    case .choice(let values, _):
      return values.contains(value) ? nil : "is none of \(values.joined(separator: ", "))"
    }
  }
}
