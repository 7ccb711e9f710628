/// Reads the text that `FieldValues` describes, field by field, and nothing that is merely like it.
///
///     var reader = FieldValuesReader(text)
///     while reader.next() { … reader.name … reader.values … }
package struct FieldValuesReader {
  private let text: UnsafeRawBufferPointer
  private var position = 0
  /// Whether something stands there that `FieldValues` does not write; nothing is read behind it.
  package private(set) var isMalformed = false
  package private(set) var name: [UInt8] = []
  /// Whether the values stand in a list.
  package private(set) var isSeveral = false
  /// At least one.
  package private(set) var values: [[UInt8]] = []

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

  private mutating func readField() -> Bool {
    guard position == 0 ? take(UInt8(ascii: "{")) : takeSeparator() else { return false }
    guard let name = readString(), take(UInt8(ascii: ":")), take(UInt8(ascii: " ")) else {
      return false
    }
    self.name = name
    values.removeAll(keepingCapacity: true)
    isSeveral = take(UInt8(ascii: "["))
    repeat {
      guard let value = readString() else { return false }
      values.append(value)
    } while isSeveral && takeSeparator()
    guard !isSeveral || take(UInt8(ascii: "]")) else { return false }
    return position < text.count
      && (text[position] == UInt8(ascii: "}") || text[position] == UInt8(ascii: ","))
  }

  private mutating func readString() -> [UInt8]? {
    guard take(UInt8(ascii: "\"")) else { return nil }
    var string: [UInt8] = []
    var start = position
    while position < text.count {
      let byte = text[position]
      position += 1
      guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
      string.append(contentsOf: text[start..<position - 1])
      if byte == UInt8(ascii: "\"") { return string }
      guard let escaped = readEscape() else { return nil }
      string.append(escaped)
      start = position
    }
    return nil
  }

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
