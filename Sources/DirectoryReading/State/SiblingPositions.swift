import DirectorySnapshot
import Platform
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

  /// The nodes below one department, or those at the top.
  struct Family {
    fileprivate let departments: [Int32]
    /// Where the people begin, and where the last one's node ends.
    fileprivate let people: Int
    fileprivate let end: Int

    /// The number of a node of the family among its siblings, from 0, and how many they are.
    ///
    /// - Complexity: O(log departments).
    func place(of node: Int) -> (index: Int, count: Int) {
      let count = departments.count + end - people
      guard node < people else { return (departments.count + node - people, count) }
      return (departments.indices.partitionPoint { departments[$0] < node }, count)
    }
  }

  /// The number of a node among its siblings, from 0, and how many they are.
  ///
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: As `family(below:)`.
  func place(of node: Int) throws(SnapshotError) -> (index: Int, count: Int) {
    try family(below: tree.parent(of: node)).place(of: node)
  }

  /// What is below a department; of `nil`, at the top.
  ///
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(departments in it) for the first time, afterwards O(1) for a large family; 4 bytes
  ///   for each department that has many beside it.
  func family(below parent: Int?) throws(SnapshotError) -> Family {
    let departments = try departments(of: parent)
    let nodes = try parent.map { (parent) throws(SnapshotError) in
      try tree.subtree(of: parent).dropFirst()
    }
    let people =
      try departments.last.map { (last) throws(SnapshotError) in
        try tree.subtree(of: Int(last)).upperBound
      } ?? nodes?.lowerBound ?? 0
    return Family(departments: departments, people: people, end: nodes?.upperBound ?? tree.count)
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
