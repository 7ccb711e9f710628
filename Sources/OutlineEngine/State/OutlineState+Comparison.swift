extension OutlineState {
  /// Compares all rows before and after an edit.
  ///
  /// - Parameters:
  ///   - old: The state before.
  ///   - change: The edit.
  ///   - isChanged: Whether the value of a node that stays is another, by old and new position.
  /// - Returns: What became of the rows.
  /// - Complexity: O(visible rows + n / 64 + pieces), and 4 bytes for each node of the window.
  package func rowChanges(
    from old: OutlineState,
    by change: NodePermutation,
    isChanged: (_ old: Int, _ new: Int) -> Bool
  ) -> RowChanges {
    let diff = RowDiff(from: old.visible, to: visible, by: change)
    let comparison = RowComparison(old: old, new: self, change: change)
    let redrawn = comparison.redrawn(kept: diff.kept, isChanged: isChanged)
    return diff.changes(redrawing: redrawn)
  }
}

/// Finds the rows that stay and look different.
private struct RowComparison {
  let old: OutlineState
  let new: OutlineState
  let change: NodePermutation
  private let numbers: [Int32]
  private let isFiltered: Bool

  init(old: OutlineState, new: OutlineState, change: NodePermutation) {
    self.old = old
    self.new = new
    self.change = change
    numbers = change.windowNumbers()
    isFiltered = old.filter != nil || new.filter != nil
  }

  func redrawn(kept: BitVector, isChanged: (Int, Int) -> Bool) -> BitVector {
    var redrawn = BitVector(count: kept.count)
    var target = 0
    for piece in change.allPieces {
      defer { target += piece.count }
      guard let source = piece.source else { continue }
      var position = target
      while let node = kept.first(in: position..<target + piece.count) {
        position = node + 1
        let before = source + node - target
        if isCertainlyAlike(before, node, in: source) {
          if isChanged(before, node) { redrawn[node] = true }
        } else {
          mark(&redrawn, from: before, to: node, isChanged: isChanged)
        }
      }
    }
    return redrawn
  }

  /// Whether a node certainly stands where it stood.
  ///
  /// Its parent is in the same piece, and both have as many nodes below them as before, so that it is
  /// the last sibling if it was; while a filter is on, nothing is certain. This is quick for the many
  /// nodes that have not changed, and `mark` is exact for the others.
  ///
  /// - Parameters:
  ///   - before: The old position.
  ///   - after: The new position.
  ///   - source: Where the piece of both begins, by old positions.
  /// - Returns: `false` also where only a closer look tells.
  private func isCertainlyAlike(_ before: Int, _ after: Int, in source: Int) -> Bool {
    let shift = Int32(after - before)
    let parent = old.hierarchy.parents[before]
    guard !isFiltered, parent >= source, parent < before,
      new.hierarchy.parents[after] == parent + shift,
      old.hierarchy.levels[before] == new.hierarchy.levels[after],
      old.hierarchy.isGroup(before) == new.hierarchy.isGroup(after),
      old.open[before] == new.open[after]
    else { return false }
    return old.hierarchy.ends[before] &+ shift == new.hierarchy.ends[after]
      && old.hierarchy.ends[Int(parent)] &+ shift == new.hierarchy.ends[Int(parent + shift)]
  }

  private func mark(
    _ redrawn: inout BitVector,
    from oldNode: Int,
    to newNode: Int,
    isChanged: (Int, Int) -> Bool
  ) {
    let (before, after) = (old.presentation(of: oldNode), new.presentation(of: newNode))
    let parent = new.hierarchy.parent(of: newNode)
    let hasOtherParent = old.hierarchy.parent(of: oldNode).map(newNumber) != parent
    let hasOtherEnd = before.isLastSibling != after.isLastSibling
    // A line leads down past all that is below a node, unless it is a root.
    if hasOtherParent || hasOtherEnd && parent != nil {
      redrawn.insert(new.hierarchy.subtree(of: newNode))
    } else if hasOtherEnd || !before.looksLike(after) || isChanged(oldNode, newNode) {
      redrawn[newNode] = true
    }
  }

  /// The new position of an old node; −1 if it went.
  private func newNumber(_ node: Int) -> Int {
    if node < change.window.lowerBound { return node }
    if node >= change.window.upperBound { return node + change.shift }
    return Int(numbers[node - change.window.lowerBound])
  }
}

extension OutlineRow {
  /// Whether all but the position is the same.
  fileprivate func looksLike(_ other: OutlineRow) -> Bool {
    level == other.level && isGroup == other.isGroup && disclosure == other.disclosure
      && isMatch == other.isMatch && leadsToMatch == other.leadsToMatch
  }
}
