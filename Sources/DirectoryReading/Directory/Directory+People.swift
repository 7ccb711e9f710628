import DirectoryModel
import DirectorySnapshot

extension Directory {
  /// The people of a department in the order of the tree, each once.
  ///
  /// - Parameters:
  ///   - node: The department.
  ///   - recursive: Also those of all departments below; a person's row is the first of the
  ///     person's leaves in there.
  ///   - body: Gets one row after the other; rows carry path and departments.
  /// - Throws: What `body` throws, or that the snapshot is damaged.
  /// - Complexity: O(nodes of the subtree), with one bit for each user.
  package func forEachPerson(
    in node: Node,
    recursive: Bool,
    _ body: (DirectoryRow) throws -> Void
  ) throws {
    var seen = [UInt64](repeating: 0, count: (users.count + 63) / 64)
    let node = position(of: node)
    func isNew(_ user: Int) -> Bool {
      let bit: UInt64 = 1 << UInt64(user % 64)
      defer { seen[user / 64] |= bit }
      return seen[user / 64] & bit == 0
    }
    func add(_ node: Int) throws {
      guard try !tree.isDepartment(node) else { return }
      if isNew(try user(at: node)) { try body(personRow(at: node)) }
    }
    if recursive {
      for leaf in try tree.subtree(of: node).dropFirst() { try add(leaf) }
    } else {
      var children = try tree.children(of: node)
      while let child = try children.next() { try add(child) }
    }
  }

  /// Row of the user of a leaf.
  func user(at leaf: Int) throws(SnapshotError) -> Int {
    try memberships.user(of: tree.record(of: leaf))
  }

  func isPrimary(_ leaf: Int) throws(SnapshotError) -> Bool {
    try memberships.isPrimary(tree.record(of: leaf))
  }

  /// One row for a person or a department, with path and departments, for lists outside the tree.
  ///
  /// - Complexity: O(memberships of the person · level), or O(children + level).
  package func listRow(at node: Node) throws -> DirectoryRow { try listRow(at: position(of: node)) }

  func listRow(at node: Int) throws -> DirectoryRow {
    guard try tree.isDepartment(node) else { return try personRow(at: node) }
    var row = try row(at: node)
    row.path = try path(to: node)
    row.disclosure = try tree.hasChildren(node) ? .collapsed : .empty
    row.leaders = try leaders(of: node)
    return row
  }

  /// All there is to show: the list's row, the people whom its fields name and, of a person, who leads
  /// the departments and who names the person in a field; of a department, how many are in itself.
  ///
  /// - Complexity: O(what is shown), and for the first cards of a state O(bytes of all people's fields),
  ///   at about the speed of memory.
  package func card(at node: Node) throws -> DirectoryRow { try card(at: position(of: node)) }

  func card(at node: Int) throws -> DirectoryRow {
    var row = try listRow(at: node)
    guard row.kind == .user else {
      row.directPeople = try people(in: node)
      row.named = try named(in: row)
      return row
    }
    if isOwn(row), let card = try ownCard() { return card }
    for (index, department) in (row.departments ?? []).enumerated() {
      guard let node = try position(of: department.id) else { continue }
      let leaders = try leaders(of: node).filter { $0.id.rawValue != row.id }
      row.departments?[index].leaders = leaders
    }
    row.inverses = try inverses(of: row.id)
    row.named = try named(in: row)
    return row
  }

  /// The people whom the fields of a row name, each once.
  func named(in row: DirectoryRow) throws(SnapshotError) -> [DirectoryRow.PersonReference] {
    let values = row.values?.values ?? [:]
    func isSame(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }
    var people: [DirectoryRow.PersonReference] = []
    let owner: RecordKind = row.kind == .department ? .department : .user
    let declared = overlay?.whole.fields.declared ?? declaredFields
    for field in declared.of(owner) where field.kind == .person {
      for id in values[field.name]?.texts ?? [] {
        guard !people.contains(where: { isSame($0.id.rawValue, id) }),
          let name = try row.kind == .user && isSame(row.id, id) ? row.name : personName(id)
        else { continue }
        people.append(DirectoryRow.PersonReference(id: UserID(id), name: name))
      }
    }
    return people
  }

