import OutlineEngine

/// Stands for the shape that an outline has until the next edit; copies share it.
@usableFromInline
final class ShapeIdentity: Sendable {
  @usableFromInline
  init() {}
}

/// The nodes of an outline that match a filter, found before it is set: in another task, say.
public struct OutlineMatches: Sendable {
  @usableFromInline let bits: [UInt64]
  /// The shape of the outline that was searched.
  @usableFromInline let stamp: ShapeIdentity

  @usableFromInline
  init(bits: [UInt64], stamp: ShapeIdentity) {
    self.bits = bits
    self.stamp = stamp
  }

  /// Number of nodes that match.
  ///
  /// - Complexity: O(n / 64).
  public var count: Int { bits.reduce(0) { $0 + $1.nonzeroBitCount } }

  /// The positions of the nodes that match, rising, in the outline that was searched.
  ///
  /// - Complexity: O(n / 64 + matches) in all.
  public var positions: some Sequence<Int> & Sendable {
    BitVector(count: bits.count * BitVector.bitsPerWord, words: bits).setBits
  }
}

extension Outline {
  /// Whether a filter is on.
  ///
  /// - Complexity: O(1).
  public var isFiltered: Bool { state.isFiltered }

  /// The ids of the nodes that match the filter that is on, in preorder; none without one.
  ///
  /// - Complexity: O(n / 64 + matches).
  public var matchingIDs: [ID] { state.matchingNodes.map { values[$0].id } }

  /// Finds the nodes whose values satisfy a predicate, and changes nothing.
  ///
  /// The outline can be copied to another task, matched there, and filtered where it is shown by
  /// ``setFilter(_:)``, as long as it has not been edited in between.
  ///
  /// - Parameters:
  ///   - isCancelled: Asked before each 4,096 values; whether the task is cancelled by default.
  ///   - predicate: Whether a value matches.
  /// - Returns: The matches, for ``setFilter(_:)``.
  /// - Throws: `CancellationError` as soon as it is cancelled.
  /// - Complexity: O(n).
  @inlinable
  public func matches(
    isCancelled: () -> Bool = { Task.isCancelled },
    where predicate: (Value) -> Bool
  ) throws(CancellationError) -> OutlineMatches {
    var words = [UInt64](repeating: 0, count: (count + 63) / 64)
    var start = 0
    while start < count {
      guard !isCancelled() else { throw CancellationError() }
      let end = min(start + 4096, count)
      values.withUnsafeBufferPointer { values in
        for word in start / 64..<(end + 63) / 64 {
          var bits: UInt64 = 0
          for position in word * 64..<min(word * 64 + 64, end) where predicate(values[position]) {
            bits |= 1 << UInt64(position % 64)
          }
          words[word] = bits
        }
      }
      start = end
    }
    return OutlineMatches(bits: words, stamp: stamp)
  }

  /// Shows only the values that satisfy a predicate, and every ancestor of one, opened.
  ///
  /// A matching group without a match below it stays closed; opened by hand, it shows all that is
  /// below it. A filter that is on is replaced. Edits keep the filter: values that are added or
  /// updated match again only when it is set again.
  ///
  /// - Parameters:
  ///   - isCancelled: Asked before each 4,096 values; whether the task is cancelled by default.
  ///   - predicate: Whether a value matches.
  /// - Returns: What became of the rows.
  /// - Throws: `CancellationError` when cancelled; then nothing has changed.
  /// - Complexity: O(n) for the predicate, then O(matches + their ancestors + n / 64).
  @inlinable
  @discardableResult
  public mutating func filter(
    isCancelled: () -> Bool = { Task.isCancelled },
    where predicate: (Value) -> Bool
  ) throws(CancellationError) -> RowChanges {
    applyFilter(try matches(isCancelled: isCancelled, where: predicate))
  }

  /// Shows only the nodes that were found to match, and every ancestor of one, opened.
  ///
  /// - Throws: `OutlineError.staleMatches` when nodes were added, removed or moved since the
  ///   search.
  /// - Complexity: O(matches + their ancestors + n / 64).
  @discardableResult
  public mutating func setFilter(
    _ matches: OutlineMatches
  ) throws(OutlineError<ID>) -> RowChanges {
    guard matches.stamp === stamp else { throw .staleMatches }
    return applyFilter(matches)
  }

  /// Shows only the nodes at some positions, such as a search index delivers, and every ancestor of
  /// one, opened.
  ///
  /// - Throws: `OutlineError.positionOutOfRange` for the first position that is none.
  /// - Complexity: O(positions + their ancestors + n / 64).
  @discardableResult
  public mutating func setFilter(
    positions: some Collection<Int>
  ) throws(OutlineError<ID>) -> RowChanges {
    if let stray = positions.first(where: { !values.indices.contains($0) }) {
      throw .positionOutOfRange(stray)
    }
    return state.setFilter(positions)
  }

  /// Shows all again: what was open before the filter, and what was opened by hand since and not
  /// closed again.
  ///
  /// - Complexity: O(n / 64 + closed groups that become visible).
  @discardableResult
  public mutating func clearFilter() -> RowChanges { state.clearFilter() }

  @usableFromInline
  mutating func applyFilter(_ matches: OutlineMatches) -> RowChanges {
    state.setFilter(BitVector(count: count, words: matches.bits))
  }
}
