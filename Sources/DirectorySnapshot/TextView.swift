import DirectoryModel

/// A column of text as two pointers, for loops over many rows; valid while it is borrowed.
struct TextView {
  let bytes: UnsafeRawBufferPointer
  let ends: UnsafeBufferPointer<UInt32>

  @inline(__always)
  var count: Int { ends.count }

  /// The bytes of a row.
  @inline(__always)
  subscript(row: Int) -> UnsafeRawBufferPointer {
    let start = row == 0 ? 0 : Int(ends[row - 1])
    return UnsafeRawBufferPointer(rebasing: bytes[start..<Int(ends[row])])
  }
}

extension TextView {
  /// Calls `body` with each row that holds some bytes.
  ///
  /// - Complexity: O(bytes) where the first of the bytes sought is rare.
  func forEachRow(holding sought: [UInt8], _ body: (Int) -> Void) {
    guard let first = sought.first else { return }
    var row = 0
    var position = 0
    while position + sought.count <= bytes.count {
      guard bytes[position] == first,
        sought.indices.allSatisfy({ bytes[position + $0] == sought[$0] })
      else {
        position += 1
        continue
      }
      while Int(ends[row]) <= position { row += 1 }
      let end = Int(ends[row])
      if position + sought.count <= end { body(row) }
      position = end
    }
  }
}

extension StringColumn {
  func withView<Result>(_ body: (TextView) throws -> Result) rethrows -> Result {
    try withAllBytes { try body(TextView(bytes: $0, ends: $1)) }
  }
}

extension TextRows {
  func withView<Result>(_ body: (TextView) throws -> Result) rethrows -> Result {
    try withAllBytes { try body(TextView(bytes: $0, ends: $1)) }
  }
}
