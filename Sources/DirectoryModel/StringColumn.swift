/// Many strings in one run of bytes: the text of row i ends at `ends[i]` and begins where row
/// i − 1 ends.
///
/// A column costs its bytes and four more a row, where an array of `String` costs sixteen and an
/// allocation each.
package struct StringColumn: Sendable {
  /// UTF-8 of all rows, one after the other.
  @usableFromInline package private(set) var bytes: [UInt8] = []
  /// End of each row in `bytes`, rising.
  @usableFromInline package private(set) var ends: [UInt32] = []

  package init() {}

  @inlinable
  package var count: Int { ends.count }

  package mutating func reserve(rows: Int, bytes byteCount: Int) {
    ends.reserveCapacity(rows)
    bytes.reserveCapacity(byteCount)
  }

  /// Adds a row.
  ///
  /// - Throws: When the column would pass 4 GiB, the reach of its offsets.
  package mutating func append(_ text: UnsafeRawBufferPointer) throws(DirectoryError) {
    bytes.append(contentsOf: text)
    try endRow()
  }

  package mutating func append(_ text: String) throws(DirectoryError) {
    bytes.append(contentsOf: text.utf8)
    try endRow()
  }

  /// Adds one byte to the row that `endRow()` will end.
  package mutating func appendByte(_ byte: UInt8) { bytes.append(byte) }

  /// Adds bytes to the row that `endRow()` will end.
  package mutating func appendBytes(_ text: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: text)
  }

  /// Ends the row that `appendByte(_:)` and `appendBytes(_:)` were filling.
  package mutating func endRow() throws(DirectoryError) {
    guard let end = UInt32(exactly: bytes.count) else {
      throw DirectoryError(
        .badData,
        "cannot hold more than 4 GiB of text in one column",
        advice: "this directory is larger than Staffbook's stated limits"
      )
    }
    ends.append(end)
  }

  @inlinable
  package func range(of row: Int) -> Range<Int> {
    (row == 0 ? 0 : Int(ends[row - 1]))..<Int(ends[row])
  }

  @inlinable
  package func isEmpty(at row: Int) -> Bool { range(of: row).isEmpty }

  package subscript(row: Int) -> String {
    String(decoding: bytes[range(of: row)], as: UTF8.self)
  }

  /// The bytes of a row, borrowed for the time of `body`.
  @inlinable
  package func withBytes<Result>(
    at row: Int,
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    let range = range(of: row)
    return try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[range])) }
  }

  /// All bytes and ends, borrowed for the time of `body`: for scans.
  @inlinable
  package func withAllBytes<Result>(
    _ body: (UnsafeRawBufferPointer, UnsafeBufferPointer<UInt32>) throws -> Result
  ) rethrows -> Result {
    try bytes.withUnsafeBytes { bytes in
      try ends.withUnsafeBufferPointer { try body(bytes, $0) }
    }
  }
}
