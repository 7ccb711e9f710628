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

  init(using generator: inout SeededGenerator) throws {
    var fields = [
      Field(usual: "mobile", of: .user), Field(usual: "manager", of: .user),
      Field(usual: "note", of: .user), Field(usual: "languages", of: .user),
      Field(name: "level", of: .user, label: "Level"),
      Field(name: "badge", of: .user, label: "Badge", isVisible: false),
      Field(name: "cost", of: .department, label: "Cost", isVisible: false),
      Field(name: "team", of: .user, kind: .person, label: "Team", isMultiple: true),
      Field(name: "site", of: .department, label: "Site"),
      Field(name: "host", of: .department, kind: .person, label: "Host"),
    ]
    fields.sort(by: Field.precedes)
    self.fields = fields
    count = UInt32.random(in: 0..<1_000_000, using: &generator)
    for index in 0..<24 {
      let parent = index < 2 ? nil : departments.randomElement(using: &generator)?.id
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
    let people = (0..<110).map { _ in UserID("u-\(word())") }
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
    ]
    values["level"] = ["1", "2", "3"].randomElement(using: &generator).map { .one($0) }
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
      values["level"] = .one(["1", "2", "3"].randomElement(using: &generator) ?? "")
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
    return changed
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
      + ["mobile", "note", "languages", "badge"].flatMap { values[$0]?.texts ?? [] }
  }

  func texts(of department: DepartmentRecord) -> [String] {
    [department.id.rawValue, department.name, department.description]
      + ["site", "cost"].flatMap { department.fields.values?[$0]?.texts ?? [] }
  }

  /// The snapshot, by the order of code points.
  func snapshot() throws -> DirectorySnapshot {
    var company = Company()
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
