import DirectoryModel
import DirectorySnapshot

/// A directory as plain tables, changed at random; what the snapshot is compared with.
struct UpdateModel {
  private(set) var departments: [String: DepartmentRecord] = [:]
  private(set) var users: [String: UserRecord] = [:]
  /// By user and department.
  private(set) var memberships: [String: [String: MembershipRecord]] = [:]
  /// The declared fields; only some histories have any.
  private(set) var fields: [Field] = []

  /// Keys that were written or removed since the last `takeChanges`.
  private var touchedDepartments: Set<String> = []
  private var touchedUsers: Set<String> = []
  private var touchedMemberships: [String: Set<String>] = [:]
  private var nextID = 0
  private var nextIdentity = 0
  /// Ids that were used and may be used again.
  private var freeIDs: [String] = []

  /// Names that order differently by code point, case, accent and script, and some that are equal.
  private static let names = [
    "Ada", "ada", "Adå", "Ada ", "Åse", "A\u{30A}se", "Zoë", "Zoe\u{308}", "Öz", "Ozan", "de Boer",
    "De Boer", "van Dijk", "O’Neil", "O'Neil", "张伟", "王芳", "さとう", "サトウ", "Ωμέγα", "Иван", "иван",
    "\u{200D}", "\u{1F3F3}\u{FE0F}", "10", "9", "ß", "ss", "æ", "ae", "עמית", "ناصر", "ﬁre", "fire",
  ]

  // MARK: Change at random

  /// Makes `count` steps; each leaves a directory that the database would accept.
  mutating func change(_ count: Int, using random: inout SplitMix) {
    for _ in 0..<count {
      switch Int.random(in: 0..<100, using: &random) {
      case ..<12: addDepartment(&random)
      case ..<17: removeDepartment(&random)
      case ..<30: editDepartment(&random)
      case ..<40: moveDepartment(&random)
      case ..<58: addUser(&random)
      case ..<64: removeUser(&random)
      case ..<76: editUser(&random)
      case ..<84: join(&random)
      case ..<89: leave(&random)
      case ..<94: editMembership(&random)
      case ..<96: changePrimary(&random)
      case ..<97: declare(&random)
      case ..<99: identify(&random)
      default: rewrite(&random)
      }
    }
  }

  private static func newName(_ random: inout SplitMix) -> String {
    let name = names.randomElement(using: &random) ?? "Ada"
    return Bool.random(using: &random) ? name : "\(name) \(Int.random(in: 0..<12, using: &random))"
  }

  /// No values most of the time, and some that are hard to write down.
  private static func newValues(_ random: inout SplitMix) -> FieldValues {
    var values: [String: FieldValues.Value] = [:]
    if Int.random(in: 0..<3, using: &random) == 0 { values["office"] = .one(newName(&random)) }
    if Int.random(in: 0..<4, using: &random) == 0 {
      values["tags"] = .several([newName(&random), "\"\\\u{1}\n"])
    }
    return FieldValues(values)
  }

  private mutating func declare(_ random: inout SplitMix) {
    let name = ["office", "tags", "pet"].randomElement(using: &random) ?? "pet"
    if let index = fields.firstIndex(where: { $0.name == name }) {
      fields.remove(at: index)
    } else {
      fields.append(Field(name: name, of: .user, label: Self.newName(&random)))
      fields.sort(by: Field.precedes)
    }
  }

  private static func newOrder(_ random: inout SplitMix) -> Int64 {
    Int.random(in: 0..<10, using: &random) < 7 ? 0 : Int64.random(in: -2...2, using: &random)
  }

  private mutating func id(_ random: inout SplitMix) -> String {
    if !freeIDs.isEmpty, Bool.random(using: &random) {
      return freeIDs.remove(at: Int.random(in: freeIDs.indices, using: &random))
    }
    nextID += 1
    // Their order by bytes is not that of their making.
    return ["x", "é", "Ω", "a", "~"][nextID % 5] + String(nextID &* 7919 % 1000, radix: 36)
      + "-\(nextID)"
  }

  /// None sometimes, as of tables that do not tell.
  private mutating func newIdentity(_ random: inout SplitMix) -> RecordIdentity? {
    nextIdentity += 1
    return Int.random(in: 0..<5, using: &random) == 0 ? nil : RecordIdentity("i\(nextIdentity)")
  }

  /// A record gets an identity or loses it, or another record has the id.
  private mutating func identify(_ random: inout SplitMix) {
    let identity = newIdentity(&random)
    if Bool.random(using: &random), let id = anyDepartment(&random) {
      departments[id]?.identity = identity
      touchedDepartments.insert(id)
    } else if let id = anyUser(&random) {
      users[id]?.identity = identity
      touchedUsers.insert(id)
    }
  }

