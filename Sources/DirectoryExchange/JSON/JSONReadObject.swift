/// One JSON object, taken apart into the columns of a list.
///
/// Not by `JSONDecoder`, which keeps neither the digits of a number as they stand (`1.0`, or an id of
/// twenty) nor the line of a mistake, and takes the last of two equal keys in silence.
struct JSONReadObject {
  struct Fault: Error, Equatable {
    /// Lines below the object's first one.
    var line: Int
    var reason: String
  }

  /// Arrays and objects inside each other that are passed over.
  private static let deepest = 512

  private let text: UnsafeRawBufferPointer
  private var position = 0
  /// Keys that the list has no column for.
  private(set) var unknownKeys: [String] = []
  private var value: [UInt8] = []

  init(_ text: UnsafeRawBufferPointer) { self.text = text }

  private static let columns: [String: TableColumn] = {
    let derived: Set<TableColumn> = [.level, .people, .path]
    var columns: [String: TableColumn] = ["parent": .parent, "department_id": .parent]
    for column in TableColumn.all where !derived.contains(column) {
      columns[column.name] = column
    }
    return columns
  }()

  /// The object of declared fields.
  private static let fieldsKey = "fields"

  /// What follows from other keys.
  private static let derivedKeys: Set = [
    "level", "disclosure", "people", "path", "departments", "leaders",
  ]

  /// Reads all of the object.
  mutating func read(into row: ListRowBuilder) throws(Fault) {
    try checkText()
    try readMembers { (object, key) throws(Fault) in
      if key == Self.fieldsKey, object.next == UInt8(ascii: "{") {
        try object.readMembers { (object, key) throws(Fault) in
          try object.readField(key, shown: "fields.\(key)", into: row)
        }
      } else {
        try object.readValue(of: key, into: row)
      }
    }
    guard position == text.count else { throw unexpected("the end of the object") }
  }

  /// Reads the object that begins here, member by member.
  private mutating func readMembers(
    _ body: (inout JSONReadObject, _ key: String) throws(Fault) -> Void
  ) throws(Fault) {
    var seen: Set<String> = []
    try expect(UInt8(ascii: "{"), "an object")
    skipBlanks()
    while next != UInt8(ascii: "}") {
      if !seen.isEmpty {
        try expect(UInt8(ascii: ","), "a comma or }")
        skipBlanks()
      }
      try readString()
      let key = String(decoding: value, as: UTF8.self)
      guard seen.insert(key).inserted else { throw fault("names the key \(shown(value)) twice") }
      skipBlanks()
      try expect(UInt8(ascii: ":"), "a colon")
      skipBlanks()
      try body(&self, key)
      skipBlanks()
    }
    position += 1
  }

  private func checkText() throws(Fault) {
    guard let found = TextError.first(in: text) else { return }
    let offset: Int
    let reason: String
    switch found {
    case .nul(let at): (offset, reason) = (at, "contains a NUL")
    case .notUTF8(let at), .cut(let at): (offset, reason) = (at, "is not UTF-8")
    }
    let before = text[..<offset]
    let lines = before.count { $0 == 0x0A }
    let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    throw Fault(line: lines, reason: "\(reason) at byte \(offset - start + 1) of the line")
  }

  private var next: UInt8? { position < text.count ? text[position] : nil }

  private mutating func skipBlanks() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
      position += 1
    }
  }

  private mutating func expect(_ byte: UInt8, _ name: String) throws(Fault) {
    guard next == byte else { throw unexpected(name) }
    position += 1
  }

  private func fault(_ reason: String) -> Fault {
    Fault(line: text[..<min(position, text.count)].count { $0 == 0x0A }, reason: reason)
  }

  private func unexpected(_ wanted: String) -> Fault {
    guard position < text.count else { return fault("the object ends where \(wanted) is expected") }
    let rest = UnsafeRawBufferPointer(rebasing: text[position..<min(position + 40, text.count)])
    return fault("has \(QuotedValue.text(rest)) where \(wanted) is expected (RFC 8259)")
  }

  private func shown(_ bytes: [UInt8]) -> String {
    QuotedValue.text(bytes)
  }
}

extension JSONReadObject {
  private mutating func readValue(
    of key: String,
    into row: ListRowBuilder
  ) throws(Fault) {
    guard let column = Self.columns[key] else {
      if Self.derivedKeys.contains(key) { return try skipValue() }
      return try readField(key, shown: key, into: row)
    }
    guard let value = try readText(of: key) else { return }
    guard column != .parent || !row.has(.parent) else {
      throw fault("names the parent or department twice")
    }
    row.set(column, value)
  }

  /// The value of a declared field, or its several values.
  private mutating func readField(
    _ name: String,
    shown: String,
    into row: ListRowBuilder
  ) throws(Fault) {
    guard row.hasField(name) else {
      unknownKeys.append(shown)
      return try skipValue()
    }
    var values: [[UInt8]] = []
    guard next == UInt8(ascii: "[") else {
      if let value = try readText(of: shown) { values.append(value) }
      return row.set(field: name, values)
    }
    position += 1
    skipBlanks()
    while next != UInt8(ascii: "]") {
      if !values.isEmpty {
        try expect(UInt8(ascii: ","), "a comma or ]")
        skipBlanks()
      }
      values.append(try readText(of: shown) ?? [])
      skipBlanks()
    }
    position += 1
    row.set(field: name, values)
  }

