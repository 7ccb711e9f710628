import DirectoryModel
import TextRules

/// What a query asks of fields that a company declared, and of who leads.
///
///     mobile:0172  office:b12   the field has a value with it; phones by their digits
///     manager:lund              a person's id, or the name, has it
///     reports:ada.lund          people whose manager has it in id or name
///     has:mobile  has:title     the field has a value
///     is:lead                   leads a department
package struct FieldCondition: Sendable, Equatable {
  enum Test: Sendable, Equatable {
    case value(field: String, SearchTerm)
    case has(field: String)
    case hasTitle
    case hasContact(Field)
    case leads
  }

  var test: Test
  /// Whether hits are those of whom it does not hold.
  var isExcluded: Bool

  /// Reads what stands before and behind a colon; `nil` where that is a word like any other.
  ///
  /// - Parameters:
  ///   - name: What stands before it, folded.
  ///   - text: What stands behind it.
  ///   - isPhrase: Whether that was in quotes.
  ///   - isExcluded: Whether a hyphen stands in front.
  ///   - fields: The declared fields.
  ///   - phones: How telephone numbers are dialled where the directory is.
  init?(
    _ name: String,
    _ text: String,
    isPhrase: Bool,
    isExcluded: Bool,
    _ fields: [Field],
    _ phones: DialingPlan
  ) {
    self.isExcluded = isExcluded
    let word = Folding.fold(text)
    switch name {
    case "has":
      if fields.contains(where: { $0.name == word }) {
        test = .has(field: word)
      } else {
        switch SearchField(rawValue: word) {
        case .title?: test = .hasTitle
        case .field(let field)?: test = .hasContact(field)
        default: return nil
        }
      }
    case "is":
      guard word == "lead" else { return nil }
      test = .leads
    default:
      guard let field = Self.field(name, among: fields), !word.isEmpty else { return nil }
      var term = SearchTerm(
        text: Array(word.utf8),
        field: field.kind == .phone ? .phone : .id,
        isPhrase: isPhrase,
        phones: phones
      )
      term.variant = term.text
      test = .value(field: field.name, term)
    }
  }

  /// The field of a name, or the one whose people a word such as `reports` stands for.
  static func field(_ name: String, among fields: [Field]) -> Field? {
    if let field = fields.first(where: { $0.name == name }) { return field }
    return fields.first { field in
      field.kind == .person && KnownField.usual(field.name)?.inverse?.lowercased() == name
    }
  }

  /// Whether a name before a colon may begin a condition.
  static func isName(_ name: String, _ fields: [Field]) -> Bool {
    name == "has" || name == "is" || field(name, among: fields) != nil
  }
}
