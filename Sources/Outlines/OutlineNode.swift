import OutlineEngine

/// A node of an outline, as it was when it was asked for.
///
/// It holds a copy of the outline, which shares its memory: let it go before the outline is edited,
/// otherwise the edit copies what it changes.
public struct OutlineNode<Value: Identifiable & Sendable>: Sendable, Identifiable
where Value.ID: Sendable {
  /// The outline as it was.
  public let outline: Outline<Value>
  /// 0-based position in preorder.
  public let position: Int

  @usableFromInline
  init(outline: Outline<Value>, position: Int) {
    self.outline = outline
    self.position = position
  }

  /// The value's id.
  ///
  /// - Complexity: O(1).
  public var id: Value.ID { value.id }

  /// The value.
  ///
  /// - Complexity: O(1).
  public var value: Value { outline.values[position] }

  /// The parent; `nil` for a root.
  ///
  /// - Complexity: O(1).
  public var parent: OutlineNode? { hierarchy.parent(of: position).map(outline.node) }

  /// Number of ancestors; 0 for a root.
  ///
  /// - Complexity: O(1).
  public var level: Int { hierarchy.level(of: position) }

  /// Number of siblings that precede the node: its index among ``siblings``.
  ///
  /// - Complexity: O(siblings that precede).
  public var childIndex: Int { hierarchy.childIndex(of: position) }

  /// Whether the node is a group, with children or without.
  ///
  /// - Complexity: O(1).
  public var isGroup: Bool { hierarchy.isGroup(position) }

  /// Whether no sibling follows in the whole tree.
  ///
  /// - Complexity: O(1).
  public var isLastSibling: Bool { hierarchy.isLastSibling(position) }

  /// The positions of the node and all below it.
  ///
  /// - Complexity: O(1).
  public var subtree: Range<Int> { hierarchy.subtree(of: position) }

  /// Number of nodes below.
  ///
  /// - Complexity: O(1).
  public var descendantCount: Int { hierarchy.descendantCount(of: position) }

  /// The nodes directly below, in order.
  ///
  /// - Complexity: O(1) for each.
  public var children: some Sequence<OutlineNode> {
    hierarchy.children(of: position).lazy.map { outline.node(at: $0) }
  }

  /// The children of the parent, or the roots; the node itself is among them.
  ///
  /// - Complexity: O(1) for each.
  public var siblings: some Sequence<OutlineNode> {
    hierarchy.siblings(of: position).lazy.map { outline.node(at: $0) }
  }

  /// The parent first, a root last.
  ///
  /// - Complexity: O(1) for each.
  public var ancestors: some Sequence<OutlineNode> {
    hierarchy.ancestors(of: position).lazy.map { outline.node(at: $0) }
  }

  /// The nodes from the root to this one, itself included.
  ///
  /// - Complexity: O(level).
  public var path: [OutlineNode] { ancestors.reversed() + [self] }

  /// The sign in front of a group; `nil` for a leaf.
  ///
  /// - Complexity: O(1).
  public var disclosure: Disclosure? { outline.disclosure(at: position) }

  /// Whether the children of a group are there.
  ///
  /// - Complexity: O(1).
  public var childrenState: ChildrenState { outline.childrenState(at: position) }

  /// The row of the node, or why it has none.
  ///
  /// - Complexity: O(1) for a visible node, otherwise O(log n), and O(level) more while a filter is
  ///   on.
  public var place: RowPlace { outline.state.place(of: position) }

  private var hierarchy: Hierarchy { outline.hierarchy }
}
