import DirectoryModel
import DirectorySnapshot
import DirectoryTestSupport
import Testing

@testable import DirectoryReading

private let (old, new) = (RecordIdentity("old"), RecordIdentity("new"))
private let (lin, bo) = (UserID("lin"), UserID("bo"))

/// A company in which `lin` manages `bo`, and the department `d` has `ann`; who and what that is may differ.
private func makeCompany(
  person: RecordIdentity? = nil,
  department: RecordIdentity? = nil
) throws -> Company {
  var company = Company()
  company.records.fields = [
    Field(name: "manager", of: .user, kind: .person, label: "Manager")
  ]
  let departments: [(String, RecordIdentity?)] = [("a", nil), ("d", department)]
  for (id, identity) in departments {
    var record = DepartmentRecord(id: DepartmentID(id), parent: nil, name: id)
    record.identity = identity
    try company.records.departments.append(record)
  }
  let people: [(String, String, RecordIdentity?)] = [
    ("lin", "a", person), ("bo", "a", nil), ("ann", "d", nil),
  ]
  for (id, place, identity) in people {
    var record = UserRecord(
      id: UserID(id),
      primaryDepartment: DepartmentID(place),
      name: id,
      fields: id == "bo" ? FieldValues(["manager": .one("lin")]) : .none
    )
    record.identity = identity
    try company.records.users.append(record)
    try company.member(id, of: place)
  }
  return company
}

/// Rules of which the first means `old` by its targets, or by its viewers.
private func makeRules(
  _ sentence: String,
  base: String = "hide everything from everybody",
  viewers: Bool = false
) throws -> VisibilityRules {
  var rules = VisibilityRules(try [sentence, base].map { try VisibilityRule(sentence: $0) })
  if viewers {
    rules.rules[0].viewerIdentity = old
  } else {
    rules.rules[0].targetIdentity = old
  }
  return rules
}

private func seen(
  _ rules: VisibilityRules,
  by viewer: UserID = UserID("ann"),
  _ company: Company
) throws -> [String] {
  let snapshot = try company.snapshot()
  let directory = try Directory(snapshot, for: rules.sight(of: .person(viewer), in: snapshot))
  return try (0..<directory.userCount).map { try directory.users.ids[$0] }.sorted()
}

@Suite("A record that was given the id of another")
struct NamesakeTests {
  private static let holders: [(RecordIdentity?, isMeant: Bool)] = [
    (nil, true), (old, true), (new, false),
  ]

