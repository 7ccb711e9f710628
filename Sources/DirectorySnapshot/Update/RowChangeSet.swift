import DirectoryModel
import OutlineEngine

/// What changes do to a stored state, by rows instead of ids: only what really differs.
///
/// A department, user or membership is named by a *universal* row: that of the stored state, or
/// from its number of rows on the added ones in their order. A *content* is a row of the changes'
/// own tables.
struct RowChangeSet: Sendable {
  /// A department that stays with something else in it.
  struct DepartmentChange: Sendable {
    var row: Int
    var content: Int
    var fields: ChangeSummary.Fields
  }

  /// A user of whom something differs: new, removed, or in between.
  struct UserChange: Sendable {
    var row: Int
    /// `nil` where the user's own row is as it was, and where it was removed.
    var content: Int?
    var isRemoved = false
    var fields: ChangeSummary.Fields = []
    /// The user's places now.
    var places: [Place] = []
    /// The places that no longer exist.
    var left: [StoredPlace] = []
  }

  /// A membership as it is now.
  struct Place: Sendable {
    var department: Int
    var membership: Int
    /// Where the stored state has it; `nil` for an added one.
    var node: Int32?
    /// `nil` where all that the membership says is as it was.
    var content: Int?
    var isPrimary: Bool
    /// Whether the order among siblings is another.
    var isReordered = false
  }

  /// A membership of the stored state.
  struct StoredPlace: Sendable {
    var department: Int
    var membership: Int
    var node: Int32
  }

  struct AddedMembership: Sendable {
    var user: Int
    var content: Int
    var isPrimary: Bool
  }

  static let root = -1

  let stored: StoredDirectory
  let records: DirectoryRecords

  /// Contents of the added departments, in their order.
  private(set) var addedDepartments: [Int] = []
  /// Rising.
  private(set) var removedDepartments: [Int] = []
  /// By row.
  private(set) var changedDepartments: [Int: DepartmentChange] = [:]
  /// Universal rows, `root` for none, of departments that are added or moved.
  private(set) var newParents: [Int: Int] = [:]

  /// Contents of the added users, in their order.
  private(set) var addedUsers: [Int] = []
  /// By universal row, rising.
  private(set) var users: [UserChange] = []
  /// Contents of the users whose own rows are added or changed, by universal row.
  private(set) var contentsOfUsers: [Int: Int] = [:]

  private(set) var addedMemberships: [AddedMembership] = []
  private(set) var removedMemberships: [Int] = []
  private(set) var changedMemberships: [(row: Int, content: Int)] = []
  /// Stored memberships that are the primary one now and were not, or the other way round.
  private(set) var turnedPrimary: [Int] = []

  private let departmentContents: IdentifierIndex
  private let userContents: IdentifierIndex
  private var departmentRows: [Int] = []
  private var userRows: [Int] = []
  private var removedDepartmentSet: Set<Int> = []

  /// - Complexity: O(changes), expected, O(departments) at most for rings, and O(members) of what is
  ///   removed.
  init(
    _ changes: DirectoryChanges,
    to stored: StoredDirectory
  ) throws(UpdateRefusal) {
    guard stored.unplacedCount == 0 else { throw .unplaced }
    self.stored = stored
    records = changes.records
    let departments = IdentifierIndex.make(of: records.departments.ids, hash: stored.hash)
    let users = IdentifierIndex.make(of: records.users.ids, hash: stored.hash)
    departmentContents = departments.index
    userContents = users.index
    if let row = departments.repeats.first { throw .repeatedKey(records.departments.ids[row]) }
    if let row = users.repeats.first { throw .repeatedKey(records.users.ids[row]) }
    try resolveDepartments(changes.removedDepartments)
    try resolveUsers(changes)
    try checkRemovedDepartments()
  }

  // MARK: Departments

  /// The department of an id as things are now.
  private func departmentRow(_ id: UnsafeRawBufferPointer) -> Int? {
    if let content = departmentContents.row(of: id, in: records.departments.ids) {
      return departmentRows[content]
    }
    let row = stored.departmentRow(of: id)
    return row.flatMap { removedDepartmentSet.contains($0) ? nil : $0 }
  }

