import TextRules

/// A text that names a person, taken apart: `Jan Berg (JAW0005)`, `JAW0006 - Jan Berg`, `Berg, Jan`,
/// `Jan Berg <jan@x.example>`, `ACME\jberg`, `acme.example/Sales/Jan Berg`.
struct WrittenReference {
  /// What stands apart from the rest, in brackets or beside a dash, and may be a number of any form.
  private(set) var numbers: [[UInt8]] = []
  /// Words with digits at the beginning or the end of a name, with the name that is left of it.
  private(set) var words: [(number: [UInt8], name: [UInt8])] = []
  private(set) var addresses: [[UInt8]] = []
  /// Texts that may be names, the whole one first.
  private(set) var names: [[UInt8]] = []

  /// A longer text names nobody.
  private static let longest = 2_000

  init(_ text: [UInt8]) {
    guard text.count <= Self.longest else { return }
    names = [text]
    let parts = Self.parts(of: Self.plain(text))
    for part in parts {
      let bytes = Self.trimmed(part.text)
      guard !bytes.isEmpty else { continue }
      take(bytes, isApart: parts.count > 1, isInBrackets: part.isInBrackets)
      if let sign = bytes.lastIndex(of: UInt8(ascii: "\\")) {
        numbers.append(Array(bytes[(sign + 1)...]))
      }
      if let sign = bytes.lastIndex(of: UInt8(ascii: "/")) {
        names.append(Self.trimmed(bytes[(sign + 1)...]))
      }
      if parts.count > 1, !part.isInBrackets { names.append(bytes) }
    }
  }

  private mutating func take(_ part: [UInt8], isApart: Bool, isInBrackets: Bool) {
    let words = part.split { $0 == 0x20 || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") }
      .map(Self.withoutMark)
    for word in words where word.contains(UInt8(ascii: "@")) {
      let scheme = Array("mailto:".utf8)
      addresses.append(
        Array(word.starts(with: scheme) ? word.dropFirst(scheme.count) : word[...])
      )
    }
    if words.count == 1 {
      if isApart { numbers.append(words[0]) }
      return
    }
    guard let first = words.first, let last = words.last else { return }
    if words.count == 2, Self.isLabel(first) {
      numbers.append(last)
    } else if !isInBrackets {
      for (word, rest) in [(last, words.dropLast()), (first, words.dropFirst())]
      where word.contains(where: Self.isDigit) {
        let space: [UInt8] = [0x20]
        self.words.append((word, Array(rest.joined(separator: space))))
        // The comma of `Berg, Jan, 17`.
        if let range = Self.range(of: word, in: part) {
          names.append(Self.trimmed(part[..<range.lowerBound] + part[range.upperBound...]))
        }
      }
    }
  }

  /// With ASCII for the brackets, dashes and bars of other scripts.
  private static func plain(_ text: [UInt8]) -> [UInt8] {
    guard text.contains(where: { $0 >= 0x80 }) else { return text }
    var plain = ""
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      switch scalar {
      case "（", "【", "［", "〔": plain.append("(")
      case "）", "】", "］", "〕": plain.append(")")
      case "‐", "‑", "–", "—", "―", "－": plain.append("-")
      case "｜", "·", "•": plain.append("|")
      case "：": plain.append(": ")
      case "，", "、": plain.append(",")
      case "\u{A0}", "\u{3000}": plain.append(" ")
      default: plain.unicodeScalars.append(scalar)
      }
    }
    return Array(plain.utf8)
  }

  /// The parts between brackets, bars, colons, and dashes with blanks around them.
  private static func parts(of text: [UInt8]) -> [(text: ArraySlice<UInt8>, isInBrackets: Bool)] {
    var parts: [(text: ArraySlice<UInt8>, isInBrackets: Bool)] = []
    var start = 0
    var isInBrackets = false
    func end(at place: Int, next: Int) {
      if place > start { parts.append((text[start..<place], isInBrackets)) }
      start = next
    }
    for place in text.indices {
      switch text[place] {
      case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "<"), UInt8(ascii: "{"):
        end(at: place, next: place + 1)
        isInBrackets = true
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: ">"), UInt8(ascii: "}"):
        end(at: place, next: place + 1)
        isInBrackets = false
      case UInt8(ascii: "|"), 0x09, 0x0A: end(at: place, next: place + 1)
      case UInt8(ascii: ":") where place + 1 < text.count && text[place + 1] == 0x20:
        end(at: place, next: place + 1)
      case UInt8(ascii: "-")
      where place > start && place + 1 < text.count && text[place - 1] == 0x20
        && text[place + 1] == 0x20:
        end(at: place, next: place + 1)
      default: break
      }
    }
    end(at: text.count, next: text.count)
    return parts
  }

  private static func range(of word: [UInt8], in text: [UInt8]) -> Range<Int>? {
    if text.starts(with: word) { return 0..<word.count }
    return text.suffix(word.count).elementsEqual(word)
      ? (text.count - word.count)..<text.count : nil
  }

  /// Without `#` in front of a number.
  private static func withoutMark(_ word: ArraySlice<UInt8>) -> [UInt8] {
    Array(word.drop { $0 == UInt8(ascii: "#") })
  }

  /// Without blanks, commas and semicolons at the ends.
  private static func trimmed(_ text: some BidirectionalCollection<UInt8>) -> [UInt8] {
    func isOuter(_ byte: UInt8) -> Bool {
      byte <= 0x20 || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";")
    }
    var text = Array(text.drop(while: isOuter))
    while text.last.map(isOuter) == true { text.removeLast() }
    return text
  }

  static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// Words in front of numbers.
  private static func isLabel(_ word: [UInt8]) -> Bool {
    labels.contains(
      String(decoding: word.filter { $0 != UInt8(ascii: ".") }, as: UTF8.self).lowercased()
    )
  }

  private static let labels: Set<String> = [
    "id", "no", "nr", "number", "nº", "n°", "emp", "employee", "personnel", "pers", "persnr", "ma",
    "badge", "user", "工号", "№",
  ]

  /// The form of a number: `A9` for `JAW0005`, `9` for `17`, so that numbers of one series are alike.
  static func shape(of number: [UInt8]) -> [UInt8] {
    var shape: [UInt8] = []
    for byte in number {
      let isLetter = (0x61...0x7A).contains(byte | 0x20) || byte >= 0x80
      let sign = isDigit(byte) ? UInt8(ascii: "9") : isLetter ? UInt8(ascii: "A") : byte
      if shape.last != sign || sign != UInt8(ascii: "9") && sign != UInt8(ascii: "A") {
        shape.append(sign)
      }
    }
    return shape
  }

  /// The forms in which a name may be written elsewhere: as it is, turned at its comma, and without
  /// titles, degrees and capitals.
  static func forms(of name: [UInt8]) -> [[UInt8]] {
    var forms = [name]
    if let turned = turned(name) { forms.append(turned) }
    forms.append(Array(ParsedName(String(decoding: name, as: UTF8.self)).whole.utf8))
    return forms
  }

  /// `First Last` for `Last, First`.
  static func turned(_ name: [UInt8]) -> [UInt8]? {
    let parts = name.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    return parts.count == 2 ? parts[1] + [0x20] + parts[0] : nil
  }
}
