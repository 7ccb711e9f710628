import DirectoryModel
import DirectorySnapshot
import DirectoryTestSupport
import Testing

@testable import DirectoryReading

/// What the documentation of other directories says can be set, as rules.
@Suite("Rules as other directories have them")
struct VisibilityExampleTests {
  /// A group of two companies with a board, a works council, guests, and an executive in both.
  private static func company() throws -> DirectorySnapshot {
    var company = Company()
    company.records.fields = [
      Field(name: "mobile", of: .user, kind: .phone, label: "Mobile"),
      Field(name: "employment", of: .user, label: "Employment"),
    ]
    func values(_ mobile: String, _ employment: String = "staff") -> FieldValues {
      FieldValues(["mobile": .one(mobile), "employment": .one(employment)])
    }
    try company.department("group")
    try company.department("board", under: "group")
    try company.department("sales", under: "group")
    try company.department("north", under: "sales")
    try company.department("south", under: "sales")
    try company.department("council", under: "group")
    try company.department("toys")
    try company.department("play", under: "toys")
    try company.user("ceo", in: "board", email: "ceo@x.example", leads: true, fields: values("1"))
    try company.member("ceo", of: "toys", title: "Chair", leads: true)
    try company.user("aide", in: "board", email: "aide@x.example", fields: values("2"))
    try company.user("head", in: "sales", email: "head@x.example", leads: true, fields: values("3"))
    try company.user("nora", in: "north", email: "nora@x.example", fields: values("4"))
    try company.user("nils", in: "north", email: "nils@x.example", fields: values("5"))
    try company.user("sven", in: "south", email: "sven@x.example", fields: values("6"))
    try company.member("sven", of: "council")
    try company.user("temp", in: "south", email: "t@x.example", fields: values("7", "temporary"))
    try company.user("guest", in: "north", email: "g@x.example", fields: values("8", "guest"))
    try company.user("toby", in: "play", email: "toby@y.example", fields: values("9"))
    return try company.snapshot()
  }

  private static let all: Set<String> = [
    "ceo", "aide", "head", "nora", "nils", "sven", "temp", "guest", "toby",
  ]

  private struct Eyes {
    let directory: Directory

    init(_ sentences: [String], _ viewer: String, groups: [String: Set<UserID>] = [:]) throws {
      let snapshot = try company()
      let rules = VisibilityRules(
        try sentences.map { try VisibilityRule(sentence: $0) },
        groups: groups
      )
      let viewer: Viewer = viewer == "lobby" ? .device(viewer) : .person(UserID(viewer))
      let sight = try rules.sight(of: viewer, in: snapshot)
      directory = Directory(
        try DirectoryState(snapshot, for: sight),
        over: CardOverlay(try DirectoryState(snapshot, for: .everything), sight, viewer)
      )
    }

    var people: Set<String> {
      get throws { try Set((0..<directory.userCount).map { try directory.users.ids[$0] }) }
    }

    var departments: Set<String> {
      get throws {
        try Set((0..<directory.departmentCount).map { try directory.departments.ids[$0] })
      }
    }

    func sees(_ field: String, of id: String) throws -> Bool {
      let user = try #require(try directory.state.userIndex.row(of: id))
      return try !directory.hiddenOfUsers.of(user).names.contains(field)
    }
  }

  // MARK: WeCom: hidden departments and members, limits, lists of exceptions

  /// Hidden departments are not in the directory and are not found, but for those on a list.
  @Test func `WeCom hides a department from all but those on a list`() throws {
    let rules = [
      "show everything to group allowed", "hide department board from everybody",
      "show everything to everybody",
    ]
    let groups: [String: Set<UserID>] = ["allowed": [UserID("nora")]]
    let hidden = try Eyes(rules, "nils", groups: groups)
    #expect(try !hidden.people.contains("aide") && !hidden.departments.contains("board"))
    #expect(try hidden.directory.search("aide", in: nil, limit: nil).total.isZero)
    // Who is elsewhere, too, is there by that place.
    #expect(try hidden.people.contains("ceo"))
    #expect(try Eyes(rules, "nora", groups: groups).people == Self.all)
  }

  @Test func `WeCom limits a department to itself, and to some people more`() throws {
    let rules = [
      "show person ceo to department sales", "show own departments to department sales",
      "hide everything from department sales", "show everything to everybody",
    ]
    let eyes = try Eyes(rules, "nora")
    #expect(try eyes.people == ["ceo", "nora", "nils", "guest"])
    #expect(try eyes.departments == ["group", "board", "toys", "sales", "north"])
    #expect(try Eyes(rules, "toby").people == Self.all)
  }

  @Test func `WeCom lets some see no one`() throws {
    let rules = [
      "hide everything from people with employment=temporary", "show everything to everybody",
    ]
    let eyes = try Eyes(rules, "temp")
    #expect(try eyes.people.isEmpty && eyes.departments.isEmpty)
    #expect(try eyes.directory.ownCard()?.name == "temp")
    #expect(try Eyes(rules, "nora").people == Self.all)
  }

