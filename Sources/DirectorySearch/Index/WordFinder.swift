import Platform

/// Finds one word in long folded texts, letter for letter.
///
/// Three bytes of the word that are rare in names and addresses are compared at 32 places at a time,
/// and all of them only where these are there.
struct WordFinder {
  private let word: BorrowedText
  /// Offsets in the word of the three bytes; some are the same for a shorter word.
  private let first: Int
  private let second: Int
  private let third: Int

  /// - Parameter word: Not empty, and borrowed for as long as this is used.
  init(_ word: BorrowedText) {
    self.word = word
    let rarest = word.indices.sorted {
      (Self.frequency(word[$0]), $0) < (Self.frequency(word[$1]), $1)
    }
    first = rarest[0]
    second = rarest[min(1, rarest.count - 1)]
    third = rarest[min(2, rarest.count - 1)]
  }

  /// Where the word stands for the first time from an offset on.
  ///
  /// - Complexity: O(n · m) at worst; some eight bytes in a nanosecond where the two bytes are rare.
  func position(in text: BorrowedText, from start: Int) -> Int? {
    guard let base = text.baseAddress, let needle = word.baseAddress else { return nil }
    let last = text.count - word.count
    guard start <= last else { return nil }
    if word.count == 1 {
      return memchr(base + start, Int32(needle[0]), last - start + 1).map {
        UnsafeRawPointer($0) - UnsafeRawPointer(base)
      }
    }
    let (left, right) = (UnsafeRawPointer(base + first), UnsafeRawPointer(base + second))
    let middle = UnsafeRawPointer(base + third)
    let (one, other) = (needle[first], needle[second])
    let ones = SIMD32<UInt8>(repeating: one)
    let others = SIMD32<UInt8>(repeating: other)
    let thirds = SIMD32<UInt8>(repeating: needle[third])
    var at = start
    while at &+ 31 <= last {
      let found =
        (left + at).loadUnaligned(as: SIMD32<UInt8>.self) .== ones
        .& ((right + at).loadUnaligned(as: SIMD32<UInt8>.self) .== others)
        .& ((middle + at).loadUnaligned(as: SIMD32<UInt8>.self) .== thirds)
      // Each lane of a mask is a byte of zeros or ones.
      let lanes = unsafeBitCast(found, to: SIMD4<UInt64>.self)
      if lanes[0] | lanes[1] | lanes[2] | lanes[3] != 0,
        let place = place(lanes, base + at, needle)
      {
        return at + place
      }
      at &+= 32
    }
    while at <= last {
      if base[at + first] == one, base[at + second] == other,
        memcmp(base + at, needle, word.count) == 0
      {
        return at
      }
      at &+= 1
    }
    return nil
  }

  /// The first of 32 places where the whole word stands, of those that the mask has.
  private func place(
    _ lanes: SIMD4<UInt64>,
    _ text: UnsafePointer<UInt8>,
    _ needle: UnsafePointer<UInt8>
  ) -> Int? {
    for lane in 0..<4 {
      var rest = UInt64(littleEndian: lanes[lane])
      while rest != 0 {
        let byte = rest.trailingZeroBitCount >> 3
        if memcmp(text + lane * 8 + byte, needle, word.count) == 0 { return lane * 8 + byte }
        rest &= ~(0xFF << UInt64(byte * 8))
      }
    }
    return nil
  }

  /// How often a byte stands in folded names and addresses, roughly; 255 for the most frequent.
  private static func frequency(_ byte: UInt8) -> UInt8 {
    switch byte {
    case 0x80...0xBF: 120
    case 0xC0...: 220
    case 0x30...0x39: 230
    case 0x61...0x7A: letterFrequencies[Int(byte) - 0x61]
    case UInt8(ascii: "."), UInt8(ascii: "@"), 0x20: 250
    default: 10
    }
  }

  /// Of a to z, in the order aeinrlsotdmhcukgbpyvfwjzxq.
  private static let letterFrequencies: [UInt8] = {
    let order = Array("qxzjwfvypbgkuchmdtoslrniea".utf8)
    return (0..<26).map { letter in
      UInt8((order.firstIndex(of: UInt8(letter) + 0x61) ?? 0) * 8 + 20)
    }
  }()
}