  private mutating func resolveDepartments(
    _ removed: [DepartmentID]
  ) throws(UpdateRefusal) {
    let table = records.departments
    for content in 0..<table.count {
      if let row = table.ids.withBytes(at: content, { stored.departmentRow(of: $0) }) {
        departmentRows.append(row)
      } else {
        departmentRows.append(stored.departmentCount + addedDepartments.count)
        addedDepartments.append(content)
      }
    }
    for id in removed where !isAmong(departmentContents, records.departments.ids, id.rawValue) {
      if let row = withUTF8(id.rawValue, { stored.departmentRow(of: $0) }) {
        removedDepartmentSet.insert(row)
      }
    }
    removedDepartments = removedDepartmentSet.sorted()
    for content in 0..<table.count { try resolveDepartment(content) }
    try checkForRings()
  }

  private mutating func resolveDepartment(_ content: Int) throws(UpdateRefusal) {
    let table = records.departments
    var parent: Int? = Self.root
    if !table.parents.isEmpty(at: content) {
      parent = table.parents.withBytes(at: content) { departmentRow($0) }
    }
    guard let parent else {
      throw .unknownParent(
        of: DepartmentID(table.ids[content]),
        DepartmentID(table.parents[content])
      )
    }
    let row = departmentRows[content]
    guard row < stored.departmentCount else {
      newParents[row] = parent
      return
    }
    var fields = ChangeSummary.Fields.texts(
      of: .department,
      table.texts,
      content,
      stored.departmentTexts,
      row
    )
    if table.sortOrders[content] != stored.departmentSortOrders[row] { fields.insert(.sortOrder) }
    if parent != stored.parentDepartment(of: row) ?? Self.root {
      fields.insert(.place)
      newParents[row] = parent
    }
    if !fields.isEmpty {
      changedDepartments[row] = DepartmentChange(row: row, content: content, fields: fields)
    }
  }

  /// Universal row of the department above; `root` for none.
  func parent(of department: Int) -> Int {
    newParents[department] ?? stored.parentDepartment(of: department) ?? Self.root
  }

  /// Walks up from everything that moved, past nothing twice.
  ///
  /// `LinkProblems` would look at every department, of which a sync may have hundreds of thousands
  /// when one has moved.
  private func checkForRings() throws(UpdateRefusal) {
    var walks: [Int: Int] = [:]
    for start in newParents.keys {
      var at = start
      while at != Self.root, walks[at] == nil {
        walks[at] = start
        at = parent(of: at)
      }
      if at != Self.root, walks[at] == start { throw .ring(DepartmentID(departmentID(at))) }
    }
  }

  /// All that was in a removed department was removed or moved.
  private func checkRemovedDepartments() throws(UpdateRefusal) {
    guard !removedDepartments.isEmpty else { return }
    let removedNodes = Set(users.lazy.flatMap { $0.left.lazy.map(\.node) })
    for row in removedDepartments {
      for node in stored.hierarchy.children(of: Int(stored.departmentNodes[row])) {
        let department = Int(stored.nodeRecords[node])
        let isRemoved =
          stored.hierarchy.isGroup(node)
          ? removedDepartmentSet.contains(department) || newParents[department] != nil
          : removedNodes.contains(Int32(node))
        guard isRemoved else { throw .departmentInUse(DepartmentID(departmentID(row))) }
      }
    }
  }

  // MARK: Users

  /// A membership that is written or removed; sorted by user, department, and the written ones
  /// first.
  private struct MembershipChange {
    var user: Int
    var department: Int
    /// `Int.max` where it was removed.
    var content: Int

    static let removed = Int.max

    static func precedes(_ left: MembershipChange, _ right: MembershipChange) -> Bool {
      (left.user, left.department, left.content) < (right.user, right.department, right.content)
    }
  }