  @Test func `WeCom hides a field of a department from others`() throws {
    let rules = [
      "show mobile of department board to department board",
      "hide mobile of department board from everybody", "show everything to everybody",
    ]
    let eyes = try Eyes(rules, "nora")
    #expect(try !eyes.sees("mobile", of: "aide") && !eyes.sees("mobile", of: "ceo"))
    #expect(try eyes.sees("mobile", of: "nils") && eyes.sees("email", of: "aide"))
    #expect(try Eyes(rules, "ceo").sees("mobile", of: "aide"))
  }

  // MARK: Feishu: a main rule, supplementary rules before it, the scope of each field

  @Test func `Feishu shows everybody their own departments only`() throws {
    let rules = ["show own departments to everybody"]
    #expect(try Eyes(rules, "head").people == ["head", "nora", "nils", "sven", "temp", "guest"])
    #expect(try Eyes(rules, "nora").people == ["nora", "nils", "guest"])
    // The departments above are there by name alone.
    let eyes = try Eyes(rules, "nora")
    let sales = try #require(try eyes.directory.node(of: DepartmentID("sales")))
    #expect(try eyes.directory.hiddenFields(at: sales).isStub)
  }

  @Test func `Feishu has the first of two supplementary rules win`() throws {
    let rules = [
      "show department board to person nora", "hide department board from department sales",
      "show everything to everybody",
    ]
    #expect(try Eyes(rules, "nora").people.contains("aide"))
    #expect(try !Eyes(rules, "nils").people.contains("aide"))
    let others = [rules[1], rules[0], rules[2]]
    #expect(try !Eyes(others, "nora").people.contains("aide"))
  }

  @Test func `Feishu shows a field to a department, or to no one`() throws {
    let rules = [
      "show mobile of own departments to everybody", "hide mobile of everything from everybody",
      "show everything to everybody",
    ]
    let eyes = try Eyes(rules, "nora")
    #expect(try eyes.sees("mobile", of: "nils") && !eyes.sees("mobile", of: "sven"))
    let none = try Eyes(["hide mobile of everything from everybody", rules[2]], "ceo")
    #expect(try !none.sees("mobile", of: "ceo"))
    #expect(try none.directory.ownCard()?.values?.values?["mobile"]?.texts == ["1"])
  }

  // MARK: Google: visibility by organisational unit, custom directories made of groups

  @Test func `Google shows temporary staff their team, and others everybody`() throws {
    let rules = [
      "show colleagues to people with employment=temporary",
      "hide everything from people with employment=temporary", "show everything to everybody",
    ]
    #expect(try Eyes(rules, "temp").people == ["temp", "sven"])
    #expect(try Eyes(rules, "sven").people == Self.all)
  }

  @Test func `Google hides a person from the directory`() throws {
    let rules = ["hide person aide from everybody", "show everything to everybody"]
    #expect(try Eyes(rules, "ceo").people == Self.all.subtracting(["aide"]))
  }

  // MARK: Exchange: address book policies, and who is hidden from address lists

  @Test func `Exchange keeps two companies apart that share a chief`() throws {
    let rules = [
      "show everything to person ceo", "show department group to department group",
      "show department toys to department toys",
    ]
    #expect(try Eyes(rules, "toby").people == ["toby", "ceo"])
    #expect(try Eyes(rules, "nora").people == Self.all.subtracting(["toby"]))
    #expect(try Eyes(rules, "ceo").people == Self.all)
    // Where else the chief is, is not told.
    #expect(try Eyes(rules, "toby").departments == ["toys", "play"])
  }

  @Test func `Exchange hides a mailbox from lists, and resolves its whole address`() throws {
    let rules = ["unlist person aide for everybody", "show everything to everybody"]
    let eyes = try Eyes(rules, "nora")
    #expect(try eyes.people == Self.all.subtracting(["aide"]))
    func card(_ text: String) throws -> DirectoryRow? {
      guard case .card(let row) = try eyes.directory.lookUp(text, limit: 9) else { return nil }
      return row
    }
    let found = try #require(try card("AIDE@x.example"))
    #expect(found.id == "aide" && found.departments == nil && found.path == nil)
    for text in [
      "aide", "id:aide", "aide@x", "ide@x.example", "aidé@x.example", "ⓐide@x.example",
      "aide@ｘ.example", "aide@x.exa\u{AD}mple",
    ] {
      #expect(try card(text) == nil, "\(text)")
    }
    // A field that is hidden does not find either.
    let hidden = try Eyes(["hide email of everything from everybody"] + rules, "nora")
    if case .card = try hidden.directory.lookUp("aide@x.example", limit: 9) {
      Issue.record("found by a hidden field")
    }
  }

  @Test func `Exchange gives a device a list of its own`() throws {
    let rules = [
      "show department board to device lobby", "hide mobile, email of everything from device lobby",
      "show everything to everybody",
    ]
    let eyes = try Eyes(rules, "lobby")
    #expect(try eyes.people == ["ceo", "aide"])
    #expect(try !eyes.sees("mobile", of: "ceo"))
    #expect(try eyes.directory.ownCard() == nil)
    #expect(try Eyes(["show everything to everybody"], "lobby").people.isEmpty)
  }
}
