import DirectoryModel
import DirectorySearch
import TextRules

/// Looks at the values of settings; a wrong one is put down and replaced by what goes without it.
struct SettingsCheck {
  private let file: ConfigurationFile
  private let path: String
  private var found: [InputProblem]

  /// What is wrong, by file and line.
  var problems: [InputProblem] {
    found.sorted { ($0.file, $0.line ?? 0) < ($1.file, $1.line ?? 0) }
  }

  init(file: ConfigurationFile, path: String) {
    self.file = file
    self.path = path
    found = file.problems
  }

  /// The environment's locale, else the file's, else the root's; both are looked at.
  mutating func locale(_ variable: String?) -> String {
    let ofFile = known(file.locale) { check, reason in
      check.refuse("locale", check.path, line: check.file.lines["locale"], reason)
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
  mutating func phones() -> PhoneRules {
    guard let country = file.country, !country.isEmpty else { return .unknown }
    if let rules = PhoneRules(country: country) { return rules }
    refuse(
      "country",
      path,
      line: file.lines["country"],
      "there is no country \(country); use a two-letter ISO 3166 code such as DE, US or JP"
    )
    return .unknown
  }

  /// Seconds, such as of `12 hours`; `nil` where a snapshot may be of any age.
  mutating func maxAge() -> Int64? {
    guard let text = file.maxAge, !text.isEmpty else { return nil }
    let parts = text.split(whereSeparator: \.isWhitespace)
    let unit =
      parts.count == 2 ? String(parts[1].hasSuffix("s") ? parts[1].dropLast() : parts[1]) : ""
    if let count = parts.first.flatMap({ Int64($0) }), (1...10_000).contains(count),
      let seconds = Self.seconds[unit]
    {
      return count * seconds
    }
    refuse(
      "max_age",
      path,
      line: file.lines["max_age"],
      "\(text) is not an age; give a number of minutes, hours, days or weeks, such as 12 hours"
    )
    return nil
  }

  private static let seconds: [String: Int64] = [
    "second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800,
  ]

  /// Seconds, a minute where nobody says otherwise.
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

  private mutating func refuse(_ key: String?, _ place: String, line: Int?, _ reason: String) {
    found.append(InputProblem(file: place, line: line, id: key, reason: reason))
  }
}
