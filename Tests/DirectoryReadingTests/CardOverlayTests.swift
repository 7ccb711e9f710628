import DirectoryModel
import DirectorySnapshot
import DirectoryTestSupport
import Testing

@testable import DirectoryReading

@Suite("One's own card")
struct CardOverlayTests {
  private func directory(_ sentences: [String], _ viewer: String = "me") throws -> Directory {
    var company = Company()
    company.records.fields = [
      Field(name: "salary", of: .user, label: "Salary", isVisible: false),
      Field(name: "rating", of: .user, label: "Rating", isForOneself: false),
      Field(usual: "manager", of: .user),
      Field(name: "team", of: .user, kind: .person, label: "Team", isMultiple: true),
    ]
    try company.department("open")
    try company.department("board")
    try company.user(
      "me",
      in: "board",
      title: "Aide",
      phone: "+49 30 1",
      fields: FieldValues([
        "salary": .one("9"), "rating": .one("3"), "manager": .one("boss"),
        "team": .several(["boss", "peer"]),
      ])
    )
    try company.user("boss", in: "board", leads: true)
    try company.user("peer", in: "open", fields: FieldValues(["salary": .one("777888")]))
    let snapshot = try company.snapshot()
    let rules = VisibilityRules(
      try (sentences + ["show everything to everybody"])
        .map { try VisibilityRule(sentence: $0) }
    )
    let viewer = Viewer.person(UserID(viewer))
    let sight = try rules.sight(of: viewer, in: snapshot)
    return Directory(
      try DirectoryState(snapshot, for: sight),
      over: CardOverlay(try DirectoryState(snapshot, for: .everything), sight, viewer)
    )
  }

  private static let rules = [
    "hide department board from everybody", "hide phone of everything from everybody",
  ]

  @Test func `is whole but for what is not for oneself, though nothing of it is in any list`()
    throws
  {
    let directory = try directory(Self.rules)
    #expect(directory.userCount == 1)
    #expect(try directory.search("me", in: nil, limit: nil).total.isZero)
    guard case .card(let card) = try directory.lookUp("id:me", limit: 9) else {
      Issue.record("not found")
      return
    }
    #expect(card.contacts?[.phone] == "+49 30 1" && card.title == "Aide")
    #expect(card.departments?.map(\.id) == [DepartmentID("board")])
    let values = try #require(card.values?.values)
    #expect(values["salary"]?.texts == ["9"] && values["rating"] == nil)
    // Who is hidden is not named, and does not lead.
    #expect(values["manager"] == nil && values["team"]?.texts == ["peer"])
    #expect(card.departments?[0].leaders.isEmpty == true)
    let fields = try directory.cardFields(of: card)
    #expect(fields.contains { $0.label == "Salary" } && !fields.contains { $0.label == "Rating" })
    let vCard = try #require(try directory.ownVCard())
    #expect(vCard.contains("FN:me") && vCard.contains("30") && !vCard.contains("boss"))
  }

  @Test(arguments: [
    (["hide department ghost from everybody"], [String]()),
    (["show person mona to everybody", "hide department ghost from everybody"], ["mona"]),
    (["hide leads of person marit from everybody"], ["mona"]), ([], ["marit", "mona"]),
  ])
  func `names those who lead where they are shown to, and no one else`(
    sentences: [String],
    leaders: [String]
  ) throws {
    var company = Company()
    for id in ["ghost", "open"] { try company.department(id) }
    for id in ["marit", "mona"] {
      try company.user(id, in: "open")
      try company.member(id, of: "ghost", leads: true)
    }
    try company.user("me", in: "ghost", leads: true)
    try company.member("me", of: "open")
    let snapshot = try company.snapshot()
    let rules = VisibilityRules(
      try (sentences + ["show everything to everybody"])
        .map { try VisibilityRule(sentence: $0) }
    )
    let viewer = Viewer.person(UserID("me"))
    let sight = try rules.sight(of: viewer, in: snapshot)
    let directory = Directory(
      try DirectoryState(snapshot, for: sight),
      over: CardOverlay(try DirectoryState(snapshot, for: .everything), sight, viewer)
    )
    let card = try #require(try directory.ownCard())
    let own = try #require(card.departments)
    #expect(own.map(\.id.rawValue) == ["ghost", "open"] && own[0].leads == true)
    #expect(own[0].leaders.map(\.id.rawValue) == leaders && own[1].leaders.isEmpty)
  }

  @Test func `is laid over the viewer's own row, and over no other`() throws {
    let directory = try directory([Self.rules[1]])
    #expect(directory.userCount == 3)
    let me = try #require(try directory.node(of: .person(UserID("me"))))
    #expect(try directory.listRow(at: me).contacts?[.phone] == nil)
    #expect(try directory.listRow(at: me).values?.values?["salary"] == nil)
    let card = try directory.card(at: me)
    #expect(card.contacts?[.phone] == "+49 30 1" && card.values?.values?["salary"] != nil)
    #expect(card.values?.values?["manager"]?.texts == ["boss"])
    #expect(card.values?.values?["rating"] == nil)
    #expect(try directory.vCard(at: me).contains("30"))
    let peer = try #require(try directory.node(of: .person(UserID("peer"))))
    #expect(try directory.card(at: peer).values?.values?["salary"] == nil)
    #expect(try !directory.vCard(at: peer).contains("777888"))
  }

  @Test func `of who is unlisted does not stand before who is in lists with the same address`()
    throws
  {
    var company = Company()
    try company.department("open")
    try company.user("me", in: "open")
    for id in ["hidden", "ada"] {
      try company.user(id, in: "open", email: "ada@lumen.example", phone: "+49 30 77\(id.count)")
    }
    let snapshot = try company.snapshot()
    let rules = VisibilityRules([
      VisibilityRule(.unlist, .person(UserID("hidden")), .everybody), .base,
    ])
    let me = Viewer.person(UserID("me"))
    let sight = try rules.sight(of: me, in: snapshot)
    let directory = Directory(
      try DirectoryState(snapshot, for: sight),
      over: CardOverlay(try DirectoryState(snapshot, for: .everything), sight, me)
    )
    guard case .found(let nodes) = try directory.lookUp("ada@lumen.example", limit: 9) else {
      Issue.record("not found")
      return
    }
    #expect(try nodes.map { try directory.listRow(at: $0).id } == ["ada"])
    guard case .card(let card) = try directory.lookUp("+49 30 776", limit: 9) else {
      Issue.record("not found")
      return
    }
    #expect(card.id == "hidden")
  }

  @Test func `says of a hidden lead nothing, and not no`() throws {
    let hidden = try directory(["hide leads of everything from everybody"], "peer")
    let shown = try directory([], "peer")
    for (directory, leads) in [(hidden, nil), (shown, true)] {
      let node = try #require(try directory.node(of: .person(UserID("boss"))))
      let card = try directory.card(at: node)
      #expect(card.leads == leads && card.departments?.map(\.leads) == [leads])
      var rows: [Bool?] = []
      try directory.forEachRow(of: TreeRequest(opening: .all)) { row in
        if row.kind == .user, row.id.elementsEqual("boss".utf8) { rows.append(row.leads) }
      }
      #expect(rows == [leads])
    }
  }
}
