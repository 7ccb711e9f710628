import DirectoryModel
import DirectoryReading
import DirectorySnapshot
import Seeds

/// Decides of each viewer, record and field by itself, by reading the sentences aloud.
///
/// 1. Rules are one ordered list; a place that none fits is hidden.
/// 2. A viewer fits a department if any own place lies in it, and conditions are decided on everything.
/// 3. The first rule that fits decides of each department and place; a person as target means all
///    places; a person is there if one place is shown.
/// 4. The first rule that fits a record and names a field decides; a person fits a department by any
///    place, hidden ones too; without a rule the declaration decides.
/// 5. A hidden department above something that is shown is a stub.
/// 6. Order, primary place and leads are of what is shown; a field that names the user hidden is
///    absent.
/// 7. One's own card is whole, but for fields that are not for oneself; others lead there who are shown
///    to.
/// 8. Who is unlisted has no places.
/// 9. A former record is shown if it is then and, where it is there now, now; one that was removed, if it
///    was when it was last there.
/// 10. What is hidden on one side of a change is not there on that side.
/// 11. Rules about what is not there do nothing, those about a record follow it to another id; one that
///     is not known shows nothing.
/// 12. Rules are not part of what is shown.
///
/// `Flaw` leaves a sentence out, which the program then must be seen to differ from.
struct SlowSight {
  enum Flaw: CaseIterable {
    case order, failsClosed, anyOwnPlace, onEverything, personMeansAllPlaces, anyPlaceOfFields
    case declaration, stub, primary, namedPeople, ownCard, notForOneself, leadsOfOthers
    case unlisted, formerly, removed, otherSide, renamed, notKnown, rules
  }

  var rules: VisibilityRules
  var viewer: Viewer
  /// What the viewer is by; the company is looked at through it.
  var today: MarkedCompany
  /// Today's with what was removed as it was last.
  var last: MarkedCompany
  var company: MarkedCompany
  /// Where a record of a former state is looked for to find out what it was last: today's, and the states
  /// before down to the former one, the latest first.
  private(set) var states: [MarkedCompany]
  private var isFormer = false
  var flaw: Flaw?

  init(_ rules: VisibilityRules, _ viewer: Viewer, _ company: MarkedCompany, flaw: Flaw? = nil) {
    (self.rules, self.viewer, self.flaw) = (rules, viewer, flaw)
    (today, last, self.company, states) = (company, company, company, [company])
  }

  /// The same of a former state, whose records have the ids that they have now.
  ///
  /// - Parameters:
  ///   - past: The state.
  ///   - later: Those after it, the latest first.
  /// - Returns: What decides about it.
  func of(_ past: MarkedCompany, before later: [MarkedCompany] = []) -> SlowSight {
    var model = self
    (model.company, model.isFormer) = (past, flaw != .formerly)
    model.states += later + [past]
    if flaw != .removed { for state in later + [past] { model.last.addRemoved(of: state) } }
    return model
  }

  /// What is shown of a record in the last state that has it; `nil` where nothing is asked of that.
  private func lastly(_ isThere: (MarkedCompany) -> Bool) -> SlowSight? {
    guard isFormer, let last = (flaw == .removed ? [today] : states).first(where: isThere) else {
      return nil
    }
    var model = self
    (model.company, model.isFormer) = (last, false)
    return model
  }

  private func lastly(_ id: UserID) -> SlowSight? {
    lastly { $0.users.contains { $0.id == id } }
  }

  private func lastly(_ id: DepartmentID) -> SlowSight? {
    lastly { $0.departments.contains { $0.id == id } }
  }

  /// What is shown of records as they are, or were when they were last there, all in one tree.
  var now: SlowSight {
    var model = self
    (model.company, model.isFormer) = (last, false)
    return model
  }

  // MARK: Viewers

  private var isUnderstood: Bool {
    if flaw == .notKnown { return true }
    let names = RecordKind.shownFields(today.fields) as Set<String>
    return rules.isUnderstood && rules.rules.allSatisfy { $0.fields.allSatisfy(names.contains) }
  }

