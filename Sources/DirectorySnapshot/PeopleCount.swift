import Platform

/// Counts the distinct people in every subtree, while the nodes go by in preorder.
///
/// Each leaf counts one at its parent. Two leaves of one person that follow each other in preorder
/// count one too many from their lowest common ancestor upwards, so there one is taken off. What
/// remains is a sum over subtrees.
struct PeopleCount {
  /// After `finish(_:)`, for each group the distinct people in its subtree; 0 for leaves.
  private(set) var counts: [Int32]
  /// The groups around the node at hand, rising.
  private var ancestors: [Int32] = []
  private var ends: [Int32] = []

  init(nodeCount: Int) {
    counts = [Int32](repeating: 0, count: nodeCount)
  }

  /// A group begins.
  mutating func enter(_ node: Int, end: Int32) {
    leave(before: node)
    ancestors.append(Int32(truncatingIfNeeded: node))
    ends.append(end)
  }

  /// A person's leaf.
  ///
  /// - Parameters:
  ///   - parent: Its group; −1 for none.
  ///   - node: Its position.
  ///   - previousLeaf: The same person's leaf before it in preorder; −1 for the first.
  /// - Complexity: O(log depth) where there is an earlier leaf: of the ancestors, which rise, the
  ///   last one that begins before it is the lowest that contains both.
  @inline(__always)
  mutating func count(below parent: Int, at node: Int, previousLeaf: Int32) {
    guard parent >= 0 else { return }
    counts[parent] &+= 1
    guard previousLeaf >= 0 else { return }
    leave(before: node)
    if let common = lastAncestor(before: previousLeaf) { counts[common] &-= 1 }
  }

  /// Adds every group to its parent.
  mutating func finish(_ parents: UnsafeBufferPointer<Int32>) {
    counts.withUnsafeMutableBufferPointer { counts in
      for node in stride(from: counts.count - 1, through: 0, by: -1) where parents[node] >= 0 {
        counts[Int(parents[node])] &+= counts[node]
      }
    }
  }

  private mutating func leave(before node: Int) {
    while let end = ends.last, Int(end) <= node {
      ends.removeLast()
      ancestors.removeLast()
    }
  }

  private func lastAncestor(before position: Int32) -> Int? {
    let next = ancestors.indices.partitionPoint { ancestors[$0] < position }
    return next == 0 ? nil : Int(ancestors[next - 1])
  }
}
