/// Reads the text that `FieldValues` describes, field by field, and nothing that is merely like it.
///
///     var reader = FieldValuesReader(text)
///     while reader.next() { … reader.name … reader.values … }
///
/// Going on to the next field decodes nothing and allocates nothing.
package struct FieldValuesReader {
  /// What stands between two quotation marks.
  private struct Quoted {
    var range: Range<Int>
    var isEscaped: Bool

    static let none = Quoted(range: 0..<0, isEscaped: false)
  }

  private let text: UnsafeRawBufferPointer
  private var position = 0
  /// Whether something stands there that `FieldValues` does not write; nothing is read behind it.
  package private(set) var isMalformed = false
  private var quotedName = Quoted.none
  private var firstValue = Quoted.none
  /// Whether the values stand in a list.
  package private(set) var isSeveral = false

  /// - Parameter text: The text, which must outlive the reader; it may be empty.
  package init(_ text: UnsafeRawBufferPointer) { self.text = text }

  /// Goes on to the next field.
  ///
  /// - Returns: Whether there is one.
  package mutating func next() -> Bool {
    guard !isMalformed, position < text.count else { return false }
    if position > 0, text[position] == UInt8(ascii: "}") {
      isMalformed = position + 1 != text.count
      return false
    }
    let isWhole = readField()
    isMalformed = !isWhole
    return isWhole
  }

  package var name: [UInt8] { decoded(quotedName) }

  /// Whether the field has a name, which is one that a declaration can have.
  package func isNamed(_ name: [UInt8]) -> Bool {
    let range = quotedName.range
    guard range.count == name.count else { return false }
    for index in name.indices where text[range.lowerBound &+ index] != name[index] { return false }
    return true
  }

  /// At least one.
  package var values: [[UInt8]] {
    var values: [[UInt8]] = []
    forEachValue { values.append(Array($0)) }
    return values
  }

  /// Calls `body` with each value, borrowed.
  package func forEachValue<Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    var value = firstValue
    while true {
      if value.isEscaped {
        try decoded(value).withUnsafeBytes { bytes in
          Result { () throws(Failure) in try body(bytes) }
        }.get()
      } else {
        try body(UnsafeRawBufferPointer(rebasing: text[value.range]))
      }
      // Behind the value and its quotation mark; what stands there was read before.
      var rest = self
      rest.position = value.range.upperBound + 1
      guard isSeveral, rest.takeSeparator(), let next = rest.readString() else { return }
      value = next
    }
  }

  // MARK: - Reading

  @inline(__always)
  private mutating func readField() -> Bool {
    guard position == 0 ? take(UInt8(ascii: "{")) : takeSeparator() else { return false }
    guard let name = readString(), take(UInt8(ascii: ":")), take(UInt8(ascii: " ")) else {
      return false
    }
    quotedName = name
    isSeveral = take(UInt8(ascii: "["))
    guard let value = readString() else { return false }
    firstValue = value
    while isSeveral, takeSeparator() {
      guard readString() != nil else { return false }
    }
    guard !isSeveral || take(UInt8(ascii: "]")) else { return false }
    return position < text.count
      && (text[position] == UInt8(ascii: "}") || text[position] == UInt8(ascii: ","))
  }

  @inline(__always)
  private mutating func readString() -> Quoted? {
    guard take(UInt8(ascii: "\"")) else { return nil }
    let start = position
    var isEscaped = false
    while true {
      skipPlain()
      guard position < text.count else { return nil }
      position += 1
      if text[position - 1] == UInt8(ascii: "\"") {
        return Quoted(range: start..<position - 1, isEscaped: isEscaped)
      }
      guard readEscape() != nil else { return nil }
      isEscaped = true
    }
  }

  /// Goes on to a quotation mark or a backslash, eight bytes at a time.
  @inline(__always)
  private mutating func skipPlain() {
    while position &+ 8 <= text.count {
      let bits = text.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      let word = UInt64(littleEndian: bits)
      let marks =
        Self.zeroBytes(word ^ 0x2222_2222_2222_2222)
        | Self.zeroBytes(word ^ 0x5C5C_5C5C_5C5C_5C5C)
      if marks != 0 {
        position &+= marks.trailingZeroBitCount / 8
        return
      }
      position &+= 8
    }
    while position < text.count, text[position] != UInt8(ascii: "\""),
      text[position] != UInt8(ascii: "\\")
    {
      position &+= 1
    }
  }

  /// The upper bit of the first byte that is 0, and perhaps of later ones.
  @inline(__always)
  private static func zeroBytes(_ word: UInt64) -> UInt64 {
    (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
  }

  /// The byte that an escape stands for, whose backslash was read.
  private mutating func readEscape() -> UInt8? {
    guard position < text.count else { return nil }
    let byte = text[position]
    position += 1
    switch byte {
    case UInt8(ascii: "b"): return 0x08
    case UInt8(ascii: "f"): return 0x0C
    case UInt8(ascii: "n"): return 0x0A
    case UInt8(ascii: "r"): return 0x0D
    case UInt8(ascii: "t"): return 0x09
    case UInt8(ascii: "u"):
      guard take(UInt8(ascii: "0")), take(UInt8(ascii: "0")), position + 2 <= text.count else {
        return nil
      }
      position += 2
      return UInt8(String(decoding: text[(position - 2)..<position], as: UTF8.self), radix: 16)
    default: return byte
    }
  }

  private func decoded(_ quoted: Quoted) -> [UInt8] {
    guard quoted.isEscaped else { return Array(text[quoted.range]) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(quoted.range.count)
    var reader = self
    reader.position = quoted.range.lowerBound
    while reader.position < quoted.range.upperBound {
      let start = reader.position
      reader.skipPlain()
      bytes.append(contentsOf: text[start..<reader.position])
      guard reader.position < quoted.range.upperBound else { break }
      reader.position += 1
      if let byte = reader.readEscape() { bytes.append(byte) }
    }
    return bytes
  }

  @inline(__always)
  private mutating func take(_ byte: UInt8) -> Bool {
    guard position < text.count, text[position] == byte else { return false }
    position += 1
    return true
  }

  private mutating func takeSeparator() -> Bool {
    guard position + 1 < text.count, text[position] == UInt8(ascii: ","),
      text[position + 1] == UInt8(ascii: " ")
    else { return false }
    position += 2
    return true
  }
}
