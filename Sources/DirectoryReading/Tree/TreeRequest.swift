import DirectoryModel

/// Which rows of the tree the user wants to see.
package struct TreeRequest: Sendable {
  package enum Opening: Sendable {
    /// What the saved view has open.
    case view(SavedView)
    /// Groups of the first levels, below the shown root.
    case levels(Int)
    /// Everything.
    case all
  }

  package enum Kinds: Sendable {
    case everything, departments, people
  }

  package var opening: Opening
  /// The department whose subtree is shown, itself included and open; `nil` for the whole tree.
  package var root: Node?
  /// Rows more levels below the shown root than this are left out.
  package var depth: Int?
  package var kinds: Kinds = .everything
  /// Only matches of this query and what leads to them.
  package var filter: String?
  /// When looking for matches is given up; `nil` for never.
  package var deadline: ContinuousClock.Instant?
  /// Only these and what leads to them, where there are any; not with a filter.
  package var only: [Node] = []
  /// Whether rows carry contact fields.
  package var withContacts = false
  /// Whether rows carry `sort_order` and which department of a person is the primary one, so that who
  /// reads them can make the same tree again.
  package var withOrder = false
  /// Whether rows carry more than what a drawn tree shows, which is name, people or title, sign.
  ///
  /// People lie in no order, so that each further value of a person is read from blocks of the
  /// snapshot that hold nothing else of the screen.
  package var withDetails = true

  package init(opening: Opening) { self.opening = opening }
}
