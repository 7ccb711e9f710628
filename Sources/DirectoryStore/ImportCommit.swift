import DirectoryModel
import LibPQ

/// The end of the transaction of an import or an edit, also when the connection breaks at that very moment.
package enum ImportCommit {
  /// How it is known that the transaction was committed.
  package enum Certainty: Sendable {
    /// The server said so at once.
    case acknowledged
    /// The connection broke, and the server said so when it was asked again.
    case foundOut
  }

  /// What tells a transaction from all others, on this server or on one that takes its place.
  struct Mark: Sendable {
    let systemIdentifier: String
    let transaction: String
    /// The ledger's random token; `nil` when nothing that the ledger minds was written.
    let token: String?

    init(of connection: inout PGConnection) throws(StoreFailure) {
      let found = try connection.query(
        """
        select (select system_identifier from pg_control_system()), pg_current_xact_id(),
          (select token from staffbook.ledger where changed_in = pg_current_xact_id())
        """
      )
      systemIdentifier = found.cell(0)
      transaction = found.cell(1)
      token = found.text(row: 0, column: 2)
    }
  }

  /// Ends the transaction; a connection that breaks meanwhile leaves the outcome unknown.
  static func commit(_ connection: inout PGConnection) throws(StoreFailure) {
    do throws(PostgresError) { try connection.commit() } catch {
      connection.rollback()
      throw .postgres(error)
    }
  }

  /// Ends the transaction of a mark; where the connection breaks meanwhile, the server is asked
  /// again what became of it, and `unavailable` says that nothing was done, or that it is unknown.
  ///
  /// `repeating` is what comes of doing it a second time, for messages.
  static func commit(
    _ mark: Mark,
    on database: Database,
    _ conninfo: String,
    _ access: DatabaseAccess,
    repeating: String
  ) async throws(DirectoryError) -> Certainty {
    do {
      try await database.run { (connection) throws(StoreFailure) in
        try commit(&connection)
      }
    } catch  where error.kind == .unavailable {
      try await findOut(
        mark,
        reason: error,
        conninfo: conninfo,
        access: access,
        doing: database.doing,
        repeating: repeating
      )
      return .foundOut
    }
    return .acknowledged
  }

  /// Statistics and pruning after the fact; what was committed stands whether they work or not.
  static func tidyUp(_ connection: inout PGConnection) {
    for statement in [
      "analyze staffbook.departments, staffbook.users, staffbook.memberships",
      """
      select staffbook.prune_tracking()
        where has_function_privilege('staffbook.prune_tracking()', 'execute')
      """,
      """
      select staffbook.prune_history()
        where has_function_privilege('staffbook.prune_history()', 'execute')
      """,
    ] {
      _ = try? connection.inTransaction(.write) { (connection) throws(StoreFailure) in
        try connection.perform(statement)
      }
    }
  }
}

extension ImportCommit {
  /// What a server knows of a transaction.
  private enum Outcome: String, Sendable {
    case committed, aborted
    /// The server has not noticed yet that its client has disconnected.
    case inProgress = "in progress"
    /// It is written, and waits for a standby that does not answer.
    case awaitsStandby = "awaits standby"
    /// Another cluster, or one that never came so far.
    case unknown
  }

  /// How long, in seconds, a server may take to come back and to notice a lost client.
  private static let patienceSeconds = 30

  /// Asks the server on new connections what became of a transaction.
  ///
  /// - Throws: Unless it was applied: that nothing was, or that it is unknown.
  private static func findOut(
    _ mark: Mark,
    reason: DirectoryError,
    conninfo: String,
    access: DatabaseAccess,
    doing: String,
    repeating: String
  ) async throws(DirectoryError) {
    for attempt in 0..<(4 * patienceSeconds) {
      if attempt > 0 { try? await Task.sleep(for: .milliseconds(250)) }
      // The user who interrupted this is to learn, too, whether it was done.
      let asking = Task {
        await ask(mark, conninfo: conninfo, access: access, doing: doing)
      }
      switch await asking.value {
      case .committed: return
      case .aborted:
        throw DirectoryError(
          .unavailable,
          "cannot \(doing): the connection was lost during COMMIT, and the server reports that "
            + "nothing was applied",
          advice: "try again"
        )
      case .awaitsStandby:
        throw DirectoryError(
          .unavailable,
          "cannot \(doing) for certain: the server has written it, but no synchronous standby "
            + "confirms it, so it is not yet visible",
          advice: "bring the standby back, or take it out of synchronous_standby_names on the "
            + "primary: then it is done; \(repeating)"
        )
      case .unknown: throw unknown(mark, reason, repeating)
      case .inProgress, nil: if Task.isCancelled { throw unknown(mark, reason, repeating) }
      }
    }
    throw unknown(mark, reason, repeating)
  }

  /// - Returns: What the server says; `nil` when it cannot be reached.
  private static func ask(
    _ mark: Mark,
    conninfo: String,
    access: DatabaseAccess,
    doing: String
  ) async -> Outcome? {
    do throws(DirectoryError) {
      let database = try await Database.connect(
        conninfo: conninfo,
        doing: doing,
        access: access.alone
      )
      return try await database.look { (connection) throws(StoreFailure) in
        try outcome(of: mark, &connection)
      }
    } catch {
      return nil
    }
  }

  /// A server that took over may have given the number to another transaction: the token decides.
  private static func outcome(
    of mark: Mark,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> Outcome {
    let place = try connection.query(
      """
      select (select system_identifier from pg_control_system()),
        case when $1::xid8 < pg_snapshot_xmax(pg_current_snapshot())
            then pg_xact_status($1::xid8)
          when exists (select from pg_stat_activity where backend_xid = $1::xid8::xid)
            then 'in progress' end,
        exists (select from staffbook.ledger where changed_in = $1::xid8 and token = $2::uuid),
        exists (select from pg_stat_activity
          where wait_event = 'SyncRep' and backend_xid = $1::xid8::xid)
      """,
      [.text(mark.transaction), .text(mark.token)]
    )
    guard place.cell(0) == mark.systemIdentifier,
      let status = Outcome(rawValue: place.cell(1))
    else { return .unknown }
    if status == .inProgress, place.bool(row: 0, column: 3) == true { return .awaitsStandby }
    let isOurs = mark.token == nil || place.bool(row: 0, column: 2) == true
    return status == .committed && !isOurs ? .unknown : status
  }

  private static func unknown(
    _ mark: Mark,
    _ reason: DirectoryError,
    _ repeating: String
  ) -> DirectoryError {
    DirectoryError(
      .unavailable,
      reason.message,
      advice: "when the server is back, run: select pg_xact_status('\(mark.transaction)'); "
        + repeating
    )
  }
}
