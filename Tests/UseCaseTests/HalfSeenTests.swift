import Administration
import ChangeHistory
import DirectoryModel
import DirectoryReading
import DirectoryWriting
import LibPQ
import LiveDirectory
import SiteSettings
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// A company of which the user sees half: all that they do not see bears a mark, ids included.
private struct HalfSeenCompany {
  static let mark = "Zq9"

  let conninfo: String
  let whole: Session
  let half: Session

  /// What may be seen: everything but the department of the mark, the people there, the phones, the
  /// declared salary, and Bo's place there.
  static var rules: VisibilityRules {
    VisibilityRules([
      VisibilityRule(.hide, .department(DepartmentID("d\(mark)")), .device("lobby")),
      VisibilityRule(.hide, fields: ["phone", "salary"], .everything, .device("lobby")),
      VisibilityRule(.show, .everything, .device("lobby")), .base,
    ])
  }

  init(_ home: ScratchFolder, _ conninfo: String, _ rules: VisibilityRules = Self.rules) throws {
    let settings = try Settings(
      environment: [
        "STAFFBOOK_HOME": home.path.string, "STAFFBOOK_DATABASE_URL": conninfo,
        "STAFFBOOK_LOCALE": "und",
      ]
    )
    self.conninfo = conninfo
    // A field that is not declared yet is not known.
    let hub = Hub(Site(settings: settings) { _ in }) { _ in rules }
    whole = Session(hub, settings.caller(.everything)) { _ in }
    half = Session(hub, settings.caller(.device("lobby"))) { _ in }
  }

  /// Edits of which the caller sees all, half or nothing.
  func fill() async throws {
    let fields = FieldDeclarations(try Administrator(whole, to: "test"))
    _ = try await fields.addField("salary", of: .user)
    _ = try await fields.addField("manager", of: .user)
    let m = Self.mark
    func edit(_ edit: Edit, _ reason: String? = nil) async throws {
      _ = try await DirectoryWriter(whole).edit(edit, reason: reason)
    }
    try await edit(.addDepartment(name: "Open", parent: nil, id: "open", values: []))
    try await edit(.addDepartment(name: "Lamps", parent: "open", id: "lamps", values: []))
    try await edit(
      .addDepartment(name: "D\(m)", parent: "open", id: "d\(m)", values: []),
      "as \(m)"
    )
    try await edit(.addDepartment(name: "E\(m)", parent: "d\(m)", id: "e\(m)", values: []))
    func add(_ name: String, _ department: String, _ id: String, _ values: [String]) async throws {
      try await edit(
        .addUser(name: name, department: department, id: id, title: nil, values: values)
      )
    }
    try await add("Cy \(m)", "d\(m)", "cy\(m)", ["phone=+49301"])
    try await add("Ada", "lamps", "ada", ["phone=+4930\(1)", "salary=\(m)1", "manager=cy\(m)"])
    try await add("Bo", "lamps", "bo", ["manager=ada"])
    try await add("Di", "lamps", "di", [])
    try await add("Ed \(m)", "e\(m)", "ed\(m)", [])
    try await edit(.join(who: "bo", department: "d\(m)", title: "T\(m)"))
    try await edit(.set(who: "ada", values: ["title=Keeper"]), "seen")
    try await edit(.set(who: "ada", values: ["salary=\(m)2"]), "more \(m)")
    try await edit(.set(who: "ada", values: ["title=Head", "salary=\(m)3"]), "both \(m)")
    try await edit(.move(who: ["di", "ed\(m)"], to: "d\(m)", from: nil), "away \(m)")
    try await edit(.move(who: ["di"], to: "lamps", from: nil), "back from \(m)")
    try await edit(.rename(who: "cy\(m)", name: "Cyr \(m)"))
    try await edit(.remove(who: ["ed\(m)"], recursive: false, peopleTo: nil), "gone \(m)")
    try await add("Fay", "lamps", "fay", [])
    try await edit(.remove(who: ["fay"], recursive: false, peopleTo: nil), "left")
    try await edit(.remove(who: ["e\(m)"], recursive: true, peopleTo: nil))
  }
}