  func isIn(_ department: DepartmentID, or above: DepartmentID, _ company: MarkedCompany) -> Bool {
    var next: DepartmentID? = department
    while let current = next {
      if current == above { return true }
      next = company.departments.first { $0.id == current }?.parent
    }
    return false
  }

  private func ownPlaces(_ id: UserID) -> [MembershipRecord] {
    let own = today.places(of: id)
    return flaw == .onEverything ? own.filter(SlowSight(rules, viewer, today).shows) : own
  }

  func fits(_ viewers: VisibilityRule.Viewers) -> Bool {
    switch (viewer, viewers) {
    case (.device(let name), .device(let other)): return name == other
    case (.person(let id), _):
      guard let user = today.users.first(where: { $0.id == id }) else { return false }
      var own = ownPlaces(id)
      switch viewers {
      case .everybody: return true
      case .department(let department):
        if flaw == .anyOwnPlace { own.removeAll { $0.department != user.primaryDepartment } }
        return own.contains { isIn($0.department, or: department, today) }
      case .person(let person): return person == id
      case .group(let name): return rules.groups[name]?.contains(id) == true
      case .leads: return own.contains(where: \.leads)
      case .people(let field, let value): return today.values(of: user, field).contains(value)
      case .device: return false
      }
    default: return false
    }
  }

  // MARK: Targets

  private func fits(_ targets: VisibilityRule.Targets, person id: UserID) -> Bool {
    guard case .person(let me) = viewer else {
      switch targets {
      case .person(let person): return person == id
      case .people(let field, let value):
        return company.users.first { $0.id == id }
          .map { company.values(of: $0, field).contains(value) } ?? false
      default: return false
      }
    }
    switch targets {
    case .person(let person): return person == id
    case .people(let field, let value):
      return company.users.first { $0.id == id }
        .map { company.values(of: $0, field).contains(value) } ?? false
    case .colleagues:
      return company.places(of: id).contains { place in
        ownPlaces(me).contains { $0.department == place.department }
      }
    default: return false
    }
  }

  private func fits(_ targets: VisibilityRule.Targets, department id: DepartmentID) -> Bool {
    let own: [MembershipRecord]
    if case .person(let me) = viewer { own = ownPlaces(me) } else { own = [] }
    switch targets {
    case .everything: return true
    case .department(let department): return isIn(id, or: department, company)
    case .ownDepartments: return own.contains { isIn(id, or: $0.department, company) }
    case .ledDepartments: return own.contains { $0.leads && isIn(id, or: $0.department, company) }
    default: return false
    }
  }

  // MARK: Places

  private var ofPlaces: [VisibilityRule] {
    let mine = rules.rules.filter { $0.fields.isEmpty && fits($0.viewers) }
    return flaw == .order ? mine.reversed() : mine
  }

  private var usual: VisibilityRule.Effect { flaw == .failsClosed ? .show : .hide }

  func effect(of id: DepartmentID) -> VisibilityRule.Effect {
    guard isUnderstood else { return .hide }
    return ofPlaces.first { fits($0.targets, department: id) }?.effect ?? usual
  }

  private func effect(of place: MembershipRecord) -> VisibilityRule.Effect {
    isUnderstood ? decides(place)?.effect ?? usual : .hide
  }

  /// Where in the list the rule is that decides of a place.
  func rule(of place: MembershipRecord) -> Int? {
    decides(place).flatMap { rules.rules.firstIndex(of: $0) }
  }

  private func decides(_ place: MembershipRecord) -> VisibilityRule? {
    let isPrimary =
      company.users.first { $0.id == place.user }?.primaryDepartment == place.department
    return ofPlaces.first {
      fits($0.targets, department: place.department)
        || fits($0.targets, person: place.user) && (flaw != .personMeansAllPlaces || isPrimary)
    }
  }

