import DirectoryModel
import LibPQ

/// The end of an import's transaction, also when the connection breaks at that very moment.
package enum ImportCommit {
  /// How it is known that the import was applied.
  package enum Certainty: Sendable {
    /// The server said so at once.
    case acknowledged
    /// The connection broke, and the server said so when it was asked anew.
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
    do throws(PostgresError) {
      guard try connection.execute("commit").commandTag == "COMMIT" else {
        throw PostgresError.rolledBackInsteadOfCommitted
      }
    } catch {
      guard case .connectionLost(let reason, _) = error else { throw .postgres(error) }
      throw .postgres(.commitOutcomeUnknown(reason: reason))
    }
  }

  /// Statistics and pruning after the fact; what was committed stands whether they work or not.
  static func tidyUp(_ connection: inout PGConnection) {
    _ = try? connection.perform(
      "analyze staffbook.departments, staffbook.users, staffbook.memberships"
    )
    _ = try? connection.perform(
      """
      select staffbook.prune()
        where has_function_privilege('staffbook.prune(bigint)', 'execute')
      """
    )
  }
}

extension ImportCommit {
  /// What a server knows of a transaction.
  private enum Outcome: String, Sendable {
    case committed, aborted
    /// The server has not noticed yet that its client is gone.
    case inProgress = "in progress"
    /// Another cluster, or one that never came so far.
    case unknown
  }

  /// How long, in seconds, a server may take to come back and to notice a lost client.
  private static let patience = 30

  /// Asks the server on new connections what became of a transaction.
  ///
  /// - Parameters:
  ///   - mark: The transaction's.
  ///   - reason: What the broken connection said.
  ///   - conninfo: Where to ask.
  ///   - doing: What was being done, for messages.
  /// - Throws: Unless it was applied: that nothing was, or that nobody knows.
  static func findOut(
    _ mark: Mark,
    reason: DirectoryError,
    conninfo: String,
    doing: String
  ) async throws(DirectoryError) {
    for attempt in 0..<(4 * patience) {
      if attempt > 0 { try? await Task.sleep(for: .milliseconds(250)) }
      switch await ask(mark, conninfo: conninfo, doing: doing) {
      case .committed: return
      case .aborted:
        throw DirectoryError(
          .unavailable,
          "cannot \(doing): the connection broke during COMMIT; the server has been asked, and "
            + "nothing was applied",
          advice: "try again"
        )
      case .unknown: throw unknown(mark, reason)
      case .inProgress, nil: if Task.isCancelled { throw unknown(mark, reason) }
      }
    }
    throw unknown(mark, reason)
  }

  /// - Returns: What the server says; `nil` when it cannot be reached.
  private static func ask(_ mark: Mark, conninfo: String, doing: String) async -> Outcome? {
    do throws(DirectoryError) {
      let database = try await Database.connect(conninfo: conninfo, doing: doing)
      return try await database.run { (connection) throws(StoreFailure) in
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
          then pg_xact_status($1::xid8) end,
        exists (select from staffbook.ledger where changed_in = $1::xid8 and token = $2::uuid)
      """,
      [.text(mark.transaction), .text(mark.token)]
    )
    guard place.cell(0) == mark.systemIdentifier,
      let status = Outcome(rawValue: place.cell(1))
    else { return .unknown }
    let isOurs = mark.token == nil || place.bool(row: 0, column: 2) == true
    return status == .committed && !isOurs ? .unknown : status
  }

  private static func unknown(_ mark: Mark, _ reason: DirectoryError) -> DirectoryError {
    DirectoryError(
      .unavailable,
      reason.message,
      advice: "once the server is back, this tells: select pg_xact_status('\(mark.transaction)'); "
        + "to import the same files again does no harm"
    )
  }
}
