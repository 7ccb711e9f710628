import TextRules

/// How a word was found in a text; smaller is better.
package enum MatchQuality: UInt8, Sendable, Comparable, CaseIterable {
  /// It is a word of the text.
  case whole
  /// A word reads so in Latin letters, or whole ideographs or syllables that it begins with.
  case wholeReading
  /// A word of the text begins with it.
  case start
  /// A word begins so as it is read, and goes on.
  case reading
  /// It stands somewhere in the text.
  case inside
  /// A word reads so from a later syllable on, or by initials, or by both mixed.
  case readingWithin
  /// A word reads so by another common reading of a character.
  case otherReading
  /// A word of the text is one typing error away.
  case oneError
  /// A long word of the text is two typing errors away.
  case twoErrors

  package static func < (left: MatchQuality, right: MatchQuality) -> Bool {
    left.rawValue < right.rawValue
  }

  /// Whether a name is read so only in part or by chance, which is a guess.
  package var isPartOfReading: Bool {
    self == .reading || self == .readingWithin || self == .otherReading
  }

  /// What an explanation says of it.
  package var phrase: String {
    switch self {
    case .whole: "whole word"
    case .start: "start of a word"
    case .inside: "inside a word"
    case .wholeReading: "read in Latin letters"
    case .reading: "start of a word, read in Latin letters"
    case .readingWithin: "read by syllables or initials"
    case .otherReading: "another reading"
    case .oneError: "one typing error"
    case .twoErrors: "two typing errors"
    }
  }
}

extension MatchQuality {
  /// How a word counts that was found in a text's readings.
  init(_ match: ReadingMatch) {
    switch match.grade {
    case .whole: self = .wholeReading
    case .start: self = .reading
    case .within: self = .readingWithin
    case .otherReading: self = .otherReading
    }
  }

  /// How a word counts that was found letter for letter in another spelling of the text.
  init(ofVariant quality: MatchQuality) {
    switch quality {
    case .whole: self = .wholeReading
    case .start: self = .reading
    default: self = .readingWithin
    }
  }
}