/// What a plan shows before it is carried out.
private final class Shown: Sendable {
  private let lines = Mutex<[String]>([])

  func add(_ text: String) { lines.withLock { $0.append(text) } }

  var text: String { lines.withLock { $0.joined(separator: "\n") } }
}

@Suite("A viewer who sees half")
struct HalfSeenTests {
  private static let mark = HalfSeenCompany.mark

  /// Runs `body` on a company, and then on the same with everything seen, which shows that the mark
  /// would be met.
  private func withCompany(
    _ body: (HalfSeenCompany) async throws -> Void
  ) async throws {
    let scratch = try ScratchFolder()
    try await withTestDatabase(template: migrated) { conninfo in
      let company = try HalfSeenCompany(scratch, conninfo)
      try await company.fill()
      _ = try await SnapshotSync(Administrator(company.whole, to: "test")).sync()
      try await body(company)
    }
  }

  /// What a use case says, its errors included.
  private func said(_ session: Session, _ body: (Session) async throws -> [String]) async -> String
  {
    do {
      return try await body(session).joined(separator: "\n")
    } catch {
      let error = DirectoryError(describing: error)
      return ([error.message, "\(error.advice.map { "\($0)" } ?? "")"] + error.details)
        .joined(separator: "\n")
    }
  }

  private func log(_ who: String?, patch: Bool) -> (Session) async throws -> [String] {
    { session in
      var request = LogRequest()
      request.who = who
      request.withChanges = patch
      var lines: [String] = []
      try await HistoryReader(session).log(request) { entry in
        lines += entry.jsonLines + [entry.transaction.summary] + entry.changes.map(\.text)
      }
      return lines
    }
  }

  private func export(_ directory: Directory) throws -> [String] {
    var text = ""
    var request = TreeRequest(opening: .all)
    (request.withContacts, request.withOrder) = (true, true)
    for format in [RowFormat.jsonl, .csv, .ldif, .vcard, .html] {
      _ = try directory.write(request, as: format) { bytes in
        text += String(decoding: bytes, as: UTF8.self)
        bytes = []
      }
    }
    return [text]
  }

  @Test func `meets nothing else in history, in the past and in edits`() async throws {
    try await withCompany { company in
      let m = Self.mark
      var doors: [(String, (Session) async throws -> [String])] = [
        ("directory", { try export(await DirectoryOpener($0).directory()) }),
        (
          "diff",
          { session in
            let all = try await HistoryReader(session)
              .differences(from: "1", to: nil, department: nil)
            let report = DifferenceReport(all, title: "all")
            return report.lines + report.jsonLines
              + [report.csv, report.html].map { String(decoding: $0, as: UTF8.self) }
          }
        ),
        ("formerPeople", { try await HistoryReader($0).formerPeople("", limit: 100).map(\.json) }),
      ]
      for patch in [false, true] { doors.append(("log", log(nil, patch: patch))) }
      for who in ["ada", "bo", "di", "lamps", "open"] {
        doors.append(("log \(who)", log(who, patch: true)))
        doors.append(("blame \(who)", { try await HistoryReader($0).blame(who).jsonLines }))
      }
      for number in 3...20 {
        doors.append(
          (
            "as of \(number)",
            { try export(await HistoryReader($0).directory(asOf: "\(number)")) }
          )
        )
      }
      var marked = 0
      for (name, door) in doors {
        let text = await said(company.half, door)
        #expect(!text.isEmpty && !text.contains(m), "\(name): \(text)")
        // That all of it would be met is shown by anyone who sees everything.
        if await said(company.whole, door).contains(m) { marked += 1 }
      }
      #expect(marked >= 20, "\(marked) of \(doors.count)")
    }
  }