  func shows(_ place: MembershipRecord) -> Bool {
    let effect = effect(of: place)
    guard effect == .show || effect == .unlist && flaw == .unlisted else { return false }
    guard let lastly = lastly(place.user) else { return true }
    guard lastly.shows(place.user) else { return false }
    let same = lastly.company.memberships.first { $0.key == place.key }
    return same.map(lastly.shows) ?? true
  }

  func shows(_ id: UserID) -> Bool {
    company.places(of: id).contains(where: shows)
  }

  /// Who has no place that is shown, and one where a rule has them unlisted.
  func isUnlisted(_ id: UserID) -> Bool {
    !shows(id) && company.places(of: id).contains { effect(of: $0) == .unlist }
  }

  enum Showing { case whole, stub, nothing }

  func showing(_ id: DepartmentID) -> Showing {
    var isShown = effect(of: id) == .show
    if let lastly = lastly(id) { isShown = isShown && lastly.effect(of: id) == .show }
    if isShown { return .whole }
    let isAbovePeople = company.memberships.contains { $0.department == id && shows($0) }
    let isAboveDepartments = company.departments.contains {
      $0.parent == id && showing($0.id) != .nothing
    }
    return isAbovePeople || isAboveDepartments ? .stub : .nothing
  }

  // MARK: Fields

  private func shows(_ name: String, _ owner: RecordKind, _ fits: (VisibilityRule) -> Bool) -> Bool
  {
    let rule = rules.rules.first {
      $0.fields.contains(name) && self.fits($0.viewers) && fits($0)
    }
    if let rule { return rule.effect == .show }
    let field = company.fields.first { $0.owner == owner && $0.name == name }
    return field?.isVisible ?? true || flaw == .declaration
  }

  func shows(_ name: String, of id: DepartmentID) -> Bool {
    (showing(id) != .stub || flaw == .stub) && shows(name, ofWhole: id)
  }

  /// Whatever is shown of it.
  func shows(_ name: String, ofWhole id: DepartmentID) -> Bool {
    guard shows(name, .department, { fits($0.targets, department: id) }) else { return false }
    guard let lastly = lastly(id) else { return true }
    return lastly.shows(name, .department) { lastly.fits($0.targets, department: id) }
  }

  func shows(_ name: String, of id: UserID) -> Bool {
    let isShown = shows(name, .user) { rule in
      fits(rule.targets, person: id)
        || company.places(of: id).contains {
          fits(rule.targets, department: $0.department)
            && (flaw != .anyPlaceOfFields || shows($0))
        }
    }
    guard isShown, let lastly = lastly(id) else { return isShown }
    return lastly.shows(name, of: id)
  }

  /// The names of the fields that are hidden.
  func hidden(of id: UserID) -> Set<String> {
    Set(RecordKind.user.shownFields(company.fields).filter { !shows($0, of: id) })
  }

  func hidden(of id: DepartmentID) -> Set<String> {
    Set(RecordKind.department.shownFields(company.fields).filter { !shows($0, of: id) })
  }

  /// The declared values of the viewer's own card.
  func ownValues(_ me: UserRecord) -> FieldValues {
    func isForOneself(_ name: String) -> Bool {
      flaw == .notForOneself || company.fields.contains { $0.name == name && $0.isForOneself }
    }
    return left(of: me.fields, besides: me.id) {
      isForOneself($0) && (flaw != .ownCard || shows($0, of: me.id))
    }
  }

  /// Who beside the viewer leads the departments of the viewer's own card.
  func ownLeaders(_ me: UserID) -> [DepartmentID: Set<UserID>] {
    company.places(of: me).reduce(into: [:]) { leaders, own in
      let others = company.memberships.filter { place in
        guard place.department == own.department, place.leads, place.user != me else {
          return false
        }
        return flaw == .leadsOfOthers
          ? shows(place.user) : shows(place) && shows("leads", of: place.user)
      }
      leaders[own.department] = Set(others.map(\.user))
    }
  }

  // MARK: What is left

