/// Where and how well a word was found in the readings of a text; the smaller is the better.
package struct ReadingMatch: Sendable, Equatable, Comparable {
  /// How well, in steps; what is of one step differs in ``fit``, ``coversText``, ``place`` and where
  /// it is.
  package enum Grade: Int, Sendable, Comparable {
    /// A whole word, or whole ideographs, kana or Hangul syllables at the start of one.
    case whole
    /// The start of a word.
    case start
    /// From a later character of a word on, or by initials.
    case within
    /// By another reading of a character.
    case otherReading

    package static func < (left: Grade, right: Grade) -> Bool { left.rawValue < right.rawValue }
  }

  package enum Fit: Int, Sendable, Comparable {
    /// Every part in a spelling of its main reading, the last perhaps begun.
    case whole
    /// Parts by their initials.
    case initials
    /// Some character in another of its readings.
    case otherReading

    package static func < (left: Fit, right: Fit) -> Bool { left.rawValue < right.rawValue }
  }

  package enum Place: Int, Sendable, Comparable {
    /// At the start of the text, of a word of it, or of a character inside a word.
    case text, word, inside

    package static func < (left: Place, right: Place) -> Bool { left.rawValue < right.rawValue }
  }

  /// The parts that were found, for ``ReadingUnits/original(of:)``.
  package let readings: Range<Int>
  package let place: Place
  package let fit: Fit
  /// The word ends with a word of the text, or with a whole ideograph, kana or Hangul syllable.
  package let isComplete: Bool
  /// The word is all of the text, not cut off in the last part.
  package let coversText: Bool

  package var grade: Grade {
    switch fit {
    case .whole: place == .inside ? .within : isComplete ? .whole : .start
    case .initials: .within
    case .otherReading: .otherReading
    }
  }

  package static func < (left: ReadingMatch, right: ReadingMatch) -> Bool {
    if left.grade != right.grade { return left.grade < right.grade }
    if left.fit != right.fit { return left.fit < right.fit }
    if left.coversText != right.coversText { return left.coversText }
    if left.place != right.place { return left.place < right.place }
    return left.readings.lowerBound < right.readings.lowerBound
  }
}
