/// Lines of an LDIF file (RFC 2849).
enum LDIFLine {
  /// Appends an attribute with its value: as it is where that is a SAFE-STRING, otherwise in base64.
  static func append(
    _ attribute: String,
    _ value: some Collection<UInt8>,
    to bytes: inout [UInt8]
  ) {
    var line = Array(attribute.utf8)
    if isSafe(value) {
      line.append(text: ": ")
      line.append(contentsOf: value)
    } else {
      line.append(text: ":: ")
      Base64.append(value, to: &line)
    }
    LineFolding.ldif.append(line, to: &bytes)
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
