/// How well a hit fits; smaller is better.
///
/// The worst of the query's words decides; for each the best place where it was found counts. Of
/// equal quality those come first that have more of the words in their name.
package struct SearchRank: Sendable, Comparable, Hashable {
  let step: SearchStep
  /// How many words were found so well outside the name alone; 0 where the step is of names.
  let wordsOutsideName: Int

  package var quality: MatchQuality { step.quality }
  /// Whether a word was found so well only outside the name.
  package var isOutsideName: Bool { step.isOutsideName }
  /// Whether the query may be all of a field other than the name.
  var mayBeExact: Bool { isOutsideName && quality == .whole }

  /// Whether a word only occurs within a name, or within what it reads.
  var isWithinName: Bool {
    !isOutsideName && (quality == .inside || quality == .readingWithin)
  }

  package static func < (left: SearchRank, right: SearchRank) -> Bool {
    (left.step.place, left.wordsOutsideName) < (right.step.place, right.wordsOutsideName)
  }

  init(_ step: SearchStep, wordsOutsideName: Int) {
    self.step = step
    self.wordsOutsideName = wordsOutsideName
  }

  /// The rank of a record by the best qualities of each word; `nil` when a word was found nowhere.
  ///
  /// - Parameters:
  ///   - inName: For each word how it was found in the name.
  ///   - elsewhere: For each word how it was found in other fields.
  init?(inName: [MatchQuality?], elsewhere: [MatchQuality?]) {
    let names = inName.map { SearchStep.place(of: $0, isOutsideName: false) }
    var (inNames, anywhere) = (0, 0)
    for (name, other) in zip(names, elsewhere) {
      inNames = max(inNames, name)
      anywhere = max(anywhere, min(name, SearchStep.place(of: other, isOutsideName: true)))
    }
    guard anywhere < SearchStep.all.count else { return nil }
    let outside = SearchStep.all[anywhere...].first { $0.isOutsideName }
    if inNames < SearchStep.all.count, outside.map({ inNames < $0.place }) ?? true {
      self.init(SearchStep.all[inNames], wordsOutsideName: 0)
      return
    }
    guard let outside else { return nil }
    self.init(outside, wordsOutsideName: names.count { $0 > outside.place })
  }
}

/// One step of a search: how words may be found now, in names or anywhere, beside all that was
/// allowed before.
struct SearchStep: Sendable, Hashable {
  let quality: MatchQuality
  /// Whether other fields are looked at so, and not names alone.
  let isOutsideName: Bool
  /// The place among `all`.
  let place: Int

  /// A whole word or a whole reading in a name comes before parts, and parts in names before those
  /// in other fields.
  static let all: [SearchStep] = {
    let groups: [[MatchQuality]] = [
      [.whole], [.wholeReading, .start], [.reading, .inside, .readingWithin], [.otherReading],
      [.oneError], [.twoErrors],
    ]
    var steps: [SearchStep] = []
    for group in groups {
      for isOutsideName in [false, true] {
        for quality in group {
          steps.append(
            SearchStep(quality: quality, isOutsideName: isOutsideName, place: steps.count)
          )
        }
      }
    }
    return steps
  }()

  /// By quality, those of names and then those of other fields.
  private static let places: [[Int]] = [false, true].map { isOutsideName in
    MatchQuality.allCases.map { quality in
      all.firstIndex { $0.quality == quality && $0.isOutsideName == isOutsideName } ?? all.count
    }
  }

  /// The place of the step that finds a word so; past all of them for one that is not found.
  static func place(of quality: MatchQuality?, isOutsideName: Bool) -> Int {
    quality.map { places[isOutsideName ? 1 : 0][Int($0.rawValue)] } ?? all.count
  }
}
