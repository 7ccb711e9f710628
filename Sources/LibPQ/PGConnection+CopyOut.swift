import CLibPQ

extension PGConnection {
  /// Runs `COPY … TO STDOUT` and lends each row to `row`, holding one at a time.
  ///
  /// In text and CSV format a row is a line with its line break; in binary format rows are pieces
  /// of the stream. COPY takes no parameters. An error from `row` cancels the statement and reads
  /// what is under way, so that the connection stays usable (a transaction around it has failed).
  ///
  /// - Returns: How many rows the server says it sent.
  /// - Complexity: One allocation of libpq's per row.
  @discardableResult
  package mutating func copyOut<E: PostgresFailure>(
    _ sql: String,
    each row: (UnsafeRawBufferPointer) throws(E) -> Void
  ) throws(E) -> Int {
    do throws(PostgresError) { try startCopy(sql, PGRES_COPY_OUT) } catch { throw E(error) }
    var buffer: UnsafeMutablePointer<CChar>?
    while true {
      let count: CInt
      do throws(PostgresError) { count = try nextCopyRow(&buffer) } catch { throw E(error) }
      guard count > 0 else { break }
      defer { PQfreemem(buffer) }
      do throws(E) {
        try row(UnsafeRawBufferPointer(start: buffer, count: Int(count)))
      } catch {
        cancelAndAbandonCopyOut()
        throw error
      }
    }
    do throws(PostgresError) { return try finishCopy() } catch { throw E(error) }
  }

  /// Sends a COPY and leaves the connection in the middle of it.
  mutating func startCopy(_ sql: String, _ expected: ExecStatusType) throws(PostgresError) {
    let result = try send(sql, [])
    guard PQresultStatus(result) == expected else { throw takeFailure(result) }
    PQclear(result)
  }

  /// Takes the outcome of a COPY whose data is through, and its number of rows.
  mutating func finishCopy() throws(PostgresError) -> Int {
    guard let result = try nextResult() else { throw failure(of: nil) }
    guard PQresultStatus(result) == PGRES_COMMAND_OK else {
      let error = failure(of: result)
      PQclear(result)
      discardResults()
      throw error
    }
    let rows = PGResult(owning: result).affectedRows ?? 0
    discardResults()
    return rows
  }

  private mutating func cancelAndAbandonCopyOut() {
    // When the cancel cannot be sent, reading to the end is what remains.
    try? makeCanceller().cancel()
    abandonCopyOut()
  }

  /// Reads and drops what is left of a COPY TO STDOUT.
  mutating func abandonCopyOut() {
    var buffer: UnsafeMutablePointer<CChar>?
    while PQgetCopyData(handle, &buffer, 0) > 0 { PQfreemem(buffer) }
    discardResults()
  }
}