  @Test func `sees of what was done what they see of the records`() async throws {
    try await withCompany { company in
      let text = await said(company.half, log(nil, patch: true))
      // Of what is seen wholly the reason is told, of what is seen in part it is not.
      #expect(text.contains(#""reason":"seen""#) && text.contains(#""reason":"left""#))
      #expect(text.contains(#""new":"Head""#) && text.contains(#""old":"Keeper""#))
      // Anyone who went to a hidden department was removed, and was added when they came back.
      #expect(text.contains("- Di (di) in Lamps") && text.contains("+ Di (di) in Lamps"))
      #expect(text.contains("- Fay (fay) in Lamps"))
      let formerPeople = try await HistoryReader(company.half).formerPeople("", limit: 10)
      #expect(formerPeople.map(\.change.id) == ["fay"])
      let blame = try await HistoryReader(company.half).blame("ada")
      #expect(blame.lines.map(\.label).contains("title in Lamps"))
      #expect(!blame.lines.contains { ["phone", "salary", "manager"].contains($0.label) })
    }
  }

  @Test func `is told no reason of a change of which half is hidden`() async throws {
    try await withCompany { company in
      let m = Self.mark
      let fields = FieldDeclarations(try Administrator(company.whole, to: "test"))
      _ = try await fields.addField("team", of: .user, kind: .person, isMultiple: true)
      let writer = DirectoryWriter(company.whole)
      // Of each something is seen: that Bo's manager is no longer Ada, and that Di is in Bo's team.
      _ = try await writer.edit(
        .set(who: "bo", values: ["manager=cy\(m)"]),
        reason: "works for the hidden one"
      )
      _ = try await writer.edit(
        .set(who: "bo", values: ["team=di; cy\(m)"]),
        reason: "and leads another"
      )
      _ = try await writer.edit(.set(who: "bo", values: ["manager=di"]), reason: "no more for them")
      _ = try await SnapshotSync(Administrator(company.whole, to: "test")).sync()
      let text = await said(company.half, log("bo", patch: true))
      #expect(text.contains(#""field":"manager","new":"","old":"ada""#), "\(text)")
      #expect(text.contains(#""new":"di","old":"""#), "\(text)")
      let all = await said(company.whole, log("bo", patch: true))
      for reason in ["works for the hidden one", "and leads another", "no more for them"] {
        #expect(!text.contains(reason) && all.contains(reason), "\(text)")
      }
      // Of who is seen on both sides it is told.
      _ = try await writer.edit(.set(who: "bo", values: ["manager=ada"]), reason: "for Ada")
      let later = await said(company.half, log("bo", patch: true))
      #expect(later.contains("for Ada"))
    }
  }

  @Test func `is told no reason of what also declared a field`() async throws {
    try await withCompany { company in
      var connection = try PGConnection(conninfo: company.conninfo)
      try connection.executeScript(
        """
        select set_config('staffbook.reason', 'warnings are kept now', true);
        insert into staffbook.fields (of, name, kind, label, visible)
          values ('user', 'warning', 'text', 'Warning', 'nobody');
        update staffbook.memberships set title = 'Warned' where user_id = 'di';
        """
      )
      _ = try await SnapshotSync(Administrator(company.whole, to: "test")).sync()
      let text = await said(company.half, log("di", patch: true))
      #expect(text.contains("Warned") && !text.contains("warning"), "\(text)")
      let all = await said(company.whole, log("di", patch: true))
      #expect(all.contains("warnings are kept now"))
    }
  }

