import DirectoryModel

/// Writes the rows of a list in one format, each at the end of the caller's bytes.
///
/// The caller empties the bytes whenever it likes between two calls; what is to be kept between
/// rows is kept here.
package protocol RowEncoder {
  /// What stands before the first row.
  mutating func begin(_ bytes: inout [UInt8])
  /// - Throws: `DirectoryError` when the format cannot carry the row, and then nothing of the list is
  ///   to be kept; what a look-up of records throws.
  mutating func append(_ row: RowFields, to bytes: inout [UInt8]) throws
  /// What stands behind the last row.
  mutating func end(_ bytes: inout [UInt8]) throws
}

extension RowEncoder {
  package mutating func begin(_ bytes: inout [UInt8]) {}
  package mutating func end(_ bytes: inout [UInt8]) throws {}
}
