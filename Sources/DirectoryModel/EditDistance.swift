/// How many typing errors lie between two words.
package enum EditDistance {
  /// The word that is nearest to what was typed, if that is within a third of the word's letters.
  package static func nearest(to typed: String, among words: [String]) -> String? {
    let wanted = Array(typed.unicodeScalars)
    let near = words.compactMap { word in
      between(wanted, Array(word.unicodeScalars), atMost: max(1, word.unicodeScalars.count / 3))
        .map { (distance: $0, word: word) }
    }
    return near.min { $0.distance < $1.distance }?.word
  }

  /// Insertions, deletions and substitutions that make one of the other (Levenshtein).
  ///
  /// - Returns: `nil` when there are more than `limit`.
  /// - Complexity: O(left · right), less where the limit is passed early.
  package static func between(
    _ left: [Unicode.Scalar],
    _ right: [Unicode.Scalar],
    atMost limit: Int
  ) -> Int? {
    guard abs(left.count - right.count) <= limit else { return nil }
    var row = Array(0...right.count)
    for (index, scalar) in left.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in right.indices {
        let substituted = diagonal + (right[column] == scalar ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(substituted, diagonal + 1, row[column] + 1)
      }
      if row.allSatisfy({ $0 > limit }) { return nil }
    }
    return row[right.count] <= limit ? row[right.count] : nil
  }
}
