/// Steps from one visible node to the next, with what a row shows of 64 nodes at a time.
///
/// What is asked for each row is built into the caller, and so it reads the columns where they are;
/// what is asked for each word of bits is not.
@usableFromInline
package struct VisibleNodeIterator: Sendable {
  @usableFromInline package let columns: RowColumns
  @usableFromInline package let isFiltered: Bool
  @usableFromInline package private(set) var remaining: Int
  /// The node of the lowest bits.
  @usableFromInline package private(set) var base = 0
  /// The visible nodes that are still to come.
  @usableFromInline package private(set) var visible: UInt64 = 0
  @usableFromInline package private(set) var groups: UInt64 = 0
  @usableFromInline package private(set) var open: UInt64 = 0
  @usableFromInline package private(set) var matches: UInt64 = 0
  @usableFromInline package private(set) var ancestors: UInt64 = 0

  @usableFromInline
  package init(_ outline: OutlineState, _ rows: Range<Int>) {
    columns = RowColumns(outline)
    isFiltered = outline.isFiltered
    remaining = rows.count
    guard !rows.isEmpty else { return }
    let first = outline.node(atRow: rows.lowerBound)
    read(first / BitVector.bitsPerWord)
    visible &= ~BitVector.mask(first % BitVector.bitsPerWord)
  }

  @inlinable
  @inline(__always)
  package mutating func next() -> OutlineRow? {
    guard remaining > 0 else { return nil }
    if visible == 0 { readNext() }
    remaining &-= 1
    let bit = UInt64(truncatingIfNeeded: visible.trailingZeroBitCount)
    visible &= visible &- 1
    let node = base &+ Int(truncatingIfNeeded: bit)
    // As `withExtendedLifetime`, which the compiler leaves as a call for every row.
    defer { _fixLifetime(columns) }
    let end = columns.end(of: node)
    return OutlineRow(
      node: node,
      level: columns.levels[node],
      isLastSibling: isFiltered
        ? columns.isLastShownSibling(node) : end == columns.endOfParent(of: node),
      isParent: end > node &+ 1,
      isGroup: groups &>> bit & 1,
      isOpen: open &>> bit & 1,
      isMatch: matches &>> bit & 1,
      leadsToMatch: ancestors &>> bit & 1
    )
  }

  /// Goes on to the next word that has a visible node; there is one while rows remain.
  @usableFromInline
  package mutating func readNext() {
    var word = base / BitVector.bitsPerWord + 1
    while columns.outline.visible.bits.words[word] == 0 { word += 1 }
    read(word)
  }

  private mutating func read(_ word: Int) {
    let outline = columns.outline
    base = word * BitVector.bitsPerWord
    visible = outline.visible.bits.words[word]
    groups = outline.hierarchy.groups[word]
    open = outline.shownOpen.words[word]
    guard let filter = outline.filter else { return }
    (matches, ancestors) = (filter.matches.words[word], filter.ancestors.words[word])
  }
}

/// The columns that rows are made from, and the outline that keeps them in their places.
@usableFromInline
package final class RowColumns: Sendable {
  let outline: OutlineState
  @usableFromInline package let count: Int
  // Unsafe: read-only memory that `outline` keeps in its place.
  @usableFromInline nonisolated(unsafe) let parents: UnsafeBufferPointer<Int32>
  @usableFromInline nonisolated(unsafe) let ends: UnsafeBufferPointer<Int32>
  @usableFromInline nonisolated(unsafe) let levels: UnsafeBufferPointer<Int32>

  init(_ outline: OutlineState) {
    self.outline = outline
    let hierarchy = outline.hierarchy
    count = hierarchy.count
    (parents, ends) = (hierarchy.parents.elements, hierarchy.ends.elements)
    levels = hierarchy.levels.elements
  }

  /// The position after the last node of the subtree of a node; inside the columns even if they are
  /// damaged.
  @inlinable
  @inline(__always)
  package func end(of node: Int) -> Int {
    min(max(Int(truncatingIfNeeded: ends[node]), node &+ 1), count)
  }

  @inlinable
  @inline(__always)
  package func endOfParent(of node: Int) -> Int {
    let parent = Int(truncatingIfNeeded: parents[node])
    return parent >= 0 && parent < node ? end(of: parent) : count
  }

  @usableFromInline
  package func isLastShownSibling(_ node: Int) -> Bool { outline.isLastShownSibling(node) }
}
