/// Why a locale cannot order names.
///
/// ICU falls back in silence to the root collation; here every part that it does not know is an
/// error that names the locale as it was given.
package enum TextRulesError: Error, Equatable, CustomStringConvertible {
  /// The part of a locale that nobody knows.
  package enum LocalePart: String, Sendable {
    case language, script, region
    /// The value of `-u-co-`, or one that this language does not have.
    case collationType = "collation type"
    /// The value of another `-u-k…-` key.
    case collationOption = "collation option"
  }

  /// Not a BCP 47 tag, such as `de_AT.UTF-8`.
  case malformedLocale(String)
  case unknownLocale(String, LocalePart)
  /// ICU knows the locale and still failed, such as for want of memory or data.
  case collationUnavailable(locale: String, reason: String)

  /// What to do about a locale that is not known.
  package static let localeAdvice =
    "set locale to a BCP 47 tag such as de, zh or und, or to C"

  package var description: String {
    switch self {
    case .malformedLocale(let locale):
      return "\(quoted(locale)) is not a locale: expected C, und or a language tag like de-AT"
    case .unknownLocale(let locale, let part):
      return "cannot sort by locale \(quoted(locale)): its \(part.rawValue) is unknown"
    case .collationUnavailable(let locale, let reason):
      return "cannot sort by locale \(quoted(locale)): \(reason)"
    }
  }

  private func quoted(_ locale: String) -> String { "“\(VisibleText.visible(locale))”" }
}
