/// What `expand` and `collapse` do to the saved view.
package enum ViewChange: Sendable {
  /// Opens departments and what leads to them.
  case expand([Node], recursive: Bool)
  /// Closes departments; what was open below is kept unless `recursive`.
  case collapse([Node], recursive: Bool)
  case expandAll
  case collapseAll
  /// Opens exactly the groups of the first levels.
  case levels(Int)
}

extension SavedView {
  /// - Complexity: O(nodes).
  package mutating func apply(_ change: ViewChange, to directory: Directory) throws {
    var outline = try DirectoryOutline(directory, self)
    outline.apply(change)
    expanded = try outline.view.expanded
  }
}