  /// A company of which nothing else was ever there; hidden values are empty in it.
  func visible() throws -> MarkedCompany {
    var seen = company
    seen.departments.removeAll { showing($0.id) == .nothing }
    seen.memberships.removeAll { !shows($0) }
    seen.users.removeAll { !shows($0.id) }
    for index in seen.departments.indices {
      let id = seen.departments[index].id
      if !shows("description", of: id) { seen.departments[index].description = "" }
      if !shows("sort_order", of: id) { seen.departments[index].sortOrder = 0 }
      seen.departments[index].fields = left(of: seen.departments[index].fields) {
        shows($0, of: id)
      }
    }
    for index in seen.users.indices {
      let id = seen.users[index].id
      for field in Field.contacts where !shows(field.name, of: id) {
        seen.users[index].contacts[field] = ""
      }
      seen.users[index].fields = left(of: seen.users[index].fields) { shows($0, of: id) }
    }
    for index in seen.memberships.indices {
      let id = seen.memberships[index].user
      if !shows("title", of: id) { seen.memberships[index].title = "" }
      if !shows("sort_order", of: id) { seen.memberships[index].sortOrder = 0 }
      if !shows("leads", of: id) { seen.memberships[index].leads = false }
    }
    // Of a directory without records fields are as those of a record of which no rule says anything.
    seen.fields.removeAll { field in
      switch field.owner {
      case .department where seen.departments.isEmpty:
        !shows(field.name, field.owner) { $0.targets == .everything }
      case .department: !seen.departments.contains { shows(field.name, of: $0.id) }
      case _ where seen.users.isEmpty:
        !shows(field.name, field.owner) { $0.targets == .everything }
      default: !seen.users.contains { shows(field.name, of: $0.id) }
      }
    }
    try choosePrimaryPlaces(&seen)
    return seen
  }

  /// The first place in the order of the tree where the primary one is hidden.
  private func choosePrimaryPlaces(_ seen: inout MarkedCompany) throws {
    for index in seen.users.indices {
      let user = seen.users[index]
      let places = seen.memberships.filter { $0.user == user.id }.map(\.department)
      if !places.contains(user.primaryDepartment) {
        seen.users[index].primaryDepartment = places[flaw == .primary ? places.count - 1 : 0]
      }
    }
    if flaw == .primary { return }
    var rows: [(user: String, parent: String)] = []
    try Directory(seen.snapshot(), for: .everything).forEachRow(of: TreeRequest(opening: .all)) {
      guard $0.kind == .user, let parent = $0.parent else { return }
      rows.append((String(decoding: $0.id, as: UTF8.self), String(decoding: parent, as: UTF8.self)))
    }
    for index in seen.users.indices {
      let user = seen.users[index].id
      let primary = company.users.first { $0.id == user }?.primaryDepartment
      let places = rows.filter { $0.user == user.rawValue }.map { DepartmentID($0.parent) }
      seen.users[index].primaryDepartment = places.first { $0 == primary } ?? places[0]
    }
  }

  func left(
    of values: FieldValues,
    besides me: UserID? = nil,
    _ isShown: (String) -> Bool
  ) -> FieldValues {
    var left: [String: FieldValues.Value] = [:]
    for (name, value) in values.values ?? [:] where isShown(name) {
      let isPerson = company.fields.contains { $0.name == name && $0.kind == .person }
      guard isPerson, flaw != .namedPeople else {
        left[name] = value
        continue
      }
      let there = value.texts.filter { UserID($0) == me || shows(UserID($0)) }
      if there.isEmpty { continue }
      if case .several = value { left[name] = .several(there) } else { left[name] = .one(there[0]) }
    }
    return FieldValues(left)
  }
}

extension MembershipRecord {
  var key: MembershipKey { MembershipKey(user: user, department: department) }
}

extension MarkedCompany {
  /// Adds what was there and is not.
  mutating func addRemoved(of past: MarkedCompany) {
    let there = (Set(departments.map(\.id)), Set(users.map(\.id)))
    departments += past.departments.filter { !there.0.contains($0.id) }
    let removed = past.users.filter { !there.1.contains($0.id) }
    users += removed
    memberships += removed.flatMap { past.places(of: $0.id) }
  }