  /// A text, or a number or truth as it is written; `nil` for `null`.
  private mutating func readText(of key: String) throws(Fault) -> [UInt8]? {
    switch next {
    case UInt8(ascii: "\""): try readString()
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      throw fault("the value of \(key) is a list or an object, not text")
    default:
      try readLiteral()
      if value.elementsEqual("null".utf8) { return nil }
    }
    guard !value.contains(0) else { throw fault("the value of \(key) contains a NUL") }
    return value
  }

  /// A number, `true`, `false` or `null`, as it is written.
  private mutating func readLiteral() throws(Fault) {
    let start = position
    while let byte = next, isLiteral(byte) { position += 1 }
    value = Array(text[start..<position])
    if ["true", "false", "null"].contains(where: { value.elementsEqual($0.utf8) }) { return }
    guard Self.isNumber(value) else {
      position = start
      throw unexpected("a value")
    }
  }

  private func isLiteral(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
      || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") || byte == UInt8(ascii: ".")
  }

  /// RFC 8259 §6.
  private static func isNumber(_ text: [UInt8]) -> Bool {
    var rest = text[...]
    func takeDigits() -> Int {
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      rest = rest.dropFirst(digits.count)
      return digits.count
    }
    if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
    let hasZero = rest.first == UInt8(ascii: "0")
    let whole = takeDigits()
    guard whole == 1 || whole > 1 && !hasZero else { return false }
    if rest.first == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      guard takeDigits() > 0 else { return false }
    }
    if let sign = rest.first, sign | 0x20 == UInt8(ascii: "e") {
      rest = rest.dropFirst()
      if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") {
        rest = rest.dropFirst()
      }
      guard takeDigits() > 0 else { return false }
    }
    return rest.isEmpty
  }

  /// Passes over a value of any kind; its brackets and strings must be whole.
  private mutating func skipValue() throws(Fault) {
    var closing: [UInt8] = []
    repeat {
      skipBlanks()
      switch next {
      case UInt8(ascii: "\""): try readString()
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard closing.count < Self.deepest else {
          throw fault("is nested more than \(Self.deepest) levels deep")
        }
        closing.append(next == UInt8(ascii: "{") ? UInt8(ascii: "}") : UInt8(ascii: "]"))
        position += 1
        try enter(&closing)
        continue
      default: try readLiteral()
      }
      try leave(&closing)
    } while !closing.isEmpty
  }

  /// Behind an opening bracket: the first member's key, or the end of what is empty.
  private mutating func enter(_ closing: inout [UInt8]) throws(Fault) {
    skipBlanks()
    guard next == closing.last else { return try readKey(closing) }
    position += 1
    closing.removeLast()
    try leave(&closing)
  }

  /// Behind a value: closing brackets, or a comma and the next member's key.
  private mutating func leave(_ closing: inout [UInt8]) throws(Fault) {
    while let bracket = closing.last {
      skipBlanks()
      if next == bracket {
        position += 1
        closing.removeLast()
        continue
      }
      try expect(UInt8(ascii: ","), "a comma or a closing bracket")
      skipBlanks()
      return try readKey(closing)
    }
  }

  private mutating func readKey(_ closing: [UInt8]) throws(Fault) {
    guard closing.last == UInt8(ascii: "}") else { return }
    try readString()
    skipBlanks()
    try expect(UInt8(ascii: ":"), "a colon")
  }

  /// A string into `value`, its escapes resolved (RFC 8259 §7).
  private mutating func readString() throws(Fault) {
    try expect(UInt8(ascii: "\""), "a string")
    value.removeAll(keepingCapacity: true)
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return
      case UInt8(ascii: "\\"): try readEscape()
      case 0..<0x20:
        position -= 1
        throw fault("has a control character in a string; write it as \\u00…")
      default: value.append(byte)
      }
    }
    throw unexpected("the end of a string")
  }

  private mutating func readEscape() throws(Fault) {
    guard let byte = next else { throw unexpected("an escape") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): value.append(byte)
    case UInt8(ascii: "b"): value.append(0x08)
    case UInt8(ascii: "f"): value.append(0x0C)
    case UInt8(ascii: "n"): value.append(0x0A)
    case UInt8(ascii: "r"): value.append(0x0D)
    case UInt8(ascii: "t"): value.append(0x09)
    case UInt8(ascii: "u"): try readUnicodeEscape()
    default:
      position -= 2
      throw unexpected("a JSON escape")
    }
  }

  /// Four digits, or twice four for what lies beyond U+FFFF.
  private mutating func readUnicodeEscape() throws(Fault) {
    let start = position - 2
    let first = try readUnit()
    var number = UInt32(first)
    if (0xD800...0xDBFF).contains(first), next == UInt8(ascii: "\\"), position + 1 < text.count,
      text[position + 1] == UInt8(ascii: "u")
    {
      position += 2
      let second = try readUnit()
      number = 0x1_0000 + (UInt32(first) & 0x3FF) << 10 + UInt32(second) & 0x3FF
      if !(0xDC00...0xDFFF).contains(second) { number = 0xD800 }
    }
    guard let scalar = Unicode.Scalar(number) else {
      position = start
      throw unexpected("a whole character, not half of one,")
    }
    value.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
  }

  private mutating func readUnit() throws(Fault) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw unexpected("four hexadecimal digits")
      }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }
}
