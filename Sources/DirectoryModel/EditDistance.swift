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

  /// Insertions, deletions, substitutions and exchanges of neighbours that make one of the other (optimal string
  /// alignment).
  ///
  /// - Returns: `nil` when there are more than `limit`.
  /// - Complexity: O(left · right), less where the limit is passed early.
  package static func between(
    _ left: [Unicode.Scalar],
    _ right: [Unicode.Scalar],
    atMost limit: Int
  ) -> Int? {
    guard abs(left.count - right.count) <= limit else { return nil }
    var (earlier, former): ([Int], [Int]) = ([], Array(0...right.count))
    for (index, scalar) in left.enumerated() {
      var row = [index + 1]
      for (column, other) in right.enumerated() {
        var least = min(
          former[column] + (other == scalar ? 0 : 1),
          former[column + 1] + 1,
          row[column] + 1
        )
        if index > 0, column > 0, scalar == right[column - 1], left[index - 1] == other {
          least = min(least, earlier[column - 1] + 1)
        }
        row.append(least)
      }
      // An exchange goes on from the row before.
      if row.allSatisfy({ $0 > limit }), former.allSatisfy({ $0 > limit - 1 }) { return nil }
      (earlier, former) = (former, row)
    }
    return former[right.count] <= limit ? former[right.count] : nil
  }
}
