import DirectorySnapshot
import TextRules

/// Search by scanning the snapshot: every word somewhere in the fields of a person or a department.
///
/// A person's fields are name, id, email, phone, the titles of the memberships and the names of
/// their departments; a department's are name and id.
package struct SubstringSearch: Sendable {
  private let tree: TreePart
  private let departments: DepartmentPart
  private let users: UserPart
  private let contacts: ContactPart
  private let memberships: MembershipPart
  private let leaves: LeafPart

  package init(_ snapshot: DirectorySnapshot) throws(SnapshotError) {
    tree = try snapshot.tree()
    departments = try snapshot.departments()
    users = try snapshot.users()
    contacts = try snapshot.contacts()
    memberships = try snapshot.memberships()
    leaves = try snapshot.leaves()
  }

  /// All hits, best first: by rank, then the shorter name, then the order of the tree.
  ///
  /// - Parameters:
  ///   - query: What to look for.
  ///   - subtree: Where to look; a person counts with any leaf in there.
  /// - Returns: One hit for each person and department.
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(bytes of all fields · words + hits · log hits).
  package func hits(
    for query: SearchQuery,
    in subtree: Range<Int>
  ) throws(SnapshotError) -> [SearchHit] {
    guard !query.isEmpty else { return [] }
    let found = try FieldMatches(of: query, self)
    var ranked: [(hit: SearchHit, length: Int)] = []
    var folded: [UInt8] = []
    func add(_ node: Int, _ names: TextColumn, _ row: Int) throws(SnapshotError) {
      folded.removeAll(keepingCapacity: true)
      try names.withBytes(at: row) { Folding.appendFolded($0, to: &folded) }
      ranked.append(
        (SearchHit(node: node, rank: SearchRank(of: folded, for: query)), folded.count)
      )
    }
    try found.departments.forEach { (row) throws(SnapshotError) in
      let node = try departments.node(of: row)
      if subtree.contains(node) { try add(node, departments.names, row) }
    }
    try found.people(self).forEach { (user) throws(SnapshotError) in
      if let leaf = try leaf(of: user, in: subtree) { try add(leaf, users.names, user) }
    }
    ranked.sort {
      ($0.hit.rank, $0.length, $0.hit.node) < ($1.hit.rank, $1.length, $1.hit.node)
    }
    return ranked.map(\.hit)
  }

  /// The nodes that match for a filtered tree: departments by their own fields, leaves by the
  /// person's and by their own title, so that a found department does not drag in all its people.
  ///
  /// - Returns: Positions, rising.
  /// - Throws: `SnapshotError.damaged`.
  package func matchingNodes(
    for query: SearchQuery,
    in subtree: Range<Int>
  ) throws(SnapshotError) -> [Int] {
    guard !query.isEmpty else { return [] }
    let found = try FieldMatches(of: query, self)
    var nodes: [Int] = []
    for node in subtree {
      let record = try tree.record(of: node)
      let isMatch =
        try tree.isDepartment(node)
        ? found.departments.contains(record)
        : found.matchesLeaf(membership: record, user: try memberships.user(of: record))
      if isMatch { nodes.append(node) }
    }
    return nodes
  }

  /// The primary membership's leaf where it lies in the subtree, otherwise the first that does.
  private func leaf(of user: Int, in subtree: Range<Int>) throws(SnapshotError) -> Int? {
    let inside = try leaves.nodes(of: user).filter(subtree.contains)
    for leaf in inside where try memberships.isPrimary(tree.record(of: leaf)) { return leaf }
    return inside.first
  }

  /// Which rows contain each word of a query.
  private struct FieldMatches {
    /// Users by their own fields, for each word.
    private let users: [RowSet]
    /// Memberships by title, for each word.
    private let titles: [RowSet]
    /// Departments by name, for each word.
    private let departmentNames: [RowSet]
    /// Departments that contain every word.
    let departments: RowSet

    init(of query: SearchQuery, _ search: SubstringSearch) throws(SnapshotError) {
      let words = query.words
      func union(_ columns: [TextColumn]) throws(SnapshotError) -> [RowSet] {
        var sets = try FoldedScan.rows(of: columns[0], containing: words)
        for column in columns.dropFirst() {
          let more = try FoldedScan.rows(of: column, containing: words)
          for index in sets.indices { sets[index].formUnion(more[index]) }
        }
        return sets
      }
      users = try union([
        search.users.names, search.users.ids, search.contacts.emails, search.contacts.phones,
      ])
      titles = try union([search.memberships.titles])
      departmentNames = try union([search.departments.names])
      let departmentSets = try union([search.departments.names, search.departments.ids])
      departments = departmentSets.dropFirst().reduce(into: departmentSets[0]) {
        $0.formIntersection($1)
      }
    }

    /// Users whose fields and memberships together contain every word.
    ///
    /// - Complexity: O(users + memberships), for each word.
    func people(_ search: SubstringSearch) throws(SnapshotError) -> RowSet {
      var all: RowSet?
      for word in users.indices {
        var set = users[word]
        try titles[word].forEach { (membership) throws(SnapshotError) in
          set.insert(try search.memberships.user(of: membership))
        }
        try departmentNames[word].forEach { (row) throws(SnapshotError) in
          var children = try search.tree.children(of: search.departments.node(of: row))
          while let child = try children.next() {
            guard try !search.tree.isDepartment(child) else { continue }
            set.insert(try search.memberships.user(of: search.tree.record(of: child)))
          }
        }
        if all == nil { all = set } else { all?.formIntersection(set) }
      }
      return all ?? RowSet(count: search.users.count)
    }

    func matchesLeaf(membership: Int, user: Int) -> Bool {
      users.indices.allSatisfy { users[$0].contains(user) || titles[$0].contains(membership) }
    }
  }
}
