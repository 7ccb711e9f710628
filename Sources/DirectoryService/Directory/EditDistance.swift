/// How many typing errors lie between two words.
enum EditDistance {
  /// Insertions, deletions and substitutions that make one of the other (Levenshtein).
  ///
  /// - Returns: `nil` when there are more than `limit`.
  /// - Complexity: O(left · right), less where the limit is passed early.
  static func between(
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
