import DirectoryReading
import LiveDirectory
import SiteSettings

extension Route {
  /// What balancers and monitoring ask; nothing of the directory, and no names.
  ///
  /// Whether a node lives and is ready is answered however often it is asked: a balancer would take it out
  /// after a refusal, which costs as much as the answer, and behind a proxy everybody has one address.
  static let health: [Route] = [
    Route(
      path: "/livez",
      access: .anybody,
      summary: "Whether the process answers.",
      answer: .text,
      isLimited: false
    ) { _ in Reply("ok\n".utf8, Answer.text.rawValue) },
    Route(
      path: "/readyz",
      access: .anybody,
      summary: "Whether there is a directory, and one that is not older than `server.lag`.",
      answer: .text,
      isLimited: false,
      problems: [.unavailable]
    ) { request in
      guard let lag = request.service.freshness.lag else {
        throw Problem(.unavailable, "there is no directory yet", retryAfter: 5)
      }
      let most = request.service.settings.server.lag
      guard lag <= most else {
        throw Problem(.unavailable, "the directory is older than \(most) seconds", retryAfter: 5)
      }
      return Reply("ok\n".utf8, Answer.text.rawValue)
    },
    Route(
      path: "/metrics",
      access: .anybody,
      summary: "Figures, as Prometheus reads them (text format 0.0.4).",
      answer: .text
    ) { request in
      Reply(request.service.metrics.utf8, "text/plain; version=0.0.4; charset=utf-8")
    },
  ]

  static let openAPI = Route(
    path: "/openapi.json",
    access: .anybody,
    summary: "This interface, as OpenAPI 3.1 describes it."
  ) { request in
    Reply(
      OpenAPI.document(Route.interface, version: request.service.version).utf8,
      Answer.json.rawValue
    )
  }
}

extension DirectoryService {
  fileprivate var metrics: String {
    let values = counters.now
    var lines = [
      "# HELP staffbookd_requests_total Requests that were answered, by status.",
      "# TYPE staffbookd_requests_total counter",
    ]
    lines += values.requests.sorted { $0.key < $1.key }.map {
      "staffbookd_requests_total{status=\"\($0.key)\"} \($0.value)"
    }
    func add(_ name: String, _ type: String, _ help: String, _ value: some CustomStringConvertible)
    {
      lines += [
        "# HELP staffbookd_\(name) \(help)", "# TYPE staffbookd_\(name) \(type)",
        "staffbookd_\(name) \(value)",
      ]
    }
    add("request_seconds_total", "counter", "Time taken to answer requests.", values.seconds)
    add("open_requests", "gauge", "Requests being answered.", values.open)
    add("connections", "gauge", "Open connections.", values.connections)
    add("streams", "gauge", "Open streams of events.", limits.streamCount)
    add("classes_made_total", "counter", "States made for classes of viewers.", hub.madeClasses)
    if let lag = freshness.lag { add("lag_seconds", "gauge", "Age of the directory.", lag) }
    add(
      "database_failing",
      "gauge",
      "1 while the database cannot be read.",
      freshness.isFailing ? 1 : 0
    )
    return lines.joined(separator: "\n") + "\n"
  }
}