  func places(of id: UserID) -> [MembershipRecord] { memberships.filter { $0.user == id } }

  /// The values of a person's field.
  func values(of user: UserRecord, _ field: String) -> [String] {
    switch field {
    case "id": [user.id.rawValue]
    case "name": [user.name]
    case "title": places(of: user.id).map(\.title)
    default:
      Field.contacts.first { $0.name == field }.map { [user.contacts[$0]] }
        ?? user.fields.values?[field]?.texts ?? []
    }
  }
}

// MARK: Random rules

extension VisibilityRules {
  /// Rules about random departments, people, groups and values, of all kinds, in any order.
  init(of company: MarkedCompany, using generator: inout SeededGenerator) {
    func department() -> DepartmentID {
      company.departments.randomElement(using: &generator)?.id ?? DepartmentID("")
    }
    func person() -> UserID { company.users.randomElement(using: &generator)?.id ?? UserID("") }
    func value() -> (field: String, value: String) {
      let field = ["grade", "title", "name", "note"].randomElement(using: &generator) ?? ""
      let user = company.users.randomElement(using: &generator)
      let values = user.map { company.values(of: $0, field) } ?? []
      return (field, values.filter { !$0.isEmpty }.randomElement(using: &generator) ?? "none")
    }
    func viewers() -> VisibilityRule.Viewers {
      switch Int.random(in: 0..<12, using: &generator) {
      case 0...3: return .everybody
      case 4...6: return .department(department())
      case 7: return .person(person())
      case 8: return .group("g")
      case 9: return .leads
      case 10:
        let (field, value) = value()
        return .people(field: field, value: value)
      default: return .device("lobby")
      }
    }
    func targets() -> VisibilityRule.Targets {
      switch Int.random(in: 0..<14, using: &generator) {
      case 0...4: return .department(department())
      case 5, 6: return .person(person())
      case 7: return .ownDepartments
      case 8: return .ledDepartments
      case 9: return .colleagues
      case 10, 11:
        let (field, value) = value()
        return .people(field: field, value: value)
      case 12: return .department(DepartmentID("nowhere"))
      default: return .everything
      }
    }
    let names = Array(RecordKind.shownFields(company.fields) as Set<String>).sorted()
    var rules: [VisibilityRule] = []
    for _ in 0..<Int.random(in: 2...14, using: &generator) {
      let isOfFields = Int.random(in: 0..<2, using: &generator) == 0
      let effects: [VisibilityRule.Effect] =
        isOfFields ? [.show, .hide] : [.show, .hide, .hide, .unlist]
      let effect = effects.randomElement(using: &generator) ?? .hide
      let fields = isOfFields ? names.shuffled(using: &generator).prefix(3) : []
      var rule = VisibilityRule(effect, fields: Array(fields), targets(), viewers())
      if !isOfFields, rule.targets == .everything { rule.viewers = .device("lobby") }
      if effect == .unlist { rule.targets = .person(person()) }
      rules.append(rule)
    }
    let bases: [VisibilityRule] = [
      .base, .base, .base, VisibilityRule(.show, .ownDepartments, .everybody),
      VisibilityRule(.hide, .everything, .everybody),
    ]
    rules.append(bases.randomElement(using: &generator) ?? .base)
    if Bool.random(using: &generator) {
      rules.append(VisibilityRule(.show, .department(department()), .device("lobby")))
    }
    let group = company.users.map(\.id).filter { _ in Bool.random(using: &generator) }
    self.init(rules, groups: ["g": Set(group)])
  }
}

extension MarkedCompany {
  /// Some people, and a device.
  func viewers(_ count: Int, using generator: inout SeededGenerator) -> [Viewer] {
    users.shuffled(using: &generator).prefix(count).map { .person($0.id) } + [.device("lobby")]
  }
}