  private mutating func resolveUsers(_ changes: DirectoryChanges) throws(UpdateRefusal) {
    for content in 0..<records.users.count {
      if let row = records.users.ids.withBytes(at: content, { stored.userRow(of: $0) }) {
        userRows.append(row)
      } else {
        userRows.append(stored.userCount + addedUsers.count)
        addedUsers.append(content)
      }
    }
    var removed: Set<Int> = []
    for id in changes.removedUsers where !isAmong(userContents, records.users.ids, id.rawValue) {
      if let row = withUTF8(id.rawValue, { stored.userRow(of: $0) }) { removed.insert(row) }
    }
    let memberships = try resolveMemberships(changes.removedMemberships, removedUsers: removed)
    var contents: [Int: Int] = [:]
    for (content, row) in userRows.enumerated() { contents[row] = content }
    let touched = Set(contents.keys).union(removed).union(memberships.lazy.map(\.user))
    var next = 0
    for row in touched.sorted() {
      let start = next
      while next < memberships.count, memberships[next].user == row { next += 1 }
      try resolveUser(
        row,
        content: contents[row],
        isRemoved: removed.contains(row),
        memberships[start..<next]
      )
    }
  }

  private func resolveMemberships(
    _ removed: [MembershipKey],
    removedUsers: Set<Int>
  ) throws(UpdateRefusal) -> [MembershipChange] {
    var found: [MembershipChange] = []
    let table = records.memberships
    for content in 0..<table.count {
      let user = table.users.withBytes(at: content) { userRow($0) }
      let department = table.departments.withBytes(at: content) { departmentRow($0) }
      guard let user, !removedUsers.contains(user) else { throw .unknownUser(key(of: content)) }
      guard let department else { throw .unknownDepartment(key(of: content)) }
      found.append(MembershipChange(user: user, department: department, content: content))
    }
    for key in removed {
      // What the stored state never had cannot leave it.
      guard let user = withUTF8(key.user.rawValue, { stored.userRow(of: $0) }),
        let department = withUTF8(key.department.rawValue, { stored.departmentRow(of: $0) })
      else { continue }
      found.append(
        MembershipChange(user: user, department: department, content: MembershipChange.removed)
      )
    }
    found.sort(by: MembershipChange.precedes)
    return found
  }

  private func userRow(_ id: UnsafeRawBufferPointer) -> Int? {
    if let content = userContents.row(of: id, in: records.users.ids) { return userRows[content] }
    return stored.userRow(of: id)
  }

  private func key(of membership: Int) -> MembershipKey {
    MembershipKey(
      user: UserID(records.memberships.users[membership]),
      department: DepartmentID(records.memberships.departments[membership])
    )
  }

  private mutating func resolveUser(
    _ row: Int,
    content: Int?,
    isRemoved: Bool,
    _ memberships: ArraySlice<MembershipChange>
  ) throws(UpdateRefusal) {
    var user = UserChange(row: row, content: content, isRemoved: isRemoved)
    try place(&user, memberships)
    if isRemoved {
      guard user.places.isEmpty else { throw .membershipOfNobody(UserID(userID(row))) }
    } else {
      guard !user.places.isEmpty else { throw .userWithoutMembership(UserID(userID(row))) }
      try choosePrimary(of: &user)
      if row < stored.userCount, let content {
        let own = ChangeSummary.Fields.texts(
          of: .user,
          records.users.texts,
          content,
          stored.userTexts,
          row
        )
        user.fields.formUnion(own)
        if own.isEmpty { user.content = nil }
      }
    }
    guard isRemoved || row >= stored.userCount || !user.fields.isEmpty else { return }
    record(user)
  }

  /// Merges the user's stored places with what changed of them.
  private func place(
    _ user: inout UserChange,
    _ memberships: ArraySlice<MembershipChange>
  ) throws(UpdateRefusal) {
    var pending: [Int: Int] = [:]
    for change in memberships {
      if pending[change.department] != nil {
        // The written one comes first: what is written is not removed, whatever else is said.
        guard change.content == MembershipChange.removed else {
          throw .repeatedKey("\(userID(user.row)) in \(departmentID(change.department))")
        }
        continue
      }
      pending[change.department] = change.content
    }
    if user.row < stored.userCount {
      for node in stored.leaves(of: user.row) {
        keep(node, of: &user, pending.removeValue(forKey: stored.department(ofLeaf: Int(node))))
      }
    }
    for change in memberships {
      guard let content = pending.removeValue(forKey: change.department),
        content != MembershipChange.removed
      else { continue }
      user.fields.insert(.place)
      user.places.append(
        Place(
          department: change.department,
          membership: -1,
          node: nil,
          content: content,
          isPrimary: false
        )
      )
    }
  }

