import DirectorySnapshot
import Synchronization

/// Where nodes stand among their siblings.
///
/// Departments come before people, who are a node each. So only the departments of a family have to be
/// looked at, and where they are many, only once.
final class SiblingPositions: Sendable {
  private let tree: TreePart
  /// The departments of large families, by the department above; −1 for the roots.
  private let large = Mutex<[Int: [Int32]]>([:])

  /// Families with fewer departments are not kept: the entries would be larger than what is in them.
  private static let fewest = 64

  init(_ tree: TreePart) { self.tree = tree }

  /// The number of a node among its siblings, from 0, and how many they are.
  ///
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(log siblings), and O(departments among them) for the first of a family; 4 bytes for
  ///   each department that has many beside it.
  func place(of node: Int) throws(SnapshotError) -> (index: Int, count: Int) {
    let parent = try tree.parent(of: node)
    let departments = try departments(of: parent)
    let nodes = try parent.map { (parent) throws(SnapshotError) in
      try tree.subtree(of: parent).dropFirst()
    }
    let people =
      try departments.last.map { (last) throws(SnapshotError) in
        try tree.subtree(of: Int(last)).upperBound
      } ?? nodes?.lowerBound ?? 0
    let count = departments.count + (nodes?.upperBound ?? tree.count) - people
    guard node < people else { return (departments.count + node - people, count) }
    var (low, high) = (0, departments.count)
    while low < high {
      let middle = (low + high) / 2
      if Int(departments[middle]) < node { low = middle + 1 } else { high = middle }
    }
    return (low, count)
  }

  private func departments(of parent: Int?) throws(SnapshotError) -> [Int32] {
    let key = parent ?? -1
    if let known = large.withLock({ $0[key] }) { return known }
    var departments: [Int32] = []
    var nodes =
      try parent.map { (parent) throws(SnapshotError) in try tree.children(of: parent) }
      ?? tree.roots
    while let node = try nodes.next(), try tree.isDepartment(node) {
      departments.append(Int32(node))
    }
    if departments.count >= Self.fewest { large.withLock { $0[key] = departments } }
    return departments
  }
}
