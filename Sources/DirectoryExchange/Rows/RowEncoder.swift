import DirectoryModel

/// Writes the rows of a list in one format, each at the end of the caller's bytes.
///
/// The caller empties the bytes whenever it likes; what is to be kept between rows is kept here.
package protocol RowEncoder: Sendable {
  /// What stands before the first row.
  mutating func begin(_ bytes: inout [UInt8])
  mutating func append(_ row: DirectoryRow, to bytes: inout [UInt8])
  /// What stands behind the last row.
  mutating func end(_ bytes: inout [UInt8])
}

extension RowEncoder {
  package mutating func begin(_ bytes: inout [UInt8]) {}
  package mutating func end(_ bytes: inout [UInt8]) {}
}