  private func anyDepartment(_ random: inout SplitMix) -> String? {
    departments.keys.sorted().randomElement(using: &random)
  }

  private func anyUser(_ random: inout SplitMix) -> String? {
    users.keys.sorted().randomElement(using: &random)
  }

  private mutating func addDepartment(_ random: inout SplitMix) {
    let id = id(&random)
    let isRoot = Int.random(in: 0..<10, using: &random) == 0
    let parent = isRoot ? nil : anyDepartment(&random)
    departments[id] = DepartmentRecord(
      id: DepartmentID(id),
      parent: parent.map { DepartmentID($0) },
      name: Self.newName(&random),
      description: Bool.random(using: &random) ? "" : Self.newName(&random),
      sortOrder: Self.newOrder(&random),
      fields: Self.newValues(&random),
      identity: newIdentity(&random)
    )
    touchedDepartments.insert(id)
  }

  /// Everything in it goes to another department, or goes as well.
  private mutating func removeDepartment(_ random: inout SplitMix) {
    guard departments.count > 1, let id = anyDepartment(&random) else { return }
    let refuge = departments.keys.filter { !isBelow($0, id) }.sorted().randomElement(using: &random)
    for child in departments.keys.sorted() where parent(of: child) == id {
      departments[child]?.parent = refuge.map { DepartmentID($0) }
      touchedDepartments.insert(child)
    }
    for user in users.keys.sorted() where memberships[user]?[id] != nil {
      if let refuge, Bool.random(using: &random), memberships[user]?[refuge] == nil {
        put(user, in: refuge, &random)
      }
      remove(user, from: id, &random)
    }
    departments[id] = nil
    touchedDepartments.insert(id)
    freeIDs.append(id)
  }

  private func parent(of department: String) -> String? {
    departments[department]?.parent?.rawValue
  }

  private func isBelow(_ department: String, _ ancestor: String) -> Bool {
    var at: String? = department
    while let here = at {
      if here == ancestor { return true }
      at = parent(of: here)
    }
    return false
  }

  private mutating func editDepartment(_ random: inout SplitMix) {
    guard let id = anyDepartment(&random) else { return }
    switch Int.random(in: 0..<4, using: &random) {
    case 3: departments[id]?.fields = Self.newValues(&random)
    case 0: departments[id]?.name = Self.newName(&random)
    case 1: departments[id]?.description = Self.newName(&random)
    default: departments[id]?.sortOrder = Self.newOrder(&random)
    }
    touchedDepartments.insert(id)
  }

  private mutating func moveDepartment(_ random: inout SplitMix) {
    guard let id = anyDepartment(&random) else { return }
    let parents = departments.keys.filter { !isBelow($0, id) }.sorted()
    let isRoot = Int.random(in: 0..<8, using: &random) == 0
    departments[id]?.parent =
      isRoot ? nil : parents.randomElement(using: &random).map { DepartmentID($0) }
    touchedDepartments.insert(id)
  }

  private mutating func addUser(_ random: inout SplitMix) {
    guard let department = anyDepartment(&random) else { return }
    let id = id(&random)
    users[id] = UserRecord(
      id: UserID(id),
      primaryDepartment: DepartmentID(department),
      name: Self.newName(&random),
      contacts: [
        .email: Bool.random(using: &random) ? "" : "\(nextID)@lumen.example",
        .phone: Bool.random(using: &random) ? "" : "+1 555 01\(nextID % 100)",
      ],
      fields: Self.newValues(&random),
      identity: newIdentity(&random)
    )
    touchedUsers.insert(id)
    put(id, in: department, &random)
  }

  private mutating func removeUser(_ random: inout SplitMix) {
    guard let id = anyUser(&random) else { return }
    for department in (memberships[id] ?? [:]).keys {
      touchedMemberships[id, default: []].insert(department)
    }
    memberships[id] = nil
    users[id] = nil
    touchedUsers.insert(id)
    freeIDs.append(id)
  }

  private mutating func editUser(_ random: inout SplitMix) {
    guard let id = anyUser(&random) else { return }
    switch Int.random(in: 0..<5, using: &random) {
    case 4: users[id]?.fields = Self.newValues(&random)
    case 0: users[id]?.contacts[.email] = "\(Self.newName(&random))@lumen.example"
    case 1: users[id]?.contacts[.phone] = "+1 555 01\(Int.random(in: 10...99, using: &random))"
    default: users[id]?.name = Self.newName(&random)
    }
    touchedUsers.insert(id)
  }

  private mutating func put(_ user: String, in department: String, _ random: inout SplitMix) {
    memberships[user, default: [:]][department] = MembershipRecord(
      user: UserID(user),
      department: DepartmentID(department),
      title: Bool.random(using: &random) ? "" : Self.newName(&random),
      sortOrder: Self.newOrder(&random),
      leads: Int.random(in: 0..<4, using: &random) == 0
    )
    touchedMemberships[user, default: []].insert(department)
  }

