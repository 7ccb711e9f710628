import Platform

/// The tree's shape and what each node stands for, read where a question leads.
///
/// A position or row that is stored wrongly is `SnapshotError.damaged` where it is met. An engine
/// that wants all columns at once takes `DirectorySnapshot.hierarchy()`.
package struct TreePart: Sendable {
  private let parents: SnapshotColumn<Int32>
  private let ends: SnapshotColumn<Int32>
  private let levels: SnapshotColumn<Int32>
  private let groups: SnapshotColumn<UInt64>
  /// Row of the department (group) or of the membership (leaf) of each node.
  private let records: SnapshotColumn<UInt32>
  private let departmentCount: Int
  private let membershipCount: Int
  private let unplacedNodes: SnapshotColumn<Int32>
  private let unplacedReasons: TextColumn

  init(_ file: SnapshotFile) throws(SnapshotError) {
    parents = try file.column(.nodeParents, as: Int32.self)
    ends = try file.column(.nodeEnds, as: Int32.self)
    levels = try file.column(.nodeLevels, as: Int32.self)
    groups = try file.column(.nodeGroups, as: UInt64.self)
    records = try file.column(.nodeRecords, as: UInt32.self)
    let count = parents.count
    guard count <= Int32.max, ends.count == count, levels.count == count, records.count == count,
      groups.count == (count + 63) / 64
    else { throw file.damaged(.nodeParents) }
    departmentCount = try file.column(.departmentNodes, as: Int32.self).count
    membershipCount = try file.column(.membershipUsers, as: UInt32.self).count
    unplacedNodes = try file.column(.unplacedNodes, as: Int32.self)
    unplacedReasons = try file.text(.unplacedReasonsText, ends: .unplacedReasonsEnds)
    guard unplacedNodes.count == unplacedReasons.count else {
      throw file.damaged(.unplacedNodes)
    }
  }

  /// Number of nodes.
  package var count: Int { parents.count }

  package var isEmpty: Bool { count == 0 }

  /// That the columns do not make a tree.
  var damagedShape: SnapshotError { ends.damaged }

  /// Whether a node is a department, and not a person's place.
  package func isDepartment(_ node: Int) throws(SnapshotError) -> Bool {
    guard node >= 0, node < count else { throw parents.damaged }
    return try groups[node / 64] >> UInt64(node % 64) & 1 == 1
  }

  /// Row of the department of a group, or of the membership of a leaf.
  package func record(of node: Int) throws(SnapshotError) -> Int {
    let record = Int(try records[node])
    guard record < (try isDepartment(node) ? departmentCount : membershipCount) else {
      throw records.damaged
    }
    return record
  }

  /// Row of the department of a group; a leaf in its place is damage.
  package func departmentRecord(of node: Int) throws(SnapshotError) -> Int {
    guard try isDepartment(node) else { throw damagedShape }
    return try record(of: node)
  }

  /// Number of ancestors; 0 for a root.
  package func level(of node: Int) throws(SnapshotError) -> Int {
    let level = Int(try levels[node])
    guard level >= 0, level <= node else { throw levels.damaged }
    return level
  }

  /// The parent, or `nil` for a root.
  package func parent(of node: Int) throws(SnapshotError) -> Int? {
    let parent = Int(try parents[node])
    guard parent >= -1, parent < node else { throw parents.damaged }
    return parent < 0 ? nil : parent
  }

  /// The node and all below it: a half-open range that starts with the node.
  package func subtree(of node: Int) throws(SnapshotError) -> Range<Int> {
    let end = Int(try ends[node])
    guard end > node, end <= count else { throw ends.damaged }
    return node..<end
  }

  package func hasChildren(_ node: Int) throws(SnapshotError) -> Bool {
    try subtree(of: node).count > 1
  }

  /// The parent first, a root last; the node itself is not among them.
  ///
  /// - Complexity: O(level).
  package func ancestors(of node: Int) throws(SnapshotError) -> [Int] {
    var ancestors: [Int] = []
    var outer = try parent(of: node)
    while let ancestor = outer {
      ancestors.append(ancestor)
      outer = try parent(of: ancestor)
    }
    return ancestors
  }

  /// The nodes directly below a department, in order.
  package func children(of department: Int) throws(SnapshotError) -> Siblings {
    Siblings(self, in: try subtree(of: department).dropFirst())
  }

  /// The nodes without a parent, in order.
  package var roots: Siblings { Siblings(self, in: 0..<count) }

  /// Siblings in order, each found by jumping over the subtree of the one before.
  package struct Siblings {
    private let tree: TreePart
    private var position: Int
    private let end: Int

    fileprivate init(_ tree: TreePart, in range: Range<Int>) {
      self.tree = tree
      position = range.lowerBound
      end = range.upperBound
    }

    /// The next node.
    ///
    /// - Throws: `SnapshotError.damaged`, also where a sibling reaches out of the parent's subtree.
    /// - Complexity: O(1).
    package mutating func next() throws(SnapshotError) -> Int? {
      guard position < end else { return nil }
      let subtree = try tree.subtree(of: position)
      guard subtree.upperBound <= end else { throw tree.ends.damaged }
      position = subtree.upperBound
      return subtree.lowerBound
    }
  }

  // MARK: Unplaced

  package var unplacedCount: Int { unplacedNodes.count }

  /// Position and reason of what could not be placed, by its index.
  package func unplaced(at index: Int) throws(SnapshotError) -> (node: Int, reason: String) {
    let node = Int(try unplacedNodes[index])
    guard node >= 0, node < count else { throw unplacedNodes.damaged }
    return (node, try unplacedReasons[index])
  }

  /// Why a node lies under *Unplaced*; `nil` for all others.
  ///
  /// - Complexity: O(log unplaced).
  package func unplacedReason(of node: Int) throws(SnapshotError) -> String? {
    let row = try (0..<unplacedNodes.count).partitionPoint { (row) throws(SnapshotError) in
      try unplacedNodes[row] < node
    }
    guard row < unplacedNodes.count, Int(try unplacedNodes[row]) == node else { return nil }
    return try unplacedReasons[row]
  }
}
