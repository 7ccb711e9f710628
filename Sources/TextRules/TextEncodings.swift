import CICU

/// Encodings that a text may be in.
package enum TextEncodings {
  /// What ICU takes a text for (`ucsdet_detectAll`), the likeliest first.
  ///
  /// - Parameter text: The more of it, the surer; 64 KiB are enough.
  /// - Returns: Names as IANA has them, and how sure ICU is, of 100.
  package static func guesses(_ text: [UInt8]) -> [(name: String, confidence: Int)] {
    var found = [staffbook_encoding](repeating: staffbook_encoding(), count: 24)
    let count = text.withUnsafeBytes { text in
      staffbook_detect_encodings(text.baseAddress, text.count, &found, found.count)
    }
    return found.prefix(count).map { encoding in
      let name = withUnsafeBytes(of: encoding.name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      return (name, Int(encoding.confidence))
    }
  }
}
