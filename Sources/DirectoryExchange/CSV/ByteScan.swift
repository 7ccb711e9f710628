/// Looks at text eight bytes at a time.
///
/// The test for a zero byte, `(x − 0x01…) & ~x & 0x80…`, can mark bytes above a true hit, never
/// below one; the lowest mark is therefore exact (S. E. Anderson, "Bit Twiddling Hacks").
enum ByteScan {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highs: UInt64 = 0x8080_8080_8080_8080

  /// The word at `offset`, its first byte lowest whatever the machine's order.
  @inline(__always)
  static func word(_ base: UnsafeRawPointer, at offset: Int) -> UInt64 {
    UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  @inline(__always)
  static func marks(_ word: UInt64, of byte: UInt8) -> UInt64 {
    let difference = word ^ (ones &* UInt64(byte))
    return (difference &- ones) & ~difference & highs
  }

  /// Position of the first separator, quote, LF or CR at or after `start`.
  ///
  /// There must be one, and eight readable bytes beyond it.
  @inline(__always)
  static func firstDelimiter(
    _ base: UnsafeRawPointer,
    from start: Int,
    separator: UInt8
  ) -> Int {
    var offset = start
    while true {
      let word = word(base, at: offset)
      let found =
        marks(word, of: separator) | marks(word, of: CSVByte.quote)
        | marks(word, of: CSVByte.lineFeed) | marks(word, of: CSVByte.carriageReturn)
      if found != 0 { return offset &+ found.trailingZeroBitCount / 8 }
      offset &+= 8
    }
  }

  /// Position of the first quote at or after `start`; the same conditions hold.
  @inline(__always)
  static func firstQuote(_ base: UnsafeRawPointer, from start: Int) -> Int {
    var offset = start
    while true {
      let found = marks(word(base, at: offset), of: CSVByte.quote)
      if found != 0 { return offset &+ found.trailingZeroBitCount / 8 }
      offset &+= 8
    }
  }

  /// Position of the first LF or CR at or after `start`; the same conditions hold.
  static func firstLineBreak(_ base: UnsafeRawPointer, from start: Int) -> Int {
    var offset = start
    while true {
      let word = word(base, at: offset)
      let found =
        marks(word, of: CSVByte.lineFeed) | marks(word, of: CSVByte.carriageReturn)
      if found != 0 { return offset &+ found.trailingZeroBitCount / 8 }
      offset &+= 8
    }
  }
}

/// The bytes that RFC 4180 gives a meaning, and DOS's end mark.
enum CSVByte {
  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let quote = UInt8(ascii: "\"")
  static let comma = UInt8(ascii: ",")
  /// Ctrl-Z, which CP/M and DOS wrote behind the last character of a text.
  static let endMark: UInt8 = 0x1A
}
