import DirectoryModel
import DirectorySnapshot

extension Directory {
  /// A department or a person among those directly in a department.
  package struct Sibling: Hashable, Sendable {
    package var kind: DirectoryRow.Kind
    package var id: String
    package var name: String
    package var sortOrder: Int64
  }

  /// What is directly in a department, or at the top level, in order: departments, then people.
  ///
  /// - Complexity: O(children).
  package func siblings(in department: Node?) throws(SnapshotError) -> [Sibling] {
    var siblings: [Sibling] = []
    var nodes =
      try department.map { (node) throws(SnapshotError) in
        try tree.children(of: position(of: node))
      }
      ?? tree.roots
    while let node = try nodes.next() {
      if try tree.unplacedReason(of: node) == nil { siblings.append(try sibling(at: node)) }
    }
    return siblings
  }

  /// The last department, or the last person, directly in a department; `nil` where there is none.
  ///
  /// - Complexity: O(1) for people, O(departments there) for departments.
  package func lastSibling(
    _ kind: DirectoryRow.Kind,
    in department: Node
  ) throws(SnapshotError) -> Sibling? {
    let department = position(of: department)
    if kind == .user {
      // People come behind the departments: the last of them is the end of the subtree.
      let last = try tree.subtree(of: department).upperBound - 1
      guard last > department, try !tree.isDepartment(last), try tree.parent(of: last) == department
      else { return nil }
      return try sibling(at: last)
    }
    var found: Int?
    var nodes = try tree.children(of: department)
    while let node = try nodes.next(), try tree.isDepartment(node) { found = node }
    return try found.map { (node) throws(SnapshotError) in try sibling(at: node) }
  }

  func sibling(at node: Int) throws(SnapshotError) -> Sibling {
    let record = try tree.record(of: node)
    guard try !tree.isDepartment(node) else {
      return Sibling(
        kind: .department,
        id: try departments.ids[record],
        name: try departments.names[record],
        sortOrder: try departments.sortOrders[record]
      )
    }
    let user = try memberships.user(of: record)
    return Sibling(
      kind: .user,
      id: try users.ids[user],
      name: try users.names[user],
      sortOrder: try memberships.sortOrders[record]
    )
  }
}

extension Directory {
  /// Whether a node is below a department, or is it.
  package func isInside(_ node: Node, _ department: Node) throws(SnapshotError) -> Bool {
    try tree.subtree(of: position(of: department)).contains(position(of: node))
  }
}

extension Directory {
  /// Everyone and everything with a declared field that names one of these people.
  ///
  /// - Complexity: O(bytes of all values), and nothing where no field names people.
  package func records(
    naming people: Set<String>
  ) throws(SnapshotError) -> [(kind: DirectoryRow.Kind, id: String)] {
    var found: [(kind: DirectoryRow.Kind, id: String)] = []
    let wanted = Set(people.map { Array($0.utf8) })
    for (kind, owner) in [(DirectoryRow.Kind.department, RecordKind.department), (.user, .user)] {
      let names = Set(
        declaredFields.of(owner).filter { $0.kind == .person }.map { Array($0.name.utf8) }
      )
      guard !names.isEmpty else { continue }
      let rows =
        try kind == .user ? fields.verifiedOfUsers() : fields.verifiedOfDepartments()
      let ids = kind == .user ? users.ids : departments.ids
      guard let rows else { continue }
      let hits = (0..<rows.count).filter { row in
        rows.withBytes(at: row) { bytes in
          var reader = FieldValuesReader(bytes)
          while reader.next() {
            if names.contains(reader.name), reader.values.contains(where: wanted.contains) {
              return true
            }
          }
          return false
        }
      }
      for row in hits { found.append((kind, try ids[row])) }
    }
    return found
  }
}

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
