import DirectoryModel
import Platform

/// A time as the user says it: `2026-10-01`, `2026-10-01 14:00`, `yesterday`, `2 weeks ago`, ISO
/// 8601, or the number of a transaction.
package enum TimeExpression: Hashable, Sendable {
  /// Microseconds since 1970, UTC.
  case time(Int64)
  /// When this transaction had ended.
  case transaction(Int64)

  /// Reads what the user said; `nil` for what is not a valid time.
  ///
  /// - Parameters:
  ///   - text: What was said; times without a zone are local, a day is its beginning.
  ///   - zone: Where they are local.
  ///   - now: Seconds since 1970, UTC.
  package init?(_ text: String, in zone: Zone, now: Int64 = Int64(Platform.time(nil))) {
    let text = text.lowercased().filter { $0.isASCII }
    let number = text.first == "#" ? text.dropFirst() : text[...]
    if !number.isEmpty, number.count < 18, number.allSatisfy(\.isNumber),
      let number = Int64(number)
    {
      self = .transaction(number)
      return
    }
    guard
      let seconds = ISO8601Time.seconds(in: text, zone)
        ?? RelativeTime.seconds(in: text, zone, now: now),
      Self.seconds.contains(seconds)
    else { return nil }
    // What was done in the second that runs is done now.
    self = .time(seconds * 1_000_000 + (text == "now" ? 999_999 : 0))
  }
}

extension TimeExpression {
  /// Seconds since 1970 that can be counted in microseconds, and that PostgreSQL has a time for: the
  /// years from 1 BC to 9999, whatever the zone.
  private static let seconds: ClosedRange<Int64> = -62_168_000_000...253_403_000_000
}

/// Dates and times as ISO 8601 writes them.
private enum ISO8601Time {
  /// `YYYY-MM-DD`, perhaps with `HH:MM` or `HH:MM:SS` after a blank or a `T`, and a zone.
  static func seconds(in text: String, _ local: Zone) -> Int64? {
    var rest = text[...]
    guard let year = number(4, &rest), take("-", &rest), let month = number(2, &rest),
      take("-", &rest), let day = number(2, &rest), (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    var civil = CivilTime(Int64(year), Int64(month), Int64(day))
    if !rest.isEmpty {
      guard take(" ", &rest) || take("t", &rest), let hour = number(2, &rest), take(":", &rest),
        let minute = number(2, &rest), hour < 25, minute < 60
      else { return nil }
      civil.second = Int64(hour * 3_600 + minute * 60)
      if take(":", &rest) {
        guard let second = number(2, &rest), second < 61 else { return nil }
        civil.second += Int64(second)
        if take(".", &rest) { rest = rest.drop(while: \.isNumber) }
      }
    }
    guard let offset = zone(&rest), rest.isEmpty else { return nil }
    let clock = civil.clock
    let seconds = offset.map { clock - $0 } ?? local.time(of: clock)
    // The thirtieth of February is another day than the one that was said.
    return CivilTime(clock: clock).day == civil.day || offset != nil ? seconds : nil
  }

  /// - Returns: Seconds east of Greenwich, `.some(nil)` for local time, `nil` for nonsense.
  private static func zone(_ rest: inout Substring) -> Int64?? {
    _ = take(" ", &rest)
    if rest.isEmpty { return .some(nil) }
    if take("z", &rest) || take("utc", &rest) { return 0 }
    let sign: Int64
    if take("+", &rest) { sign = 1 } else if take("-", &rest) { sign = -1 } else { return nil }
    guard let hours = number(2, &rest) else { return nil }
    _ = take(":", &rest)
    return sign * Int64(hours * 60 + (number(2, &rest) ?? 0)) * 60
  }

  private static func number(_ digits: Int, _ rest: inout Substring) -> Int? {
    let word = rest.prefix(digits)
    guard word.count == digits, word.allSatisfy(\.isNumber), let number = Int(word) else {
      return nil
    }
    rest = rest.dropFirst(digits)
    return number
  }

  private static func take(_ text: String, _ rest: inout Substring) -> Bool {
    guard rest.hasPrefix(text) else { return false }
    rest = rest.dropFirst(text.count)
    return true
  }
}

/// Times that are said from today, as git has them.
private enum RelativeTime {
  static func seconds(in text: String, _ zone: Zone, now: Int64) -> Int64? {
    var words = text.split { $0 == " " || $0 == "." || $0 == "_" }.map(String.init)
    switch words {
    case ["now"]: return now
    case ["today"], ["midnight"]: return back(.day, 0, from: now, zone, toMidnight: true)
    case ["yesterday"]: return back(.day, 1, from: now, zone)
    default: break
    }
    if words.count == 2, words[0] == "last" { words = ["1", words[1], "ago"] }
    guard words.count == 3, words[2] == "ago", let unit = Unit(words[1]) else { return nil }
    let number = words[0] == "a" || words[0] == "an" ? 1 : Int(words[0])
    guard let number, (0...100_000_000).contains(number) else { return nil }
    return back(unit, number, from: now, zone)
  }

  private enum Unit: String {
    case second, minute, hour, day, week, month, year

    init?(_ word: String) {
      self.init(rawValue: word.hasSuffix("s") ? String(word.dropLast()) : word)
    }
  }

  /// By the calendar from days on: a day ago is the same time of the day before.
  private static func back(
    _ unit: Unit,
    _ number: Int,
    from now: Int64,
    _ zone: Zone,
    toMidnight: Bool = false
  ) -> Int64? {
    let count = Int64(number)
    var local = CivilTime(clock: now + zone.offset(at: now))
    switch unit {
    case .second: return now - count
    case .minute: return now - 60 * count
    case .hour: return now - 3_600 * count
    case .day: local.day -= count
    case .week: local.day -= 7 * count
    case .month: local.month -= count
    case .year: local.year -= count
    }
    if toMidnight { local.second = 0 }
    return zone.time(of: local.clock)
  }
}

/// Moments by a local clock, for people.
package enum LocalTime {
  /// - Parameters:
  ///   - moment: Seconds since 1970, UTC.
  ///   - zone: Whose clock.
  /// - Returns: Such as `2026-03-01 14:05:09 +01:00`.
  package static func text(_ moment: Int64, in zone: Zone) -> String {
    let ahead = zone.offset(at: moment)
    let local = CivilTime(clock: moment &+ ahead)
    return "\(local.date) \(local.time) \(ahead < 0 ? "-" : "+")"
      + CivilTime(clock: abs(ahead)).time.prefix(5)
  }
}

/// Times as ISO 8601 writes them, for programs.
package enum UTCTime {
  /// - Parameter time: Microseconds since 1970, UTC.
  /// - Returns: Such as `2026-03-01T13:05:09Z`.
  package static func text(_ time: Int64) -> String {
    let civil = CivilTime(clock: time / 1_000_000)
    return "\(civil.date)T\(civil.time)Z"
  }
}
