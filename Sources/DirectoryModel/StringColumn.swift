import Platform

/// Many strings in one run of bytes: the text of a row begins where that of the row before ends.
///
/// A column costs its bytes and four more a row, where an array of `String` costs sixteen and an
/// allocation each. What is appended is copied once.
package struct StringColumn: Sendable {
  @usableFromInline var storage = StringStorage()

  package init() {}

  @inlinable
  package var count: Int { storage.header.pointee.rowCount }

  /// Bytes of all rows together.
  @inlinable
  package var byteCount: Int {
    storage.header.pointee.rowCount == 0
      ? 0 : Int(storage.header.pointee.ends[storage.header.pointee.rowCount - 1])
  }

  package mutating func reserve(rows: Int, bytes byteCount: Int) {
    makeUnique()
    storage.reserve(rows: rows, bytes: byteCount)
  }

  /// Adds a row.
  ///
  /// - Throws: When the column would pass 4 GiB, the reach of its offsets.
  @inlinable @inline(__always)
  package mutating func append(_ text: UnsafeRawBufferPointer) throws(DirectoryError) {
    makeUnique()
    storage.header.pointee.append(text)
    guard storage.header.pointee.endRow() else { throw Self.tooLarge }
  }

  @inlinable @inline(__always)
  package mutating func append(_ text: String) throws(DirectoryError) {
    var text = text
    text.withUTF8 { appendBytes(UnsafeRawBufferPointer($0)) }
    try endRow()
  }

  /// Adds one byte to the row that `endRow()` will end.
  @inlinable @inline(__always)
  package mutating func appendByte(_ byte: UInt8) {
    withUnsafeBytes(of: byte) { appendBytes($0) }
  }

  /// Adds bytes to the row that `endRow()` will end.
  @inlinable @inline(__always)
  package mutating func appendBytes(_ text: UnsafeRawBufferPointer) {
    makeUnique()
    storage.header.pointee.append(text)
  }

  /// Ends the row that `appendByte(_:)` and `appendBytes(_:)` were filling.
  @inlinable @inline(__always)
  package mutating func endRow() throws(DirectoryError) {
    makeUnique()
    guard storage.header.pointee.endRow() else { throw Self.tooLarge }
  }

  @usableFromInline
  static var tooLarge: DirectoryError {
    DirectoryError(
      .badData,
      "cannot hold more than 4 GiB of text in one column",
      advice: "this directory is larger than Staffbook's stated limits"
    )
  }

  @inlinable @inline(__always)
  mutating func makeUnique() {
    if !isKnownUniquelyReferenced(&storage) { storage = StringStorage(copying: storage) }
  }

  // MARK: Reading

  @inlinable @inline(__always)
  package func range(of row: Int) -> Range<Int> {
    precondition(row >= 0 && row < storage.header.pointee.rowCount, "row outside the column")
    let ends = storage.header.pointee.ends
    return (row == 0 ? 0 : Int(ends[row - 1]))..<Int(ends[row])
  }

  @inlinable
  package func isEmpty(at row: Int) -> Bool { range(of: row).isEmpty }

  package subscript(row: Int) -> String {
    withBytes(at: row) { String(decoding: $0, as: UTF8.self) }
  }

  /// The bytes of a row, borrowed for the time of `body`.
  @inlinable @inline(__always)
  package func withBytes<Result>(
    at row: Int,
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    defer { withExtendedLifetime(storage) {} }
    let range = range(of: row)
    let start = UnsafeRawPointer(storage.header.pointee.bytes) + range.lowerBound
    return try body(UnsafeRawBufferPointer(start: start, count: range.count))
  }

  /// The bytes of all rows and their ends, borrowed for the time of `body`: for scans.
  @inlinable @inline(__always)
  package func withAllBytes<Result>(
    _ body: (UnsafeRawBufferPointer, UnsafeBufferPointer<UInt32>) throws -> Result
  ) rethrows -> Result {
    defer { withExtendedLifetime(storage) {} }
    return try body(
      UnsafeRawBufferPointer(start: storage.header.pointee.bytes, count: byteCount),
      UnsafeBufferPointer(start: storage.header.pointee.ends, count: count)
    )
  }
}

