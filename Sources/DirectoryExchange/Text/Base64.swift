import FoundationEssentials

/// Base64 with padding and without line breaks (RFC 4648 §4).
enum Base64 {
  static func append(_ data: some Sequence<UInt8>, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: Data(data).base64EncodedData())
  }

  /// The data that a text stands for; white space in it does not count, and padding may be missing.
  ///
  /// - Returns: `nil` where it is no base64: another character, padding in the middle, or a length
  ///   that no data has.
  static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var text = Data(text.filter { $0 != 0x20 && !(0x09...0x0D).contains($0) })
    if text.last != UInt8(ascii: "=") {
      text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: (4 - text.count % 4) % 4))
    }
    return Data(base64Encoded: text).map { Array($0) }
  }
}
