import Platform

/// Days and times as spreadsheets count them (ECMA-376 part 1 §18.17.4.1).
enum SheetDate {
  /// The last day: 9999-12-31.
  private static let last = 2_958_465.0

  /// A date, a time, or both, in ISO 8601; `nil` for a number that is none.
  ///
  /// Counting from 1900 there is a 60th day, the 29th of February, which never was.
  static func text(_ number: Double, hasDate: Bool, hasTime: Bool, from1904: Bool) -> [UInt8]? {
    guard number >= 0, number < last + 1 else { return nil }
    let seconds = Int64((number * 86_400).rounded())
    let day = seconds / 86_400
    // Days before 1970-01-01.
    let past: Int64 = from1904 ? 24_107 : day < 60 ? 25_568 : 25_569
    let civil = CivilTime(clock: seconds - past * 86_400)
    guard hasDate else { return Array(civil.time.utf8) }
    guard from1904 || day >= 1 && day != 60, civil.year <= 9_999 else { return nil }
    return Array((hasTime && civil.second > 0 ? "\(civil.date) \(civil.time)" : civil.date).utf8)
  }

  /// A time that may be longer than a day.
  ///
  /// - Parameters:
  ///   - number: Days.
  ///   - unit: 0 for hours, 1 for minutes, 2 for seconds.
  ///   - smaller: How many smaller units stand behind it.
  /// - Returns: Such as `38:30`; `nil` for a number that is none.
  static func elapsed(_ number: Double, unit: Int, smaller: Int) -> [UInt8]? {
    guard number >= 0, number < last + 1 else { return nil }
    let seconds = Int((number * 86_400).rounded())
    let whole = [3_600, 60, 1]
    var text = String(seconds / whole[unit])
    var rest = seconds % whole[unit]
    for size in whole[(unit + 1)...].prefix(smaller) {
      text += ":" + two(rest / size)
      rest %= size
    }
    return Array(text.utf8)
  }

  private static func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
}
