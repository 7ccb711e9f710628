/// Where a node stands in a tree that is shown or written.
package struct TreePlace: Sendable, Equatable {
  /// Position of the node in the snapshot; −1 for rows that are not of the tree.
  package var node = -1
  /// Levels below the top of what is shown.
  package var depth = 0
  package var isDepartment = false
  /// The sign of a department; `nil` for a person.
  package var disclosure: DirectoryDisclosure?
  /// Whether no row of the same parent follows.
  package var isLastSibling = true
  /// Whether a filter hit this node itself.
  package var isMatch = false
  /// Whether it lies below a closed department: there, and not seen.
  package var isFolded = false
  /// Whether the next row lies below this one.
  package var hasRowsBelow = false

  package init() {}
}
