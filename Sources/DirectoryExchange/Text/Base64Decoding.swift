extension Base64 {
  /// The data that a text stands for; white space in it does not count.
  ///
  /// - Returns: `nil` where it is no base64 (RFC 4648 §4): another character, padding in the middle,
  ///   or a length that no data has.
  static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var data: [UInt8] = []
    var group: UInt32 = 0
    var count = 0
    var padding = 0
    for byte in text where byte != 0x20 && !(0x09...0x0D).contains(byte) {
      if byte == UInt8(ascii: "=") {
        padding += 1
        continue
      }
      guard padding == 0, let digit = digit(byte) else { return nil }
      group = group << 6 | digit
      count += 1
      guard count % 4 == 0 else { continue }
      for shift: UInt32 in [16, 8, 0] { data.append(UInt8(truncatingIfNeeded: group >> shift)) }
      group = 0
    }
    switch (count % 4, padding) {
    case (0, 0): break
    case (2, 0), (2, 2): data.append(UInt8(truncatingIfNeeded: group >> 4))
    case (3, 0), (3, 1):
      data.append(UInt8(truncatingIfNeeded: group >> 10))
      data.append(UInt8(truncatingIfNeeded: group >> 2))
    default: return nil
    }
    return data
  }

  private static func digit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case 0x41...0x5A: UInt32(byte) - 0x41
    case 0x61...0x7A: UInt32(byte) - 0x61 + 26
    case 0x30...0x39: UInt32(byte) - 0x30 + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
