/// How a word was found in a text; smaller is better.
package enum MatchQuality: UInt8, Sendable, Comparable, CaseIterable {
  /// It is a word of the text.
  case whole
  /// A word of the text begins with it.
  case start
  /// It stands somewhere in the text.
  case inside
  /// A word reads so in Latin letters, or whole ideographs or syllables that it begins with.
  case wholeReading
  /// A word begins so as it is read, and goes on.
  case reading
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

/// How well a hit fits; smaller is better.
///
/// The worst of the query's words decides; for each the best place where it was found counts. Of
/// equal quality those come first that have every word in their name.
package struct SearchRank: Sendable, Comparable, Hashable {
  package var quality: MatchQuality
  /// Whether a word was found so well only outside the name.
  package var isOutsideName: Bool

  package static func < (left: SearchRank, right: SearchRank) -> Bool {
    (left.quality.rawValue, left.isOutsideName ? 1 : 0)
      < (right.quality.rawValue, right.isOutsideName ? 1 : 0)
  }

  /// The rank of a record by the best qualities of each word; `nil` when a word was found nowhere.
  ///
  /// - Parameters:
  ///   - inName: For each word how it was found in the name.
  ///   - elsewhere: For each word how it was found in other fields.
  init?(inName: [MatchQuality?], elsewhere: [MatchQuality?]) {
    var worst = MatchQuality.whole
    var worstInName: MatchQuality? = .whole
    for index in inName.indices {
      guard let best = [inName[index], elsewhere[index]].compactMap({ $0 }).min() else {
        return nil
      }
      worst = max(worst, best)
      worstInName = worstInName.flatMap { known in inName[index].map { max(known, $0) } }
    }
    quality = worst
    isOutsideName = worstInName.map { $0 > worst } ?? true
  }

  init(_ quality: MatchQuality, isOutsideName: Bool) {
    self.quality = quality
    self.isOutsideName = isOutsideName
  }
}