  @Test func `is told no author who is hidden, by any id`() async throws {
    try await withCompany { company in
      let m = Self.mark
      func edit(_ edit: Edit, by actor: String) async throws {
        var caller = company.whole.caller
        caller.actor = actor
        let session = Session(company.whole.hub, caller) { _ in }
        _ = try await DirectoryWriter(session).edit(edit, reason: "signed")
      }
      try await edit(.set(who: "ada", values: ["title=One"]), by: "cy\(m)")
      try await edit(.set(who: "ada", values: ["title=Two"]), by: "ed\(m)")
      try await edit(.set(who: "ada", values: ["title=Three"]), by: "bo")
      try await edit(.set(who: "ada", values: ["title=Four"]), by: "Payroll")
      try await edit(.set(who: "cy\(m)", values: ["id=other\(m)"]), by: "Payroll")
      _ = try await SnapshotSync(Administrator(company.whole, to: "test")).sync()
      let doors: [(Session) async throws -> [String]] = [
        log("ada", patch: true), { try await HistoryReader($0).blame("ada").jsonLines },
      ]
      for door in doors {
        let text = await said(company.half, door)
        #expect(!text.contains(m) && text.contains(#""actor":"Payroll""#), "\(text)")
      }
      let text = await said(company.half, log("ada", patch: true))
      #expect(text.contains(#""actor":"bo""#) && text.contains(#""new":"One""#))
      let all = await said(company.whole, log("ada", patch: true))
      #expect(all.contains(#""actor":"cy\#(m)""#) && all.contains(#""actor":"ed\#(m)""#))
      // Nor is it told by asking for what they did.
      func count(_ session: Session, by name: String) async throws -> Int {
        var request = LogRequest()
        request.by = name
        var count = 0
        try await HistoryReader(session).log(request) { _ in count += 1 }
        return count
      }
      for name in ["cy\(m)", "CY\(m)", "ed\(m)", "bo"] {
        let (half, whole) = (
          try await count(company.half, by: name), try await count(company.whole, by: name)
        )
        #expect(half == (name == "bo" ? 1 : 0) && whole == 1, "\(name)")
      }
    }
  }

  @Test func `is not told who was faster, nor what was done`() async throws {
    try await withCompany { company in
      let m = Self.mark
      let conninfo = company.conninfo
      func refusal(_ session: Session, _ title: String) async -> String {
        var observer = EditObserver()
        // Asked of a name that is not exact, when Bo's record was read already.
        observer.isMeant = { _ in
          do {
            var connection = try PGConnection(conninfo: conninfo)
            try connection.executeScript(
              """
              select set_config('staffbook.actor', 'cy\(m)', true);
              update staffbook.memberships set title = '\(title)'
                where user_id = 'bo' and department_id = 'lamps';
              """
            )
          } catch {
            Issue.record(error)
          }
          return true
        }
        return await said(session) { [observer] session in
          _ = try await DirectoryWriter(session).edit(
            .set(who: "bo", values: ["title=Mine", "manager=Dí"]),
            observer: observer
          )
          return []
        }
      }
      let half = await refusal(company.half, "First")
      #expect(half.contains("changed in the meantime"), "\(half)")
      #expect(!half.contains(m) && !half.contains("First"), "\(half)")
      let whole = await refusal(company.whole, "Second")
      #expect(whole.contains("cy\(m)") && whole.contains("Second"), "\(whole)")
    }
  }

