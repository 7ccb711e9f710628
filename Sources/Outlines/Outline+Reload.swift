import OutlineEngine

extension Outline where Value: Equatable {
  /// Replaces everything by another build.
  ///
  /// What is open, always open, and matched by the filter is kept by id. What is new is open, and
  /// always open, as in the other outline, and matches no filter. Which children are loaded, and the
  /// invalid nodes, are the other's.
  ///
  /// - Parameter other: What is wanted from now on; what is open in it counts for new nodes only.
  /// - Returns: Rows that went, came, moved, and those whose value or looks have changed.
  /// - Complexity: O(n + visible rows), and O(p log p) for p runs of nodes that stay together.
  @inlinable
  @discardableResult
  public mutating func reload(_ other: Outline) -> RowChanges {
    reload(other) { $0 != $1 }
  }

  /// The difference to another outline: what has to be done to the rows of this one so that they
  /// are the other's, with what is open in that one and the filter that is on there.
  ///
  /// - Parameter other: Has the same nodes or others; ids tell which are the same.
  /// - Returns: Numbered as the rows of this outline before the change and of `other` after it.
  /// - Complexity: As of ``reload(_:)``.
  public func rowChanges(to other: Outline) -> RowChanges {
    rowChanges(to: other) { $0 != $1 }
  }
}

extension Outline {
  /// Replaces everything by another build, and says itself which values have changed.
  ///
  /// - Parameters:
  ///   - other: What is wanted from now on; what is open in it counts for new nodes only.
  ///   - isChanged: Whether the second value, with the same id as the first, looks different.
  /// - Returns: Rows that went, came, moved, and those whose value or looks have changed.
  /// - Complexity: As of ``reload(_:)``.
  @inlinable
  @discardableResult
  public mutating func reload(
    _ other: Outline,
    isChanged: (Value, Value) -> Bool
  ) -> RowChanges {
    let change = NodePermutation.ordering(oldPositions(of: other.values), of: count)
    let (old, new) = (values, other.values)
    return take(other, change) { isChanged(old[$0], new[$1]) }
  }

  /// The difference to another outline: what has to be done to the rows of this one so that they
  /// are the other's, with what is open in that one and the filter that is on there.
  ///
  /// - Parameters:
  ///   - other: Has the same nodes or others; ids tell which are the same.
  ///   - isChanged: Whether the second value, with the same id as the first, looks different.
  /// - Returns: Numbered as the rows of this outline before the change and of `other` after it.
  /// - Complexity: As of ``reload(_:)``.
  public func rowChanges(
    to other: Outline,
    isChanged: (Value, Value) -> Bool
  ) -> RowChanges {
    let change = NodePermutation.ordering(oldPositions(of: other.values), of: count)
    return other.state.rowChanges(from: state, by: change) { old, new in
      childrenState(at: old) != other.childrenState(at: new)
        || isChanged(values[old], other.values[new])
    }
  }

  /// For each value the position of its id here, or −1.
  @inlinable
  func oldPositions(of others: [Value]) -> [Int32] {
    var positions = [Int32](repeating: -1, count: others.count)
    index.findAll(
      count: others.count,
      hash: { others[$0].id.hashValue },
      isSame: { values[$0].id == others[$1].id }
    ) { other, position in
      if let position { positions[other] = Int32(truncatingIfNeeded: position) }
    }
    return positions
  }

  @usableFromInline
  mutating func take(
    _ other: Outline,
    _ change: NodePermutation,
    isChanged: (Int, Int) -> Bool
  ) -> RowChanges {
    let oldUnloaded = unloaded
    let oldValues = values
    (values, index, invalidNodes) = (other.values, other.index, other.invalidNodes)
    (unloaded, stamp) = (other.unloaded, ShapeIdentity())
    let openness = other.state.openness(of: change.newNodes)
    return state.replace(by: other.hierarchy, change, openness: openness) { old, new in
      let before = oldUnloaded[oldValues[old].id] ?? .loaded
      return before != other.childrenState(at: new) || isChanged(old, new)
    }
  }
}
