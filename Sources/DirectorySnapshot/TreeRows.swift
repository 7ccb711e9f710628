import DirectoryModel

/// The rows that a list of the tree shows, from the first to the last, each found by a step down or
/// by a jump over a closed subtree.
///
/// An outline (`OutlineState`) knows every row at once and follows changes, for words for all
/// nodes. A list that is read once from front to back needs none of that, and touches the columns
/// only where it shows something.
package struct TreeRows {
  private let tree: TreePart
  private let end: Int
  private var position: Int
  /// Ends of the open departments that the position is in, the outermost first.
  private var ends: [Int] = []

  /// - Parameters:
  ///   - tree: The tree.
  ///   - root: The node whose subtree is shown, itself included; `nil` for all.
  /// - Throws: `SnapshotError.damaged`.
  package init(_ tree: TreePart, below root: Int?) throws(SnapshotError) {
    let range = try root.map { (root) throws(SnapshotError) in try tree.subtree(of: root) }
    self.tree = tree
    position = range?.lowerBound ?? 0
    end = range?.upperBound ?? tree.count
  }

  /// The place of the next row.
  ///
  /// - Parameter isOpen: Whether a department with children shows them, by node and depth.
  /// - Returns: `nil` past the last row.
  /// - Throws: `SnapshotError.damaged`, also where a subtree reaches out of its parent's.
  /// - Complexity: O(1), amortized.
  package mutating func next(
    isOpen: (_ node: Int, _ depth: Int) -> Bool
  ) throws(SnapshotError) -> TreePosition? {
    guard position < end else { return nil }
    while let last = ends.last, last <= position { ends.removeLast() }
    let subtree = try tree.subtree(of: position)
    let outerEnd = ends.last ?? end
    let isDepartment = try tree.isDepartment(position)
    let hasChildren = subtree.count > 1
    guard subtree.upperBound <= outerEnd, isDepartment || !hasChildren else {
      throw tree.damagedShape
    }
    var place = TreePosition()
    place.node = position
    place.depth = ends.count
    place.isDepartment = isDepartment
    place.isLastSibling = subtree.upperBound == outerEnd
    place.hasRowsBelow = hasChildren && isOpen(position, ends.count)
    if isDepartment {
      place.disclosure = !hasChildren ? .empty : place.hasRowsBelow ? .expanded : .collapsed
    }
    if place.hasRowsBelow {
      ends.append(subtree.upperBound)
      position += 1
    } else {
      position = subtree.upperBound
    }
    return place
  }
}