  /// How many people are in a department itself: they are the last of its children.
  private func people(in department: Int) throws(SnapshotError) -> Int {
    let end = try tree.subtree(of: department).upperBound
    var children = try tree.children(of: department)
    while let child = try children.next() {
      if try !tree.isDepartment(child) { return end - child }
    }
    return 0
  }

  /// Who names a person in a field.
  func inverses(of id: String) throws -> [DirectoryRow.Inverse] {
    var inverses: [DirectoryRow.Inverse] = []
    for field in declaredFields where field.owner == .user && field.kind == .person {
      guard let label = KnownField.usual(field.name)?.inverse else { continue }
      let people = try people(naming: id, in: field)
      if !people.isEmpty { inverses.append(DirectoryRow.Inverse(label: label, people: people)) }
    }
    return inverses
  }

  /// The people who name a person in a field, in the order of the tree.
  private func people(
    naming id: String,
    in field: Field
  ) throws(SnapshotError) -> [DirectoryRow.PersonReference] {
    var leaves: [(leaf: Int, user: Int)] = []
    for user in try state.named.rows(naming: id, in: field.name) {
      if let leaf = try leaf(ofUser: user) { leaves.append((leaf, user)) }
    }
    var people: [DirectoryRow.PersonReference] = []
    for (_, user) in leaves.sorted(by: { $0.leaf < $1.leaf }) {
      people.append(
        DirectoryRow.PersonReference(id: UserID(try users.ids[user]), name: try users.names[user])
      )
    }
    return people
  }

  /// The people who lead a department, in the order of the tree.
  ///
  /// - Complexity: O(children).
  func leaders(of department: Int) throws(SnapshotError) -> [DirectoryRow.PersonReference] {
    var leaders: [DirectoryRow.PersonReference] = []
    var children = try tree.children(of: department)
    while let child = try children.next() {
      guard try !tree.isDepartment(child) else { continue }
      let record = try tree.record(of: child)
      guard try memberships.leads(record) else { continue }
      let user = try memberships.user(of: record)
      leaders.append(
        DirectoryRow.PersonReference(id: UserID(try users.ids[user]), name: try users.names[user])
      )
    }
    return leaders
  }

  /// The leaf that stands for a user where one row is shown: the primary membership's.
  func leaf(ofUser user: Int) throws(SnapshotError) -> Int? {
    let leaves = try state.leaves.nodes(of: user)
    for leaf in leaves where try isPrimary(leaf) { return leaf }
    return leaves.first
  }

  /// The row of a person with everything about the person.
  ///
  /// - Complexity: O(memberships of the person · level).
  func personRow(at leaf: Int) throws(SnapshotError) -> DirectoryRow {
    var row = try row(at: leaf, withContacts: true)
    row.level = nil
    row.parent = nil
    var primary: [DirectoryRow.DepartmentReference] = []
    var others: [DirectoryRow.DepartmentReference] = []
    for own in try state.leaves.nodes(of: user(at: leaf)) {
      guard let reference = try reference(to: own) else { continue }
      if own == leaf { row.path = reference.path + [reference.name] }
      if try isPrimary(own) {
        primary.append(reference)
      } else {
        others.append(reference)
      }
    }
    if row.path == nil { row.path = try path(to: leaf) }
    row.departments = primary + others
    return row
  }

  private func reference(
    to leaf: Int
  ) throws(SnapshotError) -> DirectoryRow.DepartmentReference? {
    guard let department = try tree.parent(of: leaf) else { return nil }
    let membership = try tree.record(of: leaf)
    var reference = DirectoryRow.DepartmentReference(
      id: try departmentID(of: department),
      name: try departmentName(of: department),
      path: try path(to: department)
    )
    let hidden = try hiddenFields(at: leaf)
    if !hidden.contains(.title) { reference.title = try memberships.titles[membership] }
    if !hidden.contains(.leads) { reference.leads = try memberships.leads(membership) }
    return reference
  }
}
