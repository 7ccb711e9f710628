import ChangeHistory
import DirectoryModel
import DirectoryReading

extension Route {
  static let asOf = Parameter(
    name: "as_of",
    kind: .text(most: 100),
    summary: "A past time: a date, a date with a time, or how long ago, such as `3 days ago`."
  )

  static let history = [
    log("/api/v1/people/{id}/history", .user, "person"),
    log("/api/v1/departments/{id}/history", .department, "department"),
  ]

  private static func log(_ path: String, _ kind: RecordKind, _ noun: String) -> Route {
    Route(
      path: path,
      summary: "The transactions that changed a \(noun), newest first, with what they changed.",
      parameters: [.id("The \(noun)."), .limit(200, usual: 50)],
      problems: [.notFound]
    ) { request in
      let permit = try request.service.limits.log(request.caller.viewer)
      defer { withExtendedLifetime(permit) {} }
      var log = LogRequest()
      log.record = RecordKey(kind, request.required("id"))
      log.limit = request.number("limit")
      log.withChanges = true
      // What is asked of the caller's class there is made by now, on a thread that may wait.
      _ = try await request.read { _ in }
      let lines = try await request.endingWithClient { [log] in
        var lines: [String] = []
        try await HistoryReader(request.session).log(log) { lines += $0.jsonLines }
        return lines
      }
      let entries = lines.map { Array($0.utf8) }.joinedArray()
      return .tagged(([:] as JSONObject).line(with: "entries", json: entries))
    }
  }
}

extension RouteRequest {
  /// Answers from the directory as it was.
  ///
  /// - Throws: As `HistoryReader.directory(asOf:progress:)` and `endingWithClient(_:)`, and
  ///   `.tooManyRequests`.
  func past(
    _ time: String,
    _ body: @escaping @Sendable (Directory) throws -> Reply
  ) async throws -> Reply {
    let permit = try service.limits.past(caller)
    defer { withExtendedLifetime(permit) {} }
    _ = try await read { _ in }
    let directory = try await endingWithClient { [session] in
      try await HistoryReader(session).directory(asOf: time)
    }
    return try await service.read { try body(directory) }
  }
}
