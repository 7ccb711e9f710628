import Platform

/// How a number in a cell is shown (ECMA-376 part 1 §18.8.30, `numFmt`).
///
/// Dates are shown as ISO 8601 has them, and groups of digits without their separators, since both
/// depend on a language.
enum CellFormat: Sendable, Equatable {
  case general
  case date(hasDate: Bool, hasTime: Bool)
  /// Hours, minutes or seconds beyond a day, such as `[h]:mm`: the first unit, and how many follow.
  case elapsed(unit: Int, smaller: Int)
  case digits(DigitFormat)

  /// The formats that have a number and no code (§18.8.30; 27 to 36 and 50 to 58 are East Asian dates).
  init(builtIn id: Int) {
    switch id {
    case 1, 3, 37, 38: self = CellFormat(code: "0")
    case 2, 4, 39, 40: self = CellFormat(code: "0.00")
    case 9: self = CellFormat(code: "0%")
    case 10: self = CellFormat(code: "0.00%")
    case 14...17, 27...31, 34...36, 50...54, 57, 58: self = .date(hasDate: true, hasTime: false)
    case 18...21, 32, 33, 45...47, 55, 56: self = .date(hasDate: false, hasTime: true)
    case 22: self = .date(hasDate: true, hasTime: true)
    default: self = .general
    }
  }

  init(code: String) {
    var scanner = FormatScanner(code)
    self = scanner.format()
  }

  /// The text that a number is shown as; `nil` for one that is none.
  func text(of value: [UInt8], from1904: Bool) -> [UInt8]? {
    guard let number = Double(String(decoding: value, as: UTF8.self)), number.isFinite else {
      return nil
    }
    switch self {
    case .general: return Self.general(number)
    case .date(let hasDate, let hasTime):
      return SheetDate.text(number, hasDate: hasDate, hasTime: hasTime, from1904: from1904)
        ?? Self.general(number)
    case .elapsed(let unit, let smaller):
      return SheetDate.elapsed(number, unit: unit, smaller: smaller) ?? Self.general(number)
    case .digits(let format): return format.text(of: number) ?? Self.general(number)
    }
  }

  /// Fifteen digits, which is what spreadsheets keep; of more, an exponent says that they are lost.
  private static func general(_ number: Double) -> [UInt8] {
    if number.magnitude < 1e15, number == number.rounded() {
      return Array(String(Int64(number)).utf8)
    }
    return Array(printed("%.15g", number).replacing("e", with: "E").utf8)
  }

  static func printed(_ format: String, _ number: Double) -> String {
    var buffer = [CChar](repeating: 0, count: 64)
    let count = withVaList([number]) { vsnprintf(&buffer, buffer.count, format, $0) }
    return String(
      decoding: buffer.prefix(Int(max(0, count))).map(UInt8.init(bitPattern:)),
      as: UTF8.self
    )
  }
}

/// A format of digits and signs, such as `00000`, `000\-0000` or `0.0%`.
struct DigitFormat: Sendable, Equatable {
  enum Token: Sendable, Equatable {
    case literal(Character)
    /// A digit; `isKept` where a zero stands for none.
    case digit(isKept: Bool)
    case point
  }

  var tokens: [Token]
  var isPercent = false

  /// `nil` for a number beyond the digits that are kept.
  func text(of number: Double) -> [UInt8]? {
    let point = tokens.firstIndex(of: .point) ?? tokens.count
    let fraction = tokens[point...].count { if case .digit = $0 { true } else { false } }
    let value = isPercent ? number * 100 : number
    guard value.magnitude < 1e15, fraction <= 12 else { return nil }
    let parts = CellFormat.printed("%.\(fraction)f", value.magnitude).split(separator: ".")
    guard let whole = parts.first else { return nil }
    let isNegative = value < 0 && parts.contains { $0.contains { $0 != "0" } }
    return Array(
      ((isNegative ? "-" : "") + integer(whole, tokens[..<point])
        + decimals(parts.count > 1 ? parts[1] : "", tokens[point...])).utf8
    )
  }

