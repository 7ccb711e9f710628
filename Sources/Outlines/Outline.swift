@_exported import OutlineEngine

/// A tree list: values in a hierarchy, what is open in it, and the rows that are therefore visible.
///
/// Values have ids, which are unique in the outline. They are kept in preorder beside the columns of
/// the ``Hierarchy``; a hash table leads from an id to its position.
///
/// An outline is a value: a copy costs O(1) and shares memory until one of the two is changed, so
/// that a reader goes on with its copy while a writer changes another.
///
/// - Complexity: 24 bytes for each node beside the values themselves, unless stated otherwise.
public struct Outline<Value: Identifiable & Sendable>: Sendable where Value.ID: Sendable {
  /// The id of a value.
  public typealias ID = Value.ID

  /// The shape of the tree and what is open in it, by positions.
  ///
  /// What concerns shape and openness alone can be asked there, such as the `OutlineRow` of a
  /// position or a `treeLine(of:style:limit:)`.
  public internal(set) var state: OutlineState

  /// The values in preorder: the value of the node at each position.
  public internal(set) var values: [Value]

  /// Positions by the ids of their values.
  @usableFromInline var index: IndexTable

  /// Another one after each edit of the shape.
  @usableFromInline var stamp = ShapeIdentity()

  /// Groups whose children are not all there.
  @usableFromInline var unloaded: [ID: ChildrenState] = [:]

  /// What was wrong with the input of the last build or reload, and was placed as the caller chose.
  public internal(set) var invalidNodes: InvalidNodes<ID>

  @usableFromInline
  init(
    state: OutlineState,
    values: [Value],
    index: IndexTable,
    invalidNodes: InvalidNodes<ID> = InvalidNodes()
  ) {
    self.state = state
    self.values = values
    self.index = index
    self.invalidNodes = invalidNodes
  }

  /// An outline without nodes.
  ///
  /// - Complexity: O(1).
  public init() {
    self.init(
      state: OutlineState(PreorderColumns(capacity: 0).finish()),
      values: [],
      index: IndexTable(capacity: 0)
    )
  }

  /// Number of nodes, visible or not.
  ///
  /// - Complexity: O(1).
  @inlinable public var count: Int { values.count }

  /// Whether there are no nodes.
  ///
  /// - Complexity: O(1).
  @inlinable public var isEmpty: Bool { values.isEmpty }

  /// The shape of the tree.
  ///
  /// - Complexity: O(1).
  @inlinable public var hierarchy: Hierarchy { state.hierarchy }
}
