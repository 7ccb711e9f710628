import TextRules

/// What somebody looks for: words that must all be found, in any field and any order.
///
/// Every character means itself. Words are folded as the data is, so that case, diacritics and
/// width do not matter; what folds to nothing is no word.
package struct SearchQuery: Sendable, Equatable {
  /// Folded UTF-8 of each word, once each.
  let words: [[UInt8]]
  /// The folded words, one blank between them: what a name is compared with as a whole.
  let phrase: [UInt8]

  package init(_ text: String) {
    // By bytes: a blank and a mark after it are one Character, and no blank to a string.
    let all = Folding.fold(text).utf8.split(separator: UInt8(ascii: " ")).map { Array($0) }
    var seen: Set<[UInt8]> = []
    words = all.filter { seen.insert($0).inserted }
    phrase = Array(all.joined(separator: [UInt8(ascii: " ")]))
  }

  package var isEmpty: Bool { words.isEmpty }
}
