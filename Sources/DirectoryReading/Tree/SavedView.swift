import DirectoryModel
import DirectorySnapshot

/// What somebody has opened in the tree, by department id, so that it survives a sync, a move and
/// a rename; an id that vanished is kept, for it may come back.
package struct SavedView: Sendable, Equatable {
  package var expanded: Set<DepartmentID>

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
      if let node = try directory.node(of: id), try directory.tree.hasChildren(node) {
        open.append(node)
      } else {
        absent.insert(id)
      }
    }
    return (open, absent)
  }
}
