import CLibPQ

extension PGConnection {
  /// Runs one statement with its parameters bound. (libpq: PQsendQueryParams)
  @discardableResult
  package mutating func execute(_ sql: String, _ parameters: [PGParameter] = [])
    throws(PostgresError) -> PGResult
  {
    let result = try send(sql, parameters)
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
      return PGResult(owning: result)
    default:
      throw takeFailure(result)
    }
  }

  /// Runs several statements of our own text, for migrations only. (libpq: PQsendQuery)
  ///
  /// Without a transaction of its own or around it, the server treats them as one transaction.
  package mutating func executeScript(_ sql: String) throws(PostgresError) {
    try requireSendable(sql)
    guard PQsendQuery(handle, sql) == 1 else { throw failure(of: nil) }
    let result = try receive()
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: PQclear(result)
    default: throw takeFailure(result)
    }
  }

  /// Sends a statement and waits for its result, which the caller must free.
  mutating func send(_ sql: String, _ parameters: [PGParameter]) throws(PostgresError)
    -> OpaquePointer
  {
    try requireSendable(sql)
    let list = try PGParameterList(parameters)
    let sent = list.withArrays { types, values, lengths, formats in
      PQsendQueryParams(handle, sql, list.count, types, values, lengths, formats, 0)
    }
    guard sent == 1 else { throw failure(of: nil) }
    return try receive()
  }

  /// Waits for the first error, else for the last result; a COPY that began is left to the caller.
  ///
  /// PQexec would give the last in any case, and after a server's farewell that is only libpq's
  /// "server closed the connection unexpectedly".
  private mutating func receive() throws(PostgresError) -> OpaquePointer {
    var kept: OpaquePointer?
    while let result = try nextResult() {
      if let earlier = kept, PQresultStatus(earlier) == PGRES_FATAL_ERROR {
        PQclear(result)
        continue
      }
      PQclear(kept)
      kept = result
      guard !Self.copyStates.contains(PQresultStatus(result).rawValue) else { break }
    }
    guard let kept else { throw failure(of: nil) }
    return kept
  }

  private static let copyStates: [UInt32] = [
    PGRES_COPY_IN.rawValue, PGRES_COPY_OUT.rawValue, PGRES_COPY_BOTH.rawValue,
  ]

  private func requireSendable(_ sql: String) throws(PostgresError) {
    guard !Task.isCancelled || isShielded else { throw .cancelled }
    guard !sql.utf8.contains(0) else {
      throw .invalidStatement(reason: "its text contains a NUL byte")
    }
  }

  /// Frees a result that is not what was asked for, and says why; ends a COPY that it started.
  mutating func takeFailure(_ result: OpaquePointer) -> PostgresError {
    let status = PQresultStatus(result)
    defer { PQclear(result) }
    switch status {
    case PGRES_COPY_IN:
      endCopyIn(failing: "COPY needs copyIn")
      return .invalidStatement(reason: "COPY … FROM STDIN needs copyIn")
    case PGRES_COPY_OUT, PGRES_COPY_BOTH:
      abandonCopyOut()
      return .invalidStatement(reason: "COPY … TO STDOUT needs copyOut")
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
      return .invalidStatement(reason: "it is not the COPY that the call is for")
    default:
      return failure(of: result)
    }
  }

  /// Says what went wrong: the connection, the statement, or libpq.
  func failure(of result: OpaquePointer?) -> PostgresError {
    let diagnostic = result.map { PGDiagnostic(result: $0) }
    let reason = String(cString: PQerrorMessage(handle)).trimmedMessage
    if PQstatus(handle) == CONNECTION_BAD || diagnostic?.endsSession == true {
      return .connectionLost(
        reason: diagnostic?.message ?? reason,
        sqlstate: diagnostic?.sqlstate
      )
    }
    guard let diagnostic else {
      return reason.isEmpty || reason == "out of memory"
        ? .outOfMemory : .protocolViolation(reason: reason)
    }
    guard diagnostic.sqlstate != nil else {
      return .protocolViolation(reason: diagnostic.message)
    }
    return .refused(diagnostic)
  }

  /// Reads results until there are none, so that the next statement can be sent.
  func discardResults() {
    while let result = PQgetResult(handle) { PQclear(result) }
  }
}

extension PGDiagnostic {
  /// The server closes the session after FATAL and PANIC.
  fileprivate var endsSession: Bool { severity == .fatal || severity == .panic }
}
