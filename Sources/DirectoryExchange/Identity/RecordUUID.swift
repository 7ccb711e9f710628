import DirectoryModel

/// A UUID that a record keeps through every export, made from its kind and id (RFC 9562 §5.8,
/// version 8, as its appendix B.2 makes one with SHA-256).
///
/// It does not tell two directories apart: records of the same kind and id are the same record.
package enum RecordUUID {
  /// The namespace, itself a random UUID.
  private static let namespace: [UInt8] = [
    0x6f, 0x2b, 0x5c, 0x1e, 0x0d, 0x8a, 0x4e, 0x57, 0x9b, 0x3d, 0x51, 0xa4, 0x77, 0xc6, 0x20, 0xe8,
  ]

  /// Appends it in its 36 characters.
  package static func append(
    of kind: DirectoryRow.Kind,
    id: UnsafeRawBufferPointer,
    to bytes: inout [UInt8]
  ) {
    let kind = kind.rawValue
    let size = namespace.count + kind.utf8.count + 1 + id.count
    let digest = withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { name in
      name.copyBytes(from: namespace)
      let rest = UnsafeMutableRawBufferPointer(rebasing: name[namespace.count...])
      rest.copyBytes(from: kind.utf8)
      rest[kind.utf8.count] = 0
      UnsafeMutableRawBufferPointer(rebasing: name[(size - id.count)...]).copyMemory(from: id)
      return SHA256.words(of: UnsafeRawBufferPointer(name))
    }
    append(
      UInt64(digest[0]) << 32 | UInt64(digest[1] & 0xFFFF_0FFF | 0x8000),
      UInt64(digest[2] & 0x3FFF_FFFF | 0x8000_0000) << 32 | UInt64(digest[3]),
      to: &bytes
    )
  }

  private static func append(_ high: UInt64, _ low: UInt64, to bytes: inout [UInt8]) {
    for digit in 0..<32 {
      if digit == 8 || digit == 12 || digit == 16 || digit == 20 { bytes.append(UInt8(ascii: "-")) }
      let half = digit < 16 ? high : low
      bytes.append(hexDigit: UInt8(half >> UInt64(60 - digit % 16 * 4) & 0xF))
    }
  }
}

extension [UInt8] {
  /// Appends a digit from 0 to 15, in lower case.
  mutating func append(hexDigit digit: UInt8) {
    append(digit < 10 ? 0x30 + digit : 0x57 + digit)
  }
}
