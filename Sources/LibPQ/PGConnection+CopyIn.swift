import CLibPQ

extension PGConnection {
  /// What a COPY … FROM STDIN gave: the body's value and the number of rows the server took.
  package typealias CopyInResult<R> = (value: R, rows: Int)

  /// Runs `COPY … FROM STDIN` and lets `body` write its data, streamed.
  ///
  /// An error from `body` ends the COPY as failed, so that the server keeps nothing of it. What
  /// the server finds wrong comes when the data is through, since it reads to the end in any case.
  @discardableResult
  package mutating func copyIn<R, E: PostgresFailure>(
    _ sql: String,
    _ body: (inout PGCopyWriter) throws(E) -> R
  ) throws(E) -> CopyInResult<R> {
    do throws(PostgresError) { try startCopy(sql, PGRES_COPY_IN) } catch { throw E(error) }
    var writer = PGCopyWriter(handle, patience: patience)
    PQsetnonblocking(handle, 1)
    defer { PQsetnonblocking(handle, 0) }
    let value: R
    do throws(E) {
      value = try body(&writer)
    } catch {
      endCopyIn(failing: "stopped by the program that sends the data")
      throw error
    }
    do throws(PostgresError) { return (value, try endCopyIn(&writer)) } catch { throw E(error) }
  }

  private mutating func endCopyIn(_ writer: inout PGCopyWriter) throws(PostgresError) -> Int {
    do throws(PostgresError) {
      try writer.flush()
      guard PQputCopyEnd(handle, nil) == 1 else { throw failure(of: nil) }
      // Without blocking the end itself may still wait for room in the socket. (libpq: PQputCopyEnd)
      try writer.drain()
    } catch {
      endCopyIn(failing: "the data could not be sent")
      throw error
    }
    return try finishCopy()
  }

  /// Ends a COPY FROM STDIN without keeping its rows.
  mutating func endCopyIn(failing reason: String) {
    _ = PQputCopyEnd(handle, reason)
    discardResults()
  }
}
