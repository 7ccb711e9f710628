import DirectoryModel
import Seeds
import Testing

@Suite("A visibility rule as a sentence")
struct VisibilityRuleTests {
  @Test func `names fields that are declared, can be hidden, or tell people apart`() throws {
    let declared = [
      Field(name: "site", of: .department, label: "Site"),
      Field(name: "grade", of: .user, label: "Grade"),
    ]
    let rules = VisibilityRules(
      try [
        "hide site, grade, phone, leads of everything from leads",
        "hide mobile of everything from leads",
        "hide id, name of everything from leads", "show people with name=A to people with id=b",
        "show people with grade=1 to people with site=2",
        "show everything to people with leads=true",
        "show everything to everybody",
      ].map { try VisibilityRule(sentence: $0) }
    )
    #expect(
      rules.unknownFields(declared).map(\.text) == [
        "rule 2 names the field mobile, which is not declared",
        "rule 3 names the field id, which is always shown",
        "rule 3 names the field name, which is always shown",
        "rule 5 names the field site, which cannot select people",
        "rule 6 names the field leads, which cannot select people",
      ]
    )
  }

  @Test(
    arguments: [
      ("show everything to everybody", .base),
      ("hide everything from everybody", VisibilityRule(.hide, .everything, .everybody)),
      (
        "hide mobile, email of department board from everybody",
        VisibilityRule(
          .hide,
          fields: ["mobile", "email"],
          .department(DepartmentID("board")),
          .everybody
        )
      ),
      (
        "show own departments to people with status=guest",
        VisibilityRule(.show, .ownDepartments, .people(field: "status", value: "guest"))
      ),
      ("show led departments to leads", VisibilityRule(.show, .ledDepartments, .leads)),
      ("hide colleagues from person u1", VisibilityRule(.hide, .colleagues, .person(UserID("u1")))),
      (
        "unlist people with status=agent for department sales",
        VisibilityRule(
          .unlist,
          .people(field: "status", value: "agent"),
          .department(DepartmentID("sales"))
        )
      ),
      (
        "unlist person 灯.美 for everybody",
        VisibilityRule(.unlist, .person(UserID("灯.美")), .everybody)
      ),
      ("unlist colleagues for leads", VisibilityRule(.unlist, .colleagues, .leads)),
      (
        #"show person "a b" to group "works council""#,
        VisibilityRule(.show, .person(UserID("a b")), .group("works council"))
      ),
      (
        #"show "of", "to" of department "from" to device "for""#,
        VisibilityRule(
          .show,
          fields: ["of", "to"],
          .department(DepartmentID("from")),
          .device("for")
        )
      ),
      (
        #"hide person "\"\\\"" from people with note="a, b=\"c\"""#,
        VisibilityRule(.hide, .person(UserID(#""\""#)), .people(field: "note", value: #"a, b="c""#))
      ),
    ] as [(String, VisibilityRule)]
  )
  func `is read and written alike`(_ sentence: String, _ rule: VisibilityRule) throws {
    #expect("\(rule)" == sentence)
    #expect(try VisibilityRule(sentence: sentence) == rule)
  }

  @Test func `may have more space and quotes than it needs`() throws {
    #expect(
      try VisibilityRule(
        sentence: "  hide\t\"mobile\" ,email  of person \"u1\" from everybody ",
        id: 7
      )
        == VisibilityRule(
          id: 7,
          .hide,
          fields: ["mobile", "email"],
          .person(UserID("u1")),
          .everybody
        )
    )
  }

  /// Names of every form in every place.
  @Test func `survives writing and reading, whatever it names`() throws {
    var generator = SeededGenerator(seed: 26)
    let parts = [
      "a", "Ü", "e\u{301}", "\u{301}", " ", "\t", "\n", "\"", "\\", ",", "=", "of", "to", "🕯",
    ]
    func name() -> String {
      (0...Int.random(in: 0...3, using: &generator))
        .map { _ in parts.randomElement(using: &generator) ?? "" }.joined()
    }
    for _ in 0..<5_000 {
      let targets: [VisibilityRule.Targets] = [
        .everything, .department(DepartmentID(name())), .person(UserID(name())), .ownDepartments,
        .ledDepartments, .colleagues, .people(field: name(), value: name()),
      ]
      let viewers: [VisibilityRule.Viewers] = [
        .everybody, .department(DepartmentID(name())), .person(UserID(name())), .group(name()),
        .leads, .people(field: name(), value: name()), .device(name()),
      ]
      let rule = VisibilityRule(
        Bool.random(using: &generator) ? .show : .hide,
        fields: (0..<Int.random(in: 0...2, using: &generator)).map { _ in name() },
        targets.randomElement(using: &generator) ?? .everything,
        viewers.randomElement(using: &generator) ?? .everybody
      )
      let read = try VisibilityRule(sentence: "\(rule)")
      #expect(read == rule, "\(rule)")
      #expect(Array("\(read)".utf8) == Array("\(rule)".utf8))
    }
  }

  @Test(
    arguments: [
      ("", #"expected "show", "hide" or "unlist" at the end"#),
      ("allow everything to everybody", #"expected "show", "hide" or "unlist" instead of "allow""#),
      (
        "show floor to everybody",
        """
        expected "everything", "department", "person", "own", "led", "colleagues" or "people" \
        instead of "floor"
        """
      ),
      (
        "show \"everything\" to everybody",
        """
        expected "everything", "department", "person", "own", "led", "colleagues" or "people" \
        instead of "everything"
        """
      ),
      (
        "hide mobile email of person u1 from everybody", #"expected "of" instead of "email""#
      ),
      ("hide mobile, of person u1 from everybody", #"expected "of" instead of "person""#),
      ("hide , of person u1 from everybody", #"expected a field instead of ",""#),
      ("hide own from everybody", #"expected "departments" instead of "from""#),
      ("hide department", "expected a department's id at the end"),
      ("hide person \"\" from everybody", #"expected a person's id instead of """#),
      ("hide everything to everybody", #"expected "from" instead of "to""#),
      ("show everything from everybody", #"expected "to" instead of "from""#),
      (
        "show everything to all",
        """
        expected "everybody", "department", "person", "group", "leads", "people" or "device" \
        instead of "all"
        """
      ),
      ("show everything to group =", #"expected the name of a group instead of "=""#),
      ("show everything to device", "expected the name of a device at the end"),
      ("show everything to people in a=b", #"expected "with" instead of "in""#),
      ("show everything to people with a b", #"expected "=" instead of "b""#),
      ("show everything to people with a=", "expected a value at the end"),
      ("show everything to everybody here", #"expected the end of the rule instead of "here""#),
      ("show person \"u1 to everybody", "a double quote is missing at the end"),
      ("show person \"u1\\", "a double quote is missing at the end"),
      ("unlist everything for everybody", "only people can be unlisted, with all their fields"),
      (
        "unlist mobile of person u1 for everybody",
        "only people can be unlisted, with all their fields"
      ),
    ]
  )
  func `that cannot be read is refused with the reason`(_ sentence: String, _ reason: String) {
    let error = #expect(throws: VisibilityRuleError.self) {
      try VisibilityRule(sentence: sentence)
    }
    #expect(error?.explanation == reason)
  }

  @Test func `means the same records where it stays in a text, and others where it is new`() throws
  {
    let (first, second) = (RecordIdentity("first"), RecordIdentity("second"))
    let (lin, bo) = (UserID("lin"), UserID("bo"))
    let former = VisibilityRules(
      [
        VisibilityRule(id: 1, .hide, .person(lin), .everybody, targetIdentity: first),
        VisibilityRule(
          id: 2,
          .show,
          .person(lin),
          .person(bo),
          targetIdentity: first,
          viewerIdentity: second
        ), .base,
      ],
      groups: ["g": [lin, bo], "h": [lin]],
      memberIdentities: ["g": [lin: first, bo: second], "h": [lin: first]]
    )
    let read = try VisibilityRules(
      text: """
        group g = lin, max
        group i = lin
        show person lin to person bo
        hide person lin from leads
        show everything to everybody
        """,
      after: former
    )
    #expect(read.rules.map(\.id) == [2, 0, 0])
    #expect(read.rules[0] == former.rules[1])
    #expect(read.rules[1].targetIdentity == nil)
    #expect(read.memberIdentities == ["g": [lin: first]])
    var changed = former.rules[0]
    (changed.targets, changed.targetIdentity) = (.person(bo), nil)
    #expect(changed.keepingIdentities(of: former.rules[0]).targetIdentity == nil)
    changed.targets = .person(lin)
    #expect(changed.keepingIdentities(of: former.rules[0]) == former.rules[0])
    changed.targetIdentity = second
    #expect(changed.keepingIdentities(of: former.rules[0]).targetIdentity == second)
  }

  @Test func `belongs to a list with a base, of fields that can be there, each once`() {
    func fault(_ rules: VisibilityRule...) -> String? { VisibilityRules(rules).fault }
    let base =
      "the last rule must be \"show everything to everybody\", "
      + "\"show own departments to everybody\" or \"hide everything from everybody\""
    #expect(fault(.base) == nil)
    #expect(fault(VisibilityRule(.hide, .everything, .everybody)) == nil)
    #expect(fault() == base)
    #expect(fault(.base, VisibilityRule(.show, .everything, .leads)) == base)
    #expect(fault(VisibilityRule(.show, fields: ["mobile"], .everything, .everybody)) == base)
    for (targets, viewers, fields) in [
      (.everything, .leads, ["Mobile"]), (.people(field: "a b", value: "x"), .leads, []),
      (.everything, .people(field: "", value: "x"), []),
    ] as [(VisibilityRule.Targets, VisibilityRule.Viewers, [String])] {
      #expect(
        fault(VisibilityRule(.hide, fields: fields, targets, viewers), .base)?
          .hasSuffix("is not the name of a field") == true
      )
    }
    let rule = VisibilityRule(id: 3, .hide, .colleagues, .leads)
    #expect(fault(rule, rule, .base) == "a rule occurs twice")
    #expect(VisibilityRules(isUnderstood: false).fault != nil)
  }
}

@Suite("Undoing changes of visibility rules")
struct VisibilityUndoingTests {
  private typealias State = VisibilityChange.State

  private static func rule(_ id: Int64, _ name: String = "a") -> VisibilityRule {
    VisibilityRule(id: id, .hide, .person(UserID(name)), .everybody)
  }

  private func undone(
    _ present: VisibilityRules.States,
    _ changes: VisibilityChange...,
    force: Bool = false
  ) -> VisibilityUndoPlan {
    var undoing = VisibilityUndoPlan(present: present, force: force)
    for change in changes { undoing.takeBack(change) }
    return undoing
  }

  @Test func `leaves alone what was changed again since, sentence and place each for itself`() {
    let (old, new) = (State(rule: Self.rule(1), place: 0), State(rule: Self.rule(1, "b"), place: 0))
    let change = VisibilityChange(.rule(1), from: old, to: new)
    #expect(undone([.rule(1): new], change).states == [.rule(1): old])
    #expect(undone([.rule(1): old], change).conflicts == [])
    var moved = new
    moved.place = 20
    var back = undone([.rule(1): moved], change)
    #expect(back.states == [.rule(1): State(rule: Self.rule(1), place: 20)])
    #expect(back.conflicts == [])
    var other = new
    other.rule = Self.rule(1, "c")
    back = undone([.rule(1): other], change)
    #expect(back.states == [.rule(1): other])
    #expect(back.conflicts == [change])
    back = undone([.rule(1): other], change, force: true)
    #expect(back.states == [.rule(1): old])
    #expect(undone([:], change).conflicts == [change])
  }

  @Test func `brings back whom a rule meant, and where that is not known whom it means`() {
    let (first, second) = (RecordIdentity("first"), RecordIdentity("second"))
    typealias State = VisibilityChange.State
    func state(_ effect: VisibilityRule.Effect, _ identity: RecordIdentity?) -> State {
      State(
        rule: VisibilityRule(
          id: 1,
          effect,
          .person(UserID("lin")),
          .everybody,
          targetIdentity: identity
        )
      )
    }
    func takenBack(_ change: (State?, State?), now: State?) -> State? {
      var states: VisibilityRules.States = [:]
      states[.rule(1)] = now
      var plan = VisibilityUndoPlan(present: states, force: false)
      plan.takeBack(VisibilityChange(.rule(1), from: change.0, to: change.1))
      #expect(plan.conflicts.isEmpty)
      return plan.states[.rule(1)]
    }
    // It was removed, or confirmed.
    #expect(takenBack((state(.hide, first), nil), now: nil) == state(.hide, first))
    #expect(
      takenBack((state(.hide, first), state(.hide, second)), now: state(.hide, second))
        == state(.hide, first)
    )
    // History had no identities yet.
    #expect(
      takenBack((state(.hide, nil), state(.show, nil)), now: state(.show, first))
        == state(.hide, first)
    )
    #expect(takenBack((nil, state(.show, nil)), now: state(.show, first)) == nil)
    let subject = VisibilityChange.Subject.member(UserID("lin"), group: "g")
    var plan = VisibilityUndoPlan(present: [:], force: false)
    plan.takeBack(VisibilityChange(subject, from: State(identity: first), to: nil))
    #expect(VisibilityRules(plan.states).memberIdentities == ["g": [UserID("lin"): first]])
  }

  @Test func `brings back and removes, if nothing is in the way`() {
    let state = State(rule: Self.rule(1), place: 0)
    let member = VisibilityChange.Subject.member(UserID("u1"), group: "g")
    let added = VisibilityChange(.rule(1), from: nil, to: state)
    let left = VisibilityChange(member, from: State(), to: nil)
    #expect(undone([.rule(1): state], added, left).states == [member: State()])
    #expect(undone([:], added, left).conflicts == [])
    let other = State(rule: Self.rule(1, "b"), place: 0)
    #expect(undone([.rule(1): other], added).conflicts == [added])
  }
}
