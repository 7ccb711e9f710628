import DirectoryModel
import DirectorySearch
import TextRules

/// Looks at the values of settings; a wrong one is put down and replaced by what goes without it.
struct SettingsCheck {
  private let file: ConfigurationFile
  private var found: [InputProblem]

  /// What is wrong, by file and line.
  var problems: [InputProblem] {
    found.sorted { ($0.file, $0.line ?? 0) < ($1.file, $1.line ?? 0) }
  }

  init(file: ConfigurationFile) {
    self.file = file
    found = file.problems
  }

  /// The environment's locale, else the file's, else the root's; both are looked at.
  mutating func locale(_ variable: String?) -> String {
    let ofFile = known(file.locale) { check, reason in
      check.refuse("locale", reason)
    }
    let ofEnvironment = known(variable) { check, reason in
      check.refuse(nil, "STAFFBOOK_LOCALE", line: nil, reason)
    }
    return ofEnvironment ?? ofFile ?? "und"
  }

  private mutating func known(
    _ locale: String?,
    refuse: (inout SettingsCheck, String) -> Void
  ) -> String? {
    guard let locale, !locale.isEmpty else { return nil }
    do throws(TextRulesError) {
      _ = try Collator(locale: locale)
      return locale
    } catch {
      refuse(&self, "\(error); \(TextRulesError.localeAdvice)")
      return nil
    }
  }

  /// Those of the file's country.
  mutating func phones() -> DialingPlan {
    guard let country = file.country, !country.isEmpty else { return .unknown }
    if let rules = DialingPlan(country: country) { return rules }
    refuse(
      "country",
      "there is no country \(country); use a two-letter ISO 3166 code such as DE, US or JP"
    )
    return .unknown
  }

  /// Seconds, such as of `12 hours`; `nil` where a snapshot may be of any age.
  mutating func maxAge() -> Int64? {
    span("max_age", file.maxAge, "is not an age")
  }

  /// Seconds between two syncs of one that watches; `nil` where that is not set.
  mutating func poll() -> Int64? {
    span("poll", file.poll, "is not a time")
  }

  private mutating func span(_ key: String, _ text: String?, _ fault: String) -> Int64? {
    guard let text, !text.isEmpty else { return nil }
    if let seconds = TimeSpan.seconds(text) { return seconds }
    refuse(
      key,
      "\(text) \(fault); give a number of seconds, minutes, hours, days or weeks, such as 12 hours"
    )
    return nil
  }

  /// Whether the terminal may be coloured.
  mutating func usesColour() -> Bool {
    guard let text = file.color, text != "auto" else { return true }
    if text != "never" { refuse("color", "\"\(text)\" is neither auto nor never") }
    return text != "never"
  }

  /// Seconds, a minute unless set otherwise.
  mutating func silenceLimit(_ text: String?) -> Duration {
    guard let text, !text.isEmpty else { return .seconds(60) }
    if let seconds = Int(text), (1...86_400).contains(seconds) { return .seconds(seconds) }
    refuse(
      nil,
      "STAFFBOOK_TIMEOUT",
      line: nil,
      "\(text) is not a number of seconds from 1 to 86400"
    )
    return .seconds(60)
  }

  private mutating func refuse(_ key: String, _ reason: String) {
    refuse(key, file.places[key]?.file ?? "", line: file.places[key]?.line, reason)
  }

  private mutating func refuse(_ key: String?, _ place: String, line: Int?, _ reason: String) {
    found.append(InputProblem(file: place, line: line, id: key, reason: reason))
  }
}

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
