/// Reading UTF-8 by words and by scalars.
enum UTF8Scan {
  /// Every byte of a word the same.
  @inline(__always)
  static func spread(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

  @inline(__always)
  static func word(at address: UnsafeRawPointer) -> UInt64 {
    UInt64(littleEndian: address.loadUnaligned(as: UInt64.self))
  }

  /// Whether all eight bytes are from U+0020 to U+007E.
  @inline(__always)
  static func isPrintableASCII(_ word: UInt64) -> Bool {
    // In ASCII, adding 0x60 sets the high bit from 0x20 on, and adding 1 sets it for 0x7F alone.
    let seven = word & spread(0x7F)
    return (word | ~(seven &+ spread(0x60)) | (seven &+ spread(1))) & spread(0x80) == 0
  }

  /// Length of the printable ASCII that the bytes begin with.
  @inline(__always)
  static func printableASCIIPrefix(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    var index = 0
    while index &+ 8 <= bytes.count, isPrintableASCII(word(at: base + index)) { index &+= 8 }
    while index < bytes.count, bytes[index] &- 0x20 < 0x5F { index &+= 1 }
    return index
  }

  /// Length of the ASCII that the bytes begin with.
  @inline(__always)
  static func asciiPrefix(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    var index = 0
    while index &+ 8 <= bytes.count, word(at: base + index) & spread(0x80) == 0 { index &+= 8 }
    while index < bytes.count, bytes[index] < 0x80 { index &+= 1 }
    return index
  }

  /// Decodes the scalar at an offset, strictly (Unicode 15 table 3-7).
  ///
  /// - Returns: The scalar and its length in bytes; a length of 0 when the bytes are ill-formed.
  @inline(__always)
  static func scalar(
    at index: Int,
    in bytes: UnsafeRawBufferPointer
  ) -> (value: UInt32, length: Int) {
    let lead = UInt32(bytes[index])
    if lead < 0x80 { return (lead, 1) }
    let available = bytes.count &- index
    @inline(__always) func trail(_ offset: Int) -> UInt32 {
      // A trail byte gives 0...0x3F, any other gives more.
      UInt32(bytes[index &+ offset]) ^ 0x80
    }
    if lead < 0xE0 {
      guard lead >= 0xC2, available >= 2, trail(1) < 0x40 else { return (0, 0) }
      return ((lead & 0x1F) << 6 | trail(1), 2)
    }
    if lead < 0xF0 {
      guard available >= 3, trail(1) < 0x40, trail(2) < 0x40 else { return (0, 0) }
      let value = (lead & 0x0F) << 12 | trail(1) << 6 | trail(2)
      return value >= 0x800 && value & 0xF800 != 0xD800 ? (value, 3) : (0, 0)
    }
    guard lead < 0xF5, available >= 4, trail(1) < 0x40, trail(2) < 0x40, trail(3) < 0x40 else {
      return (0, 0)
    }
    let value = (lead & 0x07) << 18 | trail(1) << 12 | trail(2) << 6 | trail(3)
    return value >= 0x10000 && value <= 0x10FFFF ? (value, 4) : (0, 0)
  }
}

extension String {
  /// The UTF-8 bytes, borrowed; a string that is not stored so is copied first.
  func withUTF8Bytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    if let result = utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) {
      return result
    }
    var copy = self
    return copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }
}

extension [UInt8] {
  /// Appends a scalar as UTF-8.
  mutating func append(_ scalar: Unicode.Scalar) { append(contentsOf: scalar.utf8) }
}
