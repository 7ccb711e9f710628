import CCrypto

/// The SHA-256 digest (FIPS 180-4 §6.2): 32 bytes that name a run of bytes.
package enum SHA256 {
  /// - Complexity: O(bytes).
  package static func digest(of message: UnsafeRawBufferPointer) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
      staffbook_sha256(message.baseAddress, message.count, digest.baseAddress)
      count = 32
    }
  }

  package static func digest(of message: [UInt8]) -> [UInt8] {
    message.withUnsafeBytes(digest(of:))
  }
}
