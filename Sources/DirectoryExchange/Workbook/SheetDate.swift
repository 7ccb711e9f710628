/// Days and times as spreadsheets count them (ECMA-376 part 1 §18.17.4.1).
enum SheetDate {
  /// The last day: 9999-12-31.
  private static let last = 2_958_465.0

  /// A date, a time, or both, in ISO 8601; `nil` for a number that is none.
  ///
  /// Counting from 1900 there is a 60th day, the 29th of February, which never was.
  static func text(_ number: Double, hasDate: Bool, hasTime: Bool, from1904: Bool) -> [UInt8]? {
    guard number >= 0, number < last + 1 else { return nil }
    var day = Int(number.rounded(.down))
    var seconds = Int(((number - Double(day)) * 86_400).rounded())
    if seconds == 86_400 { (day, seconds) = (day + 1, 0) }
    let time = "\(two(seconds / 3_600)):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
    guard hasDate else { return Array(time.utf8) }
    guard from1904 || day >= 1 && day != 60 else { return nil }
    // Days from 1970-01-01.
    guard let date = iso(day - (from1904 ? 24_107 : day < 60 ? 25_568 : 25_569)) else { return nil }
    return Array((hasTime && seconds > 0 ? "\(date) \(time)" : date).utf8)
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

  /// The civil date of a day since 1970-01-01, by eras of 400 years that begin in March; `nil` beyond
  /// the year 9999.
  private static func iso(_ days: Int) -> String? {
    let shifted = days + 719_468
    let era = shifted / 146_097
    let day = shifted % 146_097
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
    let dayOfYear = day - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    let isNext = month >= 10
    let name = String(year + era * 400 + (isNext ? 1 : 0))
    guard name.utf8.count <= 4 else { return nil }
    return String(repeating: "0", count: 4 - name.utf8.count) + name
      + "-\(two(month + (isNext ? -9 : 3)))-\(two(dayOfYear - (153 * month + 2) / 5 + 1))"
  }
}