  @Test(arguments: ["cy", "d", "e", "ed"])
  func `is told of a hidden record what is told of one that never was`(prefix: String) async throws
  {
    try await withCompany { company in
      let (hidden, never) = ("\(prefix)\(Self.mark)", "\(prefix)Xx9")
      let doors: [(String) -> (Session) async throws -> [String]] = [
        { who in { try await HistoryReader($0).blame(who).jsonLines } },
        { who in log(who, patch: true) },
        { who in
          { session in
            try await HistoryReader(session).differences(from: "1", to: nil, department: who)
              .records.map(\.change.json)
          }
        },
        { who in
          { session in
            let report = try await DirectoryWriter(session)
              .edit(.set(who: who, values: ["title=x"]), isDryRun: true)
            return [report.text]
          }
        },
        { who in
          { session in
            let report = try await DirectoryWriter(session)
              .edit(.set(who: "ada", values: ["manager=\(who)"]), isDryRun: true)
            return [report.text]
          }
        },
      ]
      for door in doors {
        let text = await said(company.half, door(hidden))
        let other = await said(company.half, door(never))
        #expect(
          text.replacing(hidden, with: never) == other,
          "\(text) differs from \(other)"
        )
      }
    }
  }

  @Test func `changes what they see, and nothing else`() async throws {
    try await withCompany { company in
      let shown = Shown()
      var observer = EditObserver()
      observer.plan = { changes, _ in
        for change in changes { shown.add(change.text + change.json + "\(change)") }
      }
      let writer = DirectoryWriter(company.half)
      _ = try await writer.edit(.set(who: "ada", values: ["title=Lead"]), observer: observer)
      #expect(shown.text.contains("Lead") && !shown.text.contains(Self.mark))
      // Nothing of what they do not see was lost by it.
      _ = try await SnapshotSync(Administrator(company.whole, to: "test")).sync()
      let all = try await export(DirectoryOpener(company.whole).directory())
      #expect(all[0].contains("\(Self.mark)3") && all[0].contains("Lead"))
      let refused: [Edit] = [
        .set(who: "ada", values: ["salary=1"]), .set(who: "ada", values: ["phone=+4930"]),
        .set(who: "ada", values: ["id=x"]), .move(who: ["ada"], to: "open", from: nil),
        .remove(who: ["ada"], recursive: false, peopleTo: nil),
        .addUser(name: "X", department: "lamps", id: nil, title: nil, values: []),
        .addDepartment(name: "X", parent: nil, id: nil, values: []),
        .join(who: "ada", department: "open", title: nil), .leave(who: "bo", department: "lamps"),
        .primary(who: "bo", department: "lamps"), .order(department: "lamps", who: ["bo"]),
      ]
      for edit in refused {
        await #expect(throws: DirectoryError.self, "\(edit)") { try await writer.edit(edit) }
      }
      let names = await said(company.half) { session in
        _ = try await DirectoryWriter(session).edit(.set(who: "ada", values: ["nothing=1"]))
        return []
      }
      #expect(names.contains("title") && !names.contains("salary"))
    }
  }

  @Test func `changes no id and no place, however that is written`() async throws {
    try await withCompany { company in
      // A mark that combines makes another character of the sign before it.
      for value in ["id=x", "id=\u{338}x", "parent=open", "parent=\u{338}", "id+=x"] {
        let error = await #expect(throws: DirectoryError.self) {
          try await DirectoryWriter(company.half).edit(.set(who: "lamps", values: [value]))
        }
        #expect(error?.kind == .notPermitted, "\(value.debugDescription)")
      }
    }
  }

  @Test func `is no administrator`() async throws {
    try await withCompany { company in
      let error = #expect(throws: DirectoryError.self) {
        try Administrator(company.half, to: "undo")
      }
      #expect(error?.kind == .notPermitted)
    }
  }

  @Test func `is shown nothing where a rule names a field that is not there`() async throws {
    try await withCompany { company in
      var list = HalfSeenCompany.rules.rules
      list[1].fields = ["telephone"]
      let rules = VisibilityRules(list)
      let hub = Hub(company.half.hub.site) { _ in rules }
      let session = Session(hub, company.half.caller) { _ in }
      let directory = try await DirectoryOpener(session).directory()
      #expect(directory.isEmpty)
      let text = await said(session, log(nil, patch: true))
      #expect(text.isEmpty, "\(text)")
    }
  }

  @Test func `never changes a department of which only the name is shown`() async throws {
    try await withCompany { company in
      let rules = VisibilityRules([
        VisibilityRule(.show, .department(DepartmentID("lamps")), .device("lobby")), .base,
      ])
      let hub = Hub(company.half.hub.site) { _ in rules }
      let session = Session(hub, company.half.caller) { _ in }
      await #expect(throws: DirectoryError.self) {
        try await DirectoryWriter(session).edit(.rename(who: "open", name: "Closed"))
      }
      _ = try await DirectoryWriter(session).edit(.rename(who: "lamps", name: "Lights"))
    }
  }

  @Test func `is told nothing by the brake on deletions`() async throws {
    let scratch = try ScratchFolder()
    try await withTestDatabase(template: migrated) { conninfo in
      let company = try HalfSeenCompany(scratch, conninfo)
      try await company.fill()
      var connection = try PGConnection(conninfo: conninfo)
      let m = Self.mark
      try connection.execute(
        """
        with users as (
          insert into staffbook.users (id, name, primary_department_id)
            select 'many\(m)' || n, 'Many \(m)', 'd\(m)' from generate_series(1, 60) n
            returning id, primary_department_id
        ) insert into staffbook.memberships (user_id, department_id) select * from users
        """
      )
      let sync = SnapshotSync(try Administrator(company.whole, to: "test"))
      _ = try await sync.sync()
      try connection.execute("delete from staffbook.users where id like 'many%'")
      let told = Shown()
      let half = Session(company.half.hub, company.half.caller) { told.add("\($0)") }
      let doors: [(Session) async throws -> [String]] = [
        { [try await DirectoryOpener($0).directory(fresh: true).takenText] },
        { [try await HistoryReader($0).directory(asOf: "now").takenText] },
      ]
      for door in doors {
        let text = await said(half, door)
        #expect(text.contains("cannot bring the directory up to date"))
        #expect(!text.contains(m) && !text.contains("60"), "\(text)")
        let all = await said(company.whole, door)
        #expect(all.contains("60 of") && all.contains(m), "\(all)")
      }
      let error = await #expect(throws: DirectoryError.self) {
        try await DirectoryOpener(half).directory(fresh: true)
      }
      #expect(error?.kind == .refusedForNow)
      // An edit does with what the last sync brought.
      _ = try await DirectoryWriter(half).edit(.set(who: "bo", values: ["title=x"]))
      #expect(told.text.contains("up to date"))
      #expect(!told.text.contains(m) && !told.text.contains("60"), "\(told.text)")
    }
  }

  @Test func `erases nothing that they do not see`() async throws {
    try await withCompany { company in
      let m = Self.mark
      let fields = FieldDeclarations(try Administrator(company.whole, to: "test"))
      _ = try await fields.addField("team", of: .user, kind: .person, isMultiple: true)
      let (whole, half) = (DirectoryWriter(company.whole), DirectoryWriter(company.half))
      func team(_ session: Session) async throws -> [String] {
        let directory = try await DirectoryOpener(session).directory(fresh: true)
        let node = try #require(try directory.node(of: .person(UserID("di"))))
        return try directory.card(at: node).values?.values?["team"]?.texts ?? []
      }
      _ = try await whole.edit(.set(who: "di", values: ["team=cy\(m); ada"]))
      for (value, expected) in [
        ("team=ada; bo", ["cy\(m)", "ada", "bo"]), ("team=bo", ["cy\(m)", "bo"]),
        ("team+=ada", ["cy\(m)", "bo", "ada"]), ("team-=bo", ["cy\(m)", "ada"]),
        ("team=", ["cy\(m)"]),
      ] {
        // That nothing is seen to change is told as of what is hidden.
        _ = try await half.edit(.set(who: "di", values: [value]))
        #expect(try await team(company.whole) == expected, "\(value)")
        #expect(try await team(company.half) == expected.filter { !$0.contains(m) }, "\(value)")
      }
      _ = try await whole.edit(.set(who: "di", values: ["team=ada; cy\(m); bo"]))
      _ = try await half.edit(.set(who: "di", values: ["team=bo"]))
      #expect(try await team(company.whole) == ["bo", "cy\(m)"])
      // Of one value nothing would be left.
      for value in ["manager=bo", "manager="] {
        let error = await #expect(throws: DirectoryError.self, "\(value)") {
          try await half.edit(.set(who: "ada", values: [value]))
        }
        #expect(error?.kind == .notFound)
      }
    }
  }

  @Test func `writes to the first place that they see`() async throws {
    try await withCompany { company in
      let m = Self.mark
      let (whole, half) = (DirectoryWriter(company.whole), DirectoryWriter(company.half))
      _ = try await whole.edit(.primary(who: "bo", department: "d\(m)"))
      _ = try await half.edit(.set(who: "bo", values: ["title=Boss", "lead=yes"]))
      let directory = try await DirectoryOpener(company.whole).directory(fresh: true)
      let node = try #require(try directory.node(of: .person(UserID("bo"))))
      let departments = try #require(try directory.card(at: node).departments)
      #expect(departments.map(\.title) == ["T\(m)", "Boss"])
    }
  }
}

extension Directory {
  /// Something of a directory, where none should have been given.
  fileprivate var takenText: String { "\(takenAt)" }
}
