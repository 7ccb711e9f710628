/// How the rows of a table are numbered when some go and others come.
///
/// What stays keeps its number where it can: an added row takes the number of one that was removed,
/// and where fewer come than go, the last rows move into the gaps. So all but a few rows of every
/// column are copied as they are.
struct RowNumbering: Sendable {
  /// A row whose content is not that of the old row of the same number.
  struct Patch: Sendable {
    var row: Int
    var source: Source

    enum Source: Sendable {
      /// The content of another old row.
      case old(Int)
      /// The content that the caller knows by this number.
      case new(Int)
    }
  }

  let oldCount: Int
  let count: Int
  /// Rows of the added ones, in their order.
  let added: [Int]
  /// Old rows that have another number now.
  let moved: [Int: Int]

  /// - Parameters:
  ///   - oldCount: Rows before.
  ///   - removed: Old rows that go, rising.
  ///   - addedCount: Rows that come.
  /// - Complexity: O(removed + added).
  init(oldCount: Int, removed: [Int], addedCount: Int) {
    self.oldCount = oldCount
    count = oldCount - removed.count + addedCount
    let reused = removed.prefix(addedCount)
    added = Array(reused) + Array(oldCount..<(oldCount + addedCount - reused.count))
    var gaps = removed.dropFirst(reused.count)
    var moved: [Int: Int] = [:]
    var last = oldCount - 1
    while let gap = gaps.first, gap < count {
      if last == gaps.last {
        gaps.removeLast()
      } else {
        moved[last] = gap
        gaps.removeFirst()
      }
      last -= 1
    }
    self.moved = moved
  }

  /// The number of an old row that stays.
  @inline(__always)
  func row(ofOld row: Int) -> Int { row < count ? row : moved[row] ?? row }

  /// The number of a row: old rows that stay come first, then the added ones.
  func row(of universal: Int) -> Int {
    universal < oldCount ? row(ofOld: universal) : added[universal - oldCount]
  }

  /// Every row that is not a copy of the old row of the same number, rising.
  ///
  /// - Parameters:
  ///   - changed: Old rows that stay with a new content, and the number of that.
  ///   - additions: The numbers of the added rows' contents.
  /// - Returns: A patch for each such row.
  func patches(changed: [(row: Int, content: Int)], additions: [Int]) -> [Patch] {
    var patches = changed.map { Patch(row: row(ofOld: $0.row), source: .new($0.content)) }
    patches += zip(added, additions).map { Patch(row: $0, source: .new($1)) }
    let changedRows = Set(changed.lazy.map(\.row))
    for (old, row) in moved where !changedRows.contains(old) {
      patches.append(Patch(row: row, source: .old(old)))
    }
    patches.sort { $0.row < $1.row }
    return patches
  }
}
