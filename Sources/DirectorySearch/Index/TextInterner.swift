import Platform

/// Numbers for distinct texts, in the order in which they first come.
struct TextInterner: Sendable {
  private var bytes: [UInt8] = []
  private var ends: [Int] = []
  /// 0 is free, otherwise a number and one more; a power of two, at most two thirds used.
  private var slots = [UInt32](repeating: 0, count: 1_024)
  private var hashes: [UInt32] = []
  /// Unknown to who writes the texts, so that none can be made to collide.
  private let seed = UInt64.random(in: 0...UInt64.max) | 1

  var count: Int { ends.count }

  /// - Returns: The text's number, and whether it comes for the first time.
  /// - Complexity: O(n), expected.
  mutating func intern(_ text: UnsafeRawBufferPointer) -> (number: Int, isNew: Bool) {
    let hash = Self.hash(text, seed: seed)
    let tag = UInt32(truncatingIfNeeded: hash >> 32)
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] != 0 {
      let number = Int(slots[slot]) - 1
      if hashes[number] == tag, isEqual(number, text) { return (number, false) }
      slot = (slot + 1) & mask
    }
    let number = ends.count
    slots[slot] = UInt32(number + 1)
    bytes.append(contentsOf: text)
    ends.append(bytes.count)
    hashes.append(tag)
    if (count + 1) * 3 > slots.count * 2 { grow() }
    return (number, true)
  }

  mutating func intern(_ text: some Collection<UInt8>) -> (number: Int, isNew: Bool) {
    if let known = text.withContiguousStorageIfAvailable({ intern(UnsafeRawBufferPointer($0)) }) {
      return known
    }
    return Array(text).withUnsafeBytes { intern($0) }
  }

  func range(of number: Int) -> Range<Int> {
    (number == 0 ? 0 : ends[number - 1])..<ends[number]
  }

  func withBytes<Result>(
    of number: Int,
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    let range = range(of: number)
    return try bytes.withUnsafeBufferPointer {
      try body(UnsafeBufferPointer(rebasing: $0[range]))
    }
  }

  /// The numbers in the order of their bytes.
  ///
  /// - Complexity: O(n · log n); most comparisons are of the first eight bytes.
  func sorted() -> [Int] {
    bytes.withUnsafeBufferPointer { bytes in
      var keys: [(first: UInt64, number: Int)] = []
      keys.reserveCapacity(count)
      for number in 0..<count {
        let range = range(of: number)
        var first: UInt64 = 0
        for offset in 0..<8 {
          let at = range.lowerBound + offset
          first = first << 8 | (at < range.upperBound ? UInt64(bytes[at]) : 0)
        }
        keys.append((first, number))
      }
      keys.sort { left, right in
        if left.first != right.first { return left.first < right.first }
        return bytes[range(of: left.number)].lexicographicallyPrecedes(
          bytes[range(of: right.number)]
        )
      }
      return keys.map(\.number)
    }
  }

  /// Whether a text is the one of a number.
  func isEqual(_ number: Int, _ text: UnsafeRawBufferPointer) -> Bool {
    let range = range(of: number)
    guard range.count == text.count else { return false }
    guard let wanted = text.baseAddress else { return true }
    return bytes.withUnsafeBytes { bytes in
      bytes.baseAddress.map { memcmp($0 + range.lowerBound, wanted, text.count) == 0 } ?? false
    }
  }

  private mutating func grow() {
    slots = [UInt32](repeating: 0, count: slots.count * 4)
    let mask = slots.count - 1
    for number in 0..<count {
      let hash = withBytes(of: number) { Self.hash(UnsafeRawBufferPointer($0), seed: seed) }
      var slot = Int(truncatingIfNeeded: hash) & mask
      while slots[slot] != 0 { slot = (slot + 1) & mask }
      slots[slot] = UInt32(number + 1)
    }
  }

  /// Multiplies and folds, eight bytes at a time.
  private static func hash(_ text: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    var hash = seed ^ UInt64(text.count) &* 0x9E37_79B9_7F4A_7C15
    var offset = 0
    while offset &+ 8 <= text.count {
      hash = mix(hash ^ text.loadUnaligned(fromByteOffset: offset, as: UInt64.self), seed)
      offset &+= 8
    }
    var rest: UInt64 = 0
    if offset < text.count, offset > 0 {
      // The last eight bytes, some of them once more.
      rest = text.loadUnaligned(fromByteOffset: text.count &- 8, as: UInt64.self)
    } else {
      while offset < text.count {
        rest = rest << 8 | UInt64(text[offset])
        offset &+= 1
      }
    }
    return mix(hash ^ rest, seed &+ 0xD1B5_4A32_D192_ED03)
  }

  @inline(__always)
  private static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }
}
