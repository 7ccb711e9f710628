import CICU

/// The first eight bytes of names' sort keys, made without ICU for nearly all names.
///
/// A prefix is what the key's primary weights begin with, as a number, filled up with zeros. So of
/// two names the one with the smaller prefix has the smaller key, and where prefixes are equal the
/// keys decide.
///
/// ICU writes the primary weights of a text one after the other, and those of most characters do not
/// depend on their neighbours. These weights are asked for once for each character and put together
/// by ICU's own rule (`CollationKeys::writeSortKeyUpToQuaternary`): where several weights in a row
/// begin with the same byte and the byte is a compressible one, it is written once, and a byte
/// 03 or FF ends the row when a smaller or a greater weight follows. A name with any character near
/// its beginning that may act on another one gets its prefix from its key.
package struct SortKeyPrefixes: ~Copyable {
  private let collator: Collator
  /// For each code point of the Basic Multilingual Plane its weights, as `Weights` packs them.
  private let table: UnsafeMutablePointer<UInt64>
  /// Keys that were made.
  private var key: [UInt8] = []

  private static let tableSize = 0x1_0000

  /// Prepares a locale.
  ///
  /// - Complexity: O(contractions of the locale), which takes milliseconds; half a megabyte.
  package init(locale: String) throws(TextRulesError) {
    collator = try Collator(locale: locale)
    // Pages that are not touched stay unmapped.
    table = UnsafeMutablePointer<UInt64>.allocate(capacity: Self.tableSize)
    table.initialize(repeating: Weights.unknown, count: Self.tableSize)
    guard let handle = collator.handle else { return }
    let isComplete = staffbook_collator_each_continuing(
      handle,
      { table, unit in
        table?.assumingMemoryBound(to: UInt64.self)[Int(unit)] = Weights.dependent
      },
      table
    )
    // Without the list every name goes the long way.
    if !isComplete { table.update(repeating: Weights.dependent, count: Self.tableSize) }
  }

  deinit { table.deallocate() }

  /// The prefix of a name's key.
  ///
  /// - Complexity: O(1) for nearly all names, otherwise O(n).
  package mutating func prefix(of utf8: UnsafeRawBufferPointer) -> UInt64 {
    guard collator.handle != nil else { return Self.number(utf8) }
    return assembled(utf8) ?? prefixOfKey(utf8)
  }

  /// Appends the whole sort key of a name, as `Collator.appendKey(of:to:)`.
  package func appendKey(of utf8: UnsafeRawBufferPointer, to keys: inout [UInt8]) {
    collator.appendKey(of: utf8, to: &keys)
  }

  /// The first eight bytes as a number, filled up with zeros.
  private static func number(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    if bytes.count >= 8 {
      return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    }
    var number: UInt64 = 0
    for (index, byte) in bytes.enumerated() { number |= UInt64(byte) << UInt64(56 - 8 * index) }
    return number
  }

  /// The way that always works: up to the end of the primary weights, byte 01.
  private mutating func prefixOfKey(_ utf8: UnsafeRawBufferPointer) -> UInt64 {
    key.removeAll(keepingCapacity: true)
    collator.appendKey(of: utf8, to: &key)
    return key.withUnsafeBytes { key in
      let end = key.firstIndex(of: Self.levelSeparator) ?? key.count
      return Self.number(UnsafeRawBufferPointer(rebasing: key[..<min(end, 8)]))
    }
  }

  private static let levelSeparator: UInt8 = 1

  /// Puts the prefix together; `nil` where a character may act on another one.
  private mutating func assembled(_ utf8: UnsafeRawBufferPointer) -> UInt64? {
    var prefix = PrefixWriter()
    var offset = 0
    while offset < utf8.count {
      let (codePoint, length) = Self.codePoint(utf8, offset)
      guard length > 0 else { return nil }
      var weights = table[codePoint]
      if weights == Weights.unknown {
        weights = probe(codePoint)
        table[codePoint] = weights
      }
      // This one is looked at also when there is room no more: it may act on the one before.
      guard weights != Weights.dependent else { return nil }
      if prefix.isFull { break }
      prefix.append(weights)
      offset += length
    }
    return prefix.value
  }

  /// The code point that begins at an offset and its bytes; 0 bytes for ill-formed text and for what
  /// lies beyond the Basic Multilingual Plane.
  @inline(__always)
  private static func codePoint(
    _ utf8: UnsafeRawBufferPointer,
    _ offset: Int
  ) -> (codePoint: Int, length: Int) {
    let first = Int(utf8[offset])
    if first < 0x80 { return (first, 1) }
    let rest = utf8.count - offset
    if first >= 0xC2, first < 0xE0, rest >= 2 {
      let second = Int(utf8[offset + 1])
      return second & 0xC0 == 0x80 ? ((first & 0x1F) << 6 | second & 0x3F, 2) : (0, 0)
    }
    guard first >= 0xE0, first < 0xF0, rest >= 3 else { return (0, 0) }
    let (second, third) = (Int(utf8[offset + 1]), Int(utf8[offset + 2]))
    let codePoint = (first & 0xF) << 12 | (second & 0x3F) << 6 | third & 0x3F
    return second & 0xC0 == 0x80 && third & 0xC0 == 0x80 && codePoint >= 0x800
      ? (codePoint, 3) : (0, 0)
  }

  // MARK: Weights of a character

  /// Asks ICU for the weights of a character, and whether they are put together as expected.
  private mutating func probe(_ codePoint: Int) -> UInt64 {
    guard let scalar = Unicode.Scalar(UInt32(codePoint)), let handle = collator.handle,
      !staffbook_collator_joins(handle, UInt16(codePoint))
    else { return Weights.dependent }
    let character = Array(String(scalar).utf8)
    let weights = primaryWeights(of: character)
    guard !weights.isEmpty, weights.count <= Weights.maximalCount else { return Weights.dependent }
    let twice = primaryWeights(of: character + character)
    if twice.elementsEqual(weights + weights) {
      return Weights.pack(weights, isCompressible: false)
    }
    guard twice.elementsEqual(weights + weights.dropFirst()) else { return Weights.dependent }
    return Weights.pack(weights, isCompressible: true)
  }

  /// The primary weights of a text, as they stand in its key.
  private mutating func primaryWeights(of utf8: [UInt8]) -> ArraySlice<UInt8> {
    key.removeAll(keepingCapacity: true)
    utf8.withUnsafeBytes { collator.appendKey(of: $0, to: &key) }
    return key.prefix { $0 != Self.levelSeparator }
  }
}

