import OutlineEngine
import Synchronization

/// Many strings in one run of mapped bytes, the stored form of `StringColumn`; each block is proved
/// when it is first read.
package struct TextColumn: Sendable {
  private let bytes: SnapshotColumn<UInt8>
  private let ends: SnapshotColumn<UInt32>
  package let count: Int

  /// - Parameters:
  ///   - bytes: The text of all rows.
  ///   - ends: The end of each row, or none where all rows are empty.
  ///   - count: How many rows there are; `nil` for as many as ends.
  /// - Throws: `SnapshotError.damaged` for any other number of ends.
  init(
    bytes: SnapshotColumn<UInt8>,
    ends: SnapshotColumn<UInt32>,
    count: Int? = nil
  ) throws(SnapshotError) {
    self.bytes = bytes
    self.ends = ends
    self.count = count ?? ends.count
    guard ends.count == self.count || ends.count == 0 && bytes.count == 0 else {
      throw ends.damaged
    }
  }

  /// Whether all rows are empty, and nothing of them is stored.
  package var isBlank: Bool { ends.count == 0 }

  /// Where the bytes of a row lie.
  private func range(of row: Int) throws(SnapshotError) -> Range<Int> {
    if isBlank, row >= 0, row < count { return 0..<0 }
    let start = row == 0 ? 0 : Int(try ends[row - 1])
    let end = Int(try ends[row])
    guard start <= end, end <= bytes.count else { throw ends.damaged }
    return start..<end
  }

  /// The bytes of a row, borrowed for the time of `body`.
  ///
  /// - Throws: `SnapshotError.damaged`.
  package func withBytes<Result>(
    at row: Int,
    _ body: (UnsafeRawBufferPointer) -> Result
  ) throws(SnapshotError) -> Result {
    let range = try range(of: row)
    try bytes.prove(range)
    return bytes.withElements {
      body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: $0[range])))
    }
  }

  /// Has the processor bring rows near that are read next, in no order.
  ///
  /// It waits for many of them at once, and otherwise for one after another. Nothing is proved.
  package func fetch(_ rows: [Int]) {
    bytes.withElements { bytes in
      ends.withElements { ends in
        var touched: UInt8 = 0
        for row in rows where row > 0 && row <= ends.count {
          let start = Int(ends[row &- 1])
          if start < bytes.count { touched |= bytes[start] }
        }
        lastFetched.store(touched, ordering: .relaxed)
      }
    }
  }

  /// The same for a `body` that throws.
  ///
  /// - Throws: What `body` throws, or `SnapshotError.damaged`.
  package func lend(at row: Int, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try withBytes(at: row) { bytes in Result { try body(bytes) } }.get()
  }

  package subscript(row: Int) -> String {
    get throws(SnapshotError) {
      try withBytes(at: row) { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// All rows, proved, for scans.
  ///
  /// - Throws: `SnapshotError.damaged`, also when the ends do not rise to the end of the bytes.
  /// - Complexity: O(bytes) the first time that anybody asks it of this column of the file, then O(1).
  package func verified() throws(SnapshotError) -> TextRows {
    if isBlank { return TextRows(bytes: OutlineColumn([]), ends: ends.file.zeros(count)) }
    if ends.isProvenText { return TextRows(bytes: bytes.all, ends: ends.all) }
    let rows = TextRows(bytes: try bytes.verified(), ends: try ends.verified())
    guard rows.areSound else { throw ends.damaged }
    ends.noteProvenText()
    return rows
  }
}

/// Somewhere for what `TextColumn.fetch(_:)` reads, which the compiler would otherwise leave out.
private let lastFetched = Atomic<UInt8>(0)

/// Many strings in one run of mapped bytes, all proved.
package struct TextRows: Sendable {
  private let bytes: OutlineColumn<UInt8>
  private let ends: OutlineColumn<UInt32>

  fileprivate init(bytes: OutlineColumn<UInt8>, ends: OutlineColumn<UInt32>) {
    self.bytes = bytes
    self.ends = ends
  }

  /// Whether the ends rise and the last one is the end of the bytes.
  ///
  /// - Complexity: O(rows).
  fileprivate var areSound: Bool { ends.rises && Int(ends.last ?? 0) == bytes.count }

  package var count: Int { ends.count }

  package func range(of row: Int) -> Range<Int> {
    (row == 0 ? 0 : Int(ends[row - 1]))..<Int(ends[row])
  }

  /// Whether a text has the same bytes as one of another column.
  ///
  /// - Complexity: O(bytes of the text).
  package func isSame(at row: Int, as other: TextRows, at otherRow: Int) -> Bool {
    withBytes(at: row) { text in other.withBytes(at: otherRow) { sameBytes(text, $0) } }
  }

  /// The rows whose text is not that of the same row of another column, rising; also those that the
  /// other one does not have.
  ///
  /// - Complexity: O(bytes), read side by side.
  package func rowsUnlike(_ other: TextRows) -> [Int] {
    var unlike: [Int] = []
    for start in stride(from: 0, to: count, by: 64) {
      let rows = start..<min(start + 64, count)
      if rows.upperBound <= other.count, isSame(in: rows, as: other) { continue }
      for row in rows where row >= other.count || !isSame(at: row, as: other, at: row) {
        unlike.append(row)
      }
    }
    return unlike
  }

  private func isSame(in rows: Range<Int>, as other: TextRows) -> Bool {
    withAllBytes { text, ends in
      other.withAllBytes { otherText, otherEnds in
        let (first, last) = (rows.lowerBound - 1, rows.upperBound - 1)
        let start = first < 0 ? 0 : ends[first]
        let otherStart = first < 0 ? 0 : otherEnds[first]
        let shift = otherStart &- start
        var strays: UInt32 = 0
        // Without a way out, so that several are compared in one step.
        for row in rows { strays |= (otherEnds[row] &- ends[row]) ^ shift }
        guard strays == 0 else { return false }
        return sameBytes(
          UnsafeRawBufferPointer(rebasing: text[Int(start)..<Int(ends[last])]),
          UnsafeRawBufferPointer(rebasing: otherText[Int(otherStart)..<Int(otherEnds[last])])
        )
      }
    }
  }

  /// The bytes of a row, borrowed for the time of `body`.
  package func withBytes<Result>(
    at row: Int,
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    let range = range(of: row)
    return try bytes.withUnsafeBufferPointer {
      try body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: $0[range])))
    }
  }

  /// All bytes and ends, borrowed for the time of `body`.
  package func withAllBytes<Result>(
    _ body: (UnsafeRawBufferPointer, UnsafeBufferPointer<UInt32>) throws -> Result
  ) rethrows -> Result {
    try bytes.withUnsafeBufferPointer { bytes in
      try ends.withUnsafeBufferPointer { ends in
        try body(UnsafeRawBufferPointer(bytes), ends)
      }
    }
  }

  package subscript(row: Int) -> String {
    withBytes(at: row) { String(decoding: $0, as: UTF8.self) }
  }
}

extension OutlineColumn where Element: FixedWidthInteger {
  /// Whether no element is less than the one before.
  var rises: Bool {
    withUnsafeBufferPointer { elements in
      var falls: Element = 0
      // Without a way out, so that several are compared in one step.
      for index in elements.indices.dropFirst() {
        falls |= elements[index] < elements[index &- 1] ? 1 : 0
      }
      return falls == 0
    }
  }

  /// Whether every element is at least 0 and less than `count`.
  func areIndexes(below count: Int) -> Bool {
    guard let limit = Element(exactly: count) else { return allSatisfy { $0 >= 0 } }
    return withUnsafeBufferPointer { elements in
      var strays: Element = 0
      for element in elements { strays |= (element < 0 || element >= limit) ? 1 : 0 }
      return strays == 0
    }
  }
}