/// The memory of a column, of the C library's: large blocks grow by moving pages, not bytes, and
/// pages that were never written cost nothing.
// @unchecked: it is written only while a single column, which is being changed, refers to it.
@usableFromInline
final class StringStorage: @unchecked Sendable {
  /// Where everything is; in memory of its own, since properties of objects are checked for
  /// overlapping access at every use.
  @usableFromInline
  struct Header {
    @usableFromInline var bytes: UnsafeMutableRawPointer
    @usableFromInline var byteCount = 0
    @usableFromInline var byteCapacity: Int
    @usableFromInline var ends: UnsafeMutablePointer<UInt32>
    @usableFromInline var rowCount = 0
    @usableFromInline var rowCapacity: Int

    @inlinable @inline(__always)
    mutating func append(_ text: UnsafeRawBufferPointer) {
      let end = byteCount + text.count
      if end > byteCapacity { growBytes(to: end) }
      if let source = text.baseAddress {
        (bytes + byteCount).copyMemory(from: source, byteCount: text.count)
      }
      byteCount = end
    }

    /// `false` where the row ends beyond the reach of an offset.
    @inlinable @inline(__always)
    mutating func endRow() -> Bool {
      guard let end = UInt32(exactly: byteCount) else { return false }
      if rowCount == rowCapacity { growRows(to: rowCount + 1) }
      ends[rowCount] = end
      rowCount += 1
      return true
    }

    @usableFromInline
    mutating func growBytes(to count: Int) {
      byteCapacity = max(count, byteCapacity * 2)
      bytes = StringStorage.resized(bytes, to: byteCapacity)
    }

    @usableFromInline
    mutating func growRows(to count: Int) {
      rowCapacity = max(count, rowCapacity * 2)
      ends = StringStorage.resized(ends, to: rowCapacity * 4)
        .assumingMemoryBound(to: UInt32.self)
    }
  }

  @usableFromInline let header: UnsafeMutablePointer<Header>

  private static let leastBytes = 64
  private static let leastRows = 8

  @usableFromInline
  init() {
    header = UnsafeMutablePointer<Header>.allocate(capacity: 1)
    header.initialize(
      to: Header(
        bytes: Self.resized(nil, to: Self.leastBytes),
        byteCapacity: Self.leastBytes,
        ends: Self.resized(nil, to: Self.leastRows * 4).assumingMemoryBound(to: UInt32.self),
        rowCapacity: Self.leastRows
      )
    )
  }

  @usableFromInline
  convenience init(copying other: StringStorage) {
    self.init()
    let (from, to) = (other.header.pointee, header)
    reserve(rows: from.rowCount, bytes: from.byteCount)
    to.pointee.bytes.copyMemory(from: from.bytes, byteCount: from.byteCount)
    to.pointee.byteCount = from.byteCount
    to.pointee.ends.update(from: from.ends, count: from.rowCount)
    to.pointee.rowCount = from.rowCount
  }

  deinit {
    free(header.pointee.bytes)
    free(header.pointee.ends)
    header.deallocate()
  }

  func reserve(rows: Int, bytes byteCount: Int) {
    if rows > header.pointee.rowCapacity { header.pointee.growRows(to: rows) }
    if byteCount > header.pointee.byteCapacity { header.pointee.growBytes(to: byteCount) }
  }

  @usableFromInline
  static func resized(
    _ block: UnsafeMutableRawPointer?,
    to count: Int
  ) -> UnsafeMutableRawPointer {
    guard let resized = realloc(block, count) else {
      preconditionFailure("no memory for \(count) bytes of text")
    }
    return resized
  }
}
