import DirectoryTestSupport
import Seeds
import DirectoryModel
import DirectorySnapshot

/// A directory as plain tables that changes at random, with what a sync would read of the changes.
struct ChangingCompany {
  private static let fields = [
    Field(name: "note", of: .user, label: "Note"),
    Field(name: "mobile", of: .user, kind: .phone, label: "Mobile"),
    Field(name: "site", of: .department, label: "Site"),
    Field(name: "desk", of: .department, kind: .phone, label: "Desk"),
  ]

  private var departments: [String: DepartmentRecord] = [:]
  private var users: [String: UserRecord] = [:]
  /// By user and department.
  private var memberships: [String: [String: MembershipRecord]] = [:]
  private var touchedDepartments: Set<String> = []
  private var touchedUsers: Set<String> = []
  private var touchedMemberships: Set<MembershipKey> = []
  private var nextID = 0
  /// Ids that were used and may be used again.
  private var freeIDs: [String] = []

  init(departments: Int, people: Int, using generator: inout SeededGenerator) {
    for _ in 0..<max(departments, 1) { addDepartment(&generator) }
    for _ in 0..<people { addUser(&generator) }
    forgetChanges()
  }

  // MARK: At random

  mutating func change(_ count: Int, using generator: inout SeededGenerator) {
    for _ in 0..<count {
      switch Int.random(in: 0..<100, using: &generator) {
      case ..<5: addDepartment(&generator)
      case ..<8: removeDepartment(&generator)
      case ..<13: editDepartment(&generator)
      case ..<20: moveDepartment(&generator)
      default: changePeople(1, using: &generator)
      }
    }
  }

  /// Leaves the departments as they are.
  mutating func changePeople(_ count: Int, using generator: inout SeededGenerator) {
    for _ in 0..<count {
      switch Int.random(in: 0..<80, using: &generator) {
      case ..<20: addUser(&generator)
      case ..<30: removeUser(&generator)
      case ..<46: editUser(&generator)
      case ..<56: join(&generator)
      case ..<62: leave(&generator)
      case ..<72: editMembership(&generator)
      case ..<76: changePrimary(&generator)
      default: rewrite(&generator)
      }
    }
  }

  private func anyDepartment(_ generator: inout SeededGenerator) -> String {
    departments.keys.sorted().randomElement(using: &generator) ?? ""
  }

  private func anyUser(_ generator: inout SeededGenerator) -> String? {
    users.keys.sorted().randomElement(using: &generator)
  }

  private func anyMembership(_ generator: inout SeededGenerator) -> MembershipRecord? {
    anyUser(&generator).flatMap { user in
      memberships[user]?.values.sorted { $0.department < $1.department }
        .randomElement(using: &generator)
    }
  }

  /// Now and then one that no dictionary has room for.
  private func name(_ generator: inout SeededGenerator) -> String {
    guard Int.random(in: 0..<25, using: &generator) == 0 else {
      return RandomCompany.name(using: &generator)
    }
    return Bool.random(using: &generator)
      ? String(repeating: "an-", count: 40) + "lund" : String(repeating: "lund", count: 70)
  }

  private static func values(
    _ text: String,
    _ phone: String,
    _ generator: inout SeededGenerator
  ) -> FieldValues {
    var values: [String: FieldValues.Value] = [:]
    if Bool.random(using: &generator) {
      values[text] = .one(RandomCompany.name(using: &generator))
    }
    if Bool.random(using: &generator) {
      values[phone] = .one(RandomCompany.phone(using: &generator))
    }
    return FieldValues(values.filter { $0.value.texts.allSatisfy { !$0.isEmpty } })
  }

  private func order(_ generator: inout SeededGenerator) -> Int64 {
    Bool.random(using: &generator) ? 0 : Int64.random(in: -3...3, using: &generator)
  }

  private mutating func id(_ kind: String, _ generator: inout SeededGenerator) -> String {
    if !freeIDs.isEmpty, Bool.random(using: &generator) {
      return freeIDs.remove(at: Int.random(in: freeIDs.indices, using: &generator))
    }
    nextID += 1
    return "\(kind)\(nextID)"
  }