  /// A stored place of the user stays, with another content perhaps, or goes.
  private func keep(_ node: Int32, of user: inout UserChange, _ content: Int?) {
    let department = stored.department(ofLeaf: Int(node))
    let membership = Int(stored.nodeRecords[Int(node)])
    if content == MembershipChange.removed {
      user.fields.insert(.place)
      user.left.append(
        StoredPlace(department: department, membership: membership, node: node)
      )
      return
    }
    var place = Place(
      department: department,
      membership: membership,
      node: node,
      content: nil,
      isPrimary: stored.isPrimary(membership)
    )
    if let content {
      let table = records.memberships
      var fields = ChangeSummary.Fields.texts(
        of: .membership,
        table.texts,
        content,
        stored.membershipTexts,
        membership
      )
      if table.leads[content] != stored.leads(membership) { fields.insert(.leads) }
      if table.sortOrders[content] != stored.membershipSortOrders[membership] {
        fields.insert(.sortOrder)
        place.isReordered = true
      }
      user.fields.formUnion(fields)
      if !fields.isEmpty { place.content = content }
    }
    user.places.append(place)
  }

  private func choosePrimary(of user: inout UserChange) throws(UpdateRefusal) {
    let department =
      user.content.map { content in
        records.users.primaryDepartments.withBytes(at: content) { departmentRow($0) }
      } ?? (user.row < stored.userCount ? stored.primaryDepartment(of: user.row) : nil)
    guard let department,
      let chosen = user.places.firstIndex(where: { $0.department == department })
    else { throw .unknownPrimary(UserID(userID(user.row))) }
    guard !user.places[chosen].isPrimary else { return }
    user.fields.insert(.primary)
    for index in user.places.indices { user.places[index].isPrimary = index == chosen }
  }

  /// Notes what the change of a user does to the memberships, and numbers the added ones.
  private mutating func record(_ user: UserChange) {
    var user = user
    removedMemberships += user.left.lazy.map(\.membership)
    for index in user.places.indices {
      let place = user.places[index]
      if place.node == nil, let content = place.content {
        user.places[index].membership = stored.membershipCount + addedMemberships.count
        addedMemberships.append(
          AddedMembership(user: user.row, content: content, isPrimary: place.isPrimary)
        )
      } else {
        if let content = place.content { changedMemberships.append((place.membership, content)) }
        if place.isPrimary != stored.isPrimary(place.membership) {
          turnedPrimary.append(place.membership)
        }
      }
    }
    if let content = user.content { contentsOfUsers[user.row] = content }
    users.append(user)
  }

  // MARK: Texts

  /// The content of a department of which something may be another; `nil` where it is as it is
  /// stored.
  func content(ofDepartment row: Int) -> Int? {
    row < stored.departmentCount
      ? changedDepartments[row]?.content : addedDepartments[row - stored.departmentCount]
  }

  func departmentID(_ row: Int) -> String {
    row < stored.departmentCount
      ? stored.departmentIDs[row]
      : records.departments.ids[addedDepartments[row - stored.departmentCount]]
  }

  func departmentName(_ row: Int) -> String {
    content(ofDepartment: row).map { records.departments.names[$0] }
      ?? stored.departmentNames[row]
  }

  func userID(_ row: Int) -> String {
    row < stored.userCount
      ? stored.userIDs[row] : records.users.ids[addedUsers[row - stored.userCount]]
  }

  func userName(_ row: Int) -> String {
    contentsOfUsers[row].map { records.users.names[$0] } ?? stored.userNames[row]
  }

  private func isAmong(_ index: IdentifierIndex, _ ids: StringColumn, _ id: String) -> Bool {
    withUTF8(id) { index.row(of: $0, in: ids) } != nil
  }
}

/// The bytes of a text, borrowed for the time of `body`.
func withUTF8<Result>(_ text: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
  var text = text
  return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
}