/// The primary weights of one character in a number.
///
///     bits 0…7    bytes of weights, 1 to 6
///     bit  8      whether the first byte is compressible
///     bits 16…63  the bytes, the first one highest
private enum Weights {
  static let unknown: UInt64 = 0
  /// May act on a neighbour, or has no primary weight.
  static let dependent: UInt64 = 0xFF
  static let compressible: UInt64 = 1 << 8
  static let maximalCount = 6

  static func pack(_ bytes: ArraySlice<UInt8>, isCompressible: Bool) -> UInt64 {
    var packed = UInt64(bytes.count) | (isCompressible ? compressible : 0)
    for (index, byte) in bytes.enumerated() { packed |= UInt64(byte) << UInt64(56 - 8 * index) }
    return packed
  }
}

/// Writes primary weights one after the other, as ICU does.
private struct PrefixWriter {
  private static let low: UInt64 = 0x03
  private static let high: UInt64 = 0xFF

  private(set) var value: UInt64 = 0
  /// Bytes written; those past the eighth are lost.
  private var count = 0
  /// The compressible byte that the last weights began with; 0 for none.
  private var lead: UInt64 = 0

  var isFull: Bool { count >= 8 }

  @inline(__always)
  mutating func append(_ weights: UInt64) {
    let first = weights >> 56
    let length = Int(weights & 0xFF)
    if lead == 0, weights & Weights.compressible == 0 {
      write(weights & ~0xFFFF, length)
    } else if first == lead {
      write((weights & ~0xFFFF) << 8, length - 1)
    } else {
      if lead != 0 { write((first < lead ? Self.low : Self.high) << 56, 1) }
      write(weights & ~0xFFFF, length)
      lead = weights & Weights.compressible == 0 ? 0 : first
    }
  }

  /// Adds bytes that stand highest in a number.
  @inline(__always)
  private mutating func write(_ bytes: UInt64, _ length: Int) {
    if count < 8 { value |= bytes >> UInt64(8 * count) }
    count += length
  }
}
