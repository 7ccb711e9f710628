extension Hierarchy {
  /// Siblings in order, each found by jumping over the subtree of the one before.
  ///
  /// - Complexity: O(1) for each node, whatever is below it.
  public struct Siblings: Sequence, IteratorProtocol, Sendable {
    @usableFromInline package let hierarchy: Hierarchy
    @usableFromInline package var position: Int
    @usableFromInline package let end: Int

    @inlinable
    package init(_ hierarchy: Hierarchy, in range: Range<Int>) {
      self.hierarchy = hierarchy
      position = range.lowerBound
      end = range.upperBound
    }

    /// The next node.
    ///
    /// - Complexity: O(1).
    @inlinable
    public mutating func next() -> Int? {
      guard position < end else { return nil }
      defer { position = hierarchy.subtree(of: position).upperBound }
      return position
    }
  }

  /// The parent of a node, the parent's parent, and so on up to a root.
  ///
  /// - Complexity: O(1) for each ancestor.
  public struct Ancestors: Sequence, IteratorProtocol, Sendable {
    @usableFromInline package let hierarchy: Hierarchy
    @usableFromInline package var node: Int?

    @inlinable
    package init(_ hierarchy: Hierarchy, of node: Int) {
      self.hierarchy = hierarchy
      self.node = node
    }

    /// The next node.
    ///
    /// - Complexity: O(1).
    @inlinable
    public mutating func next() -> Int? {
      node = node.flatMap(hierarchy.parent)
      return node
    }
  }

  /// The nodes without a parent, in order.
  ///
  /// - Complexity: O(1), and O(1) for each root that is read.
  @inlinable public var roots: Siblings { Siblings(self, in: nodes) }

  /// The nodes directly below `node`, in order.
  ///
  /// - Complexity: O(1), and O(1) for each child that is read.
  @inlinable
  public func children(of node: Int) -> Siblings { Siblings(self, in: descendants(of: node)) }

  /// The children of the node's parent, or the roots; the node itself is among them.
  ///
  /// - Complexity: O(1), and O(1) for each sibling that is read.
  @inlinable
  public func siblings(of node: Int) -> Siblings { parent(of: node).map(children) ?? roots }

  /// The node's parent first, a root last; the node itself is not among them.
  ///
  /// - Complexity: O(1), and O(1) for each ancestor that is read.
  @inlinable
  public func ancestors(of node: Int) -> Ancestors { Ancestors(self, of: node) }

  /// The last of the children, or the last root for `nil`; `nil` if there is none.
  ///
  /// - Complexity: O(levels between the two): it is an ancestor of the last node below, or that.
  public func lastChild(of parent: Int?) -> Int? {
    let range = parent.map(subtree) ?? nodes
    guard var node = range.last, node != parent else { return nil }
    while let outer = self.parent(of: node), outer != parent { node = outer }
    return node
  }

  /// The child that `index` others precede, or the root for `nil`.
  ///
  /// - Returns: `nil` where there are not as many.
  /// - Complexity: O(`index`).
  public func child(of parent: Int?, at index: Int) -> Int? {
    guard index >= 0 else { return nil }
    return (parent.map(children) ?? roots).dropFirst(index).first { _ in true }
  }

  /// Number of siblings that precede a node: its index among the children of its parent, or among
  /// the roots.
  ///
  /// - Complexity: O(siblings that precede).
  public func childIndex(of node: Int) -> Int {
    var index = 0
    for sibling in siblings(of: node) {
      guard sibling < node else { break }
      index += 1
    }
    return index
  }

  /// Number of nodes directly below, or of roots for `nil`.
  ///
  /// - Complexity: O(children).
  public func childCount(of parent: Int?) -> Int {
    (parent.map(children) ?? roots).reduce(0) { count, _ in count + 1 }
  }
}
