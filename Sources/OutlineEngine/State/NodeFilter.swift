/// Which nodes a filter leaves, and what is open among them.
///
///     matches      nodes that match
///     ancestors    nodes above a match
///     shown        both, and all that lies below a matching group that is above no match
///     open         groups that are open in the filtered list; as without filter for all others
///     openedByHand groups of `shown` opened since the filter is on, and not closed again
struct NodeFilter: Sendable, Equatable {
  private(set) var matches: BitVector
  private(set) var ancestors: BitVector
  private(set) var shown: BitVector
  var open: BitVector
  var openedByHand: BitVector

  /// Opens the ancestors of matches and closes matching groups that are above no match.
  ///
  /// - Complexity: O(n / 64 + matches + their ancestors).
  init(_ matches: BitVector, in hierarchy: Hierarchy, open: BitVector, pinned: BitVector?) {
    self.matches = matches
    ancestors = Self.ancestors(of: matches, in: hierarchy)
    let closed = Self.closedMatches(matches, ancestors: ancestors, in: hierarchy)
    shown = Self.shown(matches.union(ancestors), below: closed, in: hierarchy)
    self.open = open.union(ancestors).subtracting(closed)
    if let pinned { self.open.insert(0..<pinned.count, of: pinned) }
    openedByHand = BitVector(count: matches.count)
  }

  /// What is open when the filter is cleared.
  func restored(_ open: BitVector) -> BitVector { open.union(openedByHand) }

  /// Follows an edit of the tree.
  ///
  /// Groups that come to be above a match are opened; groups that the filter leaves no longer go
  /// back to what is open without it, and what was opened by hand stays so there.
  ///
  /// - Parameters:
  ///   - change: The edit; new nodes are not matches.
  ///   - hierarchy: The tree after it.
  ///   - open: What is open without the filter, after the edit; takes over what was opened by hand.
  ///   - pinned: The groups that are always open, after the edit.
  mutating func follow(
    _ change: NodePermutation,
    in hierarchy: Hierarchy,
    open: inout BitVector,
    pinned: BitVector?
  ) {
    matches = change.carry(matches)
    let oldAncestors = change.carry(ancestors)
    ancestors = Self.ancestors(of: matches, in: hierarchy)
    shown = Self.shown(
      matches.union(ancestors),
      below: Self.closedMatches(matches, ancestors: ancestors, in: hierarchy),
      in: hierarchy
    )
    openedByHand = change.carry(openedByHand)
    open = open.union(openedByHand.subtracting(shown))
    openedByHand = openedByHand.intersection(shown)
    self.open = change.carry(self.open).intersection(shown).union(open.subtracting(shown))
      .union(ancestors.subtracting(oldAncestors))
    if let pinned { self.open.insert(0..<pinned.count, of: pinned) }
    // A reload may have made a leaf of a group.
    let groups = BitVector(count: hierarchy.count, column: hierarchy.groups)
    self.open = self.open.intersection(groups)
    openedByHand = openedByHand.intersection(groups)
  }

  /// Walks up from each match until a node that is marked already.
  private static func ancestors(of matches: BitVector, in hierarchy: Hierarchy) -> BitVector {
    var ancestors = BitVector(count: matches.count)
    matches.forEach { match in
      var node = hierarchy.parent(of: match)
      while let ancestor = node, !ancestors[ancestor] {
        ancestors[ancestor] = true
        node = hierarchy.parent(of: ancestor)
      }
    }
    return ancestors
  }

  /// The matching groups that are above no match.
  private static func closedMatches(
    _ matches: BitVector,
    ancestors: BitVector,
    in hierarchy: Hierarchy
  ) -> BitVector {
    matches.subtracting(ancestors)
      .intersection(BitVector(count: matches.count, column: hierarchy.groups))
  }

  private static func shown(
    _ kept: BitVector,
    below groups: BitVector,
    in hierarchy: Hierarchy
  ) -> BitVector {
    var shown = kept
    groups.forEach { shown.insert(hierarchy.descendants(of: $0)) }
    return shown
  }
}
