/// Lines of an LDIF file (RFC 2849).
enum LDIFLine {
  /// Appends an attribute with its value: as it is where that is a SAFE-STRING, otherwise in base64.
  static func append(
    _ attribute: String,
    _ value: some Collection<UInt8>,
    to bytes: inout [UInt8]
  ) {
    let isSafe = isSafe(value)
    let length = attribute.utf8.count + (isSafe ? 2 + value.count : 3 + (value.count + 2) / 3 * 4)
    guard length > LineFolding.ldif.width else {
      appendWhole(attribute, value, isSafe, to: &bytes)
      bytes.append(0x0A)
      return
    }
    var line: [UInt8] = []
    line.reserveCapacity(length)
    appendWhole(attribute, value, isSafe, to: &line)
    LineFolding.ldif.append(line, to: &bytes)
  }

  private static func appendWhole(
    _ attribute: String,
    _ value: some Collection<UInt8>,
    _ isSafe: Bool,
    to bytes: inout [UInt8]
  ) {
    bytes.append(contentsOf: attribute.utf8)
    if isSafe {
      bytes.append(text: ": ")
      bytes.append(contentsOf: value)
    } else {
      bytes.append(text: ":: ")
      Base64.append(value, to: &bytes)
    }
  }

  /// Whether a value is a SAFE-STRING and does not end with a space (RFC 2849, notes 4 and 8).
  ///
  /// Control characters, which it may hold but for NUL, LF and CR, are not taken for safe: a file
  /// of theirs steers the terminal that it is looked at on.
  static func isSafe(_ value: some Collection<UInt8>) -> Bool {
    guard let first = value.first else { return true }
    if first == 0x20 || first == UInt8(ascii: ":") || first == UInt8(ascii: "<") { return false }
    var last = first
    for byte in value {
      guard 0x20..<0x7F ~= byte else { return false }
      last = byte
    }
    return last != 0x20
  }
}
