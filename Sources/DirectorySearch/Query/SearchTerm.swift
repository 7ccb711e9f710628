import DirectoryModel

/// What a word of a query may be looked for in.
package enum SearchField: Hashable, Sendable, CaseIterable {
  case name, title, department
  /// A contact field, or a declared one, in which only words without a field are looked for.
  case field(Field)
  case id

  /// What an address is looked for in that was pasted with something around it.
  static let address = SearchField.field(.email)
  static let phone = SearchField.field(.phone)

  /// Whether its values are looked for by their digits.
  var isNumber: Bool { if case .field(let field) = self { field.kind == .phone } else { false } }

  package static let allCases: [SearchField] =
    [.name, .title, .department] + Field.contacts.map { .field($0) } + [.id]
}

extension SearchField: RawRepresentable {
  package init?(rawValue: String) {
    guard let field = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = field
  }

  /// The word that stands before a colon.
  package var rawValue: String {
    switch self {
    case .name: "name"
    case .title: "title"
    case .department: "dept"
    case .field(let field): field.name
    case .id: "id"
    }
  }
}

/// One thing to look for: a word, or a phrase in quotes.
package struct SearchTerm: Sendable, Hashable {
  /// Folded UTF-8; in a phrase there may be single spaces within.
  package var text: [UInt8]
  /// Where alone it may be found; `nil` for every field.
  package var field: SearchField?
  /// Taken literally: no other script, no typing errors.
  package var isPhrase = false
  /// What may find it.
  var means = Mechanism.all
  /// Whether it is written with a letter that is Latin alone, such as ł, which no reading of another script has.
  var isLatin = false
  /// In the form that other spellings of the same word share (`TextVariant`).
  package var variant: [UInt8]
  /// The digits, where it can be a telephone number.
  package var phone: PhoneQuery?

  /// What may find a term, of all that a plain word or a phrase may be found by.
  enum Mechanism: Sendable, Hashable {
    case all
    /// Readings alone: words typed apart that may be one (`TermInterpretations`).
    case readings
    /// Typing errors alone, none being one of them: parts of a word with hyphens
    /// (`TermInterpretations`).
    case errors
    /// Its digits in phone numbers alone: numbers typed apart as one.
    case digits
    /// Its Latin reading alone, with typing errors.
    case misread
    /// Names in kana that may sound so.
    case sounds
    /// Whole words and whole readings alone.
    case whole
    /// Those, and the starts of words.
    case beginnings
    /// Those, and parts of readings.
    case parts

    func mayFind(_ quality: MatchQuality) -> Bool {
      switch self {
      case .all, .digits: true
      case .whole: [.whole, .wholeReading].contains(quality)
      case .beginnings: quality <= .reading
      case .parts: quality <= .readingWithin && quality != .inside
      case .readings: [.wholeReading, .reading, .readingWithin, .otherReading].contains(quality)
      case .errors, .misread, .sounds: quality >= .oneError
      }
    }

    /// Whether the letters themselves may find it.
    var areLetters: Bool {
      switch self {
      case .all, .whole, .beginnings, .parts: true
      case .readings, .errors, .misread, .sounds, .digits: false
      }
    }
  }

  /// The fewest digits that are looked for in telephone numbers, unless `phone:` asks for fewer.
  static let fewestPhoneDigits = 3

  init(
    text: [UInt8],
    field: SearchField?,
    isPhrase: Bool = false,
    phones: DialingPlan = .unknown
  ) {
    self.text = text
    variant = text
    self.field = field
    self.isPhrase = isPhrase
    let fewest = field == .phone ? 1 : Self.fewestPhoneDigits
    if field == nil || field == .phone {
      phone = PhoneQuery(text, fewestDigits: fewest, rules: phones)
    }
  }

  func mayMatch(_ field: SearchField) -> Bool { self.field == nil || self.field == field }
}
