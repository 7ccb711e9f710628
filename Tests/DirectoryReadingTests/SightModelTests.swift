import DirectoryModel
import DirectoryTestSupport
import Seeds
import Testing

@testable import DirectoryReading
@testable import DirectorySnapshot
@testable import VisibilityModel

@Suite("A sight and the sentences that say what it shows")
struct SightModelTests {
  /// All that is stored of a node.
  private struct Line: Equatable {
    var id: String
    var texts: [String]
    var numbers: [Int64]
    var flags: [Bool]
    var parent: String?
  }

  private func lines(_ directory: Directory) throws -> [Line] {
    let contacts = try directory.snapshot.contacts()
    return try (0..<directory.tree.count).map { node in
      let record = try directory.tree.record(of: node)
      let parent = try directory.tree.parent(of: node).map { try directory.departmentID(of: $0) }
      var line = Line(id: "", texts: [], numbers: [], flags: [], parent: parent?.rawValue)
      if try directory.tree.isDepartment(node) {
        line.id = try directory.departments.ids[record]
        line.texts = try [
          directory.departments.names[record], directory.departments.descriptions[record],
          directory.fields.values(ofDepartment: record).text,
        ]
        line.numbers = try [
          directory.departments.sortOrders[record],
          Int64(directory.departments.people(of: record)),
        ]
        return line
      }
      let user = try directory.user(at: node)
      line.id = try directory.users.ids[user]
      line.texts = try [
        directory.users.names[user], directory.memberships.titles[record],
        directory.fields.values(ofUser: user).text,
      ]
      line.texts += try contacts.all.map { try $0[user] }
      line.numbers = try [directory.memberships.sortOrders[record]]
      line.flags = try [
        directory.memberships.leads(record), directory.memberships.isPrimary(record),
      ]
      return line
    }
  }

  /// What differs of what a viewer sees from what the sentences say; `nil` for nothing.
  ///
  /// Where the model's company is a former one, `now` is the company as it is, and `ids` are those that
  /// records had then, by those that they have now.
  private func difference(
    _ model: SlowSight,
    now: MarkedCompany? = nil,
    _ ids: [String: String] = [:]
  ) throws -> String? {
    let snapshot = try model.company.renamed(ids).snapshot(model.rules)
    let today = try now?.snapshot(model.rules)
    let sight = try model.rules.sight(of: model.viewer, in: today ?? snapshot)
    let present = try today.map { today in
      var visibility = try Visibility(
        sight,
        whole: today,
        seen: today.excerpt(sight),
        after: model.states.reversed()
      )
      for (latter, former) in ids {
        let kind: RecordKind = latter.hasPrefix("d-") ? .department : .user
        let key = RecordKey(kind, former)
        try visibility.note([FormerHolders.Term(key, until: 1, holder: latter, last: nil)])
      }
      return CurrentState(today, visibility, since: 0)
    }
    let seen = Directory(try DirectoryState(snapshot, for: sight, present: present))
    let hasRules = try !seen.snapshot.visibilityRules().rules.isEmpty
    if hasRules != (model.flaw == .rules) { return "rules" }
    let former = model.flaw == .renamed ? model.of(model.company.renamed(ids)) : nil
    let visible = try former?.visible() ?? model.visible().renamed(ids)
    let reference = try Directory(visible.snapshot(), for: .everything)
    let (lines, wanted) = (try lines(seen), try lines(reference))
    if lines != wanted {
      let place = zip(lines, wanted).first { $0 != $1 }
      return place.map { "\($0) is not \($1)" } ?? "\(lines.count) lines, not \(wanted.count)"
    }
    if seen.declaredFields != visible.fields { return "\(seen.declaredFields.map(\.name))" }
    if seen.userCount != visible.users.count { return "\(seen.userCount) people" }
    func idNow(_ id: String) -> String { ids.first { $0.value == id }?.key ?? id }
    for node in 0..<seen.tree.count {
      let hidden = try seen.hiddenFields(at: node)
      let record = try seen.tree.record(of: node)
      let fields: HiddenFields
      if try seen.tree.isDepartment(node) {
        let id = DepartmentID(idNow(try seen.departments.ids[record]))
        let isStub = model.showing(id) == .stub && model.flaw != .stub
        fields = HiddenFields(names: model.hidden(of: id), isStub: isStub)
      } else {
        fields = HiddenFields(
          names: model.hidden(of: UserID(idNow(try seen.users.ids[seen.user(at: node)])))
        )
      }
      if hidden != fields { return "\(hidden) is not \(fields)" }
    }
    return nil
  }

