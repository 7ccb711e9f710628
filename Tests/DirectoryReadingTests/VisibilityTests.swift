import DirectoryModel
import DirectorySnapshot
import DirectoryTestSupport
import Seeds
import Testing

@testable import DirectoryReading

extension SlowSight {
  /// A side of a person's change as it may be seen, read aloud from the rules.
  fileprivate func side(
    _ state: Change.State,
    ofUser id: UserID,
    order: [DepartmentID]
  ) -> Change.State? {
    var seen = state
    seen.posts = state.posts.filter { shows(MembershipKey(user: id, department: $0.place.id)) }
    if seen.posts.isEmpty { return nil }
    let now = company.memberships.filter { $0.user == id }.map(\.department)
    let fields =
      sight.fieldsOfPeople[id] ?? fieldsOfPeople(in: now + state.posts.map(\.place.id))
    for index in seen.posts.indices {
      let values = seen.posts[index].values
      seen.posts[index].values = [
        fields.contains("title") ? values[0] : nil,
        fields.contains("sort_order") ? values[1] : nil,
        fields.contains("leads") ? values[2] : nil,
      ]
    }
    seen.values = [
      state.values[0], fields.contains("email") ? state.values[1] : nil,
      fields.contains("phone") ? state.values[2] : nil,
    ]
    seen.fields = left(of: state.fields, .user, fields)
    if !seen.posts.contains(where: { $0.place.id == state.main?.id }) {
      seen.main =
        seen.posts.map(\.place).sorted { left, right in
          let places = [left, right].map { order.firstIndex(of: $0.id) ?? .max }
          return places[0] != places[1] ? places[0] < places[1] : left.id < right.id
        }[0]
    }
    return seen
  }

  fileprivate func side(_ state: Change.State, ofDepartment id: DepartmentID) -> Change.State? {
    func then<Value>(_ values: [DepartmentID: Value], _ usual: Value) -> Value? {
      if let own = values[id] { return own }
      guard let main = state.main?.id else { return said(id, values, usual) }
      return said(main, values, usual)
    }
    let isThere = company.departments.contains { $0.id == id }
    var shown = then(sight.departments, sight.base) ?? .nothing
    if shown == .nothing, isThere, showing(id) != .nothing { shown = .name }
    if shown == .nothing { return nil }
    var fields = Sight.Fields.only([])
    if shown == .whole {
      let sets = sight.departmentFields
      fields = then(sets.below, sets.usual) ?? .only([])
      if isThere { fields = fields.intersection(said(id, sets.below, sets.usual) ?? .only([])) }
    }
    var seen = state
    seen.values = [
      state.values[0], fields.contains("description") ? state.values[1] : nil,
      fields.contains("sort_order") ? state.values[2] : nil,
    ]
    seen.fields = left(of: state.fields, .department, fields)
    if let main = state.main {
      let isNamed =
        company.departments.contains { $0.id == main.id }
        ? showing(main.id) != .nothing
        : (said(main.id, sight.departments, sight.base) ?? .nothing) != .nothing
      if !isNamed { seen.main = nil }
    }
    return seen
  }
}

@Suite("What a sight shows of a change")
struct VisibilityTests {
  private func place(_ id: DepartmentID) -> Change.Place { .init(id: id, name: "of \(id)") }

  private func state(of user: UserRecord, _ memberships: [MembershipRecord]) -> Change.State {
    Change.State(
      name: user.name,
      values: [user.name] + user.contacts.all,
      fields: user.fields,
      main: memberships.first.map { place($0.department) },
      posts: memberships.map {
        Change.Post(
          place: place($0.department),
          values: [$0.title, String($0.sortOrder), String($0.leads)]
        )
      }.sorted { $0.place.id < $1.place.id }
    )
  }

  private func state(of department: DepartmentRecord, under parent: DepartmentID?) -> Change.State {
    Change.State(
      name: department.name,
      values: [department.name, department.description, String(department.sortOrder)],
      fields: department.fields,
      main: parent.map(place)
    )
  }

  /// Departments by where their own people stand.
  private func order(_ directory: Directory) throws -> [DepartmentID] {
    let nodes = try (0..<directory.tree.count).filter { try directory.tree.isDepartment($0) }
    return try nodes.sorted {
      let ends = (
        try directory.tree.subtree(of: $0).upperBound, try directory.tree.subtree(of: $1).upperBound
      )
      return ends.0 != ends.1 ? ends.0 < ends.1 : $0 > $1
    }.map { try directory.departmentID(of: $0) }
  }

  private struct Case {
    var model: SlowSight
    var visibility: Visibility
    var seen: Directory
  }

  private func makeCase(using generator: inout SeededGenerator) throws -> Case {
    let company = try MarkedCompany(using: &generator)
    var model = SlowSight(of: company, using: &generator)
    let snapshot = try company.snapshot()
    let seen = try Directory(snapshot, for: model.sight)
    var visibility = try Visibility(model.sight, whole: snapshot, seen: seen.snapshot)
    // A branch that is there no more, and one of which nothing is known.
    var above = company.departments.randomElement(using: &generator)?.id
    for id in ["r-1", "r-2"].map({ DepartmentID($0) }) {
      let state = state(of: DepartmentRecord(id: id, parent: above, name: "\(id)"), under: above)
      visibility.note(
        Change(kind: .department, action: .removed, id: id.rawValue, before: state)
      )
      model.removed[id] = .some(above)
      above = id
    }
    return Case(model: model, visibility: visibility, seen: seen)
  }

