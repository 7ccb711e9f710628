import DirectoryModel

/// What an entry has no attribute for, as a `description` with an option that says what it is.
///
/// Servers know only the options of languages, `lang-` and a tag (RFC 3866 §2); a tag of `x-` and a
/// word is for private use (RFC 5646 §2.2.7). Whoever does not know these reads descriptions.
enum LDIFExtra: String, CaseIterable, CustomStringConvertible {
  /// A mail address that `mail` does not take.
  case mail
  /// A phone number that `telephoneNumber` does not take.
  case phone
  /// The `sort_order` of a department, or of a person there; left out where it is 0.
  case order
  /// The title of a role whose `cn` could be taken for the person's name.
  case title
  /// The id of a person's main department, where that is not among the entries.
  case main
  /// The id of the department above, where that is not among the entries.
  case parent
  /// `true` where the person leads the department.
  case leads
  /// Name and values of a declared field; an entry may have several.
  case field

  /// Of a contact field whose attribute does not take the value.
  init(_ field: Field) {
    self = field.kind == .phone ? .phone : .mail
  }

  /// The attribute, with its option.
  var description: String { "description;lang-x-\(rawValue)" }

  /// By an attribute in lower case, with its options.
  init?(attribute: String) {
    guard let found = Self.allCases.first(where: { $0.description == attribute }) else {
      return nil
    }
    self = found
  }
}
