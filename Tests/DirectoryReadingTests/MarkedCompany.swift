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
      var values: [String: FieldValues.Value] = ["site": .one(word())]
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
      "languages": .several([word(), word()]),
    ]
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
      + ["mobile", "note", "languages"].flatMap { values[$0]?.texts ?? [] }
  }

  func texts(of department: DepartmentRecord) -> [String] {
    [department.id.rawValue, department.name, department.description]
      + (department.fields.values?["site"]?.texts ?? [])
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
