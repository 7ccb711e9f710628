extension OutlineState {
  /// Makes visible, of a run of whole sibling subtrees that are hidden and whose ancestors are open,
  /// what is open and left by the filter.
  ///
  /// Fills the run and then cuts out what lies below each closed group that remains, so that the
  /// cost is that of words and of closed groups, not of rows.
  mutating func show(_ run: Range<Int>) {
    let hierarchy = hierarchy
    let open = shownOpen
    let shown = filter?.shown
    visible.change(run) { visible in
      if let shown { visible.insert(run, of: shown) } else { visible.insert(run) }
      Self.forEachClosedGroup(in: run, of: hierarchy, open: open, shown: shown) { closed in
        let hidden = hierarchy.descendants(of: closed).clamped(to: run)
        visible.remove(hidden)
        return Swift.max(hidden.upperBound, closed + 1)
      }
    }
  }

  /// Hands over each closed group that the filter leaves, and goes on where `body` says.
  private static func forEachClosedGroup(
    in run: Range<Int>,
    of hierarchy: Hierarchy,
    open: BitVector,
    shown: BitVector?,
    _ body: (Int) -> Int
  ) {
    hierarchy.groups.withUnsafeBufferPointer { groups in
      open.words.withUnsafeBufferPointer { open in
        var position = run.lowerBound
        while let closed = BitVector.firstBit(
          in: position..<run.upperBound,
          of: { groups[$0] & ~open[$0] & (shown.map(\.words)?[$0] ?? ~0) }
        ) {
          position = body(closed)
        }
      }
    }
  }

  /// Hides a run of whole sibling subtrees.
  mutating func hide(_ run: Range<Int>) {
    visible.change(run) { $0.remove(run) }
  }

  /// Finds out from the start what is visible.
  package mutating func showAll() {
    visible = RankedBits(count: hierarchy.count)
    show(hierarchy.nodes)
  }

  /// Opens the groups whose level is less than `level`, and no others; there is no filter, and no
  /// group is always open.
  package mutating func open(toLevel level: Int) {
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

  /// Applies a change of what is open and finds the rows that it concerns by comparing.
  ///
  /// - Complexity: O(n / 64 + changed groups), beside `change`.
  package mutating func comparing(_ change: (inout OutlineState) -> Void) -> RowChanges {
    let (oldVisible, oldOpen) = (visible, shownOpen)
    change(&self)
    return oldVisible.bits.words.withUnsafeBufferPointer { old in
      visible.bits.words.withUnsafeBufferPointer { new in
        RowChanges(
          removed: oldVisible.ranks { old[$0] & ~new[$0] },
          inserted: visible.ranks { new[$0] & ~old[$0] },
          redrawn: rows(turnedSince: oldOpen) { old[$0] & new[$0] }
        )
      }
    }
  }

  /// The rows of groups with children that were opened or closed.
  ///
  /// - Parameters:
  ///   - oldOpen: What was open before.
  ///   - kept: A word of bits for nodes that were and are visible.
  /// - Returns: Their rows, as ranges.
  private func rows(turnedSince oldOpen: BitVector, kept: (Int) -> UInt64) -> [Range<Int>] {
    var rows: [Range<Int>] = []
    let newOpen = shownOpen
    for word in newOpen.words.indices {
      var turned = (oldOpen.words[word] ^ newOpen.words[word]) & kept(word)
      while turned != 0 {
        let node = word * BitVector.bitsPerWord + turned.trailingZeroBitCount
        turned &= turned - 1
        guard hierarchy.hasChildren(node) else { continue }
        let row = visible.rank(node)
        if let last = rows.last, last.upperBound == row {
          rows[rows.count - 1] = last.lowerBound..<row + 1
        } else {
          rows.append(row..<row + 1)
        }
      }
    }
    return rows
  }
}