  @Test(arguments: newSeeds(5))
  func `each of its sides is what the sentences show`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let sample = try makeCase(using: &generator)
    let (model, company) = (sample.model, sample.model.company)
    let order = try order(sample.seen)
    let places =
      company.departments.map(\.id) + ["r-1", "r-2", "unknown"].map { DepartmentID($0) }
    func memberships(_ user: UserRecord) -> [MembershipRecord] {
      places.shuffled(using: &generator).prefix(Int.random(in: 1...3, using: &generator)).map {
        MembershipRecord(
          user: user.id,
          department: $0,
          title: ["a", "b"].randomElement(using: &generator) ?? "",
          leads: Bool.random(using: &generator)
        )
      }
    }
    for user in company.users {
      var former = user
      if Bool.random(using: &generator) { former.contacts[.email] = "former" }
      if Bool.random(using: &generator) { former.fields = .none }
      let old = Bool.random(using: &generator) ? memberships(user) : company.memberships(of: user)
      let new = Bool.random(using: &generator) ? memberships(user) : company.memberships(of: user)
      for sides in [
        (state(of: former, old), state(of: user, new)), (nil, state(of: user, new)),
        (state(of: former, old), nil),
      ] as [(Change.State?, Change.State?)] {
        guard let change = Change(.user, user.id.rawValue, from: sides.0, to: sides.1) else {
          continue
        }
        let wanted = Change(
          .user,
          user.id.rawValue,
          from: sides.0.flatMap { model.side($0, ofUser: user.id, order: order) },
          to: sides.1.flatMap { model.side($0, ofUser: user.id, order: order) }
        )
        #expect(try sample.visibility.visible(change) == wanted, "seed \(seed): \(change)")
      }
    }
    for department in company.departments
      + ["r-1", "r-2"].map({ DepartmentRecord(id: DepartmentID($0), parent: nil, name: $0) })
    {
      var former = department
      if Bool.random(using: &generator) { former.description = "former" }
      let parent = department.parent ?? model.removed[department.id].flatMap { $0 }
      let old = Bool.random(using: &generator) ? places.randomElement(using: &generator) : parent
      let sides = (state(of: former, under: old), state(of: department, under: parent))
      guard
        let change = Change(.department, department.id.rawValue, from: sides.0, to: sides.1)
      else { continue }
      let wanted = Change(
        .department,
        department.id.rawValue,
        from: model.side(sides.0, ofDepartment: department.id),
        to: model.side(sides.1, ofDepartment: department.id)
      )
      #expect(try sample.visibility.visible(change) == wanted, "seed \(seed): \(change)")
    }
  }

  @Test(arguments: newSeeds(3))
  func `records as they are now are shown as in the excerpt`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let sample = try makeCase(using: &generator)
    let (model, visibility) = (sample.model, sample.visibility)
    for department in model.company.departments {
      #expect(try visibility.showing(department.id) == model.showing(department.id))
      let node = try sample.seen.node(of: department.id)
      #expect((node != nil) == (model.showing(department.id) != .nothing))
    }
    for user in model.company.users {
      #expect(try visibility.shows(user.id) == model.shows(user.id))
      #expect(try visibility.fields(of: user.id) == model.fields(of: user.id))
    }
    for membership in model.company.memberships {
      #expect(try visibility.shows(membership.key) == model.shows(membership.key))
    }
  }

  @Test func `everything shows every change as it is`() throws {
    var generator = SeededGenerator(seed: 1)
    let company = try MarkedCompany(using: &generator)
    let snapshot = try company.snapshot()
    let visibility = try Visibility(.everything, whole: snapshot, seen: snapshot)
    let unknown = state(of: company.users[0], [])
    let change = Change(kind: .user, action: .changed, id: "?", before: unknown, after: unknown)
    #expect(try visibility.visible(change) == change)
  }

  @Test func `who goes where nobody sees is removed, and not told where to`() throws {
    var company = Company()
    try company.department("shown")
    try company.department("hidden")
    try company.user("u", in: "hidden")
    let snapshot = try company.snapshot()
    var sight = Sight.everything
    sight.departments[DepartmentID("hidden")] = .nothing
    let seen = try snapshot.excerpt(sight)
    let visibility = try Visibility(sight, whole: snapshot, seen: seen)
    func side(_ department: String) -> Change.State {
      let user = UserRecord(id: UserID("u"), primaryDepartment: DepartmentID(department), name: "U")
      return state(
        of: user,
        [MembershipRecord(user: user.id, department: DepartmentID(department))]
      )
    }
    let change = try #require(
      Change(.user, "u", newID: "v", from: side("shown"), to: side("hidden"))
    )
    let told = try #require(try visibility.visible(change))
    #expect(told.action == .removed && told.id == "u" && told.newID == nil && told.after == nil)
    #expect(told.before?.main?.id == DepartmentID("shown"))
    let back = try #require(
      Change(.user, "u", newID: "v", from: side("hidden"), to: side("shown"))
    )
    let added = try #require(try visibility.visible(back))
    #expect(added.action == .added && added.id == "v" && added.before == nil)
    let within = try #require(
      Change(.user, "u", newID: "v", from: side("hidden"), to: side("hidden"))
    )
    #expect(try visibility.visible(within) == nil)
  }
}

extension MarkedCompany {
  fileprivate func memberships(of user: UserRecord) -> [MembershipRecord] {
    let own = memberships.filter { $0.user == user.id }
    return own.filter { $0.department == user.primaryDepartment }
      + own.filter { $0.department != user.primaryDepartment }
  }
}
