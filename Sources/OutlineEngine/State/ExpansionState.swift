/// What is open, and always open, in some nodes that come from another outline.
package struct ExpansionState {
  /// A bit for each node; those outside of `runs` do not count.
  let open: BitVector
  let pinned: BitVector?
  /// The nodes whose bits count.
  let runs: [Range<Int>]
}

extension OutlineState {
  /// What is open without the filter.
  var unfilteredOpen: BitVector { filter.map { $0.restored(open) } ?? open }

  /// What is open here, without the filter, for an outline of as many nodes.
  package func openness(of runs: [Range<Int>]) -> ExpansionState {
    ExpansionState(open: unfilteredOpen, pinned: pinned, runs: runs)
  }

  /// What is open here, without the filter, for an outline of `count` nodes that has all nodes of
  /// this one from `position` on.
  package func openness(at position: Int, of count: Int) -> ExpansionState {
    func shifted(_ bits: BitVector) -> BitVector {
      var writer = BitWriter(capacity: count)
      writer.appendClear(position)
      writer.append(hierarchy.nodes, of: bits)
      writer.appendClear(count - position - hierarchy.count)
      return writer.finish()
    }
    return ExpansionState(
      open: shifted(unfilteredOpen),
      pinned: pinned.map(shifted),
      runs: [position..<position + hierarchy.count]
    )
  }

  /// A run of whole sibling subtrees, with what is open in them without the filter.
  package func part(_ nodes: Range<Int>, with hierarchy: Hierarchy) -> OutlineState {
    func cut(_ bits: BitVector) -> BitVector {
      var writer = BitWriter(capacity: nodes.count)
      writer.append(nodes, of: bits)
      return writer.finish()
    }
    var part = OutlineState(hierarchy)
    part.open = cut(unfilteredOpen)
    part.pinned = pinned.map(cut)
    part.showAll()
    return part
  }

  /// Takes over what is open without a filter; what the filter shows stays as it is in its list.
  ///
  /// - Complexity: O(n / 64 + runs).
  package mutating func take(_ openness: ExpansionState) {
    var pinned = pinned ?? BitVector(count: hierarchy.count)
    for run in openness.runs {
      open.remove(run)
      open.insert(run, of: openness.open)
      pinned.remove(run)
      if let newPinned = openness.pinned { pinned.insert(run, of: newPinned) }
    }
    if self.pinned != nil || openness.pinned != nil { self.pinned = pinned }
    guard var filter else { return }
    filter.open = filter.open.intersection(filter.shown).union(open.subtracting(filter.shown))
      .union(pinned)
    self.filter = filter
  }
}
