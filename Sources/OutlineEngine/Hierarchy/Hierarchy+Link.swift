/// A hierarchy made from links, and where each of its nodes came from.
public struct LinkedHierarchy: Sendable {
  public let hierarchy: Hierarchy

  /// The input index of each node, by its position in preorder.
  public let inputs: [Int32]

  @inlinable
  package init(hierarchy: Hierarchy, inputs: [Int32]) {
    self.hierarchy = hierarchy
    self.inputs = inputs
  }

  /// The position of each input in preorder, by its index: the inverse of `inputs`.
  ///
  /// - Complexity: O(n), and an array of n.
  public func positions() -> [Int32] {
    var positions = [Int32](repeating: 0, count: inputs.count)
    for (position, input) in inputs.enumerated() { positions[Int(input)] = Int32(position) }
    return positions
  }
}

extension Hierarchy {
  /// Brings nodes that name their parents, in any order, into preorder.
  ///
  /// Siblings that compare equal stay in the order of the input.
  ///
  /// - Parameters:
  ///   - parents: For each node the index of its parent, or `noParent` for a root.
  ///   - isGroup: Whether the node at an index is a group even without children; a node with
  ///     children is one in any case. Called once for each node without children.
  ///   - areInIncreasingOrder: Whether the node at the first index goes before its sibling at the
  ///     second: a strict weak order among the children of each parent and among the roots.
  /// - Returns: The hierarchy and, for each of its nodes, the input it was made from.
  /// - Precondition: Each parent is an index or `noParent`, and no node is its own ancestor:
  ///   `LinkProblems.find(in:)` tells.
  /// - Complexity: O(n) beside the sorting of each run of siblings by itself; without recursion;
  ///   up to 12 bytes for each node beside the result and the input.
  @inlinable
  public static func link(
    parents: [Int32],
    isGroup: (Int) -> Bool = { _ in false },
    by areInIncreasingOrder: (Int, Int) -> Bool
  ) -> LinkedHierarchy {
    var families = ChildLists(parents: parents)
    families.sort(by: areInIncreasingOrder)
    let writer = PreorderWriter(count: parents.count)
    return writer.write(families, isGroup: isGroup)
  }
}
