import DirectoryModel
import TextRules

/// One property of a card: `[group.]NAME[;PARAMETER[=VALUE]]…:VALUE` (RFC 6350 §3.3, and vCard 2.1,
/// whose parameters need no name).
struct VCardReadProperty {
  /// In lower case; empty where there is none.
  var group = ""
  /// In upper case.
  var name = ""
  /// Names in upper case, values as they stand; a parameter without a name is a `TYPE`.
  var parameters: [(name: String, value: String)] = []
  var value: [UInt8] = []

  /// Takes a line apart; `nil` where it is not a property.
  init?(_ line: [UInt8]) {
    var position = 0
    var isQuoted = false
    var starts = [0]
    while position < line.count {
      let byte = line[position]
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if !isQuoted, byte == UInt8(ascii: ":") { break }
      if !isQuoted, byte == UInt8(ascii: ";") { starts.append(position + 1) }
      position += 1
    }
    guard position < line.count else { return nil }
    value = Array(line[(position + 1)...])
    for (index, start) in starts.enumerated() {
      let end = index + 1 < starts.count ? starts[index + 1] - 1 : position
      if index == 0 { takeName(line[start..<end]) } else { takeParameter(line[start..<end]) }
    }
    guard !name.isEmpty else { return nil }
  }

  private mutating func takeName(_ part: ArraySlice<UInt8>) {
    let dot = part.firstIndex(of: UInt8(ascii: "."))
    if let dot { group = String(decoding: part[..<dot], as: UTF8.self).lowercased() }
    let start = dot.map { $0 + 1 } ?? part.startIndex
    name = String(decoding: part[start...], as: UTF8.self).uppercased()
  }

  private mutating func takeParameter(_ part: ArraySlice<UInt8>) {
    let sign = part.firstIndex(of: UInt8(ascii: "="))
    let name = sign.map { String(decoding: part[..<$0], as: UTF8.self).uppercased() } ?? "TYPE"
    let value = part[(sign.map { $0 + 1 } ?? part.startIndex)...].filter {
      $0 != UInt8(ascii: "\"")
    }
    parameters.append((name, String(decoding: value, as: UTF8.self)))
  }

  /// Words of a parameter in upper case, lists taken apart.
  func words(of parameter: String) -> [String] {
    parameters.filter { $0.name == parameter }
      .flatMap { $0.value.uppercased().split(separator: ",").map(String.init) }
  }

  /// How the value is encoded: a word such as `QUOTED-PRINTABLE`, which vCard 2.1 may leave bare.
  private func isEncoded(_ words: Set<String>) -> Bool {
    !parameters.isEmpty
      && !words.isDisjoint(with: self.words(of: "ENCODING") + self.words(of: "TYPE"))
  }

  /// vCard 2.1 §2.1.4; RFC 2045 §6.7.
  var isQuotedPrintable: Bool { isEncoded(["QUOTED-PRINTABLE"]) }
  var isBase64: Bool { isEncoded(["BASE64", "B"]) }

  /// The value as UTF-8, its transfer encoding and charset undone; escapes stay.
  ///
  /// - Throws: What is wrong with it.
  func text() throws(VCardError) -> [UInt8] {
    var bytes = value
    if isQuotedPrintable { bytes = Self.quotedPrintable(bytes) }
    if isBase64 {
      guard let data = Base64.decode(bytes) else {
        throw VCardError(reason: "\(name) is not base64 (RFC 4648)")
      }
      bytes = data
    }
    if let charset = parameters.first(where: { $0.name == "CHARSET" })?.value,
      charset.uppercased() != "UTF-8"
    {
      bytes = try Self.decode(bytes, charset, name)
    }
    guard let found = bytes.withUnsafeBytes({ TextError.first(in: $0) }) else { return bytes }
    throw VCardError(reason: "\(name) \(found.reason(in: bytes))", advice: found.advice)
  }

