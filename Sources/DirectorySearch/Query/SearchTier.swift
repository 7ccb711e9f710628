/// How far what a hit was found by is from what was typed; smaller is nearer.
///
/// A tier is tried only where the ones before leave room among the hits that are wanted.
package enum SearchTier: Int, Sendable, Comparable, CaseIterable {
  /// Every word as it was typed.
  case asTyped
  /// An address that was pasted with something around it.
  case address
  /// Words and numbers without the signs around them.
  case plainWords
  /// Without forms of address.
  case withoutTitles
  /// Cyrillic and Greek words in Latin letters.
  case latinLetters
  /// The initials of a department.
  case initials
  /// Words that stand otherwise in names: pinyin with tones, surnames of Hong Kong, `st` for saint.
  case otherSpellings
  /// Short forms of given names, and their forms in other languages.
  case nameVariants
  /// Words typed in one or apart, and initials.
  case joinedWords
  /// A phone number without what is dialled before it.
  case number
  /// Signs inside words as blanks.
  case signsAsBlanks
  /// With a typing error in the Latin reading of a name.
  case misread
  /// Names in kana by what they sound like.
  case sounds
  /// With another keyboard layout.
  case keyboard
  /// All words but one.
  case withoutWord

  package static func < (left: SearchTier, right: SearchTier) -> Bool {
    left.rawValue < right.rawValue
  }

  /// What programs are told.
  package var key: String {
    switch self {
    case .asTyped: "as typed"
    case .address: "address"
    case .plainWords: "plain words"
    case .withoutTitles: "without titles"
    case .latinLetters: "latin letters"
    case .initials: "initials"
    case .otherSpellings: "other spellings"
    case .nameVariants: "name variants"
    case .joinedWords: "joined words"
    case .number: "number"
    case .signsAsBlanks: "signs as blanks"
    case .sounds: "sounds"
    case .misread: "misread"
    case .keyboard: "keyboard"
    case .withoutWord: "without a word"
    }
  }

  /// Whether its hits come before those of typing errors in what was typed.
  var precedesErrors: Bool { self < .number }

  /// Whether it guesses, so that it is not tried where typing errors do not count.
  var isGuess: Bool { !precedesErrors }
}

/// One way to take a query.
package struct SearchReading: Sendable, Equatable {
  /// What a hit has.
  var terms: [SearchTerm]
  /// What was made of the query, as a person is told; `nil` where nothing was.
  package var note: String?
}

/// The readings of a query in one tier; a hit is found by one of them.
package struct SearchStage: Sendable, Equatable {
  package let tier: SearchTier
  let readings: [SearchReading]
  let need: Condition

  /// When it is tried.
  enum Condition: Sendable, Equatable {
    /// There is room among the hits.
    case room
    /// No name has all words as whole words or whole readings.
    case noWholeName
    /// No name has been found, but for typing errors.
    case noName
    /// Nothing has been found.
    case nothing
  }

  /// Typing errors and joined words are looked for in whole queries alone.
  var allowsErrors: Bool { tier <= .withoutTitles }

  init(_ tier: SearchTier, _ readings: [SearchReading], need: Condition) {
    self.tier = tier
    self.readings = readings
    self.need = need
  }
}
