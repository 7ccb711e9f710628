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
  /// Appends the next piece of what a format has only after its end, and may be too much for memory.
  ///
  /// - Returns: Whether there was one.
  mutating func appendRest(to bytes: inout [UInt8]) throws -> Bool
}

extension RowEncoder {
  package mutating func begin(_ bytes: inout [UInt8]) {}
  package mutating func end(_ bytes: inout [UInt8]) throws {}
  package mutating func appendRest(to bytes: inout [UInt8]) throws -> Bool { false }
}

/// The names of departments from the root down, as one text: `Company/Engineering/Storage`.
///
/// A slash in a name is written `\/` and a backslash `\\`, so that the names can be told apart. Of a
/// path of more than 64 names only the last 64 stand, after `…/`: written in full, the paths of a
/// chain of departments would be the square of its length.
package enum PathText {
  /// The most names that are written.
  package static let longest = 64

  /// Appends a name, and a slash in front of it unless it is the first.
  package static func append(
    name: UnsafeRawBufferPointer,
    isFirst: Bool,
    to bytes: inout [UInt8]
  ) {
    if !isFirst { bytes.append(UInt8(ascii: "/")) }
    for byte in name {
      if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") {
        bytes.append(UInt8(ascii: "\\"))
      }
      bytes.append(byte)
    }
  }

  /// Appends what stands for the names that are left out.
  package static func appendEllipsis(to bytes: inout [UInt8]) {
    bytes.append(text: "…")
  }
}