  /// In a company with a single department at the top such a rule once hid nothing of people.
  @Test func `what is hidden of the department above all others is hidden of everybody`() throws {
    var company = Company()
    try company.department("group")
    try company.department("board", under: "group")
    try company.user("ada", in: "board", phone: "1")
    let snapshot = try company.directory().snapshot
    let rules = VisibilityRules([
      VisibilityRule(.hide, fields: ["phone"], .department(DepartmentID("group")), .everybody),
      .base,
    ])
    let sight = try rules.sight(of: .person(UserID("ada")), in: snapshot)
    #expect(try snapshot.excerpt(sight).hidden(of: .user).of(0).names == ["phone"])
  }

  @Test(arguments: newSeeds(6))
  func `an excerpt holds what the sentences show, and knows what they hide`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let company = try MarkedCompany(using: &generator)
    let rules = VisibilityRules(of: company, using: &generator)
    for viewer in company.viewers(4, using: &generator) {
      let difference = try difference(SlowSight(rules, viewer, company))
      #expect(difference == nil, "seed \(seed), \(viewer): \(rules.rules)")
    }
  }

  /// What takes its time from an excerpt alone tells nothing by it of what is hidden.
  @Test(arguments: newSeeds(6))
  func `an excerpt has the bytes of a directory of only what is shown`(seed: UInt64) throws {
    // What is hidden, which fronts are to know, and the seed of a file's hashes, which is random.
    let others: Set<SnapshotSection> = [
      .departmentHiddenText, .departmentHiddenEnds, .departmentHidden,
      .userHiddenText, .userHiddenEnds, .userHidden, .metadataText, .metadataEnds,
    ]
    let hashed: Set<SnapshotSection> = [.departmentIndex, .userIndex]
    var generator = SeededGenerator(seed: seed)
    let company = try MarkedCompany(using: &generator)
    let rules = VisibilityRules(of: company, using: &generator)
    for viewer in company.viewers(4, using: &generator) {
      let model = SlowSight(rules, viewer, company)
      let whole = try company.snapshot()
      let seen = try whole.excerpt(rules.sight(of: viewer, in: whole)).file
      let reference = try model.visible().snapshot().excerpt(.everything).file
      for section in SnapshotSection.allCases where !others.contains(section) {
        let place = "seed \(seed), \(viewer), \(section)"
        #expect(seen.hasSection(section) == reference.hasSection(section), "\(place)")
        guard seen.hasSection(section), reference.hasSection(section) else { continue }
        let bytes = try seen.content(of: section.rawValue).bytes
        let expected = try reference.content(of: section.rawValue).bytes
        #expect(bytes.count == expected.count, "\(place)")
        if !hashed.contains(section) { #expect(bytes.elementsEqual(expected), "\(place)") }
      }
    }
  }

  @Test(arguments: newSeeds(4))
  func `of a former state it holds what they show of it then and now`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let past = try MarkedCompany(using: &generator)
    let later = past.changed(using: &generator)
    let now = later.changed(using: &generator)
    let rules = VisibilityRules(of: now, using: &generator)
    for viewer in now.viewers(3, using: &generator) {
      let model = SlowSight(rules, viewer, now).of(past, before: [later])
      let ids = past.formerIDs(now, using: &generator)
      let difference = try difference(model, now: now, ids)
      #expect(difference == nil, "seed \(seed), \(viewer): \(rules.rules)")
    }
  }

  /// What differs of the viewer's own card from what the sentences say.
  private func differenceOfOwnCard(_ model: SlowSight) throws -> String? {
    guard case .person(let me) = model.viewer,
      let user = model.company.users.first(where: { $0.id == me })
    else { return nil }
    let snapshot = try model.company.snapshot()
    let sight = try model.rules.sight(of: model.viewer, in: snapshot)
    let own = try Directory(
      DirectoryState(snapshot, for: sight),
      over: CardOverlay(DirectoryState(snapshot, for: .everything), sight, model.viewer)
    ).ownCard()
    let wanted = model.ownValues(user)
    guard own?.values == wanted else { return "\(own?.values as Any) is not \(wanted)" }
    var leaders: [DepartmentID: Set<UserID>] = [:]
    for department in own?.departments ?? [] {
      leaders[department.id] = Set(department.leaders.map(\.id))
    }
    let leading = model.ownLeaders(me)
    return leaders == leading ? nil : "\(leaders) is not \(leading)"
  }

  @Test(arguments: newSeeds(4))
  func `one's own card is what the sentences say`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let company = try MarkedCompany(using: &generator)
    let rules = VisibilityRules(of: company, using: &generator)
    for viewer in company.viewers(6, using: &generator) {
      let difference = try differenceOfOwnCard(SlowSight(rules, viewer, company))
      #expect(difference == nil, "seed \(seed), \(viewer): \(rules.rules)")
    }
  }

  /// Each sentence is worth something: a model without it differs from the program.
  @Test(
    arguments: SlowSight.Flaw.allCases.filter { $0 != .otherSide }.shuffled()
      .prefix(rounds(6, thorough: .max))
  )
  func `without one of the sentences the excerpt is another`(flaw: SlowSight.Flaw) throws {
    let differs = try (1...40).contains { seed in
      var generator = SeededGenerator(seed: UInt64(seed))
      let past = try MarkedCompany(using: &generator)
      let isFormer = [.formerly, .removed, .renamed].contains(flaw)
      // What is removed after a state in between need not have been last as it was in the past one.
      let later = isFormer ? past.changed(using: &generator) : past
      let now = isFormer ? later.changed(using: &generator) : past
      var rules = VisibilityRules(of: now, using: &generator)
      if flaw == .notKnown { rules.isUnderstood = false }
      return try now.viewers(2, using: &generator).contains { viewer in
        let model = SlowSight(rules, viewer, now, flaw: flaw)
        if [.ownCard, .notForOneself, .leadsOfOthers].contains(flaw) {
          return try differenceOfOwnCard(model) != nil
        }
        if !isFormer { return try difference(model) != nil }
        let ids = flaw == .renamed ? past.formerIDs(now, using: &generator) : [:]
        return try difference(model.of(past, before: [later]), now: now, ids) != nil
      }
    }
    #expect(differs)
  }

  @Test(arguments: newSeeds(2))
  func `a row has no value where a field is hidden, and an empty one where it is empty`(
    seed: UInt64
  ) throws {
    var generator = SeededGenerator(seed: seed)
    let company = try MarkedCompany(using: &generator)
    let rules = VisibilityRules(of: company, using: &generator)
    let model = SlowSight(rules, .person(company.users[0].id), company)
    let snapshot = try company.snapshot()
    let seen = try Directory(snapshot, for: rules.sight(of: model.viewer, in: snapshot))
    var request = TreeRequest(opening: .all)
    (request.withDetails, request.withContacts, request.withOrder) = (true, true, true)
    try seen.forEachRow(of: request) { row in
      let hidden: Set<String>
      let id = String(decoding: row.id, as: UTF8.self)
      if row.kind == .department {
        hidden = model.hidden(of: DepartmentID(id))
        #expect((row.description == nil) == hidden.contains("description"))
      } else {
        hidden = model.hidden(of: UserID(id))
        #expect((row.title == nil) == hidden.contains("title"))
        for field in Field.contacts {
          #expect((row.contacts?[field] == nil) == hidden.contains(field.name))
        }
        let card = try seen.listRow(at: row.place.node)
        #expect((card.title == nil) == hidden.contains("title"))
        #expect((card.contacts?[.phone] == nil) == hidden.contains("phone"))
        #expect(card.departments?.allSatisfy { ($0.title == nil) == (card.title == nil) } == true)
      }
      #expect((row.sortOrder == nil) == hidden.contains("sort_order"), "seed \(seed): \(id)")
    }
  }

  private static func hide(
    _ names: Set<String>,
    _ targets: Sight.Targets = .everything
  ) -> Sight.Fields {
    Sight.Fields(targets, .some(names), isShown: false)
  }

  /// Titles are hidden of the people of one department, phones of all.
  private func directory(_ change: (inout Sight) -> Void = { _ in }) throws -> Directory {
    var company = Company()
    try company.department("top", description: "about", order: 3)
    try company.department("open", under: "top", order: 2)
    try company.department("closed", under: "top", order: 1)
    try company.user("a", in: "open", title: "Chief", email: "", phone: "1", order: 7, leads: true)
    try company.user("b", in: "closed", title: "Clerk", email: "b@example.com", phone: "2")
    var sight = Sight.everything
    sight.fields = [
      Self.hide(["title", "sort_order"], .department(DepartmentID("closed"))),
      Self.hide(["phone"]),
    ]
    change(&sight)
    return try Directory(company.snapshot(), for: sight)
  }

  private func text(_ directory: Directory, _ format: RowFormat) throws -> String {
    var request = TreeRequest(opening: .all)
    (request.withContacts, request.withOrder) = (true, true)
    var text: [UInt8] = []
    _ = try directory.write(request, as: format) {
      text += $0
      $0 = []
    }
    return String(decoding: text, as: UTF8.self)
  }

  @Test func `JSON has no key for what is hidden, and an empty value for what is empty`() throws {
    let lines = try text(directory(), .jsonl).split(separator: "\n")
    let a = try #require(lines.first { $0.contains(#""id":"a""#) })
    let b = try #require(lines.first { $0.contains(#""id":"b""#) })
    #expect(a.contains(#""title":"Chief","email":"","leads":true,"sort_order":7"#))
    #expect(b.contains(#""parent":"closed","email":"b@example.com","primary":true"#))
    #expect(!lines.joined().contains("phone"))
  }

  @Test func `tables have no column that is hidden of all, and an empty cell where it is of some`()
    throws
  {
    let rows = try text(directory(), .csv).split(separator: "\r\n").map(String.init)
    #expect(
      rows[0]
        == "level,kind,id,parent_id,name,description,title,email,sort_order,primary,people,path,leads"
    )
    #expect(rows.contains { $0.hasPrefix("2,user,b,closed,b,,,b@example.com,,true,") })
    #expect(rows.contains { $0.hasPrefix("2,user,a,open,a,,Chief,,7,true,") })
    #expect(try !text(directory(), .tsv).contains("phone"))
    let bare = try directory { $0.fields = [Sight.Fields(.everything, .all, isShown: false)] }
    #expect(try text(bare, .csv).hasPrefix("level,kind,id,parent_id,name,primary,people,path"))
    #expect(
      try text(bare, .tsv).hasPrefix("level\tkind\tid\tparent_id\tname\tprimary\tpeople\tpath")
    )
  }

  @Test func `files for import have no column that is hidden of all`() throws {
    let directory = try directory {
      $0.fields.append(Self.hide(["description"]))
      $0.fields.insert(
        Sight.Fields(.people(field: "title", value: ItemText("Chief")), .all, isShown: true),
        at: 0
      )
      $0.fields.insert(Self.hide(["phone"]), at: 0)
      $0.fields.append(Self.hide(["sort_order"], .department(DepartmentID("top"))))
    }
    var files: [[UInt8]] = [[], []]
    _ = try directory.writeFiles(TreeRequest(opening: .all)) { departments, users, memberships in
      files[0] += departments
      files[1] += users
      (departments, users, memberships) = ([], [], [])
    }
    let texts = files.map { String(decoding: $0, as: UTF8.self) }
    #expect(texts[0].hasPrefix("id,parent_id,name\r\n"))
    #expect(texts[1].hasPrefix("id,department_id,name,title,email,sort_order,leads"))
    #expect(texts[1].contains("b,closed,b,,b@example.com,,"))
  }

  @Test func `cards and entries have no property for what is hidden`() throws {
    let directory = try directory { $0.fields = [Sight.Fields(.everything, .all, isShown: false)] }
    let card = try text(directory, .vcard)
    for word in ["TITLE", "TEL", "EMAIL", "X-STAFFBOOK-ORDER", "X-STAFFBOOK-LEADS", "NOTE"] {
      #expect(!card.uppercased().contains(word), "\(word)")
    }
    let ldif = try text(directory, .ldif)
    for word in ["title:", "telephoneNumber:", "mail:", "description:"] {
      #expect(!ldif.contains(word), "\(word)")
    }
  }

  @Test func `a hidden department above something that is shown has a name and a count alone`()
    throws
  {
    let directory = try directory { sight in
      sight = Sight([Sight.Places(.department(DepartmentID("open")), .shown)])
    }
    let lines = try text(directory, .jsonl).split(separator: "\n")
    #expect(lines.count == 3)
    #expect(
      lines[0].contains(#""id":"top","name":"top","level":0,"disclosure":"expanded","people":1"#)
    )
    #expect(!lines[0].contains("description") && !lines[0].contains("sort_order"))
    let top = try #require(try directory.node(of: DepartmentID("top")))
    #expect(try directory.hiddenFields(at: top).isStub)
    #expect(try directory.card(at: top).description == nil)
  }
}

extension MarkedCompany {
  /// Ids that some departments and people had before, by what they are known by now; some of them are
  /// those of others now.
  fileprivate func formerIDs(
    _ now: MarkedCompany,
    using generator: inout SeededGenerator
  ) -> [String: String] {
    let there = Set(now.departments.map(\.id.rawValue) + now.users.map(\.id.rawValue))
    var ids: [String: String] = [:]
    for known in [departments.map(\.id.rawValue), users.map(\.id.rawValue)] {
      let renamed = known.filter { _ in Int.random(in: 0..<4, using: &generator) == 0 }
      for id in renamed { ids[id] = id + "f" }
      // Whoever is not there any more is known by an id that nobody has.
      let taken = Bool.random(using: &generator) ? renamed.filter(there.contains) : []
      for (id, other) in zip(taken, taken.dropFirst() + taken.prefix(1)) where other != id {
        ids[id] = other
      }
    }
    return ids
  }
}
