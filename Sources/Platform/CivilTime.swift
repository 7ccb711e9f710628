/// A date of the Gregorian calendar with a time of day, without a zone.
package struct CivilTime: Hashable, Sendable {
  package var year: Int64
  /// From 1; below it, and above 12, in other years.
  package var month: Int64
  /// From 1; below it, and beyond the month's end, in other months.
  package var day: Int64
  /// Seconds since midnight; beyond the day's ends on other days.
  package var second: Int64

  package init(_ year: Int64, _ month: Int64 = 1, _ day: Int64 = 1, second: Int64 = 0) {
    (self.year, self.month, self.day, self.second) = (year, month, day, second)
  }

  /// What a clock shows so many seconds after it showed the beginning of 1970.
  package init(clock: Int64) {
    let days = Self.floor(clock, 86_400)
    // By eras of 400 years, which begin in March, so that the leap day comes last.
    let era = Self.floor(days + 719_468, 146_097)
    let day = days + 719_468 - era * 146_097
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
    let dayOfYear = day - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    self.init(
      year + era * 400 + (month < 10 ? 0 : 1),
      month + (month < 10 ? 3 : -9),
      dayOfYear - (153 * month + 2) / 5 + 1,
      second: clock - days * 86_400
    )
  }

  /// Days since the first of 1970, of the date.
  package var days: Int64 {
    let months = month - 3
    let year = year + Self.floor(months, 12)
    let past = (153 * (months - Self.floor(months, 12) * 12) + 2) / 5 + day - 1
    return year * 365 + Self.floor(year, 4) - Self.floor(year, 100) + Self.floor(year, 400) + past
      - 719_468
  }

  /// Seconds since the clock showed the beginning of 1970.
  package var clock: Int64 { days * 86_400 + second }

  /// Whether the calendar has the date and the day the time.
  package var isValid: Bool { CivilTime(clock: clock) == self }

  /// Such as `2026-03-01`.
  package var date: String { [year, month, day].map(Self.digits).joined(separator: "-") }

  /// Such as `14:05:09`.
  package var time: String {
    [second / 3_600, second / 60 % 60, second % 60].map(Self.digits).joined(separator: ":")
  }

  private static func digits(_ number: Int64) -> String {
    (0..<10).contains(number) ? "0\(number)" : "\(number)"
  }

  private static func floor(_ value: Int64, _ size: Int64) -> Int64 {
    value / size - (value % size < 0 ? 1 : 0)
  }
}
