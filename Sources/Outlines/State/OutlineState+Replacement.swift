extension OutlineState {
  /// Takes over another state of the tree, such as the next file of a mapped snapshot.
  ///
  /// What is open, always open, and matched by the filter is carried along; what is new is closed and
  /// matches nothing.
  ///
  /// - Parameters:
  ///   - new: The tree from now on.
  ///   - origins: For each node of `new` the node here that it was, or −1 for a new one; no node
  ///     twice.
  ///   - isChanged: Whether a node that stays looks different, by its position here and in `new`;
  ///     asked for visible nodes only.
  /// - Returns: Rows that went, came, moved, and those that look different.
  /// - Precondition: One origin for each node of `new`, each −1 or a node here.
  /// - Complexity: O(n + visible rows), and O(p log p) for p runs of nodes that stay together.
  @discardableResult
  public mutating func replace(
    by new: Hierarchy,
    origins: [Int32],
    isChanged: (_ old: Int, _ new: Int) -> Bool
  ) -> RowChanges {
    precondition(origins.count == new.count, "an origin for each node")
    let count = hierarchy.count
    precondition(origins.allSatisfy { $0 >= -1 && $0 < count }, "an origin that was not a node")
    return replace(by: new, .ordering(origins, of: count), isChanged: isChanged)
  }
}