  private mutating func addDepartment(_ generator: inout SeededGenerator) {
    let isRoot = departments.isEmpty || Int.random(in: 0..<8, using: &generator) == 0
    let parent = isRoot ? nil : DepartmentID(anyDepartment(&generator))
    let id = id("d", &generator)
    let record = DepartmentRecord(
      id: DepartmentID(id),
      parent: parent,
      name: name(&generator),
      sortOrder: order(&generator)
    )
    departments[id] = record
    touchedDepartments.insert(id)
  }

  /// Where everything in it goes to another one.
  private mutating func removeDepartment(_ generator: inout SeededGenerator) {
    let id = anyDepartment(&generator)
    let others = departments.keys.filter { !isBelow($0, id) }.sorted()
    guard let refuge = others.randomElement(using: &generator) else { return }
    for child in departments.keys.sorted() where departments[child]?.parent?.rawValue == id {
      departments[child]?.parent = DepartmentID(refuge)
      touchedDepartments.insert(child)
    }
    for user in users.keys.sorted() where memberships[user]?[id] != nil {
      if memberships[user]?[refuge] == nil { put(user, in: refuge, &generator) }
      remove(user, from: id)
    }
    departments[id] = nil
    touchedDepartments.insert(id)
    freeIDs.append(id)
  }

  private func isBelow(_ department: String, _ ancestor: String) -> Bool {
    var at: String? = department
    while let here = at {
      if here == ancestor { return true }
      at = departments[here]?.parent?.rawValue
    }
    return false
  }

  private mutating func editDepartment(_ generator: inout SeededGenerator) {
    let id = anyDepartment(&generator)
    switch Int.random(in: 0..<4, using: &generator) {
    case 0:
      let order = order(&generator)
      departments[id]?.sortOrder = order
    case 1: departments[id]?.fields = Self.values("site", "desk", &generator)
    case 2: departments[id]?.description = RandomCompany.name(using: &generator)
    default:
      let name = name(&generator)
      departments[id]?.name = name
    }
    touchedDepartments.insert(id)
  }

  private mutating func moveDepartment(_ generator: inout SeededGenerator) {
    let id = anyDepartment(&generator)
    let parents = departments.keys.filter { !isBelow($0, id) }.sorted()
    let isRoot = Int.random(in: 0..<8, using: &generator) == 0
    departments[id]?.parent =
      isRoot ? nil : parents.randomElement(using: &generator).map { DepartmentID($0) }
    touchedDepartments.insert(id)
  }

  private mutating func addUser(_ generator: inout SeededGenerator) {
    let id = id("u", &generator)
    let department = anyDepartment(&generator)
    users[id] = UserRecord(
      id: UserID(id),
      primaryDepartment: DepartmentID(department),
      name: name(&generator),
      contacts: [
        .email: RandomCompany.email(using: &generator),
        .phone: RandomCompany.phone(using: &generator),
      ],
      fields: Self.values("note", "mobile", &generator)
    )
    touchedUsers.insert(id)
    put(id, in: department, &generator)
    while Int.random(in: 0..<4, using: &generator) == 0 {
      put(id, in: anyDepartment(&generator), &generator)
    }
  }

  private mutating func removeUser(_ generator: inout SeededGenerator) {
    guard let id = anyUser(&generator) else { return }
    for department in Array((memberships[id] ?? [:]).keys) { remove(id, from: department) }
  }

  private mutating func editUser(_ generator: inout SeededGenerator) {
    guard let id = anyUser(&generator) else { return }
    switch Int.random(in: 0..<6, using: &generator) {
    case 4...: users[id]?.fields = Self.values("note", "mobile", &generator)
    case 0: users[id]?.contacts[.email] = RandomCompany.email(using: &generator)
    case 1: users[id]?.contacts[.phone] = RandomCompany.phone(using: &generator)
    default:
      let name = name(&generator)
      users[id]?.name = name
    }
    touchedUsers.insert(id)
  }

  private mutating func put(
    _ user: String,
    in department: String,
    _ generator: inout SeededGenerator
  ) {
    let record = MembershipRecord(
      user: UserID(user),
      department: DepartmentID(department),
      title: RandomText.text(words: 0...2, using: &generator),
      sortOrder: order(&generator)
    )
    memberships[user, default: [:]][department] = record
    touch(record)
  }

  private mutating func touch(_ record: MembershipRecord) {
    touchedMemberships.insert(
      MembershipKey(user: record.user, department: record.department)
    )
  }

