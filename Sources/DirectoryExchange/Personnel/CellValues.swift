/// A date as people and programs write it, in ISO 8601.
enum DateText: Equatable {
  case date([UInt8])
  /// Day and month may be either way round.
  case ambiguous
  /// Day and month are the other way round than they should be.
  case contradictory
  /// The year has two digits, and nothing says of which century.
  case shortYear
  /// No date that is known here.
  case unknown

  /// - Parameters:
  ///   - text: `2021-04-03`, `20210403`, `2021/4/3`, `2021年4月3日`, `3.4.2021`, `3/4/2021`, `03-Apr-2021`
  ///     or `April 3, 2021`, also with a time behind it; English names of months.
  ///   - order: What comes first where both can be.
  ///   - firstYear: The first of the hundred years that two digits stand for, as in `3.4.21`.
  init(_ text: [UInt8], _ order: PersonnelMapping.DateOrder?, from firstYear: Int? = nil) {
    let parts = Self.parts(of: text)
    self = Self.date(parts, order) ?? .unknown
    guard self == .unknown, var parts,
      let last = parts.lastIndex(where: { if case .sign = $0 { false } else { true } }),
      case .number(let year, digits: 2) = parts[last]
    else { return }
    let century = (firstYear ?? 2_000) / 100 * 100
    let whole = century + year + (century + year < firstYear ?? 0 ? 100 : 0)
    parts[last] = .number(whole, digits: 4)
    guard let date = Self.date(parts, order) else { return }
    self = firstYear == nil ? .shortYear : date
  }

  private enum Part: Equatable {
    case number(Int, digits: Int)
    case month(Int)
    case sign(UInt8)
  }

  private static func date(
    _ parts: [Part]?,
    _ order: PersonnelMapping.DateOrder?
  ) -> DateText? {
    guard let parts else { return nil }
    let values = parts.filter { if case .sign = $0 { false } else { true } }
    guard values.count >= 3 else {
      guard values.count == 1, case .number(let number, digits: 8) = values[0] else { return nil }
      return iso(number / 10_000, number / 100 % 100, number % 100)
    }
    switch (values[0], values[1], values[2]) {
    case (.number(let year, digits: 4), .number(let month, _), .number(let day, _)):
      return iso(year, month, day)
    case (.number(let day, _), .month(let month), .number(let year, digits: 4)),
      (.month(let month), .number(let day, _), .number(let year, digits: 4)):
      return iso(year, month, day)
    case (.number(let first, _), .number(let second, _), .number(let year, digits: 4)):
      return turned(first, second, year, isDotted: parts.contains(.sign(UInt8(ascii: "."))), order)
    default: return nil
    }
  }

  /// With dots the day comes first everywhere; with slashes and hyphens it depends on the country.
  private static func turned(
    _ first: Int,
    _ second: Int,
    _ year: Int,
    isDotted: Bool,
    _ order: PersonnelMapping.DateOrder?
  ) -> DateText? {
    if isDotted || first == second { return iso(year, second, first) }
    if first > 12 {
      let date = iso(year, second, first)
      return date != nil && order == .monthFirst ? .contradictory : date
    }
    if second > 12 {
      let date = iso(year, first, second)
      return date != nil && order == .dayFirst ? .contradictory : date
    }
    switch order {
    case .dayFirst: return iso(year, second, first)
    case .monthFirst: return iso(year, first, second)
    case nil: return .ambiguous
    }
  }

  private static func iso(_ year: Int, _ month: Int, _ day: Int) -> DateText? {
    guard (1...9_999).contains(year), (1...12).contains(month), (1...31).contains(day) else {
      return nil
    }
    func digits(_ number: Int, _ count: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: count - text.utf8.count) + text
    }
    return .date(Array("\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))".utf8))
  }

  /// Numbers, months and signs up to the time; `nil` for a text with anything else.
  private static func parts(of text: [UInt8]) -> [Part]? {
    guard text.count <= 40 else { return nil }
    var parts: [Part] = []
    var values = 0
    var position = 0
    while position < text.count {
      let byte = text[position]
      let run = text[position...].prefix {
        isDigit($0) == isDigit(byte) && isWord($0) == isWord(byte)
      }
      // What stands behind the date is a time, which a date leaves out.
      if values == 3, !run.elementsEqual([UInt8(ascii: ",")]) { break }
      if isDigit(byte) {
        guard run.count <= 8, let number = Int(String(decoding: run, as: UTF8.self)) else {
          return nil
        }
        parts.append(.number(number, digits: run.count))
        values += 1
      } else if isWord(byte) {
        guard let part = word(run) else { return nil }
        parts.append(part)
        if case .month = part { values += 1 }
      } else {
        parts += run.filter { $0 != 0x20 }.map { .sign($0) }
      }
      position += run.count
    }
    return parts
  }

  private static func word(_ run: ArraySlice<UInt8>) -> Part? {
    let word = String(decoding: run, as: UTF8.self).lowercased()
    if ["年", "月", "日", "년", "월", "일"].contains(word) { return .sign(UInt8(ascii: "-")) }
    let month = months.firstIndex { word == $0 || word.count >= 3 && $0.hasPrefix(word) }
    return month.map { .month($0 + 1) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isWord(_ byte: UInt8) -> Bool {
    byte >= 0x80 || (0x61...0x7A).contains(byte | 0x20)
  }

  private static let months = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
  ]
}
