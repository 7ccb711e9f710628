import DirectoryModel
import DirectorySnapshot
import OutlineEngine

/// The directory as fronts read it: one state, as much of it as one sight shows, for a caller.
///
/// What is hidden is not there, for no question: a state of anything less than everything is of an
/// excerpt of the snapshot (`DirectorySnapshot.excerpt(_:)`), which holds what is shown and nothing
/// else. So no reader has to remember to ask, and what a count, a suggestion, the order of hits or the
/// time of a look-up could tell is what a directory of these records alone would tell.
///
/// Everything here works without the database. A value keeps its state for as long as it lives,
/// whatever a sync puts in the snapshot's place meanwhile.
package struct Directory: Sendable {
  package let state: DirectoryState
  package let asker: SearchUser
  /// For a viewer by rules.
  let overlay: CardOverlay?

  package init(
    _ state: DirectoryState,
    for asker: SearchUser = SearchUser(),
    over overlay: CardOverlay? = nil
  ) {
    (self.state, self.asker, self.overlay) = (state, asker, overlay)
  }

  /// Opens a state of its own.
  ///
  /// - Throws: As `DirectoryState.init(_:for:_:)`.
  package init(
    _ snapshot: DirectorySnapshot,
    for sight: Sight,
    _ support: SearchSupport = SearchSupport(),
    asker: SearchUser = SearchUser()
  ) throws(SnapshotError) {
    self.init(try DirectoryState(snapshot, for: sight, support), for: asker)
  }

  /// The shape of the tree for engines, all of it proved; who asks about a few nodes asks `tree`.
  ///
  /// - Complexity: O(nodes) the first time.
  package var hierarchy: Hierarchy {
    get throws(SnapshotError) { try snapshot.hierarchy() }
  }

  /// What of the directory is seen here.
  package var sight: Sight { overlay?.sight ?? .everything }

  var snapshot: DirectorySnapshot { state.snapshot }
  // Lent, since a copy counts each of their columns.
  var tree: TreePart { _read { yield state.tree } }
  var departments: DepartmentPart { _read { yield state.departments } }
  var users: UserPart { _read { yield state.users } }
  var memberships: MembershipPart { _read { yield state.memberships } }
  var fields: FieldPart { _read { yield state.fields } }
  var hiddenOfDepartments: HiddenValues { _read { yield state.hiddenOfDepartments } }
  var hiddenOfUsers: HiddenValues { _read { yield state.hiddenOfUsers } }

  /// The declared fields, in the order in which they are shown.
  package var declaredFields: [Field] { fields.declared }

  /// When the source was read, seconds since 1970, UTC.
  package var takenAt: Int64 { snapshot.metadata.takenAt }
  /// The locale by which siblings are ordered.
  package var locale: String { snapshot.metadata.locale }
  /// The source for people, never a secret.
  package var source: String { snapshot.metadata.source }
  /// Size of the snapshot's file.
  package var byteCount: Int { snapshot.byteCount }
  /// What names this state of the directory.
  package var checksum: UInt64 { snapshot.checksum }

  package var departmentCount: Int { departments.count }
  package var membershipCount: Int { memberships.count }
  package var userCount: Int { users.count }
  package var unplacedCount: Int { tree.unplacedCount }
  package var isEmpty: Bool { tree.isEmpty }

  /// What the front shows at a node.
  ///
  /// - Parameters:
  ///   - node: Position in the tree.
  ///   - withContacts: Whether people have contacts and declared fields.
  /// - Returns: The row, without disclosure and path.
  /// - Throws: `SnapshotError.damaged`.
  func row(at node: Int, withContacts: Bool = false) throws(SnapshotError) -> DirectoryRow {
    try tree.isDepartment(node)
      ? departmentRow(at: node) : userRow(at: node, withContacts: withContacts)
  }

  private func departmentRow(at node: Int) throws(SnapshotError) -> DirectoryRow {
    let record = try tree.record(of: node)
    var row = DirectoryRow(
      kind: .department,
      id: try departments.ids[record],
      name: try departments.names[record]
    )
    row.level = try tree.level(of: node)
    row.parent = try parent(of: node)
    row.people = try departments.people(of: record)
    if try !hiddenOfDepartments.of(record).contains(.description) {
      row.description = try withReason(departments.descriptions[record], of: node)
    }
    row.values = try fields.values(ofDepartment: record)
    return row
  }

  private func userRow(
    at node: Int,
    withContacts: Bool
  ) throws(SnapshotError) -> DirectoryRow {
    let record = try tree.record(of: node)
    let user = try memberships.user(of: record)
    var row = DirectoryRow(kind: .user, id: try users.ids[user], name: try users.names[user])
    row.level = try tree.level(of: node)
    row.parent = try parent(of: node)
    let hidden = try hiddenOfUsers.of(user)
    if !hidden.contains(.title) { row.title = try withReason(memberships.titles[record], of: node) }
    if !hidden.contains(.leads) { row.leads = try memberships.leads(record) }
    if withContacts {
      row.contacts = try ContactValues { (field) throws(SnapshotError) in
        hidden.contains(.contact(field)) ? nil : try state.contacts[field][user]
      }
      row.values = try fields.values(ofUser: user)
    }
    return row
  }

  private func parent(of node: Int) throws(SnapshotError) -> DepartmentID? {
    guard let parent = try tree.parent(of: node) else { return nil }
    return try departmentID(of: parent)
  }

  /// A detail, and the reason where the node could not be placed.
  func withReason(_ detail: String, of node: Int) throws(SnapshotError) -> String {
    guard let reason = try tree.unplacedReason(of: node) else { return detail }
    return detail.isEmpty ? "(\(reason))" : "\(detail) (\(reason))"
  }

  /// Names from the root down to the node's parent.
  ///
  /// - Complexity: O(level).
  func path(to node: Int) throws(SnapshotError) -> [String] {
    var path: [String] = []
    for ancestor in try tree.ancestors(of: node).reversed() {
      path.append(try departmentName(of: ancestor))
    }
    return path
  }

  func departmentID(of node: Int) throws(SnapshotError) -> DepartmentID {
    DepartmentID(try departments.ids[tree.departmentRecord(of: node)])
  }

  func departmentName(of node: Int) throws(SnapshotError) -> String {
    try departments.names[tree.departmentRecord(of: node)]
  }

  /// The node of a department, by its id alone.
  ///
  /// - Complexity: O(1), expected.
  package func node(of department: DepartmentID) throws(SnapshotError) -> Node? {
    try position(of: department).map(node)
  }

  func position(of department: DepartmentID) throws(SnapshotError) -> Int? {
    guard let row = try state.departmentIndex.row(of: department.rawValue) else { return nil }
    return try departments.node(of: row)
  }

  /// What of the record at a node is not shown; a stub is a department of which only the name is.
  ///
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(1).
  package func hiddenFields(at node: Node) throws(SnapshotError) -> HiddenFields {
    try hiddenFields(at: position(of: node))
  }

  func hiddenFields(at node: Int) throws(SnapshotError) -> HiddenFields {
    try tree.isDepartment(node)
      ? hiddenOfDepartments.of(tree.record(of: node)) : hiddenOfUsers.of(user(at: node))
  }

  /// The fields of departments, or of people, that no record shows.
  package func hiddenFields(of kind: RecordKind) -> Set<String> {
    (kind == .department ? hiddenOfDepartments : hiddenOfUsers).everywhere
  }

  /// What has no place in the tree, in its order, and the reason of each.
  package func unplaced() throws(SnapshotError) -> [(row: DirectoryRow, reason: String)] {
    var unplaced: [(row: DirectoryRow, reason: String)] = []
    for index in 0..<tree.unplacedCount {
      let (node, reason) = try tree.unplaced(at: index)
      unplaced.append((try row(at: node), reason))
    }
    return unplaced
  }
}

/// A place in the tree of one state: a department, or a person's place in one.
///
/// Each state renumbers its nodes. One that is used with another state is a bug of ours, which ends
/// the process or is answered as absent, and never by another person's card; only
/// `DirectoryOutline.follow(to:)` knows what became of it.
package struct Node: Hashable, Comparable, Sendable {
  /// In preorder.
  package let position: Int
  /// The checksum of the state.
  let state: UInt64

  package static func < (left: Node, right: Node) -> Bool { left.position < right.position }
}

extension Directory {
  func node(_ position: Int) -> Node { Node(position: position, state: checksum) }

  /// Whether a node is of this state.
  package func holds(_ node: Node) -> Bool { node.state == checksum }

  /// The node that one of this directory's rows shows.
  package func node(at place: TreePosition) -> Node { node(place.node) }

  func position(of node: Node) -> Int {
    precondition(node.state == checksum, "a node of another state of the directory")
    return node.position
  }
}