  @Test func `is not shown by a rule about the one before`() throws {
    for (holder, isMeant) in Self.holders {
      let person = try makeCompany(person: holder)
      #expect(
        try seen(makeRules("show person lin to everybody"), person) == (isMeant ? ["lin"] : [])
      )
      #expect(
        try seen(makeRules("show people with id=lin to everybody"), person)
          == (isMeant ? ["lin"] : [])
      )
      #expect(
        try seen(makeRules("show people with manager=lin to everybody"), person)
          == (isMeant ? ["bo"] : [])
      )
      let department = try makeCompany(department: holder)
      #expect(
        try seen(makeRules("show department d to everybody"), by: bo, department)
          == (isMeant ? ["ann"] : [])
      )
    }
  }

  @Test func `sees nothing by a rule for the one before`() throws {
    for (holder, isMeant) in Self.holders {
      let all = isMeant ? ["ann", "bo", "lin"] : []
      let person = try makeCompany(person: holder)
      let toPerson = try makeRules("show everything to person lin", viewers: true)
      #expect(try seen(toPerson, by: lin, person) == all)
      let toPeople = try makeRules("show everything to people with manager=lin", viewers: true)
      #expect(try seen(toPeople, by: bo, person) == all)
      let department = try makeCompany(department: holder)
      let toDepartment = try makeRules("show everything to department d", viewers: true)
      #expect(try seen(toDepartment, department) == all)
    }
  }

  @Test func `is hidden by a rule about the one before, until it is confirmed`() throws {
    let base = "show everything to everybody"
    for (holder, _) in Self.holders {
      let person = try makeCompany(person: holder)
      #expect(
        try seen(makeRules("hide person lin from everybody", base: base), person) == ["ann", "bo"]
      )
      #expect(
        try seen(makeRules("unlist people with manager=lin for everybody", base: base), person)
          == ["ann", "lin"]
      )
      let blind = try makeRules("hide everything from person lin", base: base, viewers: true)
      #expect(try seen(blind, by: lin, person) == [])
      let department = try makeCompany(department: holder)
      #expect(
        try seen(makeRules("hide department d from everybody", base: base), by: bo, department)
          == ["bo", "lin"]
      )
    }
  }

  @Test func `is in none of the groups of the one before`() throws {
    for (effect, base) in [
      ("show everything to group g", "hide everything from everybody"),
      ("hide everything from group g", "show everything to everybody"),
    ] {
      for (holder, isMeant) in Self.holders {
        var rules = VisibilityRules(try [effect, base].map { try VisibilityRule(sentence: $0) })
        rules.groups = ["g": [lin]]
        rules.memberIdentities = ["g": [lin: old]]
        let isShown = try !seen(rules, by: lin, makeCompany(person: holder)).isEmpty
        #expect(isShown == (effect.hasPrefix("show") == isMeant), "\(effect) \(isMeant)")
      }
    }
  }

  @Test func `leaves the past of the one before to the rule`() throws {
    let snapshot = try makeCompany(person: new).snapshot()
    let former = Sight.Targets.person(UserID.former("lin", old))
    let (show, hide) = (
      try makeRules("show person lin to everybody").sight(of: .device("x"), in: snapshot),
      try makeRules("hide person lin from everybody", base: "show everything to everybody")
        .sight(of: .person(bo), in: snapshot)
    )
    // A device is not everybody.
    #expect(show.places.isEmpty)
    #expect(
      hide.places == [
        Sight.Places(.person(lin), .hidden), Sight.Places(former, .hidden),
        Sight.Places(.everything, .shown),
      ]
    )
    let shown = try makeRules("show person lin to everybody").sight(of: .person(bo), in: snapshot)
    #expect(shown.places == [Sight.Places(former, .shown)])
    let values = try makeRules("show people with manager=lin to everybody")
      .sight(of: .person(bo), in: snapshot)
    let formerValue = ItemText(UserID.former("lin", old).rawValue)
    #expect(
      values.places == [Sight.Places(.people(field: "manager", value: formerValue), .shown)]
    )
    // The same where no record has the id.
    let gone = try makeRules("show person gone to everybody").sight(of: .person(bo), in: snapshot)
    #expect(gone.places == [Sight.Places(.person(UserID.former("gone", old)), .shown)])
  }

  @Test func `is named by explanations, comments and the doctor`() throws {
    var company = try makeCompany(person: new)
    var rules = try makeRules("show person lin to everybody")
    rules.rules.insert(
      VisibilityRule(
        .hide,
        fields: ["title"],
        .person(lin),
        .everybody,
        targetIdentity: old
      ),
      at: 0
    )
    rules.groups = ["g": [lin, bo]]
    rules.memberIdentities = ["g": [lin: old, bo: old]]
    company.records.visibility = rules
    let directory = try company.directory()
    let node = try #require(try directory.node(of: .person(lin)))
    let lines = try directory.explanation(at: node, for: .person(bo), named: "Bo")
    #expect(
      lines.first == "Bo does not see lin"
        && lines.contains(
          "  title: hidden by rule 1, hide title of person lin from everybody "
            + "(until it is confirmed, since person lin is another one by now)"
        )
    )
    #expect(
      lines.last
        == "  rule 2, show person lin to everybody, does not apply: person lin is another one by now"
    )
    #expect(directory.names(in: rules.rules[1]) == "lin (another person has this id now)")
    #expect(
      directory.namesakes(inGroup: "g", of: rules)
        == "not in the group, since another person has the id now: lin"
    )
    let found = try directory.namesakes(of: rules)
    #expect(found.rules.map(\.place) == [1, 2] && found.rules.map(\.holds) == [true, false])
    #expect(found.groups.map(\.name) == ["g"] && found.groups.first?.people == [lin])
    // What sleeps comes before nothing.
    rules.rules.insert(rules.rules[1], at: 2)
    #expect(try directory.warnings(of: rules).isEmpty)
  }

  @Test func `is meant once the rule is confirmed, which is a difference`() throws {
    let company = try makeCompany(person: new)
    let (directory, snapshot) = (try company.directory(), try company.snapshot())
    let former = try makeRules("show person lin to everybody")
    var confirmed = former
    confirmed.rules[0] = try directory.confirmed(former.rules[0])
    #expect(confirmed.rules[0].targetIdentity == new)
    #expect(try seen(confirmed, company) == ["lin"])
    let difference = try former.difference(to: confirmed, in: snapshot)
    #expect(difference.groups.map(\.gained) == [1] && difference.groups.map(\.lost) == [0])
    let gone = VisibilityRule(.show, .person(UserID("gone")), .everybody, targetIdentity: old)
    #expect(try directory.confirmed(gone) == gone)
  }
}
