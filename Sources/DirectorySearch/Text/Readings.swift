import TextRules

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
