import DirectoryModel
import DirectorySnapshot
import Outlines

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

  /// Takes over what an outline has open; ids that the directory does not know, or knows without
  /// anything to open, stay.
  ///
  /// - Throws: `SnapshotError.damaged`; the view is then as it was.
  mutating func replace(
    with outline: OutlineState,
    of directory: Directory
  ) throws(SnapshotError) {
    var replaced: Set<DepartmentID> = []
    for id in expanded {
      guard let node = try directory.node(of: id), try directory.tree.hasChildren(node) else {
        replaced.insert(id)
        continue
      }
    }
    for node in outline.expandedNodes { replaced.insert(try directory.departmentID(of: node)) }
    expanded = replaced
  }

  func expandedNodes(in directory: Directory) throws -> [Int] {
    try expanded.compactMap { try directory.node(of: $0) }
  }
}
