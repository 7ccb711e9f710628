import Outlines

/// Many strings in one run of mapped bytes; the stored form of `StringColumn`.
package struct TextColumn: Sendable {
  private let bytes: OutlineColumn<UInt8>
  private let ends: OutlineColumn<UInt32>

  /// `nil` unless the ends rise and the last one is the end of the bytes.
  ///
  /// - Complexity: O(rows).
  init?(bytes: OutlineColumn<UInt8>, ends: OutlineColumn<UInt32>) {
    var previous: UInt32 = 0
    var rises = true
    ends.withUnsafeBufferPointer { ends in
      for end in ends {
        rises = rises && end >= previous
        previous = end
      }
    }
    guard rises, Int(previous) == bytes.count else { return nil }
    self.bytes = bytes
    self.ends = ends
  }

  package var count: Int { ends.count }

  package func range(of row: Int) -> Range<Int> {
    (row == 0 ? 0 : Int(ends[row - 1]))..<Int(ends[row])
  }

  /// The bytes of a row, borrowed for the time of `body`.
  package func withBytes<Result>(
    at row: Int,
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    let range = range(of: row)
    return try bytes.withUnsafeBufferPointer {
      try body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer($0)[range]))
    }
  }

  /// All bytes and ends, borrowed for the time of `body`: for scans.
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
