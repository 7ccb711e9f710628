import CLibPQ

/// The rows and the outcome of one statement, owned until it goes out of scope.
///
/// Cells are the server's text form (result format 0). Rows and columns count from 0; an index out
/// of range is a bug of the caller and traps.
// @unchecked: a PGresult is read-only once made, and libpq allows reading it from any thread
// (manual, "Behavior in Threaded Programs").
package struct PGResult: ~Copyable, @unchecked Sendable {
  private let handle: OpaquePointer

  /// Takes over a result that has been found good.
  init(owning handle: OpaquePointer) { self.handle = handle }

  deinit { PQclear(handle) }

  package var rowCount: Int { Int(PQntuples(handle)) }
  package var columnCount: Int { Int(PQnfields(handle)) }

  /// What the server did, such as `INSERT 0 3`; empty for an empty statement.
  package var commandTag: String { String(cString: PQcmdStatus(handle)) }

  /// The rows that the statement inserted, changed, deleted, selected or copied; `nil` for others.
  package var affectedRows: Int? { Int(String(cString: PQcmdTuples(handle))) }

  package func columnName(_ column: Int) -> String {
    checkColumn(column)
    return String(cString: PQfname(handle, CInt(column)))
  }

  /// The OID of a column's type.
  package func columnType(_ column: Int) -> UInt32 {
    checkColumn(column)
    return PQftype(handle, CInt(column))
  }

  package func isNull(row: Int, column: Int) -> Bool {
    checkCell(row: row, column: column)
    return PQgetisnull(handle, CInt(row), CInt(column)) == 1
  }

  /// A cell's text; `nil` is NULL.
  package func text(row: Int, column: Int) -> String? {
    withBytes(row: row, column: column) { bytes in
      bytes.map { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// A cell as a number; `nil` when it is NULL or does not read as one.
  package func int(row: Int, column: Int) -> Int? {
    text(row: row, column: column).flatMap { Int($0) }
  }

  /// A cell of type `boolean`; `nil` is NULL.
  package func bool(row: Int, column: Int) -> Bool? {
    text(row: row, column: column).map { $0 == "t" }
  }

  /// Lends a cell's bytes for the length of the call; `nil` is NULL.
  package func withBytes<R, E: Error>(
    row: Int,
    column: Int,
    _ body: (UnsafeRawBufferPointer?) throws(E) -> R
  ) throws(E) -> R {
    guard !isNull(row: row, column: column) else { return try body(nil) }
    let start = PQgetvalue(handle, CInt(row), CInt(column))
    let count = Int(PQgetlength(handle, CInt(row), CInt(column)))
    return try body(UnsafeRawBufferPointer(start: start, count: count))
  }

  private func checkColumn(_ column: Int) {
    precondition(column >= 0 && column < columnCount, "column \(column) of \(columnCount)")
  }

  private func checkCell(row: Int, column: Int) {
    precondition(row >= 0 && row < rowCount, "row \(row) of \(rowCount)")
    checkColumn(column)
  }
}
