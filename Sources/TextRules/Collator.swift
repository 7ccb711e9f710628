import CICU

/// The order of names in one locale, as sort keys that compare byte for byte.
///
/// Keys come from ICU's collation (CLDR's rules, normalization on, so that canonically equivalent
/// names are equal). A collator is for one thread at a time; make one for each, which takes
/// microseconds once ICU has read the locale's rules.
package struct Collator: ~Copyable {
  /// The locale as it was given.
  package let locale: String

  /// States the rules behind the keys; keys of different versions must not be mixed.
  ///
  /// For `C` it is `C`; otherwise the version of our recipe and ICU's of its rules and root data
  /// (ICU: ucol_getVersion), such as `1/153.120.0.42`.
  package let version: String

  /// `nil` stands for the order of code points.
  let handle: OpaquePointer?

  /// Opens the rules of a locale.
  ///
  /// - Parameter locale: `C` for code points, `und` for the root collation, otherwise a BCP 47 tag
  ///   such as `de-AT`, `de-u-co-phonebk` or `zh`.
  /// - Throws: ``TextRulesError`` naming the locale when it is malformed or a part is unknown.
  ///   A known language without rules of its own (`rm`) has the root collation, as in CLDR.
  package init(locale: String) throws(TextRulesError) {
    if locale == "C" {
      self.locale = locale
      version = "C"
      handle = nil
      return
    }
    // A C string would end at a NUL and so accept what comes before it.
    guard !locale.utf8.contains(0) else { throw .malformedLocale(locale) }
    var problem = STAFFBOOK_COLLATOR_OPENED
    var failure: UnsafePointer<CChar>?
    guard let handle = staffbook_collator_open(locale, &problem, &failure) else {
      throw Self.error(for: problem, locale: locale, failure: failure)
    }
    self.locale = locale
    version = "1/" + Self.rulesVersion(of: handle)
    self.handle = handle
  }

  deinit {
    if let handle { staffbook_collator_close(handle) }
  }

  /// Appends the sort key of a name, without a terminator.
  ///
  /// Keys compare as `memcmp` does, a shorter one first when it begins the longer. They hold no
  /// zero byte unless the locale is `C` and the text does, so 0 can end a key among others.
  /// Ill-formed UTF-8 sorts as U+FFFD (as its bytes in the locale `C`).
  ///
  /// - Parameters:
  ///   - utf8: The name; at most 256 MiB.
  ///   - keys: Grows by the key, some two bytes for each Latin letter.
  /// - Complexity: O(n); nothing is allocated but what `keys` grows by.
  package func appendKey(of utf8: UnsafeRawBufferPointer, to keys: inout [UInt8]) {
    guard let handle else {
      keys.append(contentsOf: utf8)
      return
    }
    var key: UnsafePointer<UInt8>?
    let count = staffbook_collator_key(handle, utf8.baseAddress, utf8.count, &key)
    precondition(count >= 0, "no memory for the sort key of \(utf8.count) bytes")
    keys.append(contentsOf: UnsafeBufferPointer(start: key, count: Int(count)))
  }

  /// The sort key of a name.
  package func key(of text: String) -> [UInt8] {
    var text = text
    var key: [UInt8] = []
    text.withUTF8 { appendKey(of: UnsafeRawBufferPointer($0), to: &key) }
    return key
  }

  private static func rulesVersion(of handle: OpaquePointer) -> String {
    var bytes: (UInt8, UInt8, UInt8, UInt8) = (0, 0, 0, 0)
    withUnsafeMutableBytes(of: &bytes) {
      staffbook_collator_version(handle, $0.baseAddress?.assumingMemoryBound(to: UInt8.self))
    }
    return "\(bytes.0).\(bytes.1).\(bytes.2).\(bytes.3)"
  }

  private static func error(
    for problem: staffbook_collator_problem,
    locale: String,
    failure: UnsafePointer<CChar>?
  ) -> TextRulesError {
    switch problem {
    case STAFFBOOK_COLLATOR_MALFORMED_TAG: .malformedLocale(locale)
    case STAFFBOOK_COLLATOR_UNKNOWN_LANGUAGE: .unknownLocale(locale, .language)
    case STAFFBOOK_COLLATOR_UNKNOWN_SCRIPT: .unknownLocale(locale, .script)
    case STAFFBOOK_COLLATOR_UNKNOWN_REGION: .unknownLocale(locale, .region)
    case STAFFBOOK_COLLATOR_UNKNOWN_TYPE: .unknownLocale(locale, .collationType)
    case STAFFBOOK_COLLATOR_UNKNOWN_OPTION: .unknownLocale(locale, .collationOption)
    default:
      .collationUnavailable(
        locale: locale,
        reason: failure.map { String(cString: $0) } ?? "unknown failure"
      )
    }
  }
}

/// Why a locale cannot order names.
///
/// ICU falls back in silence to the root collation; here every part that it does not know is an
/// error that names the locale as it was given.
package enum TextRulesError: Error, Equatable, CustomStringConvertible {
  /// The part of a locale that is unknown.
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
