import DirectoryModel
import DirectorySnapshot
import DirectoryTestSupport
import Seeds
import Testing

@testable import DirectoryReading
@testable import VisibilityModel

extension SlowSight {
  /// As if a record were as a state has it, among everything else as it is and was.
  private func then(_ change: (inout MarkedCompany) -> Void) -> SlowSight {
    var model = now
    change(&model.company)
    return model
  }

  /// A side of a person's change as it may be seen, read aloud from the sentences.
  fileprivate func side(
    _ state: Change.State,
    of user: UserRecord,
    order: [DepartmentID]
  ) -> Change.State? {
    let isKnown = last.users.contains { $0.id == user.id }
    if isKnown, !now.shows(user.id) { return nil }
    let then = then { company in
      company.users.removeAll { $0.id == user.id }
      company.users.append(user)
      company.memberships.removeAll { $0.user == user.id }
      company.memberships += state.memberships.map {
        MembershipRecord(user: user.id, department: $0.place.id, title: $0.values[0] ?? "")
      }
    }
    let places = then.company.places(of: user.id).filter { place in
      then.shows(place)
        && last.places(of: user.id).first { $0.key == place.key }.map(now.shows) ?? true
    }
    if places.isEmpty, flaw != .otherSide { return nil }
    let hidden = then.hidden(of: user.id).union(isKnown ? now.hidden(of: user.id) : [])
    var seen = state
    seen.memberships = state.memberships.filter { membership in
      places.contains { $0.department == membership.place.id }
    }
    for index in seen.memberships.indices {
      let values = seen.memberships[index].values
      seen.memberships[index].values = zip(values, ["title", "sort_order", "leads"]).map {
        hidden.contains($1) ? nil : $0
      }
    }
    seen.values = zip(state.values, ["name", "email", "phone"]).map {
      hidden.contains($1) ? nil : $0
    }
    seen.fields = now.left(of: state.fields) { !hidden.contains($0) }
    if !seen.memberships.contains(where: { $0.place.id == state.primary?.id }) {
      seen.primary =
        seen.memberships.map(\.place).sorted { left, right in
          let places = [left, right].map { order.firstIndex(of: $0.id) ?? .max }
          return places[0] != places[1] ? places[0] < places[1] : left.id < right.id
        }.first
    }
    return seen
  }

  fileprivate func side(_ state: Change.State, of department: DepartmentRecord) -> Change.State? {
    let id = department.id
    let showingNow = today.departments.contains { $0.id == id } ? today(showing: id) : nil
    let then = then { company in
      company.departments.removeAll { $0.id == id }
      var former = department
      former.parent = state.primary?.id
      company.departments.append(former)
    }
    let isWholeNow = showingNow.map { $0 == .whole } ?? (now.effect(of: id) == .show)
    let isWhole = isWholeNow && then.effect(of: id) == .show
    if !isWhole, showingNow != .stub { return nil }
    func isShown(_ name: String) -> Bool {
      isWhole && then.shows(name, ofWhole: id) && now.shows(name, ofWhole: id)
    }
    var seen = state
    seen.values = [
      state.values[0], isShown("description") ? state.values[1] : nil,
      isShown("sort_order") ? state.values[2] : nil,
    ]
    seen.fields = now.left(of: state.fields, isShown)
    if let primary = state.primary {
      let isNamed =
        today.departments.contains { $0.id == primary.id }
        ? today(showing: primary.id) != .nothing : now.effect(of: primary.id) == .show
      if !isNamed { seen.primary = nil }
    }
    return seen
  }

  private func today(showing id: DepartmentID) -> Showing {
    SlowSight(rules, viewer, today).showing(id)
  }
}

@Suite("What a sight shows of a change")
struct VisibilityTests {
  private func state(of user: UserRecord, _ memberships: [MembershipRecord]) -> Change.State {
    .init(of: user, memberships)
  }

  private func state(of department: DepartmentRecord, under parent: DepartmentID?) -> Change.State {
    .init(of: department, under: parent)
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
    let past = try MarkedCompany(using: &generator)
    let company = past.changed(using: &generator)
    let rules = VisibilityRules(of: company, using: &generator)
    var model = SlowSight(rules, .person(company.users[0].id), company).of(past).now
    let snapshot = try company.snapshot()
    let sight = try rules.sight(of: model.viewer, in: snapshot)
    let seen = try Directory(snapshot, for: sight)
    var above = company.departments.randomElement(using: &generator)?.id
    for id in ["r-1", "r-2"].map({ DepartmentID($0) }) {
      model.last.departments.append(DepartmentRecord(id: id, parent: above, name: "\(id)"))
      above = id
    }
    model = model.now
    let visibility = try Visibility(sight, whole: snapshot, seen: seen.snapshot, model)
    let there = Set(company.departments.map(\.id))
    let removed = model.last.departments.filter { !there.contains($0.id) }
    return Case(model: model, visibility: visibility, seen: seen, removed: removed)
  }

  @Test(arguments: newSeeds(5))
  func `each of its sides is what the sentences show`(seed: UInt64) throws {
    let difference = try difference(seed)
    #expect(difference == nil, "seed \(seed)")
  }

  /// Each sentence is worth something here, too.
  @Test(arguments: [SlowSight.Flaw.otherSide, .removed, .order, .namedPeople])
  func `without one of the sentences a change is another`(flaw: SlowSight.Flaw) throws {
    #expect(try (1...20).contains { try difference($0, flaw) != nil })
  }

