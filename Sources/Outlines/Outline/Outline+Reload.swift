extension Outline where Value: Equatable {
  /// Replaces everything by another build.
  ///
  /// What is open, always open, and matched by the filter is kept by id. What is new comes as the
  /// other outline has it, and matches no filter. Which children are loaded, and the misfits, are
  /// the other's.
  ///
  /// - Parameter other: What is wanted from now on; what is open in it counts for new nodes only.
  /// - Returns: Rows that went, came, moved, and those whose value or looks have changed.
  /// - Complexity: O(n + visible rows), and O(p log p) for p runs of nodes that stay together.
  @inlinable
  @discardableResult
  public mutating func reload(_ other: Outline) -> RowChanges {
    reload(other) { $0 != $1 }
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
    let change = Rearrangement.ordering(oldPositions(of: other.values), of: count)
    let (old, new) = (values, other.values)
    return take(other, change) { isChanged(old[$0], new[$1]) }
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
    _ change: Rearrangement,
    isChanged: (Int, Int) -> Bool
  ) -> RowChanges {
    let oldUnloaded = unloaded
    let oldValues = values
    (values, index, misfits) = (other.values, other.index, other.misfits)
    (unloaded, stamp) = (other.unloaded, ShapeStamp())
    return state.replace(by: other.hierarchy, change, newOpen: other.state.open) { old, new in
      let before = oldUnloaded[oldValues[old].id] ?? .loaded
      return !before.looksLike(other.childrenState(at: new)) || isChanged(old, new)
    }
  }
}
