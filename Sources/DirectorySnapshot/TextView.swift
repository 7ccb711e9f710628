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
