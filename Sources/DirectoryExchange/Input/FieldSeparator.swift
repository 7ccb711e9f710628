import DirectoryModel

/// What parts the fields of a file that is CSV but for its commas.
package struct FieldSeparator: Sendable, Equatable {
  let byte: UInt8

  private static let names: [String: String] = [
    "tab": "\t", "\\t": "\t", "semicolon": ";", "comma": ",", "bar": "|", "pipe": "|",
  ]

  /// - Parameter name: The sign itself, one of ASCII that is neither letter, digit nor quote; or its
  ///   name, such as `tab`.
  /// - Throws: `.usage` for anything else.
  package init(_ name: String) throws(DirectoryError) {
    let sign = Array((Self.names[name.lowercased()] ?? name).utf8)
    guard sign.count == 1, Self.isSign(sign[0]) else {
      throw DirectoryError(
        .usage,
        "\(QuotedValue.path(name)) is not a field separator",
        advice: "give one character such as ';' or '|', or the word tab"
      )
    }
    byte = sign[0]
  }

  /// - Returns: `nil` for a byte that can be none.
  init?(byte: UInt8) {
    guard Self.isSign(byte) else { return nil }
    self.byte = byte
  }

  static let comma = FieldSeparator(sign: CSVByte.comma)

  private init(sign: UInt8) { byte = sign }

  /// For people.
  var name: String {
    switch byte {
    case 0x09: "tabs"
    case UInt8(ascii: ";"): "semicolons"
    case UInt8(ascii: "|"): "bars"
    case CSVByte.comma: "commas"
    default: "\"\(Character(Unicode.Scalar(byte)))\""
    }
  }

  private static func isSign(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09: true
    case 0x22, 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: false
    default: (0x21...0x7E).contains(byte)
    }
  }
}

/// Writes commas where fields are parted by something else, and quotes where a field holds commas,
/// so that there is one reader of CSV (RFC 4180) and lines keep their numbers.
///
/// The line `sep=;` that spreadsheets understand is left out. What is no CSV with that separator is none
/// with commas afterwards.
struct SeparatorRewriting {
  private enum State {
    case beginning, fieldStart, field, quoted, behindQuote
    /// A field that is passed on as it is, since it is too long or no CSV.
    case raw
  }

  /// Bytes of the longest field that may be put in quotes.
  private static let longestField = CSVReader.defaultLongestRecord

  private let separator: UInt8
  private var state = State.beginning
  /// The field without quotes that is being read, or the file's first bytes.
  private var pending: [UInt8] = []

  init(_ separator: FieldSeparator) { self.separator = separator.byte }

  /// Takes a piece and appends what becomes of it.
  mutating func rewrite(_ piece: UnsafeRawBufferPointer, to text: inout [UInt8]) {
    for byte in piece { take(byte, &text) }
  }

  /// Ends the file.
  mutating func finish(to text: inout [UInt8]) {
    if state == .beginning { begin(&text) }
    endField(&text)
  }

  private mutating func take(_ byte: UInt8, _ text: inout [UInt8]) {
    switch state {
    case .beginning:
      pending.append(byte)
      if pending.count == 8 { begin(&text) }
    case .fieldStart where byte == CSVByte.quote:
      text.append(byte)
      state = .quoted
    case .quoted:
      text.append(byte)
      if byte == CSVByte.quote { state = .behindQuote }
    case .behindQuote where byte == CSVByte.quote:
      text.append(byte)
      state = .quoted
    case .fieldStart, .field, .behindQuote, .raw: takePlain(byte, &text)
    }
  }

  private mutating func takePlain(_ byte: UInt8, _ text: inout [UInt8]) {
    let isLineEnd = byte == CSVByte.lineFeed || byte == CSVByte.carriageReturn
    guard byte == separator || isLineEnd else { return takeText(byte, &text) }
    endField(&text)
    text.append(isLineEnd ? byte : CSVByte.comma)
    state = .fieldStart
  }

  private mutating func takeText(_ byte: UInt8, _ text: inout [UInt8]) {
    switch state {
    case .behindQuote:
      // A comma here would part fields where this file does not.
      if byte == CSVByte.comma { text.append(0x20) }
      text.append(byte)
      state = .raw
    case .raw: text.append(byte)
    default:
      pending.append(byte)
      state = .field
      if pending.count > Self.longestField {
        text += pending
        pending = []
        state = .raw
      }
    }
  }

  /// Ends a field without quotes; one that holds a quote stays as it is, which a reader refuses.
  private mutating func endField(_ text: inout [UInt8]) {
    let isQuoted = pending.contains(CSVByte.comma) && !pending.contains(CSVByte.quote)
    if isQuoted { text.append(CSVByte.quote) }
    text += pending
    if isQuoted { text.append(CSVByte.quote) }
    pending.removeAll(keepingCapacity: true)
  }

  /// Looks at the first bytes.
  private mutating func begin(_ text: inout [UInt8]) {
    var start = pending[...]
    pending = []
    state = .fieldStart
    if start.starts(with: [0xEF, 0xBB, 0xBF]) {
      text += start.prefix(3)
      start = start.dropFirst(3)
    }
    let mark = Array("sep=".utf8) + [separator]
    if start.starts(with: mark) { start = start.dropFirst(mark.count) }
    for byte in start { take(byte, &text) }
  }
}
