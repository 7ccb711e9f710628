import DirectoryModel
import DirectorySnapshot

extension Directory {
  /// Goes through a department and everything below it, or the whole directory; what has no place is
  /// left out.
  ///
  /// - Parameters:
  ///   - root: The department; `nil` for everything.
  ///   - body: Gets kind, id, name, the number of the call for the department above, and the order.
  /// - Throws: What `body` throws, or that the snapshot is damaged.
  /// - Complexity: O(nodes below).
  package func forEachOutlineLine(
    below root: Node?,
    _ body: (DirectoryRow.Kind, String, String, Int?, Int64) throws -> Void
  ) throws {
    let nodes =
      try root.map { (node) throws(SnapshotError) in try tree.subtree(of: position(of: node)) }
      ?? 0..<tree.count
    var lines = [Int32](repeating: -1, count: nodes.count)
    var count: Int32 = 0
    for node in nodes where try tree.unplacedReason(of: node) == nil {
      let sibling = try sibling(at: node)
      let parent = try tree.parent(of: node).flatMap { nodes.contains($0) ? $0 : nil }
      try body(
        sibling.kind,
        sibling.id,
        sibling.name,
        parent.map { Int(lines[$0 - nodes.lowerBound]) },
        sibling.sortOrder
      )
      lines[node - nodes.lowerBound] = count
      count += 1
    }
  }
}
