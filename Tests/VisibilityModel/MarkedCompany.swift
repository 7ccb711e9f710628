import DirectoryModel
import DirectorySnapshot
import DirectoryTestSupport
import Seeds

/// A random company of which every text is found nowhere else in it.
struct MarkedCompany {
  var departments: [DepartmentRecord] = []
  var users: [UserRecord] = []
  var memberships: [MembershipRecord] = []
  var fields: [Field]
  private var count: UInt32

  init(
    departments departmentCount: Int = 24,
    people peopleCount: Int = 110,
    using generator: inout SeededGenerator
  ) throws {
    var fields = [
      Field(usual: "mobile", of: .user), Field(usual: "manager", of: .user),
      Field(usual: "note", of: .user), Field(usual: "languages", of: .user),
      Field(name: "grade", of: .user, label: "Grade"),
      Field(name: "badge", of: .user, label: "Badge", isVisible: false),
      Field(name: "review", of: .user, label: "Review", isForOneself: false),
      Field(name: "cost", of: .department, label: "Cost", isVisible: false),
      Field(name: "team", of: .user, kind: .person, label: "Team", isMultiple: true),
      Field(name: "site", of: .department, label: "Site"),
      Field(name: "host", of: .department, kind: .person, label: "Host"),
    ]
    fields.sort(by: Field.precedes)
    self.fields = fields
    count = UInt32.random(in: 0..<1_000_000, using: &generator)
    let roots = Int.random(in: 1...2, using: &generator)
    for index in 0..<departmentCount {
      let parent = index < roots ? nil : departments.randomElement(using: &generator)?.id
      departments.append(
        DepartmentRecord(
          id: DepartmentID("d-\(word())"),
          parent: parent,
          name: name(),
          description: word(),
          sortOrder: Int64.random(in: 0...1, using: &generator)
        )
      )
    }
    let people = (0..<peopleCount).map { _ in UserID("u-\(word())") }
    for id in people { addUser(id, among: people, using: &generator) }
    for index in departments.indices {
      var values: [String: FieldValues.Value] = ["site": .one(word()), "cost": .one(word())]
      if Bool.random(using: &generator) {
        values["host"] = people.randomElement(using: &generator).map { .one($0.rawValue) }
      }
      departments[index].fields = FieldValues(values)
    }
  }

  private mutating func addUser(
    _ id: UserID,
    among people: [UserID],
    using generator: inout SeededGenerator
  ) {
    let places = departments.shuffled(using: &generator).prefix(
      Int.random(in: 1...3, using: &generator)
    )
    var values: [String: FieldValues.Value] = [
      "mobile": .one(number()), "note": .one("\(word()) \(word())"),
      "languages": .several([word(), word()]), "badge": .one(word()),
      "review": .one(word()),
    ]
    values["grade"] = ["1", "2", "3"].randomElement(using: &generator).map { .one($0) }
    values["manager"] = people.randomElement(using: &generator).map { .one($0.rawValue) }
    values["team"] = .several(people.shuffled(using: &generator).prefix(3).map(\.rawValue))
    users.append(
      UserRecord(
        id: id,
        primaryDepartment: places[0].id,
        name: name(),
        contacts: [.email: "\(word())@\(word()).example", .phone: number()],
        fields: FieldValues(values)
      )
    )
    for place in places {
      memberships.append(
        MembershipRecord(
          user: id,
          department: place.id,
          title: word(),
          sortOrder: Int64.random(in: 0...1, using: &generator),
          leads: Int.random(in: 0..<6, using: &generator) == 0
        )
      )
    }
  }

  /// The same with people and departments who have moved, left, joined or changed.
  func changed(using generator: inout SeededGenerator) -> MarkedCompany {
    var changed = self
    for index in changed.departments.indices.dropFirst(2)
    where Int.random(in: 0..<6, using: &generator) == 0 {
      // Those before it come first, so that there is no ring.
      changed.departments[index].parent =
        changed.departments[..<index].randomElement(using: &generator)?.id
    }
    for index in changed.users.indices where Int.random(in: 0..<4, using: &generator) == 0 {
      let id = changed.users[index].id
      var values = changed.users[index].fields.values ?? [:]
      values["grade"] = .one(["1", "2", "3"].randomElement(using: &generator) ?? "")
      changed.users[index].fields = FieldValues(values)
      guard let place = changed.departments.randomElement(using: &generator)?.id else { continue }
      changed.memberships.removeAll { $0.user == id }
      changed.memberships.append(MembershipRecord(user: id, department: place, title: "moved"))
      changed.users[index].primaryDepartment = place
    }
    let left = Set(
      changed.users.map(\.id).filter { _ in Int.random(in: 0..<8, using: &generator) == 0 }
    )
    changed.users.removeAll { left.contains($0.id) }
    changed.memberships.removeAll { left.contains($0.user) }
    for _ in 0..<2 { changed.removeLeaf(using: &generator) }
    return changed
  }

