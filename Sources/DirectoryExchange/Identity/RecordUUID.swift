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
    var digest = SHA256.digest(of: namespace + Array(kind.rawValue.utf8) + [0] + id)
    digest[6] = digest[6] & 0x0F | 0x80
    digest[8] = digest[8] & 0x3F | 0x80
    for (index, byte) in digest.prefix(16).enumerated() {
      if [4, 6, 8, 10].contains(index) { bytes.append(UInt8(ascii: "-")) }
      bytes.append(hexDigit: byte >> 4)
      bytes.append(hexDigit: byte & 0xF)
    }
  }
}

extension [UInt8] {
  /// Appends a digit from 0 to 15, in lower case.
  mutating func append(hexDigit digit: UInt8) {
    append(digit < 10 ? 0x30 + digit : 0x57 + digit)
  }
}

/// Ids made of names, which may be longer than an id can be.
enum OversizedID {
  /// The bytes as an id; where they are too many, their SHA-256.
  static func id(of bytes: [UInt8]) -> [UInt8] {
    guard bytes.count > DirectoryLimits.idBytes else { return bytes }
    var short = Array("sha256:".utf8)
    for byte in SHA256.digest(of: bytes) {
      short.append(hexDigit: byte >> 4)
      short.append(hexDigit: byte & 0xF)
    }
    return short
  }
}
