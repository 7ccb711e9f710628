import TextRules

extension MatchQuality {
  /// How a word counts that was found in a text's readings.
  init(_ match: ReadingMatch) {
    switch match.fit {
    case .whole: self = match.place == .inside ? .readingWithin : .reading
    case .initials: self = .readingWithin
    case .otherReading: self = .otherReading
    }
  }

  /// How a word counts that was found letter for letter in another spelling of the text.
  init(ofVariant quality: MatchQuality) {
    self = quality <= .start ? .reading : .readingWithin
  }
}