  /// The value as an id that `VCardText.appendID` wrote.
  func id() throws(VCardError) -> [UInt8] {
    let id = VCardText.id(try text())
    guard let found = id.withUnsafeBytes({ TextError.first(in: $0) }) else { return id }
    throw VCardError(reason: "\(name) \(found.reason(in: id))", advice: found.advice)
  }

  private static func decode(
    _ bytes: [UInt8],
    _ charset: String,
    _ name: String
  ) throws(VCardError) -> [UInt8] {
    guard var decoder = TextDecoder(charset) else {
      let shown = QuotedValue.string(charset)
      throw VCardError(reason: "\(name) is in the unknown charset \(shown)")
    }
    var text: [UInt8] = []
    var offset: Int?
    bytes.withUnsafeBytes { bytes in
      do throws(TextDecoder.MalformedText) {
        try decoder.decode(bytes, isLast: true, to: &text)
      } catch {
        offset = error.offset
      }
    }
    guard let offset else { return text }
    throw VCardError(reason: "\(name) is not valid \(charset) at byte \(offset + 1) of the value")
  }

  /// Undoes quoted-printable: an equals sign and two digits are a byte.
  ///
  /// Soft breaks were removed already. Anything else behind the sign stands for itself, as readers
  /// of the time had it.
  private static func quotedPrintable(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var position = 0
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      guard byte == UInt8(ascii: "="), position + 1 < bytes.count,
        let high = Character(Unicode.Scalar(bytes[position])).hexDigitValue,
        let low = Character(Unicode.Scalar(bytes[position + 1])).hexDigitValue
      else {
        result.append(byte)
        continue
      }
      result.append(UInt8(high << 4 | low))
      position += 2
    }
    return result
  }
}

/// What is wrong with a card.
struct VCardError: Error, Equatable {
  var reason: String
  var advice: Advice?
}

extension VCardText {
  /// The components of a structured value, escapes resolved.
  ///
  /// - Parameters:
  ///   - value: Components parted by semicolons.
  ///   - isOld: Whether it is vCard 2.1, where only the semicolon is escaped.
  /// - Returns: At least one component.
  static func components(of value: [UInt8], isOld: Bool) -> [[UInt8]] {
    var components: [[UInt8]] = [[]]
    var position = 0
    while position < value.count {
      let byte = value[position]
      position += 1
      if byte == UInt8(ascii: ";") {
        components.append([])
        continue
      }
      guard byte == UInt8(ascii: "\\"), position < value.count else {
        components[components.count - 1].append(byte)
        continue
      }
      components[components.count - 1] += escaped(value[position], isOld: isOld)
      position += 1
    }
    return components
  }

  /// A text value, escapes resolved; a bare semicolon is part of it.
  static func text(of value: [UInt8], isOld: Bool) -> [UInt8] {
    Array(components(of: value, isOld: isOld).joined(separator: [UInt8(ascii: ";")]))
  }

  /// What a backslash and a byte stand for (RFC 6350 §3.4); unknown pairs stay as they are.
  private static func escaped(_ byte: UInt8, isOld: Bool) -> [UInt8] {
    switch byte {
    case UInt8(ascii: ";"): [byte]
    case UInt8(ascii: "\\"), UInt8(ascii: ","), UInt8(ascii: ":"):
      isOld ? [UInt8(ascii: "\\"), byte] : [byte]
    case UInt8(ascii: "n"), UInt8(ascii: "N"):
      isOld ? [UInt8(ascii: "\\"), byte] : [0x0A]
    default: [UInt8(ascii: "\\"), byte]
    }
  }

  /// An id as `appendID` wrote it.
  static func id(_ value: [UInt8]) -> [UInt8] {
    var id: [UInt8] = []
    var position = 0
    while position < value.count {
      if value[position] == UInt8(ascii: "%"), position + 2 < value.count,
        let high = Character(Unicode.Scalar(value[position + 1])).hexDigitValue,
        let low = Character(Unicode.Scalar(value[position + 2])).hexDigitValue
      {
        id.append(UInt8(high << 4 | low))
        position += 3
      } else {
        id.append(value[position])
        position += 1
      }
    }
    return id
  }
}