  private mutating func remove(
    _ user: String,
    from department: String,
    _ random: inout SplitMix
  ) {
    memberships[user]?[department] = nil
    touchedMemberships[user, default: []].insert(department)
    guard let rest = memberships[user], !rest.isEmpty else {
      memberships[user] = nil
      users[user] = nil
      touchedUsers.insert(user)
      freeIDs.append(user)
      return
    }
    guard users[user]?.primaryDepartment.rawValue == department,
      let other = rest.keys.sorted().randomElement(using: &random)
    else { return }
    users[user]?.primaryDepartment = DepartmentID(other)
    touchedUsers.insert(user)
  }

  private mutating func join(_ random: inout SplitMix) {
    guard let user = anyUser(&random), let department = anyDepartment(&random),
      memberships[user]?[department] == nil
    else { return }
    put(user, in: department, &random)
  }

  private mutating func leave(_ random: inout SplitMix) {
    guard let user = anyUser(&random),
      let department = (memberships[user] ?? [:]).keys.sorted().randomElement(using: &random)
    else { return }
    remove(user, from: department, &random)
  }

  private mutating func editMembership(_ random: inout SplitMix) {
    guard let user = anyUser(&random),
      let department = (memberships[user] ?? [:]).keys.sorted().randomElement(using: &random)
    else { return }
    switch Int.random(in: 0..<3, using: &random) {
    case 0: memberships[user]?[department]?.title = Self.newName(&random)
    case 1: memberships[user]?[department]?.leads.toggle()
    default: memberships[user]?[department]?.sortOrder = Self.newOrder(&random)
    }
    touchedMemberships[user, default: []].insert(department)
  }

  private mutating func changePrimary(_ random: inout SplitMix) {
    guard let user = anyUser(&random),
      let department = (memberships[user] ?? [:]).keys.sorted().randomElement(using: &random)
    else { return }
    users[user]?.primaryDepartment = DepartmentID(department)
    touchedUsers.insert(user)
  }

  /// Rows are written and stay what they are.
  private mutating func rewrite(_ random: inout SplitMix) {
    if let department = anyDepartment(&random) { touchedDepartments.insert(department) }
    guard let user = anyUser(&random) else { return }
    touchedUsers.insert(user)
    touchedMemberships[user, default: []].formUnion((memberships[user] ?? [:]).keys)
  }

  // MARK: What a reader sees

  /// What was written or removed since the last call, in random order.
  mutating func takeChanges(using random: inout SplitMix) throws -> DirectoryChanges {
    var changes = DirectoryChanges()
    changes.records.fields = fields
    for id in touchedDepartments.sorted().shuffled(using: &random) {
      if let record = departments[id] {
        try changes.records.departments.append(record)
      } else {
        changes.removedDepartments.append(DepartmentID(id))
      }
    }
    for id in touchedUsers.sorted().shuffled(using: &random) {
      if let record = users[id] {
        try changes.records.users.append(record)
      } else {
        changes.removedUsers.append(UserID(id))
      }
    }
    let keys = touchedMemberships.flatMap { user, ids in ids.map { (user, $0) } }
    for (user, department) in keys.sorted(by: <).shuffled(using: &random) {
      if let record = memberships[user]?[department] {
        try changes.records.memberships.append(record)
      } else {
        changes.removedMemberships.append(
          MembershipKey(user: UserID(user), department: DepartmentID(department))
        )
      }
    }
    touchedDepartments = []
    touchedUsers = []
    touchedMemberships = [:]
    return changes
  }

  /// Everything, in random order.
  func records(using random: inout SplitMix) throws -> DirectoryRecords {
    var records = DirectoryRecords()
    records.fields = fields
    for record in departments.values.sorted(by: { $0.id < $1.id }).shuffled(using: &random) {
      try records.departments.append(record)
    }
    for record in users.values.sorted(by: { $0.id < $1.id }).shuffled(using: &random) {
      try records.users.append(record)
    }
    let rows = memberships.values.flatMap(\.values)
    let sorted = rows.sorted { ($0.user, $0.department) < ($1.user, $1.department) }
    for record in sorted.shuffled(using: &random) { try records.memberships.append(record) }
    return records
  }

  /// The digest of the rows of a slice.
  func digest(of slice: SourceSlice) -> RowDigest {
    var digest = RowDigest()
    func add(_ id: String, _ hash: RowHash) {
      let isBefore = id.utf8.lexicographicallyPrecedes(slice.first.utf8)
      let isPast = slice.last?.utf8.lexicographicallyPrecedes(id.utf8) ?? false
      if !isBefore, !isPast { digest.add(hash) }
    }
    switch slice.kind {
    case .department: for (id, record) in departments { add(id, RowHash(of: record)) }
    case .user: for (id, record) in users { add(id, RowHash(of: record)) }
    case .membership:
      for (id, rows) in memberships { for row in rows.values { add(id, RowHash(of: row)) } }
    }
    return digest
  }

