import DirectoryModel
import DirectorySnapshot
import FoundationEssentials
import Outlines

/// What somebody has opened in the tree, by department id, so that it survives a sync, a move and
/// a rename; an id that vanished is kept, for it may come back.
package struct SavedView: Sendable, Equatable {
  package var expanded: Set<DepartmentID>

  package init(expanded: Set<DepartmentID> = []) { self.expanded = expanded }

  /// What a first run shows: the groups of the first `levels` levels open.
  ///
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(nodes of those levels and the next).
  package static func initial(
    levels: Int,
    of directory: Directory
  ) throws(SnapshotError) -> SavedView {
    var view = SavedView()
    var rows = try TreeRows(directory.tree, below: nil)
    while let row = try rows.next(isOpen: { $1 < levels }) {
      if row.isOpen { view.expanded.insert(try directory.departmentID(of: row.node)) }
    }
    return view
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

// MARK: - Stored form

extension SavedView {
  private struct Stored: Codable {
    var version: Int
    var expanded: [String]
  }

  private static let version = 1

  /// JSON with the ids in order, so that the same view is the same file.
  func encoded() throws -> [UInt8] {
    let stored = Stored(version: Self.version, expanded: expanded.sorted().map(\.rawValue))
    let encoder = JSONEncoder()
    // Otherwise the order of keys is another one in each run.
    encoder.outputFormatting = .sortedKeys
    return Array(try encoder.encode(stored)) + [UInt8(ascii: "\n")]
  }

  /// Reads what `encoded()` made; `nil` for anything else.
  static func decode(_ bytes: some Sequence<UInt8>) -> SavedView? {
    guard let stored = try? JSONDecoder().decode(Stored.self, from: Data(bytes)),
      stored.version == version
    else { return nil }
    return SavedView(expanded: Set(stored.expanded.map { DepartmentID($0) }))
  }
}
