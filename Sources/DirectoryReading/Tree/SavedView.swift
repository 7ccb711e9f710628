import DirectoryModel
import DirectorySnapshot

/// What the user has opened in the tree, by department id, so that it survives a sync, a move and
/// a rename; an id that vanished is kept, for it may come back.
package struct SavedView: Sendable, Equatable {
  package var expanded: Set<DepartmentID>
  /// The row that was selected last, where the tree was browsed.
  package var selection: Selection?

  /// A row by ids, and where on the screen it was.
  package struct Selection: Sendable, Equatable {
    /// The department, or the one that the person was selected in; `nil` for a root that is none.
    package var department: DepartmentID?
    package var user: UserID?
    /// Rows between the top of the screen and this one.
    package var offset: Int

    package init(department: DepartmentID?, user: UserID? = nil, offset: Int) {
      self.department = department
      self.user = user
      self.offset = offset
    }
  }

  package init(expanded: Set<DepartmentID> = []) { self.expanded = expanded }

  /// What a first run shows: the groups of the first `levels` levels open.
  ///
  /// - Throws: `.badData` for a damaged snapshot.
  /// - Complexity: O(nodes of those levels and the next).
  package static func initial(
    levels: Int,
    of directory: Directory
  ) throws(DirectoryError) -> SavedView {
    do throws(SnapshotError) {
      var view = SavedView()
      var rows = try TreeRows(directory.tree, below: nil)
      while let place = try rows.next(isOpen: { $1 < levels }) {
        guard place.disclosure == .expanded else { continue }
        view.expanded.insert(try directory.departmentID(of: place.node))
      }
      return view
    } catch {
      throw DirectoryError(error)
    }
  }

  /// The departments that are open and have something to open, and those that are not there.
  func nodes(
    in directory: Directory
  ) throws(SnapshotError) -> (open: [Int], absent: Set<DepartmentID>) {
    var open: [Int] = []
    var absent: Set<DepartmentID> = []
    for id in expanded {
      if let node = try directory.position(of: id), try directory.tree.hasChildren(node) {
        open.append(node)
      } else {
        absent.insert(id)
      }
    }
    return (open, absent)
  }
}

extension Directory {
  /// How a view keeps the selection of a node.
  ///
  /// - Throws: `SnapshotError.damaged`.
  package func selection(of node: Node, offset: Int) throws(SnapshotError) -> SavedView.Selection {
    let node = position(of: node)
    if try tree.isDepartment(node) {
      return SavedView.Selection(department: try departmentID(of: node), offset: offset)
    }
    return SavedView.Selection(
      department: try tree.parent(of: node).map { (parent) throws(SnapshotError) in
        try departmentID(of: parent)
      },
      user: UserID(try users.ids[user(at: node)]),
      offset: offset
    )
  }

  /// The node that a view has selected; of a person who left the department, another place of the
  /// person, and `nil` where that is not there either.
  ///
  /// - Throws: `SnapshotError.damaged`.
  package func node(of selection: SavedView.Selection) throws(SnapshotError) -> Node? {
    guard let id = selection.user else {
      return try selection.department.flatMap { (id) throws(SnapshotError) in try node(of: id) }
    }
    guard let user = try state.userIndex.row(of: id.rawValue) else { return nil }
    for leaf in try state.leaves.nodes(of: user) {
      guard let parent = try tree.parent(of: leaf) else { continue }
      if try departmentID(of: parent) == selection.department { return node(leaf) }
    }
    return try leaf(ofUser: user).map(node)
  }
}

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
