/// The rule of a zone as POSIX writes it (XBD 8.3, `TZ`; RFC 9636 §3.3.1): `CET-1CEST,M3.5.0,M10.5.0/3`.
struct ZoneRule: Hashable, Sendable {
  /// A day of each year, and the time of that day by the clock that holds until then.
  private struct Day: Hashable {
    enum Kind: Hashable {
      /// 1 to 365, never the 29th of February.
      case withoutLeapDay(Int64)
      /// 0 to 365.
      case counted(Int64)
      /// The first to fifth such weekday of a month, the fifth being the last; Sunday is 0.
      case weekday(month: Int64, week: Int64, day: Int64)
    }

    var kind: Kind
    /// Seconds since midnight; it may lie on another day.
    var time: Int64

    /// Seconds since the beginning of 1970, of the clock.
    func clock(in year: Int64) -> Int64 {
      let day: Int64
      switch kind {
      case .counted(let count): day = CivilTime(year, 1, count + 1).days
      case .withoutLeapDay(let count):
        let common = CivilTime(clock: CivilTime(2001, 1, count).clock)
        day = CivilTime(year, common.month, common.day).days
      case .weekday(let month, let week, let weekday):
        let first = CivilTime(year, month).days
        // The first of 1970 was a Thursday.
        let ahead = (weekday - (first + 4)) % 7
        var found = first + (ahead < 0 ? ahead + 7 : ahead) + (week - 1) * 7
        while found >= CivilTime(year, month + 1).days { found -= 7 }
        day = found
      }
      return day * 86_400 + time
    }
  }

  /// Seconds ahead of UTC.
  private let standard: Int64
  private let summer: Int64
  /// When clocks go by `summer`; `nil` where they never do.
  private let start: Day?
  private let end: Day?

  /// `nil` for what is not a rule.
  init?(_ text: String) {
    var rest = text[...]
    guard Self.takeName(&rest), let west = Self.takeTime(&rest) else { return nil }
    standard = -west
    guard !rest.isEmpty else {
      (summer, start, end) = (standard, nil, nil)
      return
    }
    guard Self.takeName(&rest) else { return nil }
    summer =
      rest.isEmpty || rest.first == "," ? standard + 3_600 : Self.takeTime(&rest).map { -$0 } ?? 0
    if rest.isEmpty { rest = ",M3.2.0,M11.1.0" }
    guard let start = Self.takeDay(&rest), let end = Self.takeDay(&rest), rest.isEmpty else {
      return nil
    }
    (self.start, self.end) = (start, end)
  }

  /// - Parameter time: Seconds since 1970, UTC.
  /// - Returns: Seconds ahead of UTC.
  func offset(at time: Int64) -> Int64 {
    guard let start, let end else { return standard }
    let year = CivilTime(clock: time + standard).year
    let begins = start.clock(in: year) - standard
    let ends = end.clock(in: year) - summer
    let isSummer =
      begins < ends ? begins <= time && time < ends : !(ends <= time && time < begins)
    return isSummer ? summer : standard
  }

  // MARK: Reading

  private static func takeName(_ rest: inout Substring) -> Bool {
    if rest.first == "<" {
      guard let end = rest.firstIndex(of: ">") else { return false }
      rest = rest[rest.index(after: end)...]
      return true
    }
    let name = rest.prefix { $0.isASCII && $0.isLetter }
    rest = rest.dropFirst(name.count)
    return name.count >= 3
  }

  /// Hours, perhaps with minutes and seconds.
  private static func takeTime(_ rest: inout Substring) -> Int64? {
    var sign: Int64 = 1
    if let first = rest.first, first == "+" || first == "-" {
      sign = first == "-" ? -1 : 1
      rest = rest.dropFirst()
    }
    guard let hours = takeNumber(&rest), hours <= 167 else { return nil }
    var seconds = hours * 3_600
    for unit in [Int64(60), 1] where rest.first == ":" {
      rest = rest.dropFirst()
      guard let number = takeNumber(&rest), number < 60 else { return nil }
      seconds += number * unit
    }
    return sign * seconds
  }

  private static func takeDay(_ rest: inout Substring) -> Day? {
    guard rest.first == "," else { return nil }
    rest = rest.dropFirst()
    let kind: Day.Kind
    switch rest.first {
    case "M":
      rest = rest.dropFirst()
      var numbers: [Int64] = []
      for _ in 0..<3 {
        if !numbers.isEmpty {
          guard rest.first == "." else { return nil }
          rest = rest.dropFirst()
        }
        guard let number = takeNumber(&rest) else { return nil }
        numbers.append(number)
      }
      guard (1...12).contains(numbers[0]), (1...5).contains(numbers[1]), numbers[2] < 7 else {
        return nil
      }
      kind = .weekday(month: numbers[0], week: numbers[1], day: numbers[2])
    case "J":
      rest = rest.dropFirst()
      guard let number = takeNumber(&rest), (1...365).contains(number) else { return nil }
      kind = .withoutLeapDay(number)
    default:
      guard let number = takeNumber(&rest), number <= 365 else { return nil }
      kind = .counted(number)
    }
    guard rest.first == "/" else { return Day(kind: kind, time: 7_200) }
    rest = rest.dropFirst()
    return takeTime(&rest).map { Day(kind: kind, time: $0) }
  }

  private static func takeNumber(_ rest: inout Substring) -> Int64? {
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    rest = rest.dropFirst(digits.count)
    return digits.count < 6 ? Int64(digits) : nil
  }
}
