import CLibPQ

/// How a transaction sees others and what it may do.
package struct PGTransactionOptions: Equatable, Sendable {
  package enum Isolation: String, Sendable {
    case readCommitted = "READ COMMITTED"
    case repeatableRead = "REPEATABLE READ"
    case serializable = "SERIALIZABLE"
  }

  /// `nil` is the server's default.
  package var isolation: Isolation?
  /// `nil` is the server's default.
  package var readOnly: Bool?
  /// Statements of our own text that go along with BEGIN in one message.
  ///
  /// SET LOCAL and LOCK TABLE take no snapshot yet: under REPEATABLE READ the first query does.
  package var prologue: String

  package init(isolation: Isolation? = nil, readOnly: Bool? = nil, prologue: String = "") {
    self.isolation = isolation
    self.readOnly = readOnly
    self.prologue = prologue
  }

  /// One consistent state for as long as the transaction lasts, without writing.
  package static let consistentRead = PGTransactionOptions(
    isolation: .repeatableRead,
    readOnly: true
  )

  fileprivate var begin: String {
    var sql = "BEGIN"
    if let isolation { sql += " ISOLATION LEVEL " + isolation.rawValue }
    if let readOnly { sql += readOnly ? " READ ONLY" : " READ WRITE" }
    return prologue.isEmpty ? sql : sql + "; " + prologue
  }
}

extension PGConnection {
  /// Runs `body` between BEGIN and COMMIT; an error from it rolls back and is passed on.
  ///
  /// Transactions do not nest; one inside another is a bug and traps. Lost at COMMIT is
  /// `commitOutcomeUnknown`, and no error where it was READ ONLY.
  package mutating func transaction<R: ~Copyable, E: PostgresFailure>(
    _ options: PGTransactionOptions = PGTransactionOptions(),
    _ body: (inout PGConnection) throws(E) -> R
  ) throws(E) -> R {
    precondition(transactionStatus != .inTransaction, "a transaction inside a transaction")
    do throws(PostgresError) {
      try executeScript(options.begin)
    } catch {
      // The prologue fails in the transaction that BEGIN has opened.
      rollback()
      throw E(error)
    }
    let value: R
    do throws(E) {
      value = try body(&self)
    } catch {
      rollback()
      throw error
    }
    guard !Task.isCancelled else {
      rollback()
      throw E(.cancelled)
    }
    do throws(PostgresError) {
      try commit()
    } catch {
      // What was only read is here, in one consistent state: how it ends changes nothing of that.
      guard options.readOnly == true, error.isConnectionGone else { throw E(error) }
    }
    return value
  }

  /// Makes the transaction's changes visible, whatever becomes of the task meanwhile.
  ///
  /// - Throws: `cancelled` when the task is cancelled by now; the transaction is still open then.
  package mutating func commit() throws(PostgresError) {
    guard !Task.isCancelled else { throw .cancelled }
    do throws(PostgresError) {
      try shielded { (connection) throws(PostgresError) in
        let tag = try connection.execute("COMMIT").commandTag
        guard tag == "COMMIT" else { throw PostgresError.rolledBackInsteadOfCommitted }
      }
    } catch {
      guard case .connectionLost(let reason, _) = error else { throw error }
      throw .commitOutcomeUnknown(reason: reason)
    }
  }

  /// Ends the transaction, if there is one, without a further error: the one that brought us here
  /// says why.
  package mutating func rollback() {
    guard transactionStatus != .idle else { return }
    shielded { connection in _ = try? connection.execute("ROLLBACK").commandTag }
  }

  /// Runs `body` so that cancelling the task does not touch it: cancelled in the midst of COMMIT, a
  /// server may answer that it failed and yet have done it, and ROLLBACK is what a cancel ends with.
  private mutating func shielded<R, E: Error>(
    _ body: (inout PGConnection) throws(E) -> R
  ) throws(E) -> R {
    // A cancel that does not come through would hit this, or whatever is next.
    if let gate, !gate.shield() { breakOff() }
    isShielded = true
    patience.endsWhenCancelled = false
    defer {
      isShielded = false
      patience.endsWhenCancelled = true
      gate?.unshield()
    }
    return try body(&self)
  }
}
