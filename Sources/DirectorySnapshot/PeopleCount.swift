import Outlines

/// Counts the distinct people in every subtree.
///
/// Each leaf counts one at its parent. Two leaves of one person that follow each other in preorder
/// count one too many from their lowest common ancestor upwards, so there one is taken off. What
/// remains is a sum over subtrees.
enum PeopleCount {
  /// - Parameters:
  ///   - hierarchy: The tree.
  ///   - previousLeaf: For a leaf, the position of the same person's leaf before it in preorder,
  ///     −1 for the first; called once for each leaf, in preorder.
  ///   - counts: Whether the leaf is a person at all.
  /// - Returns: For each position the distinct people in its subtree.
  /// - Complexity: O(nodes · log depth): the ancestors of the leaf at hand lie on a stack in
  ///   rising order, so the lowest one that also contains the earlier leaf is found by bisection.
  static func distinct(
    in hierarchy: Hierarchy,
    previousLeaf: (Int) -> Int32,
    counts: (Int) -> Bool
  ) -> [Int32] {
    var people = [Int32](repeating: 0, count: hierarchy.count)
    var ancestors: [Int32] = []
    for node in 0..<hierarchy.count {
      while let last = ancestors.last, hierarchy.subtree(of: Int(last)).upperBound <= node {
        ancestors.removeLast()
      }
      if hierarchy.isGroup(node) {
        ancestors.append(Int32(node))
      } else if counts(node) {
        people[node] = 1
        let previous = previousLeaf(node)
        if previous >= 0, let common = lastAncestor(in: ancestors, notAfter: previous) {
          people[common] -= 1
        }
      }
    }
    for node in stride(from: hierarchy.count - 1, through: 0, by: -1) {
      if let parent = hierarchy.parent(of: node) { people[parent] += people[node] }
    }
    return people
  }

  /// The last of the rising `ancestors` at or before a position.
  private static func lastAncestor(in ancestors: [Int32], notAfter position: Int32) -> Int? {
    var low = 0
    var high = ancestors.count
    while low < high {
      let middle = (low + high) / 2
      if ancestors[middle] <= position { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : Int(ancestors[low - 1])
  }
}
