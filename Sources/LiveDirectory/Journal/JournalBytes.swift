import DirectoryModel

/// Writes numbers and texts one after the other.
///
/// A number is in groups of seven bits, the lowest first, each but the last with the eighth bit set; a
/// text is its number of bytes and its UTF-8.
struct JournalBytesWriter {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ byte: UInt8) { bytes.append(byte) }

  mutating func append(_ number: Int) {
    var rest = UInt64(number)
    while rest > 0x7F {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func append(_ text: String) {
    append(text.utf8.count)
    bytes.append(contentsOf: text.utf8)
  }

  /// A text or none: its number of bytes and one, or 0.
  mutating func append(optional text: String?) {
    guard let text else { return append(0) }
    append(text.utf8.count + 1)
    bytes.append(contentsOf: text.utf8)
  }
}

/// Reads what `JournalBytesWriter` wrote; whatever the bytes are, it gives a value or `nil`.
struct JournalBytesReader {
  private let bytes: ArraySlice<UInt8>
  private var offset: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    offset = bytes.startIndex
  }

  var isAtEnd: Bool { offset == bytes.endIndex }

  mutating func byte() -> UInt8? {
    guard offset < bytes.endIndex else { return nil }
    defer { offset += 1 }
    return bytes[offset]
  }

  mutating func number() -> Int? {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 63, by: 7) {
      guard let byte = byte() else { return nil }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return Int(number) }
    }
    return nil
  }

  mutating func text() -> String? {
    guard let count = number() else { return nil }
    return text(count)
  }

  /// - Returns: `.some(nil)` for a text that is none.
  mutating func optionalText() -> String?? {
    guard let count = number() else { return nil }
    guard count > 0 else { return .some(nil) }
    guard let text = text(count - 1) else { return nil }
    return .some(text)
  }

  /// A list whose elements take a byte at least, each.
  mutating func list<Element>(_ element: (inout Self) -> Element?) -> [Element]? {
    guard let count = number(), count <= bytes.endIndex - offset else { return nil }
    var list: [Element] = []
    list.reserveCapacity(count)
    for _ in 0..<count {
      guard let element = element(&self) else { return nil }
      list.append(element)
    }
    return list
  }

  private mutating func text(_ count: Int) -> String? {
    guard count <= bytes.endIndex - offset else { return nil }
    defer { offset += count }
    return String(validating: bytes[offset..<offset + count], as: UTF8.self)
  }
}
