import DirectoryModel
import DirectorySnapshot
import DirectoryTestSupport
import Seeds
import Testing

@testable import DirectoryReading

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

  @Test(arguments: newSeeds(8))
  func `an excerpt holds what the sentences show, and knows what they hide`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let company = try MarkedCompany(using: &generator)
    let model = SlowSight(of: company, using: &generator)
    let visible = try model.visible()
    let seen = try Directory(company.snapshot(), for: model.sight)
    let reference = try Directory(visible.snapshot(), for: .everything)
    #expect(try lines(seen) == lines(reference), "seed \(seed)")
    #expect(seen.declaredFields == visible.fields, "seed \(seed)")
    #expect(seen.userCount == visible.users.count, "seed \(seed)")
    for node in 0..<seen.tree.count {
      let hidden = try seen.hiddenFields(at: node)
      let record = try seen.tree.record(of: node)
      if try seen.tree.isDepartment(node) {
        let id = DepartmentID(try seen.departments.ids[record])
        let fields = HiddenFields(model.fields(of: id), of: .department, company.fields)
        #expect(hidden.names == fields.names, "seed \(seed): \(id)")
        #expect(hidden.isStub == (model.showing(id) == .name), "seed \(seed): \(id)")
      } else {
        let id = UserID(try seen.users.ids[seen.user(at: node)])
        let fields = HiddenFields(model.fields(of: id), of: .user, company.fields)
        #expect(hidden == fields, "seed \(seed): \(id)")
      }
    }
  }

  @Test(arguments: newSeeds(3))
  func `a row has no value where a field is hidden, and an empty one where it is empty`(
    seed: UInt64
  ) throws {
    var generator = SeededGenerator(seed: seed)
    let company = try MarkedCompany(using: &generator)
    let model = SlowSight(of: company, using: &generator)
    let seen = try Directory(company.snapshot(), for: model.sight)
    var request = TreeRequest(opening: .all)
    (request.withDetails, request.withContacts, request.withOrder) = (true, true, true)
    try seen.forEachRow(of: request) { row in
      let shown: Sight.Fields
      let id = String(decoding: row.id, as: UTF8.self)
      if row.kind == .department {
        shown = model.fields(of: DepartmentID(id))
        #expect((row.description == nil) == !shown.contains("description"))
      } else {
        shown = model.fields(of: UserID(id))
        #expect((row.title == nil) == !shown.contains("title"))
        for field in Field.contacts {
          #expect((row.contacts?[field] == nil) == !shown.contains(field.name))
        }
        let card = try seen.listRow(at: row.place.node)
        #expect((card.title == nil) == !shown.contains("title"))
        #expect((card.contacts?[.phone] == nil) == !shown.contains("phone"))
        #expect(card.departments?.allSatisfy { ($0.title == nil) == (card.title == nil) } == true)
      }
      #expect((row.sortOrder == nil) == !shown.contains("sort_order"), "seed \(seed): \(id)")
    }
  }

  @Test func `a sight that names a field that is not there shows nothing`() throws {
    var generator = SeededGenerator(seed: 4)
    let company = try MarkedCompany(using: &generator)
    let snapshot = try company.snapshot()
    for (kind, name) in [(RecordKind.user, "site"), (.department, "title"), (.user, "Mobile")] {
      var sight = Sight.everything
      if kind == .user {
        sight.fieldsOfPeople[UserID("nobody")] = .only(["email", name])
      } else {
        sight.departmentFields.below[DepartmentID("nowhere")] = .only([name, "id", "name"])
      }
      #expect(throws: SnapshotError.unknownField(snapshot.path, kind, name)) {
        try Directory(snapshot, for: sight)
      }
    }
  }

  @Test func `sights of the same words are one key`() throws {
    func sight(_ names: [String]) -> Sight {
      var sight = Sight(.nothing, fields: .only(Set(names)))
      for name in names { sight.departments[DepartmentID(name)] = .whole }
      return sight
    }
    var cache = [sight(["title", "email"]): 1, .everything: 2, .nothing: 3]
    #expect(cache[sight(["email", "title"])] == 1)
    #expect(cache[sight(["email"])] == nil)
    cache[Sight(.whole, fields: .all)] = 4
    #expect(cache[.everything] == 4 && cache.count == 3)
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
    sight.personFields.usual = .only(["title", "email", "leads", "sort_order"])
    sight.personFields.below[DepartmentID("closed")] = .only(["email", "leads"])
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
    let bare = try directory { sight in
      sight.personFields = .init(.only([]))
      sight.departmentFields = .init(.only([]))
    }
    #expect(try text(bare, .csv).hasPrefix("level,kind,id,parent_id,name,primary,people,path"))
    #expect(
      try text(bare, .tsv).hasPrefix("level\tkind\tid\tparent_id\tname\tprimary\tpeople\tpath")
    )
  }

  @Test func `files for import have no column that is hidden of all`() throws {
    let directory = try directory { $0.departmentFields = .init(.only([])) }
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
    let directory = try directory { sight in
      sight.personFields = .init(.only([]))
      sight.departmentFields = .init(.only([]))
    }
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
      sight = Sight(.nothing, fields: .all)
      sight.departments[DepartmentID("open")] = .whole
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