  /// Removes a department that has none below, whose people go to the first.
  private mutating func removeLeaf(using generator: inout SeededGenerator) {
    let leaves = departments.dropFirst(2).filter { leaf in
      !departments.contains { $0.parent == leaf.id }
    }
    guard let leaf = leaves.randomElement(using: &generator)?.id else { return }
    departments.removeAll { $0.id == leaf }
    memberships.removeAll { $0.department == leaf }
    for index in users.indices where users[index].primaryDepartment == leaf {
      let first = places(of: users[index].id).first
      users[index].primaryDepartment = first?.department ?? departments[0].id
      guard first == nil else { continue }
      memberships.append(MembershipRecord(user: users[index].id, department: departments[0].id))
    }
  }

  /// The same with nobody named who is not there.
  func withoutMissingPeople() -> MarkedCompany {
    var company = self
    let there = Set(users.map(\.id))
    let people = fields.filter { $0.kind == .person }.map(\.name)
    func left(_ values: FieldValues) -> FieldValues {
      var values = values.values ?? [:]
      for name in people {
        let texts = values[name]?.texts.filter { there.contains(UserID($0)) } ?? []
        if case .several = values[name] { values[name] = .several(texts) }
        if texts.isEmpty { values[name] = nil }
      }
      return FieldValues(values)
    }
    for index in departments.indices {
      company.departments[index].fields = left(departments[index].fields)
    }
    for index in users.indices { company.users[index].fields = left(users[index].fields) }
    return company
  }

  /// The same with other ids for some departments and people.
  func renamed(_ ids: [String: String]) -> MarkedCompany {
    var renamed = self
    func user(_ id: UserID) -> UserID { ids[id.rawValue].map { UserID($0) } ?? id }
    func department(_ id: DepartmentID) -> DepartmentID {
      ids[id.rawValue].map { DepartmentID($0) } ?? id
    }
    func values(_ values: FieldValues) -> FieldValues {
      let people = fields.filter { $0.kind == .person }.map(\.name)
      var named = values.values ?? [:]
      for name in people {
        switch named[name] {
        case .one(let id): named[name] = .one(ids[id] ?? id)
        case .several(let all): named[name] = .several(all.map { ids[$0] ?? $0 })
        case nil: break
        }
      }
      return FieldValues(named)
    }
    for index in departments.indices {
      renamed.departments[index].id = department(departments[index].id)
      renamed.departments[index].parent = departments[index].parent.map(department)
      renamed.departments[index].fields = values(departments[index].fields)
    }
    for index in users.indices {
      renamed.users[index].id = user(users[index].id)
      renamed.users[index].primaryDepartment = department(users[index].primaryDepartment)
      renamed.users[index].fields = values(users[index].fields)
    }
    for index in memberships.indices {
      renamed.memberships[index].user = user(memberships[index].user)
      renamed.memberships[index].department = department(memberships[index].department)
    }
    return renamed
  }

  /// Eight letters that nothing else has; similar ones differ by a letter or two.
  private mutating func word() -> String {
    count += 1
    // Odd, so that no two numbers come to the same.
    var rest = count &* 2_654_435_761
    var text = ""
    for _ in 0..<4 {
      text += String(Array("bdfgklmnprstvwxz")[Int(rest & 15)])
      text += String(Array("aeiouyêá")[Int(rest >> 4 & 7)])
      rest >>= 8
    }
    return text
  }

  private mutating func name() -> String {
    "\(word().capitalizedFirst) \(word().capitalizedFirst)"
  }

  private mutating func number() -> String {
    count += 1
    return "+49 30 \(10_000_000 + count)"
  }

  /// Everything that says something about a record.
  func texts(of user: UserRecord) -> [String] {
    let values = user.fields.values ?? [:]
    return [user.id.rawValue, user.name] + user.contacts.all
      + ["mobile", "note", "languages", "badge", "review"].flatMap { values[$0]?.texts ?? [] }
  }

  func texts(of department: DepartmentRecord) -> [String] {
    [department.id.rawValue, department.name, department.description]
      + ["site", "cost"].flatMap { department.fields.values?[$0]?.texts ?? [] }
  }

  /// The snapshot, by the order of code points.
  func snapshot(_ rules: VisibilityRules? = nil) throws -> DirectorySnapshot {
    var company = Company()
    company.records.visibility = rules
    company.records.fields = fields
    for department in departments { try company.records.departments.append(department) }
    for user in users { try company.records.users.append(user) }
    for membership in memberships { try company.records.memberships.append(membership) }
    return try company.snapshot()
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
