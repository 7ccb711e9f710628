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
  /// - Complexity: O(bytes of all fields · words + hits · log hits).
  package func hits(for query: SearchQuery, in subtree: Range<Int>) -> [SearchHit] {
    guard !query.isEmpty else { return [] }
    let found = FieldMatches(of: query, self)
    var ranked: [(hit: SearchHit, length: Int)] = []
    var folded: [UInt8] = []
    func add(_ node: Int, _ names: TextColumn, _ row: Int) {
      folded.removeAll(keepingCapacity: true)
      names.withBytes(at: row) { Folding.appendFolded($0, to: &folded) }
      ranked.append(
        (SearchHit(node: node, rank: SearchRank(of: folded, for: query)), folded.count)
      )
    }
    found.departments.forEach { row in
      let node = departments.node(of: row)
      if subtree.contains(node) { add(node, departments.names, row) }
    }
    found.people(self).forEach { user in
      if let leaf = leaf(of: user, in: subtree) { add(leaf, users.names, user) }
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
  package func matchingNodes(for query: SearchQuery, in subtree: Range<Int>) -> [Int] {
    guard !query.isEmpty else { return [] }
    let found = FieldMatches(of: query, self)
    return subtree.filter { node in
      let record = tree.record(of: node)
      return tree.isDepartment(node)
        ? found.departments.contains(record)
        : found.matchesLeaf(membership: record, user: memberships.user(of: record))
    }
  }

  /// The primary membership's leaf where it lies in the subtree, otherwise the first that does.
  private func leaf(of user: Int, in subtree: Range<Int>) -> Int? {
    let inside = leaves.nodes(of: user).filter(subtree.contains)
    return inside.first { memberships.isPrimary(tree.record(of: $0)) } ?? inside.first
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

    init(of query: SearchQuery, _ search: SubstringSearch) {
      let words = query.words
      func union(_ columns: [TextColumn]) -> [RowSet] {
        var sets = FoldedScan.rows(of: columns[0], containing: words)
        for column in columns.dropFirst() {
          let more = FoldedScan.rows(of: column, containing: words)
          for index in sets.indices { sets[index].formUnion(more[index]) }
        }
        return sets
      }
      users = union([
        search.users.names, search.users.ids, search.contacts.emails, search.contacts.phones,
      ])
      titles = union([search.memberships.titles])
      departmentNames = union([search.departments.names])
      let departmentSets = union([search.departments.names, search.departments.ids])
      departments = departmentSets.dropFirst().reduce(into: departmentSets[0]) {
        $0.formIntersection($1)
      }
    }

    /// Users whose fields and memberships together contain every word.
    ///
    /// - Complexity: O(users + memberships), for each word.
    func people(_ search: SubstringSearch) -> RowSet {
      var all: RowSet?
      for word in users.indices {
        var set = users[word]
        titles[word].forEach { set.insert(search.memberships.user(of: $0)) }
        departmentNames[word].forEach { row in
          for leaf in search.tree.leaves(directlyBelow: search.departments.node(of: row)) {
            set.insert(search.memberships.user(of: search.tree.record(of: leaf)))
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