  private mutating func remove(_ user: String, from department: String) {
    guard let record = memberships[user]?.removeValue(forKey: department) else { return }
    touch(record)
    touchedUsers.insert(user)
    guard let other = memberships[user]?.keys.min() else {
      memberships[user] = nil
      users[user] = nil
      freeIDs.append(user)
      return
    }
    if users[user]?.primaryDepartment.rawValue == department {
      users[user]?.primaryDepartment = DepartmentID(other)
    }
  }

  private mutating func join(_ generator: inout SeededGenerator) {
    let department = anyDepartment(&generator)
    guard let user = anyUser(&generator), memberships[user]?[department] == nil else { return }
    put(user, in: department, &generator)
  }

  private mutating func leave(_ generator: inout SeededGenerator) {
    guard let record = anyMembership(&generator) else { return }
    remove(record.user.rawValue, from: record.department.rawValue)
  }

  private mutating func editMembership(_ generator: inout SeededGenerator) {
    guard var record = anyMembership(&generator) else { return }
    if Bool.random(using: &generator) {
      record.title = RandomText.text(words: 0...2, using: &generator)
    } else {
      record.sortOrder = order(&generator)
    }
    memberships[record.user.rawValue]?[record.department.rawValue] = record
    touch(record)
  }

  private mutating func changePrimary(_ generator: inout SeededGenerator) {
    guard let record = anyMembership(&generator) else { return }
    users[record.user.rawValue]?.primaryDepartment = record.department
    touchedUsers.insert(record.user.rawValue)
  }

  /// Rows are written and stay what they are.
  private mutating func rewrite(_ generator: inout SeededGenerator) {
    touchedDepartments.insert(anyDepartment(&generator))
    guard let record = anyMembership(&generator) else { return }
    touchedUsers.insert(record.user.rawValue)
    touch(record)
  }

  // MARK: At will

  /// Gives a person a name, a department or both.
  mutating func put(user id: String, in department: String, name: String) {
    for old in (memberships[id] ?? [:]).keys where old != department {
      memberships[id]?[old] = nil
      touchedMemberships.insert(
        MembershipKey(user: UserID(id), department: DepartmentID(old))
      )
    }
    let record = MembershipRecord(
      user: UserID(id),
      department: DepartmentID(department),
      title: memberships[id]?[department]?.title ?? ""
    )
    users[id] = UserRecord(id: UserID(id), primaryDepartment: record.department, name: name)
    memberships[id, default: [:]][department] = record
    touchedUsers.insert(id)
    touch(record)
  }

  mutating func put(department id: String, under parent: String?, name: String, order: Int64 = 0) {
    departments[id] = DepartmentRecord(
      id: DepartmentID(id),
      parent: parent.map { DepartmentID($0) },
      name: name,
      sortOrder: order
    )
    touchedDepartments.insert(id)
  }

  // MARK: What a reader sees

  private mutating func forgetChanges() {
    touchedDepartments = []
    touchedUsers = []
    touchedMemberships = []
  }

  /// What was written or removed since the last call.
  mutating func takeChanges() throws -> DirectoryChanges {
    var changes = DirectoryChanges()
    changes.records.fields = Self.fields
    for id in touchedDepartments.sorted() {
      if let record = departments[id] {
        try changes.records.departments.append(record)
      } else {
        changes.removedDepartments.append(DepartmentID(id))
      }
    }
    for id in touchedUsers.sorted() {
      if let record = users[id] {
        try changes.records.users.append(record)
      } else {
        changes.removedUsers.append(UserID(id))
      }
    }
    for key in touchedMemberships.sorted(by: { ($0.user, $0.department) < ($1.user, $1.department) }
    ) {
      if let record = memberships[key.user.rawValue]?[key.department.rawValue] {
        try changes.records.memberships.append(record)
      } else {
        changes.removedMemberships.append(key)
      }
    }
    forgetChanges()
    return changes
  }

  /// Everything.
  func company() throws -> Company {
    var company = Company()
    company.records.fields = Self.fields
    for record in departments.values.sorted(by: { $0.id < $1.id }) {
      try company.records.departments.append(record)
    }
    for record in users.values.sorted(by: { $0.id < $1.id }) {
      try company.records.users.append(record)
    }
    let rows = memberships.values.flatMap(\.values)
    for record in rows.sorted(by: { ($0.user, $0.department) < ($1.user, $1.department) }) {
      try company.records.memberships.append(record)
    }
    return company
  }
}
