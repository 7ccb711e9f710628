import DirectoryModel
import DirectorySnapshot
import DirectoryTestSupport
import Seeds
import Testing

@testable import DirectoryReading

extension SlowSight {
  /// As if a record were as a state has it, among everything else as it is and was.
  private func then(
    _ removed: [DepartmentRecord],
    _ change: (inout MarkedCompany) -> Void
  ) -> SlowSight {
    var company = today
    company.departments += removed
    change(&company)
    var model = self
    model.company = company
    return model
  }

  /// A side of a person's change as it may be seen, read aloud from the sentences.
  fileprivate func side(
    _ state: Change.State,
    of user: UserRecord,
    _ removed: [DepartmentRecord],
    order: [DepartmentID]
  ) -> Change.State? {
    let then = then(removed) { company in
      company.users.removeAll { $0.id == user.id }
      company.users.append(user)
      company.memberships.removeAll { $0.user == user.id }
      company.memberships += state.posts.map {
        MembershipRecord(user: user.id, department: $0.place.id, title: $0.values[0] ?? "")
      }
    }
    let places = then.company.places(of: user.id).filter { place in
      then.shows(place)
        && today.places(of: user.id).first { $0.key == place.key }.map(shows) ?? true
    }
    if places.isEmpty { return nil }
    let hidden = then.hidden(of: user.id).union(
      today.users.contains { $0.id == user.id } ? self.hidden(of: user.id) : []
    )
    var seen = state
    seen.posts = state.posts.filter { post in
      places.contains { $0.department == post.place.id }
    }
    for index in seen.posts.indices {
      let values = seen.posts[index].values
      seen.posts[index].values = zip(values, ["title", "sort_order", "leads"]).map {
        hidden.contains($1) ? nil : $0
      }
    }
    seen.values = zip(state.values, ["name", "email", "phone"]).map {
      hidden.contains($1) ? nil : $0
    }
    seen.fields = left(of: state.fields) { !hidden.contains($0) }
    if !seen.posts.contains(where: { $0.place.id == state.primary?.id }) {
      seen.primary =
        seen.posts.map(\.place).sorted { left, right in
          let places = [left, right].map { order.firstIndex(of: $0.id) ?? .max }
          return places[0] != places[1] ? places[0] < places[1] : left.id < right.id
        }[0]
    }
    return seen
  }

