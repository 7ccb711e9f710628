/// Base64 with padding and without line breaks (RFC 4648 §4).
enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
  )

  static func append(_ data: some Collection<UInt8>, to bytes: inout [UInt8]) {
    var group: UInt32 = 0
    var count = 0
    func digit(_ shift: UInt32) -> UInt8 { alphabet[Int(group >> shift & 0x3F)] }
    for byte in data {
      group = group << 8 | UInt32(byte)
      count += 1
      guard count == 3 else { continue }
      for shift: UInt32 in [18, 12, 6, 0] { bytes.append(digit(shift)) }
      (group, count) = (0, 0)
    }
    guard count > 0 else { return }
    group <<= UInt32(3 - count) * 8
    bytes.append(digit(18))
    bytes.append(digit(12))
    bytes.append(count == 2 ? digit(6) : UInt8(ascii: "="))
    bytes.append(UInt8(ascii: "="))
  }
}