  // MARK: The slow summary

  /// What differs from an earlier state, but for the order.
  func changes(since old: UpdateModel) -> Set<Change> {
    let departments = Set(departments.keys).union(old.departments.keys)
    let users = Set(users.keys).union(old.users.keys)
    return Set(departments.flatMap { departmentChanges($0, since: old) })
      .union(users.flatMap { userChanges($0, since: old) })
  }

  /// Those of the records that have one.
  var identities: [RecordKey: RecordIdentity] {
    var identities: [RecordKey: RecordIdentity] = [:]
    for record in departments.values { identities[.department(record.id)] = record.identity }
    for record in users.values { identities[.user(record.id)] = record.identity }
    return identities
  }

  /// Whether two records are not the same for certain.
  private static func areOthers(_ left: RecordIdentity?, _ right: RecordIdentity?) -> Bool {
    left != nil && right != nil && left != right
  }

  /// A department as it is now, or was last.
  private func place(_ id: String, _ former: UpdateModel) -> Change.Place? {
    (departments[id] ?? former.departments[id]).map { Change.Place(id: $0.id, name: $0.name) }
  }

  private func departmentChanges(_ id: String, since old: UpdateModel) -> [Change] {
    let (before, now) = (old.departments[id], departments[id])
    func state(_ record: DepartmentRecord) -> Change.State {
      Change.State(
        name: record.name,
        values: [record.name, record.description, String(record.sortOrder)],
        fields: record.fields,
        primary: record.parent.flatMap { place($0.rawValue, old) }
      )
    }
    func change(
      _ action: Change.Action,
      _ before: DepartmentRecord?,
      _ now: DepartmentRecord?
    ) -> Change {
      Change(
        kind: .department,
        action: action,
        id: id,
        before: before.map(state),
        after: now.map(state),
        identity: now?.identity ?? before?.identity
      )
    }
    guard let before, let now, !Self.areOthers(before.identity, now.identity) else {
      return [before.map { change(.removed, $0, nil) }, now.map { change(.added, nil, $0) }]
        .compactMap { $0 }
    }
    let isSame =
      Self.areSame([before.name, before.description], [now.name, now.description])
      && before.sortOrder == now.sortOrder && before.fields == now.fields
    guard !isSame || before.parent != now.parent else { return [] }
    return [change(before.parent == now.parent ? .changed : .moved, before, now)]
  }

  private func userChanges(_ id: String, since old: UpdateModel) -> [Change] {
    let (before, now) = (old.users[id], users[id])
    let (held, formerlyHeld) = (memberships[id] ?? [:], old.memberships[id] ?? [:])
    func state(_ record: UserRecord, _ held: [String: MembershipRecord]) -> Change.State {
      Change.State(
        name: record.name,
        values: [record.name] + record.contacts.all,
        fields: record.fields,
        primary: place(record.primaryDepartment.rawValue, old),
        memberships: held.values.sorted { $0.department < $1.department }.compactMap { membership in
          place(membership.department.rawValue, old).map {
            Change.Membership(
              place: $0,
              values: [membership.title, String(membership.sortOrder), String(membership.leads)]
            )
          }
        }
      )
    }
    func change(_ action: Change.Action, _ before: UserRecord?, _ now: UserRecord?) -> Change {
      Change(
        kind: .user,
        action: action,
        id: id,
        before: before.map { state($0, formerlyHeld) },
        after: now.map { state($0, held) },
        identity: now?.identity ?? before?.identity
      )
    }
    guard let before, let now, !Self.areOthers(before.identity, now.identity) else {
      return [before.map { change(.removed, $0, nil) }, now.map { change(.added, nil, $0) }]
        .compactMap { $0 }
    }
    let isPlaced =
      Set(held.keys) == Set(formerlyHeld.keys)
      && before.primaryDepartment == now.primaryDepartment
    let isSame =
      Self.areSame([before.name] + before.contacts.all, [now.name] + now.contacts.all)
      && before.fields == now.fields
      && held.allSatisfy { id, membership in
        formerlyHeld[id].map { former in
          Self.areSame([former.title], [membership.title])
            && former.sortOrder == membership.sortOrder
            && former.leads == membership.leads
        } ?? true
      }
    guard !isPlaced || !isSame else { return [] }
    return [
      change(before.primaryDepartment == now.primaryDepartment ? .changed : .moved, before, now)
    ]
  }

  /// Byte for byte.
  private static func areSame(_ left: [String], _ right: [String]) -> Bool {
    zip(left, right).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
  }
}
