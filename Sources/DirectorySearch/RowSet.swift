/// A set of rows of one table, a bit for each.
struct RowSet: Sendable {
  private(set) var words: [UInt64]

  init(count: Int) { words = [UInt64](repeating: 0, count: (count + 63) / 64) }

  func contains(_ row: Int) -> Bool { words[row / 64] >> UInt64(row % 64) & 1 == 1 }

  mutating func insert(_ row: Int) { words[row / 64] |= 1 << UInt64(row % 64) }

  mutating func formUnion(_ other: RowSet) {
    for index in words.indices { words[index] |= other.words[index] }
  }

  mutating func formIntersection(_ other: RowSet) {
    for index in words.indices { words[index] &= other.words[index] }
  }

  /// Calls `body` for every row, rising.
  ///
  /// - Complexity: O(words + rows in the set).
  func forEach<Failure: Error>(_ body: (Int) throws(Failure) -> Void) throws(Failure) {
    for (index, word) in words.enumerated() {
      var rest = word
      while rest != 0 {
        try body(index * 64 + rest.trailingZeroBitCount)
        rest &= rest - 1
      }
    }
  }
}
