import DirectoryModel
import DirectorySnapshot
import DirectoryTestSupport
import Seeds
import Testing

@testable import DirectoryReading
@testable import VisibilityModel

@Suite("Why a person is seen, and what other rules would change")
struct VisibilityQuestionsTests {
  @Test(arguments: newSeeds(4))
  func `an explanation names the rule that the sentences name`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let company = try MarkedCompany(using: &generator)
    let rules = VisibilityRules(of: company, using: &generator)
    let snapshot = try company.snapshot()
    for viewer in company.viewers(4, using: &generator) {
      let model = SlowSight(rules, viewer, company)
      for user in company.users.shuffled(using: &generator).prefix(20) {
        let explanation = try #require(
          try rules.explanation(of: .person(user.id), for: viewer, in: snapshot)
        )
        #expect(explanation.cause == nil)
        #expect(explanation.isShown == model.shows(user.id), "seed \(seed)")
        #expect(explanation.isUnlisted == model.isUnlisted(user.id), "seed \(seed)")
        #expect(explanation.isOneself == (viewer == .person(user.id)))
        for place in explanation.places {
          let membership = try #require(
            company.places(of: user.id).first { $0.department == place.department }
          )
          #expect(place.decision.rule == model.rule(of: membership), "seed \(seed)")
        }
        #expect(explanation.places.count == company.places(of: user.id).count)
        let hidden = explanation.fields.filter { !$0.isShown }.map(\.name)
        #expect(Set(hidden) == model.hidden(of: user.id), "seed \(seed)")
      }
      for department in company.departments {
        let explanation = try #require(
          try rules.explanation(of: .department(department.id), for: viewer, in: snapshot)
        )
        #expect(explanation.isShown == (model.effect(of: department.id) == .show))
        for field in explanation.fields {
          #expect(field.isShown == model.shows(field.name, ofWhole: department.id), "seed \(seed)")
        }
      }
    }
    #expect(try rules.explanation(of: .person(UserID("?")), for: .everything, in: snapshot) == nil)
  }

  @Test func `an explanation names the places by which viewer and target fit, and obstacles`()
    throws
  {
    var company = Company()
    for id in ["a", "b"] { try company.department(id) }
    try company.department("c", under: "b")
    try company.user("u", in: "a")
    try company.member("u", of: "c")
    try company.user("v", in: "a")
    let snapshot = try company.snapshot()
    var rules = VisibilityRules(
      try [
        "hide email of department b from department b", "show department b to department b",
        "show everything to everybody",
      ].map { try VisibilityRule(sentence: $0) }
    )
    let (u, v) = (Viewer.person(UserID("u")), Viewer.person(UserID("v")))
    func explain(_ viewer: Viewer) throws -> VisibilityExplanation {
      try #require(try rules.explanation(of: .person(UserID("u")), for: viewer, in: snapshot))
    }
    let own = try explain(u)
    let email = try #require(own.fields.first { $0.name == "email" })
    let c = DepartmentID("c")
    #expect(email.decision.rule == 0 && !email.isShown)
    #expect(email.decision.viewerPlace == c && email.decision.targetPlace == c)
    #expect(own.places.map(\.decision.rule) == [2, 1] && own.isOneself)
    #expect(own.places[1].decision.viewerPlace == c)
    #expect(try explain(v).fields.allSatisfy(\.isShown))
    #expect(try explain(.person(UserID("x"))).cause == .unknownViewer)
    rules.rules[0].fields = ["e-mail"]
    let unknown = try #require(rules.unknownFields([]).first)
    #expect(try explain(v).cause == .unknownField(unknown) && !explain(v).isShown)
    rules.isUnderstood = false
    #expect(try explain(v).cause == .unknownRule)
  }

  @Test func `an explanation says of which departments only the name is seen`() throws {
    var company = Company()
    try company.department("a")
    try company.department("b", under: "a")
    try company.department("c")
    try company.user("u", in: "b")
    company.records.visibility = VisibilityRules(
      try ["show department b to everybody", "hide everything from everybody"]
        .map { try VisibilityRule(sentence: $0) }
    )
    let directory = try company.directory()
    func explain(_ id: String) throws -> String? {
      let node = try #require(try directory.node(of: DepartmentID(id)))
      return try directory.explanation(at: node, for: .person(UserID("u")), named: "U").first
    }
    #expect(
      try explain("a")
        == "U sees only the id, name and parent of a, since something below it is shown"
    )
    #expect(try explain("b") == "U sees b")
    #expect(try explain("c") == "U does not see c")
  }

  @Test(arguments: newSeeds(6))
  func `a difference counts who loses and gains sight of how many`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let company = try MarkedCompany(using: &generator)
    let snapshot = try company.snapshot()
    let before = VisibilityRules(of: company, using: &generator)
    var after = before
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: after = VisibilityRules(of: company, using: &generator)
    case 1: after.rules.removeFirst()
    default: after.rules.insert(VisibilityRule(.hide, .ownDepartments, .everybody), at: 0)
    }
    struct Counts: Hashable { var (lost, gained) = (0, 0) }
    func seen(_ viewer: Viewer, _ rules: VisibilityRules) throws -> (Sight, Set<String>) {
      let sight = try rules.sight(of: viewer, in: snapshot)
      let directory = try Directory(snapshot, for: sight)
      return (sight, try Set((0..<directory.userCount).map { try directory.users.ids[$0] }))
    }
    var wanted: [Counts: Int] = [:]
    for viewer in company.users.map({ Viewer.person($0.id) }) + [.device("lobby")] {
      let (old, new) = (try seen(viewer, before), try seen(viewer, after))
      if old.0 == new.0 { continue }
      let counts = Counts(
        lost: old.1.subtracting(new.1).count,
        gained: new.1.subtracting(old.1).count
      )
      wanted[counts, default: 0] += 1
    }
    let difference = try before.difference(to: after, in: snapshot)
    var found: [Counts: Int] = [:]
    for group in difference.groups {
      found[Counts(lost: group.lost, gained: group.gained), default: 0] += group.viewers
    }
    #expect(found == wanted, "seed \(seed): \(before.rules) to \(after.rules)")
    #expect(try before.difference(to: before, in: snapshot).groups.isEmpty)
  }

  @Test(arguments: newSeeds(4))
  func `a difference counts people by fields, and finds unseen departments and blind leads`(
    seed: UInt64
  ) throws {
    var generator = SeededGenerator(seed: seed)
    let company = try MarkedCompany(using: &generator)
    let snapshot = try company.snapshot()
    let before = VisibilityRules(of: company, using: &generator)
    var after = before
    after.rules.insert(VisibilityRule(.hide, .department(company.departments[1].id), .leads), at: 0)
    after.rules.insert(VisibilityRule(.hide, fields: ["mobile"], .everything, .leads), at: 0)
    after.rules.insert(
      VisibilityRule(.hide, .department(company.departments[2].id), .everybody),
      at: 0
    )
    let difference = try before.difference(to: after, in: snapshot)
    for group in difference.groups {
      let old = SlowSight(before, group.example, company)
      let new = SlowSight(after, group.example, company)
      let people = company.users.map(\.id).filter { old.shows($0) && new.shows($0) }
      for (name, counts) in group.fields {
        let lost = people.count {
          !old.hidden(of: $0).contains(name) && new.hidden(of: $0).contains(name)
        }
        let gained = people.count {
          old.hidden(of: $0).contains(name) && !new.hidden(of: $0).contains(name)
        }
        #expect(counts.lost == lost && counts.gained == gained, "seed \(seed): \(name)")
      }
    }
    func isInside(_ id: DepartmentID, _ outer: DepartmentID) -> Bool {
      SlowSight(before, .everything, company).isIn(id, or: outer, company)
    }
    var (shown, stillShown): (Set<DepartmentID>, Set<DepartmentID>) = ([], [])
    var leads: Set<MembershipKey> = []
    for user in company.users {
      let models = [before, after].map { SlowSight($0, .person(user.id), company) }
      for department in company.departments.map(\.id) {
        if models[0].effect(of: department) == .show { shown.insert(department) }
        if models[1].effect(of: department) == .show { stillShown.insert(department) }
      }
      for led in company.memberships where led.user == user.id && led.leads {
        let below = company.memberships.filter {
          isInside($0.department, led.department)
        }
        let areAll = models.map { model in below.allSatisfy { model.shows($0) } }
        if areAll == [true, false] { leads.insert(led.key) }
      }
    }
    let unseen = shown.subtracting(stillShown)
    let uppermost = unseen.filter { id in
      !unseen.contains { $0 != id && isInside(id, $0) }
    }
    #expect(Set(difference.unseen) == uppermost, "seed \(seed)")
    let found = difference.leads.map { MembershipKey(user: $0.person, department: $0.department) }
    #expect(Set(found) == leads, "seed \(seed)")
  }

  @Test func `a difference names the fields of which the rules say something else`() throws {
    var generator = SeededGenerator(seed: 1)
    let company = try MarkedCompany(using: &generator)
    let snapshot = try company.snapshot()
    let after = VisibilityRules(
      try ["hide mobile of everything from everybody", "show everything to everybody"]
        .map { try VisibilityRule(sentence: $0) }
    )
    let groups = try VisibilityRules().difference(to: after, in: snapshot).groups
    // Badges were hidden before, and are still.
    #expect(
      groups.map(\.viewers) == [company.users.count] && groups[0].fields.keys.contains("mobile")
    )
    #expect(groups[0].lost == 0 && groups[0].gained == 0)
  }
}
