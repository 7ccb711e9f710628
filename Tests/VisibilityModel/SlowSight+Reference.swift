import DirectoryModel
import Seeds

extension SlowSight {
  /// A directory that holds nothing but what a device may see, and the rules by which it says so.
  ///
  /// The rules hide nothing else: stubs are known as such, and hidden fields, which have no values there,
  /// as hidden. People who are unlisted are in a department of their own that is not shown.
  func reference() throws -> (company: MarkedCompany, rules: VisibilityRules) {
    var (seen, rules) = (try visible(), [VisibilityRule]())
    let lobby = VisibilityRule.Viewers.device("lobby")
    func add(_ targets: VisibilityRule.Targets, _ hidden: Set<String>, _ kind: RecordKind) {
      let names = kind.shownFields(company.fields)
      for (effect, fields) in [
        (VisibilityRule.Effect.hide, names.filter(hidden.contains)),
        (.show, names.filter { !hidden.contains($0) }),
      ] where !fields.isEmpty {
        rules.append(VisibilityRule(effect, fields: fields, targets, lobby))
      }
    }
    for user in company.users where shows(user.id) {
      rules.append(VisibilityRule(.show, .person(user.id), lobby))
      add(.person(user.id), hidden(of: user.id), .user)
    }
    let unlisted = company.users.filter { isUnlisted($0.id) }
    for user in unlisted {
      rules.append(VisibilityRule(.unlist, .person(user.id), lobby))
      add(.person(user.id), hidden(of: user.id), .user)
      var own = user
      own.primaryDepartment = Self.unlisted
      for field in Field.contacts where !shows(field.name, of: user.id) {
        own.contacts[field] = ""
      }
      own.fields = left(of: user.fields) { shows($0, of: user.id) }
      seen.users.append(own)
      seen.memberships.append(MembershipRecord(user: user.id, department: Self.unlisted))
    }
    if !unlisted.isEmpty {
      seen.departments.append(DepartmentRecord(id: Self.unlisted, parent: nil, name: "Unlisted"))
    }
    // Those below come first, since a rule about a department is about all below it.
    for department in company.departments.sorted(by: { level($0) > level($1) }) {
      let showing = showing(department.id)
      if showing == .nothing { continue }
      let effect: VisibilityRule.Effect = showing == .whole ? .show : .hide
      rules.append(VisibilityRule(effect, .department(department.id), lobby))
      if showing == .whole {
        add(.department(department.id), hidden(of: department.id), .department)
      }
    }
    seen.fields = company.fields
    rules.append(VisibilityRule(.hide, .everything, .everybody))
    return (seen, VisibilityRules(rules))
  }

  private static let unlisted = DepartmentID("d-unlisted")

  private func level(_ department: DepartmentRecord) -> Int {
    var (level, next) = (0, department.parent)
    while let current = next {
      level += 1
      next = company.departments.first { $0.id == current }?.parent
    }
    return level
  }
}

extension VisibilityRules {
  /// Rules of all kinds for a device, by which some of a company is shown and some is not.
  init(
    forDeviceOf company: MarkedCompany,
    using generator: inout SeededGenerator
  ) throws {
    var rules: VisibilityRules
    var attempts = 0
    repeat {
      attempts += 1
      rules = VisibilityRules(of: company, using: &generator)
      rules.groups = [:]
      rules.rules.removeAll { $0.fields.isEmpty && $0.targets == .everything }
      // A stub, and a person who is unlisted. Where all people of a small company are in the department
      // that is hidden here, no other rule shows any of them: a run of the tests never ended.
      var first: [VisibilityRule] = []
      let below = company.departments.filter { $0.parent != nil }
      if let department = below.randomElement(using: &generator), let parent = department.parent {
        first.append(VisibilityRule(.show, .department(department.id), .everybody))
        first.append(VisibilityRule(.hide, .department(parent), .everybody))
      }
      if let user = company.users.randomElement(using: &generator) {
        first.insert(VisibilityRule(.unlist, .person(user.id), .everybody), at: 0)
      }
      if attempts <= 20 { rules.rules.insert(contentsOf: first, at: 0) }
      for index in rules.rules.indices { rules.rules[index].viewers = .device("lobby") }
      if Bool.random(using: &generator) {
        rules.rules.append(VisibilityRule(.show, .everything, .device("lobby")))
      }
      rules.rules.append(VisibilityRule(.hide, .everything, .everybody))
      let model = SlowSight(rules, .device("lobby"), company)
      if company.users.contains(where: { model.shows($0.id) }) { break }
    } while !company.users.isEmpty
    self = rules
  }
}
