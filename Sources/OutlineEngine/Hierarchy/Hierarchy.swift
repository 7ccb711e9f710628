/// The shape of a tree: all nodes in preorder, in four flat columns.
///
/// A node is its position in preorder, 0-based: a parent comes before its children, siblings come
/// in order, and so a subtree is a contiguous range. For node i,
///
///     parents[i]   position of the parent, or `noParent` for a root
///     ends[i]      position after the last node of the subtree; i + 1 for a node without children
///     levels[i]    0 for a root, otherwise one more than the parent's
///     groups       bit i % 64 of word i / 64: whether the node is a group
///
/// A node with children must be a group; a group may be without children. There may be many roots.
///
/// A hierarchy over memory of unknown origin should be proved by `validate()`. One that was not and
/// is damaged answers nonsense, but it neither reads outside its columns nor loops.
public struct Hierarchy: Sendable {
  /// What stands in the column of parents, and in links, for a root.
  public static let noParent: Int32 = -1

  public internal(set) var parents: OutlineColumn<Int32>
  public internal(set) var ends: OutlineColumn<Int32>
  public internal(set) var levels: OutlineColumn<Int32>
  public internal(set) var groups: OutlineColumn<UInt64>

  /// Takes the columns as they are.
  ///
  /// - Precondition: `parents`, `ends` and `levels` have the same count n, at most `Int32.max`, and
  ///   `groups` has ⌈n / 64⌉ words.
  /// - Complexity: O(1); no element is read.
  public init(
    parents: OutlineColumn<Int32>,
    ends: OutlineColumn<Int32>,
    levels: OutlineColumn<Int32>,
    groups: OutlineColumn<UInt64>
  ) {
    precondition(parents.count <= Int32.max, "more nodes than a position can name")
    precondition(
      ends.count == parents.count && levels.count == parents.count
        && groups.count == BitVector.wordCount(forBits: parents.count),
      "columns of different lengths"
    )
    self.parents = parents
    self.ends = ends
    self.levels = levels
    self.groups = groups
  }

  /// Number of nodes.
  ///
  /// - Complexity: O(1).
  @inlinable public var count: Int { parents.count }

  /// Whether there is no node.
  ///
  /// - Complexity: O(1).
  @inlinable public var isEmpty: Bool { count == 0 }

  /// All nodes, in preorder.
  ///
  /// - Complexity: O(1).
  @inlinable public var nodes: Range<Int> { 0..<count }

  /// The parent, or `nil` for a root.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func parent(of node: Int) -> Int? {
    let parent = Int(parents[node])
    return parent >= 0 && parent < node ? parent : nil
  }

  /// Number of ancestors; 0 for a root.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func level(of node: Int) -> Int { Int(levels[node]) }

  /// Whether the node is a group, with children or without.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func isGroup(_ node: Int) -> Bool {
    precondition(node < count, "node outside the hierarchy")
    return groups[node / 64] >> UInt64(node % 64) & 1 == 1
  }

  /// The node and all below it.
  ///
  /// - Returns: Half-open range that starts with the node; its count is the size of the subtree.
  /// - Complexity: O(1); preorder keeps a subtree contiguous.
  @inlinable
  public func subtree(of node: Int) -> Range<Int> {
    node..<Swift.min(Swift.max(Int(ends[node]), node + 1), count)
  }

  /// All below the node, itself excluded.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func descendants(of node: Int) -> Range<Int> { subtree(of: node).dropFirst() }

  /// Number of nodes below the node.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func descendantCount(of node: Int) -> Int { subtree(of: node).count - 1 }

  /// Whether anything is below the node.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func hasChildren(_ node: Int) -> Bool { descendantCount(of: node) > 0 }

  /// Whether no sibling follows.
  ///
  /// - Complexity: O(1): the last sibling ends where its parent does.
  @inlinable
  public func isLastSibling(_ node: Int) -> Bool {
    let end = parent(of: node).map { subtree(of: $0).upperBound } ?? count
    return subtree(of: node).upperBound == end
  }
}