  /// The first change of which something else is shown than the sentences say.
  private func difference(_ seed: UInt64, _ flaw: SlowSight.Flaw? = nil) throws -> String? {
    var generator = SeededGenerator(seed: seed)
    let sample = try makeCase(using: &generator)
    var model = sample.model
    let company = model.today
    model.flaw = flaw
    if flaw == .removed { model.last = company }
    model = model.now
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
    let last = sample.model.last
    for user in last.users.shuffled(using: &generator).prefix(50) {
      var former = user
      if Bool.random(using: &generator) { former.contacts[.email] = "former" }
      if Bool.random(using: &generator) { former.fields = FieldValues(["grade": .one("2")]) }
      let old = Bool.random(using: &generator) ? memberships(user) : last.memberships(of: user)
      let new = Bool.random(using: &generator) ? memberships(user) : last.memberships(of: user)
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
          from: sides.0.flatMap { model.side($0, of: former, order: order) },
          to: sides.1.flatMap { model.side($0, of: user, order: order) }
        )
        let told = try sample.visibility.visible(change)
        if told != wanted { return "\(change) by \(model.rules.rules): \(told as Any)" }
      }
    }
    for department in company.departments + sample.removed {
      var former = department
      if Bool.random(using: &generator) { former.description = "former" }
      // Nothing that is below it, so that there is no ring.
      let others = places.filter { !model.isIn($0, or: department.id, last) }
      let old =
        Bool.random(using: &generator) ? others.randomElement(using: &generator) : department.parent
      let new = Int.random(in: 0..<9, using: &generator) == 0 ? nil : department.parent
      let sides = (state(of: former, under: old), state(of: department, under: new))
      guard
        let change = Change(.department, department.id.rawValue, from: sides.0, to: sides.1)
      else { continue }
      let wanted = Change(
        .department,
        department.id.rawValue,
        from: model.side(sides.0, of: former),
        to: model.side(sides.1, of: department)
      )
      let told = try sample.visibility.visible(change)
      if told != wanted { return "\(change) by \(model.rules.rules): \(told as Any)" }
    }
    return nil
  }

  @Test(arguments: newSeeds(3))
  func `records as they are now are shown as in the excerpt`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let sample = try makeCase(using: &generator)
    let (model, visibility) = (sample.model, sample.visibility)
    let today = SlowSight(model.rules, model.viewer, model.today)
    for department in today.company.departments {
      let isShown = today.showing(department.id) != .nothing
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

  @Test func `a person who moves to a hidden place is removed, and the place is not told`() throws {
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
  func memberships(of user: UserRecord) -> [MembershipRecord] {
    let own = memberships.filter { $0.user == user.id }
    return own.filter { $0.department == user.primaryDepartment }
      + own.filter { $0.department != user.primaryDepartment }
  }
}

extension Change.State {
  /// All of a person, the primary place first.
  init(of user: UserRecord, _ memberships: [MembershipRecord]) {
    self.init(
      name: user.name,
      values: [user.name] + user.contacts.all,
      fields: user.fields,
      primary: memberships.first.map { Self.place($0.department) },
      memberships: memberships.map {
        Change.Membership(
          place: Self.place($0.department),
          values: [$0.title, String($0.sortOrder), String($0.leads)]
        )
      }.sorted { $0.place.id < $1.place.id }
    )
  }

  init(of department: DepartmentRecord, under parent: DepartmentID?) {
    self.init(
      name: department.name,
      values: [department.name, department.description, String(department.sortOrder)],
      fields: department.fields,
      primary: parent.map(Self.place)
    )
  }

  private static func place(_ id: DepartmentID) -> Change.Place { .init(id: id, name: "of \(id)") }
}

extension Visibility {
  /// What judges changes by a state, and by what was removed as a model has it.
  init(
    _ sight: Sight,
    whole: DirectorySnapshot,
    seen: DirectorySnapshot,
    _ model: SlowSight
  ) throws {
    try self.init(sight, whole: whole, seen: seen)
    let there = (Set(model.today.departments.map(\.id)), Set(model.today.users.map(\.id)))
    for department in model.last.departments where !there.0.contains(department.id) {
      note(.init(of: department, under: department.parent), of: .department(department.id))
    }
    for user in model.last.users where !there.1.contains(user.id) {
      note(.init(of: user, model.last.memberships(of: user)), of: .user(user.id))
    }
  }

  /// What judges the past by states one after the other, each ten microseconds after the one before, the
  /// last of which is today's.
  init(
    _ sight: Sight,
    whole: DirectorySnapshot,
    seen: DirectorySnapshot,
    after states: [MarkedCompany]
  ) throws {
    try self.init(sight, whole: whole, seen: seen)
    var moves: [FormerParents.Move] = []
    for (index, (before, after)) in zip(states, states.dropFirst()).enumerated() {
      let time = Int64(index + 1) * 10
      for department in Set((before.departments + after.departments).map(\.id)) {
        func place(_ company: MarkedCompany) -> FormerParents.Move.Place {
          company.departments.first { $0.id == department }.map { .under($0.parent) } ?? .none
        }
        let (from, to) = (place(before), place(after))
        if from != to { moves.append(.init(department, at: time, from: from, to: to)) }
      }
      for user in before.users where !after.users.contains(where: { $0.id == user.id }) {
        note(.init(of: user, before.memberships(of: user)), of: .user(user.id), at: time - 1)
      }
    }
    note(FormerParents(moves))
  }
}
