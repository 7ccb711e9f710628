import DirectoryModel

/// Ids made of names, which may be longer than an id can be.
enum LongID {
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
