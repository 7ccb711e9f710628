import DirectoryModel
import DirectorySnapshot

/// The parts of a snapshot that a search reads.
final class SearchColumns: Sendable {
  let tree: TreePart
  let departments: DepartmentPart
  let users: UserPart
  let contacts: ContactValues<TextColumn>
  let memberships: MembershipPart
  let leaves: LeafPart
  let fields: FieldPart
  /// The declared fields that plain words are looked for in.
  ///
  /// Whom a field names is asked for by its name (`manager:lund`): who has a boss called Lund is not
  /// called so.
  let searchedFields: [Field]
  let people: IndexPart
  private let hiddenOfDepartments: HiddenValues
  /// Whether there are departments of which only the name is shown, which are never found.
  let hasStubs: Bool

  init(_ snapshot: DirectorySnapshot) throws(SnapshotError) {
    tree = try snapshot.tree()
    departments = try snapshot.departments()
    users = try snapshot.users()
    contacts = try snapshot.contacts()
    memberships = try snapshot.memberships()
    leaves = try snapshot.leaves()
    fields = try snapshot.fields()
    searchedFields = Self.searchedFields(of: fields)
    people = try snapshot.userIndex()
    hiddenOfDepartments = try snapshot.hidden(of: .department)
    hasStubs = hiddenOfDepartments.sets.contains(where: \.isStub)
  }

  /// Whether only the name of a department is shown.
  func isStub(_ row: Int) throws(SnapshotError) -> Bool {
    guard hasStubs else { return false }
    return try hiddenOfDepartments.of(row).isStub
  }

  static func searchedFields(of fields: FieldPart) -> [Field] {
    fields.declared.filter { $0.isSearched && $0.kind != .person }
  }

  /// The leaf that stands for a user: the primary membership's, otherwise the first.
  ///
  /// - Returns: `nil` for a user without a place.
  func primaryLeaf(of user: Int) throws(SnapshotError) -> Int? {
    try primaryLeaf(among: leaves.nodes(of: user))
  }

  func primaryLeaf(among leaves: [Int]) throws(SnapshotError) -> Int? {
    guard leaves.count > 1 else { return leaves.first }
    for leaf in leaves where try memberships.isPrimary(tree.record(of: leaf)) { return leaf }
    return leaves.first
  }
}
