import OutlineEngine

extension Outline {
  /// Takes values that name their parents, in any order; siblings stay in the order of the input.
  ///
  /// - Parameters:
  ///   - values: One for each node.
  ///   - parent: The id of a value's parent, or `nil` for a root.
  ///   - isGroup: Whether a value without children is a group, none by default; one with children is
  ///     in any case.
  ///   - invalidNodes: What becomes of ids that occur twice, missing parents and rings.
  ///   - expandedLevels: Groups whose level is less are opened.
  /// - Throws: `OutlineBuildError.invalidNodes` when something does not fit and is to be rejected, or
  ///   when an id that `invalidNodes` made is not new either.
  /// - Complexity: O(n) hashes.
  @inlinable
  public init(
    links values: [Value],
    parent: (Value) -> ID?,
    isGroup: ((Value) -> Bool)? = nil,
    invalidNodes: InvalidNodePolicy<Value> = .reject,
    expandedLevels: Int = 0
  ) throws(OutlineBuildError<ID>) {
    let links = try ValueLinks.link(values, parent: parent, invalidNodes: invalidNodes)
    self.init(links, isGroup: isGroup, by: { _, _ in false }, expandedLevels: expandedLevels)
  }

  /// Takes values that name their parents, in any order, and sorts siblings.
  ///
  /// - Parameters:
  ///   - values: One for each node.
  ///   - parent: The id of a value's parent, or `nil` for a root.
  ///   - isGroup: Whether a value without children is a group, none by default; one with children is
  ///     in any case.
  ///   - invalidNodes: What becomes of ids that occur twice, missing parents and rings.
  ///   - expandedLevels: Groups whose level is less are opened.
  ///   - areInIncreasingOrder: Whether the first goes before its sibling, the second: a strict weak
  ///     order; siblings that compare equal stay in the order of the input.
  /// - Throws: As without an order.
  /// - Complexity: O(n) hashes and O(k log k) comparisons for each family of k.
  @inlinable
  public init(
    links values: [Value],
    parent: (Value) -> ID?,
    isGroup: ((Value) -> Bool)? = nil,
    invalidNodes: InvalidNodePolicy<Value> = .reject,
    expandedLevels: Int = 0,
    by areInIncreasingOrder: (Value, Value) -> Bool
  ) throws(OutlineBuildError<ID>) {
    let links = try ValueLinks.link(values, parent: parent, invalidNodes: invalidNodes)
    let values = links.values
    self.init(
      links,
      isGroup: isGroup,
      by: { areInIncreasingOrder(values[$0], values[$1]) },
      expandedLevels: expandedLevels
    )
  }

  /// Takes values that name their parents, in any order, and sorts siblings by keys that are made
  /// once.
  ///
  /// - Parameters:
  ///   - values: One for each node.
  ///   - parent: The id of a value's parent, or `nil` for a root.
  ///   - isGroup: Whether a value without children is a group, none by default; one with children is
  ///     in any case.
  ///   - invalidNodes: What becomes of ids that occur twice, missing parents and rings.
  ///   - expandedLevels: Groups whose level is less are opened.
  ///   - key: What a value is sorted by among its siblings; siblings with equal keys stay in the
  ///     order of the input.
  /// - Throws: As without an order.
  /// - Complexity: O(n) hashes and O(k log k) comparisons of keys for each family of k.
  @inlinable
  public init<Key: Comparable>(
    links values: [Value],
    parent: (Value) -> ID?,
    isGroup: ((Value) -> Bool)? = nil,
    invalidNodes: InvalidNodePolicy<Value> = .reject,
    expandedLevels: Int = 0,
    sortedBy key: (Value) -> Key
  ) throws(OutlineBuildError<ID>) {
    let links = try ValueLinks.link(values, parent: parent, invalidNodes: invalidNodes)
    let keys = links.values.map(key)
    self.init(links, isGroup: isGroup, by: { keys[$0] < keys[$1] }, expandedLevels: expandedLevels)
  }

  @inlinable
  init(
    _ links: ValueLinks<Value>,
    isGroup: ((Value) -> Bool)?,
    by areInIncreasingOrder: (Int, Int) -> Bool,
    expandedLevels: Int
  ) {
    let values = links.values
    let linked = Hierarchy.link(
      parents: links.parents,
      // Without the question no value is looked at: they are all over the memory.
      isGroup: { index in isGroup.map { $0(values[index]) } ?? false },
      by: areInIncreasingOrder
    )
    var index = links.index
    index.renumber(0..<values.count, with: linked.positions())
    self.init(
      state: OutlineState(linked.hierarchy, expandedLevels: expandedLevels),
      values: linked.inputs.map { values[Int($0)] },
      index: index,
      invalidNodes: links.invalidNodes
    )
  }
}