  /// Digits from the right; what has no place stands before the first.
  private func integer(_ digits: Substring, _ tokens: ArraySlice<Token>) -> String {
    var rest = digits == "0" ? "" : digits
    var text: [Character] = []
    let first = tokens.firstIndex { if case .digit = $0 { true } else { false } }
    for place in tokens.indices.reversed() {
      switch tokens[place] {
      case .literal(let sign): text.append(sign)
      case .point: break
      case .digit(let isKept):
        if let digit = rest.popLast() { text.append(digit) } else if isKept { text.append("0") }
        if place == first { text += rest.reversed() }
      }
    }
    return String(text.reversed())
  }

  private func decimals(_ digits: Substring, _ tokens: ArraySlice<Token>) -> String {
    var text = ""
    var rest = digits[...]
    for token in tokens {
      switch token {
      case .literal(let sign): text.append(sign)
      case .point: text.append(".")
      case .digit(let isKept):
        guard let digit = rest.popFirst() else { continue }
        // Zeros at the end that need not be shown.
        if !isKept, digit == "0", rest.allSatisfy({ $0 == "0" }) { continue }
        text.append(digit)
      }
    }
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }
}

/// Reads the first part of a format's code, which is that of positive numbers.
private struct FormatScanner {
  private var rest: Substring
  private var tokens: [DigitFormat.Token] = []
  private var letters = ""
  private var isPercent = false
  private var isOther = false
  /// The unit in brackets.
  private var elapsed: Character?

  init(_ code: String) { rest = code.prefix(255) }

  mutating func format() -> CellFormat {
    while let sign = rest.popFirst(), sign != ";" { take(sign) }
    if let elapsed {
      let unit = elapsed == "h" ? 0 : elapsed == "m" ? 1 : 2
      let last = letters.contains("s") ? 2 : letters.contains("m") ? 1 : 0
      return .elapsed(unit: unit, smaller: max(0, last - unit))
    }
    let hasTime = letters.contains { $0 == "h" || $0 == "s" }
    let hasDay = letters.contains { "ydeg".contains($0) }
    let hasDate = hasDay || letters.contains("m") && !hasTime
    if hasDate || hasTime { return .date(hasDate: hasDate, hasTime: hasTime) }
    let hasDigits = tokens.contains { if case .digit = $0 { true } else { false } }
    guard hasDigits, !isOther else { return .general }
    return .digits(DigitFormat(tokens: tokens, isPercent: isPercent))
  }

  private mutating func take(_ sign: Character) {
    switch sign {
    case "\"":
      while let literal = rest.popFirst(), literal != "\"" { tokens.append(.literal(literal)) }
    case "\\": if let literal = rest.popFirst() { tokens.append(.literal(literal)) }
    // A blank as wide as the next sign, and a sign that fills the cell.
    case "_", "*": _ = rest.popFirst()
    case "[": takeBrackets()
    case "0": tokens.append(.digit(isKept: true))
    case "#", "?": tokens.append(.digit(isKept: false))
    case ".": tokens.append(.point)
    case ",": break
    case "%":
      isPercent = true
      tokens.append(.literal("%"))
    case "@", "/": isOther = true
    case "E" where "+-".contains(rest.first ?? " "), "e" where "+-".contains(rest.first ?? " "):
      isOther = true
    case _ where sign.isLetter: takeWord(sign)
    default: tokens.append(.literal(sign))
    }
  }

  private mutating func takeBrackets() {
    let content = rest.prefix { $0 != "]" }
    rest = rest.dropFirst(content.count + 1)
    if content.hasPrefix("$") {
      tokens += content.dropFirst().prefix { $0 != "-" }.map { .literal($0) }
    } else if content.contains(where: { "<>=".contains($0) }) {
      isOther = true
    } else if !content.isEmpty, content.allSatisfy({ "hmsHMS".contains($0) }) {
      elapsed = content.lowercased().first
      letters += content.lowercased()
    }
  }

  private mutating func takeWord(_ sign: Character) {
    let word = String(sign) + rest.prefix { $0.isASCII && $0.isLetter }
    if word.lowercased() == "general" {
      isOther = true
      rest = rest.dropFirst(word.count - 1)
    } else if sign.isASCII {
      letters.append(contentsOf: sign.lowercased())
    } else {
      tokens.append(.literal(sign))
    }
  }
}
