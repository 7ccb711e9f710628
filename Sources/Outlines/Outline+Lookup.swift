import OutlineEngine

extension Outline {
  /// The position of an id in preorder; `nil` if no value has it.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func position(of id: ID) -> Int? {
    index.find(hash: id.hashValue) { values[$0].id == id }
  }

  /// Whether a value has the id.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func contains(_ id: ID) -> Bool { position(of: id) != nil }

  /// The node with an id; `nil` if no value has it.
  ///
  /// - Complexity: O(1).
  @inlinable
  public subscript(id: ID) -> OutlineNode<Value>? { position(of: id).map(node) }

  /// The node at a position in preorder.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func node(at position: Int) -> OutlineNode<Value> {
    precondition(values.indices.contains(position), "position outside the outline")
    return OutlineNode(outline: self, position: position)
  }

  /// The nodes without a parent, in order.
  ///
  /// - Complexity: O(1) for each node, whatever is below it.
  public var roots: some Sequence<OutlineNode<Value>> {
    hierarchy.roots.lazy.map { node(at: $0) }
  }

  /// All nodes in preorder.
  ///
  /// - Complexity: O(1) for each node.
  public var nodes: some RandomAccessCollection<OutlineNode<Value>> {
    hierarchy.nodes.lazy.map { node(at: $0) }
  }
}
