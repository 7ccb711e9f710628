import DirectoryModel
import DirectorySnapshot
import DirectoryTestSupport
import Seeds

@testable import DirectoryReading

/// Decides of each record and field by itself what a sight shows, from the sentences that say it.
struct SlowSight {
  let sight: Sight
  let company: MarkedCompany
  /// Departments that are not there, and what was above them.
  var removed: [DepartmentID: DepartmentID?] = [:]

  /// A sight that says something of random departments, people, places and fields.
  init(of company: MarkedCompany, using generator: inout SeededGenerator) {
    self.company = company
    let bases: [Sight.Showing] = [.whole, .whole, .nothing, .nothing, .name]
    var sight = Sight(bases.randomElement(using: &generator) ?? .whole, fields: .all)
    func fields(_ kind: RecordKind) -> Sight.Fields {
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: return .all
      case 1: return .only([])
      default:
        let names = kind.shownFields(company.fields)
        return .only(Set(names.filter { _ in Bool.random(using: &generator) }))
      }
    }
    func some<Element>(_ most: Int, _ all: [Element]) -> ArraySlice<Element> {
      all.shuffled(using: &generator).prefix(Int.random(in: 0...most, using: &generator))
    }
    for department in some(6, company.departments) {
      sight.departments[department.id] = Sight.Showing.allCases.randomElement(using: &generator)
    }
    for user in some(12, company.users) {
      sight.people[user.id] = Bool.random(using: &generator)
    }
    for membership in some(20, company.memberships) {
      let place = MembershipKey(user: membership.user, department: membership.department)
      sight.places[place] = Bool.random(using: &generator)
    }
    sight.departmentFields.usual = fields(.department)
    sight.personFields.usual = fields(.user)
    for department in some(3, company.departments) {
      sight.departmentFields.below[department.id] = fields(.department)
    }
    for department in some(3, company.departments) {
      sight.personFields.below[department.id] = fields(.user)
    }
    for user in some(8, company.users) { sight.fieldsOfPeople[user.id] = fields(.user) }
    self.sight = sight
  }

  // MARK: What is said

  /// What is said of a department: the last that is said on the way from the root; `nil` where nothing
  /// is and the way is not known.
  func said<Value>(
    _ id: DepartmentID,
    _ values: [DepartmentID: Value],
    _ usual: Value
  ) -> Value? {
    var way: [DepartmentID] = []
    var next: DepartmentID? = id
    var isKnown = true
    while let current = next {
      way.insert(current, at: 0)
      if let department = company.departments.first(where: { $0.id == current }) {
        next = department.parent
      } else if let parent = removed[current] {
        next = parent
      } else {
        (next, isKnown) = (nil, false)
      }
    }
    return way.reduce(isKnown ? usual : nil) { values[$1] ?? $0 }
  }

  func shows(_ place: MembershipKey) -> Bool {
    if let single = sight.places[place] { return single }
    if let person = sight.people[place.user] { return person }
    return said(place.department, sight.departments, sight.base) == .whole
  }

  func shows(_ id: UserID) -> Bool {
    company.memberships.contains { $0.user == id && shows($0.key) }
  }

  /// How a department is shown: what is above something that is shown is a stub at least.
  func showing(_ id: DepartmentID) -> Sight.Showing {
    let own = said(id, sight.departments, sight.base) ?? .nothing
    if own != .nothing { return own }
    let isAbovePeople = company.memberships.contains { $0.department == id && shows($0.key) }
    let isAboveDepartments = company.departments.contains {
      $0.parent == id && showing($0.id) != .nothing
    }
    return isAbovePeople || isAboveDepartments ? .name : .nothing
  }

  func fields(of id: DepartmentID) -> Sight.Fields {
    guard showing(id) == .whole else { return .only([]) }
    return said(id, sight.departmentFields.below, sight.departmentFields.usual) ?? .only([])
  }

  /// Those that all of a person's departments show.
  func fields(of id: UserID) -> Sight.Fields {
    if let own = sight.fieldsOfPeople[id] { return own }
    return fieldsOfPeople(
      in: company.memberships.filter { $0.user == id }.map(\.department)
    )
  }

  func fieldsOfPeople(in departments: [DepartmentID]) -> Sight.Fields {
    departments.reduce(.all) { fields, department in
      let said = said(department, sight.personFields.below, sight.personFields.usual)
      return fields.intersection(said ?? .only([]))
    }
  }

  // MARK: What is left

  /// A company of which nothing else was ever there; hidden values are empty in it.
  func visible() throws -> MarkedCompany {
    var seen = company
    seen.departments.removeAll { showing($0.id) == .nothing }
    seen.memberships.removeAll { !shows($0.key) }
    seen.users.removeAll { !shows($0.id) }
    for index in seen.departments.indices {
      let fields = fields(of: seen.departments[index].id)
      if !fields.contains("description") { seen.departments[index].description = "" }
      if !fields.contains("sort_order") { seen.departments[index].sortOrder = 0 }
      seen.departments[index].fields = left(of: seen.departments[index].fields, .department, fields)
    }
    for index in seen.users.indices {
      let fields = fields(of: seen.users[index].id)
      for field in Field.contacts where !fields.contains(field.name) {
        seen.users[index].contacts[field] = ""
      }
      seen.users[index].fields = left(of: seen.users[index].fields, .user, fields)
    }
    for index in seen.memberships.indices {
      let fields = fields(of: seen.memberships[index].user)
      if !fields.contains("title") { seen.memberships[index].title = "" }
      if !fields.contains("sort_order") { seen.memberships[index].sortOrder = 0 }
      if !fields.contains("leads") { seen.memberships[index].leads = false }
    }
    seen.fields.removeAll { field in
      field.owner == .department
        ? !seen.departments.contains { fields(of: $0.id).contains(field.name) }
          && !(seen.departments.isEmpty && sight.departmentFields.usual.contains(field.name))
        : !seen.users.contains { fields(of: $0.id).contains(field.name) }
          && !(seen.users.isEmpty && sight.personFields.usual.contains(field.name))
    }
    try chooseMainPlaces(&seen)
    return seen
  }

  /// The first place in the order of the tree where the main one is hidden.
  private func chooseMainPlaces(_ seen: inout MarkedCompany) throws {
    for index in seen.users.indices {
      let user = seen.users[index]
      let places = seen.memberships.filter { $0.user == user.id }.map(\.department)
      if !places.contains(user.primaryDepartment) {
        seen.users[index].primaryDepartment = places[0]
      }
    }
    let rows = try Directory(seen.snapshot(), for: .everything).rows(of: TreeRequest(opening: .all))
    for index in seen.users.indices {
      let user = seen.users[index].id
      let main = company.users.first { $0.id == user }?.primaryDepartment
      let places = rows.filter { $0.row.kind == .user && $0.row.id == user.rawValue }
        .compactMap(\.row.parent)
      seen.users[index].primaryDepartment = places.first { $0 == main } ?? places[0]
    }
  }

  func left(
    of values: FieldValues,
    _ owner: RecordKind,
    _ fields: Sight.Fields
  ) -> FieldValues {
    var left: [String: FieldValues.Value] = [:]
    for (name, value) in values.values ?? [:] where fields.contains(name) {
      guard company.fields.contains(where: { $0.name == name && $0.kind == .person }) else {
        left[name] = value
        continue
      }
      let there = value.texts.filter { shows(UserID($0)) }
      if there.isEmpty { continue }
      if case .several = value { left[name] = .several(there) } else { left[name] = .one(there[0]) }
    }
    return FieldValues(left)
  }
}

extension MembershipRecord {
  var key: MembershipKey { MembershipKey(user: user, department: department) }
}
