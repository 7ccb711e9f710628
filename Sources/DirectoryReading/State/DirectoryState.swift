import DirectoryModel
import DirectorySnapshot
import Synchronization

/// What is known of one snapshot, made once and shared by all who read it.
///
/// It is opened in no time, and learns when it is asked: a column is proved as a whole the first time
/// that the user reads all of it, the index is opened by the first search, and tables that a look
/// at everything can stand for are made when that was done a few times. Nothing of it is about who
/// asks.
package final class DirectoryState: Sendable {
  let snapshot: DirectorySnapshot
  let tree: TreePart
  let departments: DepartmentPart
  let users: UserPart
  let memberships: MembershipPart
  let leaves: LeafPart
  let fields: FieldPart
  let hiddenOfDepartments: HiddenValues
  let hiddenOfUsers: HiddenValues
  let contacts: ContactValues<TextColumn>
  let departmentIndex: IndexPart
  let userIndex: IndexPart
  let search: StateSearch
  let named: ReverseLinkCache
  let siblingPositions: SiblingPositions
  /// Names what is seen of it, once that was asked for (`Directory.shows(sameAs:)`).
  let contentName = Mutex<UInt64?>(nil)
  /// Who is found by whole addresses and numbers by viewers who see this state of a whole.
  private let unlisted = Mutex<UnlistedPeople?>(nil)

  /// - Parameters:
  ///   - snapshot: The state to read, with nothing in it that is not to be seen.
  ///   - support: What searches go by.
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(1).
  private init(
    _ snapshot: DirectorySnapshot,
    _ support: SearchSupport
  ) throws(SnapshotError) {
    self.snapshot = snapshot
    tree = try snapshot.tree()
    departments = try snapshot.departments()
    users = try snapshot.users()
    memberships = try snapshot.memberships()
    leaves = try snapshot.leaves()
    fields = try snapshot.fields()
    hiddenOfDepartments = try snapshot.hidden(of: .department)
    hiddenOfUsers = try snapshot.hidden(of: .user)
    contacts = try snapshot.contacts()
    departmentIndex = try snapshot.departmentIndex()
    userIndex = try snapshot.userIndex()
    search = StateSearch(snapshot, support)
    named = ReverseLinkCache(fields, userIndex)
    siblingPositions = SiblingPositions(tree)
  }

  /// - Parameters:
  ///   - snapshot: The state to read.
  ///   - sight: What is there; who means everything says so.
  ///   - present: What is there now, where the snapshot is of a former state.
  ///   - support: What searches go by.
  /// - Throws: `SnapshotError.damaged`; `.cannotWrite` where there is no room for what is shown.
  /// - Complexity: O(1) for everything, otherwise O(bytes of what is shown); searches of that have no
  ///   index.
  package convenience init(
    _ snapshot: DirectorySnapshot,
    for sight: Sight,
    present: CurrentState? = nil,
    _ support: SearchSupport = SearchSupport()
  ) throws(SnapshotError) {
    let isWhole = sight == .everything
    try self.init(
      isWhole ? snapshot : snapshot.excerpt(sight, present: present),
      // The index beside the snapshot is of everything.
      isWhole ? support : support.withoutIndex
    )
  }
}

extension DirectoryState {
  /// Who is in no list of this state and is found by a whole address or number.
  ///
  /// - Parameters:
  ///   - whole: The same state with everything in it.
  ///   - sight: What this state shows of it.
  /// - Returns: A table that is made once.
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(people whom the sight has unlisted) the first time.
  func unlisted(
    of whole: DirectoryState,
    _ sight: Sight
  ) throws(SnapshotError) -> UnlistedPeople {
    if let known = unlisted.withLock({ $0 }) { return known }
    let people = try UnlistedPeople(whole, sight)
    unlisted.withLock { $0 = people }
    return people
  }

  /// The identity of the record that has an id; `nil` where no record has it, and for one whose identity is
  /// not told.
  ///
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(1).
  package func identity(of key: RecordKey) throws(SnapshotError) -> RecordIdentity? {
    try snapshot.identity(of: key)
  }

  /// What is mapped of it that is not a file of others: an excerpt and its index.
  package var byteCount: Int { snapshot.byteCount + search.ownByteCount }

  /// What a sight shows of changes.
  ///
  /// - Parameters:
  ///   - sight: What this state is of.
  ///   - whole: The snapshot that it shows.
  /// - Returns: What judges changes.
  /// - Throws: `SnapshotError.damaged`.
  package func visibility(
    _ sight: Sight,
    of whole: DirectorySnapshot
  ) throws(SnapshotError) -> Visibility {
    try Visibility(sight, whole: whole, seen: snapshot)
  }
}
