import HTTPTypes
import Platform

/// A route of the interface: what it takes, what it answers, and who may call it.
///
/// The router, `/openapi.json` and docs/api.md are made from the same values, and a test asks every
/// route as every kind of caller.
package struct Route: Sendable {
  package enum Access: String, Sendable {
    /// Any client; it answers nothing of the directory.
    case anybody
    /// Any caller who is signed in, answered by what the rules show them.
    case callers
    /// The same, but of tokens only those that may copy.
    case copiers
  }

  /// A value that a route takes.
  package struct Parameter: Sendable {
    package enum Place: String, Sendable { case path, query }
    package enum Kind: Sendable {
      /// At most so many bytes of UTF-8.
      case text(most: Int)
      case number(ClosedRange<Int>, usual: Int)
      case flag
      case choice([String], usual: String?)
    }

    package var name: String
    package var place = Place.query
    package var kind: Kind
    package var isRequired = false
    package var summary: String
  }

  /// What a successful answer is.
  package enum Answer: String, Sendable {
    case json = "application/json"
    case vCard = "text/vcard; charset=utf-8"
    case svg = "image/svg+xml"
    case text = "text/plain; charset=utf-8"
    case events = "text/event-stream"
    /// The format that the request names.
    case file = "*/*"
    case page = "text/html; charset=utf-8"
  }

  package var method = HTTPRequest.Method.get
  /// Such as `/api/v1/people/{id}`.
  package var path: String
  package var access = Access.callers
  package var summary: String
  package var parameters: [Parameter] = []
  /// What a body has to be; `nil` where there is none.
  package var body: String?
  package var answer = Answer.json
  /// Whether requests count towards the limit of who sends them.
  var isLimited = true
  /// Errors besides those that every route may answer.
  package var problems: [Problem.Kind] = []
  package var reply: @Sendable (RouteRequest) async throws -> Reply

  /// HEAD is GET without the content (RFC 9110 §9.3.2); of what is streamed, whose length is not known,
  /// the encoder of HTTP/1.1 would still send the end.
  var methods: [HTTPRequest.Method] {
    method == .get && answer != .events && answer != .file ? [.get, .head] : [method]
  }

  /// Also those that every route may answer.
  package var allProblems: [Problem.Kind] {
    var kinds: Set = [Problem.Kind.badRequest, .notPermitted, .internalError]
    if isLimited { kinds.insert(.tooManyRequests) }
    if access != .anybody { kinds.formUnion([.notSignedIn, .gone, .unavailable]) }
    if body != nil { kinds.formUnion([.tooLarge, .tooSlow]) }
    return kinds.union(problems).sorted { $0.status.code < $1.status.code }
  }
}

extension Route.Parameter {
  /// The id of a record in the path.
  static func id(_ summary: String) -> Self {
    Self(name: "id", place: .path, kind: .text(most: 255), isRequired: true, summary: summary)
  }

  static func limit(_ most: Int, usual: Int) -> Self {
    Self(name: "limit", kind: .number(1...most, usual: usual), summary: "The most rows.")
  }

  /// What an address has room for.
  static let longestCursor = 8_192

  static let cursor = Self(
    name: "cursor",
    kind: .text(most: longestCursor),
    summary: "Where to go on: `next` of the page before."
  )
}

/// All routes, by path and method.
struct Router: Sendable {
  /// A part of a route's path.
  private enum Segment: Sendable {
    case word(String)
    /// A parameter, and what stands behind it.
    case value(String, ending: String)

    init(_ text: Substring) {
      guard text.hasPrefix("{"), let end = text.firstIndex(of: "}") else {
        self = .word(String(text))
        return
      }
      let ending = String(text[text.index(after: end)...])
      self = .value(String(text[..<end].dropFirst()), ending: ending)
    }
  }

  private let routes: [(route: Route, segments: [Segment])]

  enum Match {
    case route(Route, [String: String])
    /// The methods of the path.
    case otherMethod([HTTPRequest.Method])
    case nothing
  }

  /// - Parameter routes: Of two that a path fits, the first is meant.
  init(_ routes: [Route]) {
    self.routes = routes.map { ($0, Self.parts(of: $0.path).map { Segment($0) }) }
  }

  /// Finds the route of a request, whose path is still encoded, so that an id may have a slash.
  func match(_ method: HTTPRequest.Method, _ path: some StringProtocol) -> Match {
    let parts = Self.parts(of: path).map { String($0) }
    var others: [HTTPRequest.Method] = []
    for (route, segments) in routes {
      guard let values = Self.values(segments, parts) else { continue }
      if route.methods.contains(method) { return .route(route, values) }
      others += route.methods
    }
    return others.isEmpty ? .nothing : .otherMethod(others)
  }

  private static func parts<Path: StringProtocol>(of path: Path) -> [Path.SubSequence] {
    path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
  }

  private static func values(_ segments: [Segment], _ parts: [String]) -> [String: String]? {
    guard segments.count == parts.count else { return nil }
    var values: [String: String] = [:]
    for (segment, part) in zip(segments, parts) {
      switch segment {
      case .word(let word): if word != part { return nil }
      case .value(let name, let ending):
        guard part.hasSuffix(ending), part.utf8.count > ending.utf8.count,
          let value = PercentEncoding.decoded(part.dropLast(ending.count))
        else { return nil }
        values[name] = value
      }
    }
    return values
  }
}
