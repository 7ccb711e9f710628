extension Outline {
  /// Makes visible, of a run of whole sibling subtrees whose ancestors are open, what is open.
  ///
  /// Fills the run and then cuts out what lies below each closed group that remains, so that the
  /// cost is that of words and of closed groups, not of rows.
  mutating func show(_ run: Range<Int>) {
    let hierarchy = hierarchy
    let open = open
    visible.change(run) { visible in
      visible.insert(run)
      hierarchy.groups.withUnsafeBufferPointer { groups in
        open.words.withUnsafeBufferPointer { open in
          var position = run.lowerBound
          while let closed = BitVector.firstBit(
            in: position..<run.upperBound,
            of: { groups[$0] & ~open[$0] }
          ) {
            let hidden = hierarchy.descendants(of: closed).clamped(to: run)
            visible.remove(hidden)
            position = Swift.max(hidden.upperBound, closed + 1)
          }
        }
      }
    }
  }

  /// Hides a run of whole sibling subtrees.
  mutating func hide(_ run: Range<Int>) {
    visible.change(run) { $0.remove(run) }
  }

  /// Opens the groups whose level is less than `level`, and no others.
  mutating func open(toLevel level: Int) {
    let hierarchy = hierarchy
    let all = hierarchy.nodes
    var open = BitVector(count: hierarchy.count)
    visible.change(all) { visible in
      visible.insert(all)
      hierarchy.groups.withUnsafeBufferPointer { groups in
        var position = 0
        while let group = BitVector.firstBit(in: position..<all.upperBound, of: { groups[$0] }) {
          position = group + 1
          guard hierarchy.level(of: group) >= level else {
            open[group] = true
            continue
          }
          let hidden = hierarchy.descendants(of: group)
          visible.remove(hidden)
          position = Swift.max(hidden.upperBound, position)
        }
      }
    }
    self.open = open
  }

  /// Applies `change` and finds the rows that it replaced by comparing what is visible.
  ///
  /// - Complexity: O(n / 64), beside `change`.
  mutating func comparing(_ change: (inout Outline) -> Void) -> RowChange {
    let old = visible
    change(&self)
    guard let nodes = visible.bits.extentOfDifferences(from: old.bits) else { return .none }
    let extent = Range(nodes)
    let first = old.rank(extent.lowerBound)
    return RowChange(
      removed: first..<first + old.rank(of: extent),
      inserted: first..<first + visible.rank(of: extent)
    )
  }
}