  fileprivate func side(
    _ state: Change.State,
    of department: DepartmentRecord,
    _ removed: [DepartmentRecord]
  ) -> Change.State? {
    let id = department.id
    let isThere = today.departments.contains { $0.id == id }
    let then = then(removed) { company in
      company.departments.removeAll { $0.id == id }
      var former = department
      former.parent = state.primary?.id
      company.departments.append(former)
    }
    let isWhole = then.effect(of: id) == .show
    if !isWhole, !isThere || showing(id) == .nothing { return nil }
    func isShown(_ name: String) -> Bool {
      isWhole && then.shows(name, ofWhole: id) && (!isThere || shows(name, ofWhole: id))
    }
    var seen = state
    seen.values = [
      state.values[0], isShown("description") ? state.values[1] : nil,
      isShown("sort_order") ? state.values[2] : nil,
    ]
    seen.fields = left(of: state.fields, isShown)
    if let main = state.primary {
      let isNamed =
        today.departments.contains { $0.id == main.id }
        ? showing(main.id) != .nothing : self.then(removed) { _ in }.effect(of: main.id) == .show
      if !isNamed { seen.primary = nil }
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
      primary: memberships.first.map { place($0.department) },
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
      primary: parent.map(place)
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
    /// A branch that is there no more.
    var removed: [DepartmentRecord] = []
  }

  private func makeCase(using generator: inout SeededGenerator) throws -> Case {
    let company = try MarkedCompany(using: &generator)
    let rules = VisibilityRules(of: company, using: &generator)
    let model = SlowSight(rules, .person(company.users[0].id), company)
    let snapshot = try company.snapshot()
    let sight = try rules.sight(of: model.viewer, in: snapshot)
    let seen = try Directory(snapshot, for: sight)
    var sample = Case(
      model: model,
      visibility: try Visibility(sight, whole: snapshot, seen: seen.snapshot),
      seen: seen
    )
    var above = company.departments.randomElement(using: &generator)?.id
    for id in ["r-1", "r-2"].map({ DepartmentID($0) }) {
      let department = DepartmentRecord(id: id, parent: above, name: "\(id)")
      sample.visibility.note(
        Change(
          kind: .department,
          action: .removed,
          id: id.rawValue,
          before: state(of: department, under: above)
        )
      )
      sample.removed.append(department)
      above = id
    }
    return sample
  }

  @Test(arguments: newSeeds(5))
  func `each of its sides is what the sentences show`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let sample = try makeCase(using: &generator)
    let (model, company) = (sample.model, sample.model.today)
    let order = try order(sample.seen)
    let places = (company.departments + sample.removed).map(\.id)
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
    for user in company.users.shuffled(using: &generator).prefix(40) {
      var former = user
      if Bool.random(using: &generator) { former.contacts[.email] = "former" }
      if Bool.random(using: &generator) { former.fields = FieldValues(["level": .one("2")]) }
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
          from: sides.0.flatMap { model.side($0, of: former, sample.removed, order: order) },
          to: sides.1.flatMap { model.side($0, of: user, sample.removed, order: order) }
        )
        #expect(
          try sample.visibility.visible(change) == wanted,
          "seed \(seed): \(change) by \(model.rules.rules)"
        )
      }
    }
    for department in company.departments + sample.removed {
      var former = department
      if Bool.random(using: &generator) { former.description = "former" }
      // Nothing that is below it now, so that there is no ring.
      let others = places.filter { place in
        !model.isIn(place, or: department.id, company) && !place.rawValue.hasPrefix("r-")
      }
      let old =
        Bool.random(using: &generator) ? others.randomElement(using: &generator) : department.parent
      let sides = (state(of: former, under: old), state(of: department, under: department.parent))
      guard
        let change = Change(.department, department.id.rawValue, from: sides.0, to: sides.1)
      else { continue }
      let wanted = Change(
        .department,
        department.id.rawValue,
        from: model.side(sides.0, of: former, sample.removed),
        to: model.side(sides.1, of: department, sample.removed)
      )
      #expect(
        try sample.visibility.visible(change) == wanted,
        "seed \(seed): \(change) by \(model.rules.rules)"
      )
    }
  }

  @Test(arguments: newSeeds(3))
  func `records as they are now are shown as in the excerpt`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let sample = try makeCase(using: &generator)
    let (model, visibility) = (sample.model, sample.visibility)
    for department in model.company.departments {
      let isShown = model.showing(department.id) != .nothing
      #expect(try visibility.shows(department.id) == isShown)
      #expect(try (sample.seen.node(of: department.id) != nil) == isShown)
    }
    for user in model.company.users {
      #expect(try visibility.shows(user.id) == model.shows(user.id))
      #expect(try visibility.hidden(of: user.id).names == model.hidden(of: user.id))
    }
    for membership in model.company.memberships {
      #expect(try visibility.shows(membership.key) == model.shows(membership))
    }
  }

  /// Of a department of which nothing is known it is not known what is above it.
  @Test func `what is in an unknown department is shown only where no department is named`() throws
  {
    var generator = SeededGenerator(seed: 1)
    let company = try MarkedCompany(using: &generator)
    let snapshot = try company.snapshot()
    let user = company.users[0]
    let place = MembershipRecord(user: user.id, department: DepartmentID("unknown"))
    let change = Change(.user, user.id.rawValue, from: state(of: user, [place]), to: nil)
    func isShown(_ places: [Sight.Places]) throws -> Bool {
      let sight = Sight(places + [Sight.Places(.everything, .shown)])
      let visibility = try Visibility(sight, whole: snapshot, seen: snapshot.excerpt(sight))
      return try visibility.visible(#require(change)) != nil
    }
    let hidden = Sight.Places(.department(company.departments[0].id), .hidden)
    #expect(try isShown([]) && isShown([Sight.Places(.person(user.id), .shown), hidden]))
    #expect(try !isShown([hidden]))
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
    sight.places.insert(Sight.Places(.department(DepartmentID("hidden")), .hidden), at: 0)
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
    #expect(told.before?.primary?.id == DepartmentID("shown"))
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
