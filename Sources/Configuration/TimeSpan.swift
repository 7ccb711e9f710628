/// Lengths of time as people write them: `90 seconds`, `60s`, `12 hours`, `12h`.
package enum TimeSpan {
  /// By the unit's name, and by its first letter.
  private static let sizes: [(name: String, seconds: Int64)] = [
    ("second", 1), ("minute", 60), ("hour", 3_600), ("day", 86_400), ("week", 604_800),
  ]

  /// Reads one.
  ///
  /// - Parameter text: A number from 1 to 10,000, and a unit.
  /// - Returns: Seconds; `nil` where it is none.
  package static func seconds(_ text: String) -> Int64? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let count = Int64(digits), (1...10_000).contains(count) else { return nil }
    let unit = text.dropFirst(digits.count).drop { $0 == " " }
    let size = sizes.first { unit == $0.name || unit == $0.name + "s" || unit == $0.name.prefix(1) }
    return size.map { count * $0.seconds }
  }
}
