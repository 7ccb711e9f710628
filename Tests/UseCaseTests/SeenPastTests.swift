import Administration
import DirectoryModel
import DirectoryReading
import DirectoryWriting
import LiveDirectory
import Platform
import SiteSettings
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import ChangeHistory

/// A company in which people and departments go to a hidden laboratory, and come from there.
private struct FormerCompany {
  let site: Site
  let hub: Hub
  let whole: Session
  private let told: Notices

  /// What callers are told beside answers.
  private final class Notices: Sendable {
    let lines = Mutex<[String]>([])
  }

  static let rules: VisibilityRules = {
    let sentences = [
      "hide department lab from everybody", "hide department newden from everybody",
      "hide person newid from everybody", "hide person self from everybody",
      "hide phone of everything from everybody", "show everything to everybody",
    ]
    return VisibilityRules(sentences.compactMap { try? VisibilityRule(sentence: $0) })
  }()

  init(_ home: ScratchFolder, _ conninfo: String) throws {
    let settings = try Settings(
      environment: [
        "STAFFBOOK_HOME": home.path.string, "STAFFBOOK_DATABASE_URL": conninfo,
        "STAFFBOOK_LOCALE": "und", "STAFFBOOK_ACTOR": "Root",
      ]
    )
    site = Site(settings: settings) { _ in }
    hub = Hub(site) { _ in Self.rules }
    let told = Notices()
    self.told = told
    whole = Session(hub, settings.caller(.everything)) { advice in
      told.lines.withLock { $0.append(advice.text { _ in "" }) }
    }
  }

  func session(_ id: String, zone: Zone = .utc) -> Session {
    var caller = site.settings.caller(.person(UserID(id)))
    caller.zone = zone
    let told = told
    return Session(hub, caller) { advice in
      told.lines.withLock { $0.append(advice.text { _ in "" }) }
    }
  }

  /// What was told since the last time.
  func takeTold() -> String {
    told.lines.withLock { lines in
      defer { lines = [] }
      return lines.joined(separator: "\n")
    }
  }

  func edit(_ edits: Edit..., reason: String) async throws {
    for edit in edits { _ = try await DirectoryWriter(whole).edit(edit, reason: reason) }
  }

  func fill() async throws {
    for id in ["play", "toys", "lab", "den"] {
      try await edit(
        .addDepartment(name: id.uppercased(), parent: nil, id: id, values: []),
        reason: "of \(id)"
      )
    }
    func add(_ name: String, _ id: String, _ department: String) async throws {
      try await edit(
        .addUser(
          name: name,
          department: department,
          id: id,
          title: "\(name)'s",
          values: ["phone=+49 30 1", "email=\(id)@example.com"]
        ),
        reason: "hired \(name)"
      )
    }
    try await add("Hal", "hal", "play")
    try await add("Dana", "dana", "play")
    try await add("Gus", "gus", "play")
    try await add("Ivo", "ivo", "play")
    try await add("Fay", "fay", "play")
    try await add("Selma", "self", "play")
    try await add("Olga", "oldid", "play")
    try await add("Pia", "pia", "den")
    try await edit(
      .addDepartment(name: "Xray", parent: "play", id: "xr", values: ["description=rays"]),
      reason: "xrays"
    )
    try await edit(.set(who: "dana", values: ["title=Dana's best"]), reason: "praise of Dana")
    try await edit(.move(who: ["dana", "gus", "ivo", "xr"], to: "lab", from: nil), reason: "away")
    try await edit(.remove(who: ["gus"], recursive: false, peopleTo: nil), reason: "Gus left")
    try await edit(.move(who: ["ivo", "xr"], to: "toys", from: nil), reason: "back")
    try await edit(.remove(who: ["fay"], recursive: false, peopleTo: nil), reason: "Fay left")
    try await edit(.set(who: "oldid", values: ["id=newid"]), reason: "another id for Olga")
    try await edit(.set(who: "den", values: ["id=newden"]), reason: "another id for Pia's den")
    try await edit(
      .set(who: "hal", values: ["title=Boss", "email=boss@example.com", "phone=+49 30 2"]),
      reason: "Hal's number"
    )
    _ = try await SnapshotSync(Administrator(whole, to: "test")).sync()
  }

  /// Transactions as the whole of the log has them, the first one first.
  func transactions() async throws -> [RecordedTransaction] {
    var all: [RecordedTransaction] = []
    try await HistoryReader(whole).log(LogRequest()) { all.insert($0.transaction, at: 0) }
    return all
  }

  func number(_ reason: String) async throws -> Int64 {
    try #require(await transactions().last { $0.reason == reason }).number
  }
}

/// Writes down what is asked of a history.
private final class AskedHistory: RecordedHistory {
  private let history: any RecordedHistory
  private let questions = Mutex<[String]>([])

  init(_ history: any RecordedHistory) { self.history = history }

  /// What was asked since the last time.
  func takeQuestions() -> [String] {
    questions.withLock { questions in
      defer { questions = [] }
      return questions
    }
  }

  private func note(_ question: String = #function) {
    questions.withLock { $0.append(question) }
  }

  func beginning() async throws(DirectoryError) -> Int64 {
    note()
    return try await history.beginning()
  }

  func transaction(_ number: Int64) async throws(DirectoryError) -> RecordedTransaction? {
    note()
    return try await history.transaction(number)
  }

  func transactions(_ filter: HistoryFilter) async throws(DirectoryError) -> [RecordedTransaction] {
    note()
    return try await history.transactions(filter)
  }

  func changes(
    in transactions: [RecordedTransaction],
    of record: RecordKey?,
    limit: Int?
  ) async throws(DirectoryError) -> [[Change]] {
    note()
    return try await history.changes(in: transactions, of: record, limit: limit)
  }

  func changes(
    in transaction: RecordedTransaction,
    below department: DepartmentID,
    limit: Int
  ) async throws(DirectoryError) -> [Change] {
    note()
    return try await history.changes(in: transaction, below: department, limit: limit)
  }

  func changes(from: Int64, to: Int64) async throws(DirectoryError) -> [Change] {
    note()
    return try await history.changes(from: from, to: to)
  }

  func visibilityChanges(
    from: Int64,
    to: Int64
  ) async throws(DirectoryError) -> [VisibilityChange] {
    note()
    return try await history.visibilityChanges(from: from, to: to)
  }

  func changes(backTo time: Int64) async throws(DirectoryError) -> DirectoryChanges {
    note()
    return try await history.changes(backTo: time)
  }

  func steps(of kind: RecordKind, _ id: String) async throws(DirectoryError) -> [HistoryStep] {
    note()
    return try await history.steps(of: kind, id)
  }

  func state(of kind: RecordKind, _ id: String) async throws(DirectoryError) -> Change.State? {
    note()
    return try await history.state(of: kind, id)
  }

  func states(
    at moments: Set<RecordMoment>
  ) async throws(DirectoryError) -> [RecordMoment: Change.State] {
    note()
    return try await history.states(at: moments)
  }

  func lastStates(
    of users: Set<DirectoryModel.UserID>
  ) async throws(DirectoryError) -> [DirectoryModel.UserID: LastState] {
    note()
    return try await history.lastStates(of: users)
  }

  func departmentMoves() async throws(DirectoryError) -> FormerDepartments {
    note()
    return try await history.departmentMoves()
  }

  func removed(
    _ text: String,
    by key: RemovedRecord.Key
  ) async throws(DirectoryError) -> [RemovedRecord] {
    note("removed by \(key)")
    return try await history.removed(text, by: key)
  }

  func departments(
    below id: DepartmentID,
    at time: Int64
  ) async throws(DirectoryError) -> [DepartmentID] {
    note()
    return try await history.departments(below: id, at: time)
  }

  func formerPeople() async throws(DirectoryError) -> [HistoryStep] {
    note()
    return try await history.formerPeople()
  }

  func formerTerms(
    of ids: Set<DirectoryModel.UserID>
  ) async throws(DirectoryError) -> [FormerHolders.Term] {
    note()
    return try await history.formerTerms(of: ids)
  }
}

@Suite("The past that a viewer sees")
struct SeenPastTests {
  private func withCompany(_ body: (FormerCompany) async throws -> Void) async throws {
    let scratch = try ScratchFolder()
    try await withTestDatabase(template: migrated) { conninfo in
      let company = try FormerCompany(scratch, conninfo)
      try await company.fill()
      try await body(company)
    }
  }

  private func log(_ session: Session, _ number: Int64? = nil) async throws -> [String] {
    var lines: [String] = []
    var request = LogRequest()
    (request.withChanges, request.number) = (true, number)
    try await HistoryReader(session).log(request) { entry in
      lines += [entry.transaction.reason] + entry.changes.map { "\($0.text) \($0.json)" }
    }
    return lines
  }

  private func diff(_ session: Session, _ from: String) async throws -> [String] {
    try await HistoryReader(session).differences(from: from, to: nil, department: nil)
      .records.map { "\($0.change.text) \($0.change.json)" }
  }

  private func rows(_ session: Session, asOf time: String) async throws -> [String] {
    let directory = try await HistoryReader(session).directory(asOf: time)
    var request = TreeRequest(opening: .all)
    request.withContacts = true
    var text = ""
    _ = try directory.write(request, as: .jsonl) { bytes in
      text += String(decoding: bytes, as: UTF8.self)
      bytes = []
    }
    return text.split(separator: "\n").map(String.init)
  }

  private func refusal(_ body: () async throws -> [String]) async -> String {
    do {
      return "done: \(try await body())"
    } catch {
      return DirectoryError(describing: error).message
    }
  }

  @Test func `has no one who is hidden now, or was when they were last there`() async throws {
    try await withCompany { company in
      let times = try await company.transactions().map { String($0.number) }
      let first = String(try await company.number("of play"))
      let hal = company.session("hal")
      var (texts, all) = ("", "")
      for (session, isWhole) in [(hal, false), (company.whole, true)] {
        var lines = try await log(session) + diff(session, first)
        lines += try await HistoryReader(session).formerPeople("", limit: 99).map(\.change.json)
        // Before any of the departments is seen there is nothing to go back to.
        for time in times {
          lines += (try? await rows(session, asOf: time)) ?? []
        }
        if isWhole { all = lines.joined() } else { texts = lines.joined() }
      }
      let marks = ["Dana", "Gus", "LAB", "Selma", "Olga", "oldid", "newid", "Pia", "DEN", "+49"]
      for mark in marks {
        #expect(all.contains(mark), "\(mark)")
        #expect(!texts.contains(mark), "\(mark): \(texts)")
      }
      // Who left from where they were seen is part of it; a reason is, where nothing of what was done is
      // hidden, as Fay's number is.
      #expect(texts.contains("Fay") && !texts.contains("Fay left") && texts.contains("of play"))
    }
  }

  @Test func `says of those who went away and came back that they were removed and added`()
    async throws
  {
    try await withCompany { company in
      let hal = company.session("hal")
      let times = try await company.transactions()
      let moves = times.filter { ["away", "back"].contains($0.reason) }
      var seen: [String] = []
      for transaction in moves {
        guard let lines = try? await log(hal, transaction.number) else { continue }
        seen += lines.dropFirst().map { String($0.prefix { $0 != "{" }) }
      }
      #expect(
        seen.map { $0.prefix(5) } == ["- dep", "- Ivo", "+ dep", "+ Ivo"],
        "\(seen)"
      )
      #expect(!seen.joined().contains("top level"))
    }
  }

  @Test func `has no transaction of which nothing is seen`() async throws {
    try await withCompany { company in
      let hal = company.session("hal")
      let number = try await company.number("praise of Dana")
      let doors: [(String) async throws -> [String]] = [
        { try await rows(hal, asOf: $0) }, { try await diff(hal, $0) },
        { try await log(hal, Int64($0)) },
        { time in
          var request = LogRequest()
          request.since = time
          var lines: [String] = []
          try await HistoryReader(hal).log(request) { lines.append($0.transaction.reason) }
          return lines
        },
      ]
      for door in doors {
        let hidden = await refusal { try await door("\(number)") }
        let never = await refusal { try await door("987654321") }
        #expect(hidden.replacing("\(number)", with: "987654321") == never)
        #expect(!never.hasPrefix("done"))
      }
    }
  }

  /// Vault is put below the laboratory, taken out of it, and removed where it is seen.
  private func moveVault(_ company: FormerCompany) async throws {
    func set(_ who: String, _ value: String, _ reason: String) async throws {
      try await company.edit(.set(who: who, values: [value]), reason: reason)
    }
    try await company.edit(
      .addDepartment(name: "Vault", parent: "lab", id: "vault", values: ["description=hush"]),
      .addUser(name: "Zoe", department: "vault", id: "zoe", title: "Secret", values: []),
      .addUser(name: "Una", department: "vault", id: "una", title: "Covert", values: []),
      reason: "into the vault"
    )
    try await company.edit(
      .addUser(name: "Kim", department: "play", id: "kim", title: "Open", values: []),
      reason: "hired Kim"
    )
    try await set("vault", "description=mild", "mild")
    try await set("vault", "name=Silence", "silence")
    try await set("zoe", "title=Quiet", "quiet")
    try await company.edit(
      .remove(who: ["una"], recursive: false, peopleTo: nil),
      reason: "Una went"
    )
    try await company.edit(.move(who: ["vault"], to: "toys", from: nil), reason: "out")
    try await set("vault", "description=told", "told")
    try await set("zoe", "title=Loud", "loud")
    try await company.edit(.move(who: ["kim"], to: "vault", from: nil), reason: "Kim joins")
    _ = try await SnapshotSync(Administrator(company.whole, to: "test")).sync()
  }

  @Test func `is judged by what was above departments then, not by what is above them now`()
    async throws
  {
    try await withCompany { company in
      let beginning = String(try await company.number("Hal's number"))
      try await moveVault(company)
      let hal = company.session("hal")
      let out = String(try await company.number("out"))
      var lines = try await log(hal) + diff(hal, beginning) + diff(hal, out)
      lines += try await HistoryReader(hal).formerPeople("", limit: 99).map(\.change.json)
      for who in ["vault", "zoe"] {
        let blame = try await HistoryReader(hal).blame("id:\(who)")
        lines += blame.lines.map { "\($0.value) \(String(describing: $0.transaction))" }
      }
      let text = lines.joined(separator: "\n")
      for mark in ["hush", "Secret", "Una", "Covert", "quiet", "silence", "into"] {
        #expect(!text.contains(mark), "\(mark): \(text)")
      }
      for mark in ["told", "Loud", "loud", "Silence", "Kim joins"] {
        #expect(text.contains(mark), "\(mark): \(text)")
      }
      let unasked = await refusal { try await log(hal, company.number("quiet")) }
      #expect(unasked.hasPrefix("there is no transaction"))
    }
  }

  @Test func `blames only transactions that the viewer has`() async throws {
    try await withCompany { company in
      try await moveVault(company)
      let reader = HistoryReader(company.session("hal"))
      var shown: Set<Int64> = []
      try await reader.log(LogRequest()) { shown.insert($0.transaction.number) }
      var blamed: [String: Int64] = [:]
      for who in ["hal", "ivo", "zoe", "vault", "xr"] {
        for line in try await reader.blame("id:\(who)").lines {
          guard let transaction = line.transaction else { continue }
          blamed["\(who) \(line.label)"] = transaction.number
          #expect(shown.contains(transaction.number), "\(who): \(line)")
          #expect(!transaction.role.isEmpty, "\(who): \(line)")
        }
      }
      // Of who came out of the laboratory everything was set when they came, as if they had been added.
      #expect(blamed["ivo title in TOYS"] == (try await company.number("back")))
      #expect(blamed["zoe title in Silence"] == (try await company.number("loud")))
    }
  }

  /// Gus, who was hidden when he left, and the department Xray are followed by others of the same ids.
  private func addNamesakes(_ company: FormerCompany) async throws {
    try await company.edit(.remove(who: ["xr"], recursive: true, peopleTo: nil), reason: "no rays")
    try await company.edit(
      .addUser(
        name: "Greta",
        department: "play",
        id: "gus",
        title: "New",
        values: ["email=greta@example.com"]
      ),
      .addDepartment(name: "Xylophones", parent: "play", id: "xr", values: []),
      reason: "hired Greta"
    )
    try await company.edit(.set(who: "id:gus", values: ["title=Newer"]), reason: "praise of Greta")
    _ = try await SnapshotSync(Administrator(company.whole, to: "test")).sync()
  }

  @Test func `is nobody's who only has the same id`() async throws {
    try await withCompany { company in
      let times = try await company.transactions().map { String($0.number) }
      let first = try await company.number("of play")
      try await addNamesakes(company)
      for viewer in ["gus", "hal"] {
        let session = company.session(viewer)
        let reader = HistoryReader(session)
        var lines = try await log(session) + diff(session, String(first))
        // Before any of the departments is seen there is nothing to go back to.
        for time in times where Int64(time).map({ $0 > first }) == true {
          guard (try? await rows(session, asOf: time)) != nil else { continue }
          let past = try await reader.directory(asOf: time)
          lines += try await rows(session, asOf: time)
          if let card = try past.ownCard() { lines.append("\(card)") }
        }
        lines += try await reader.blame("id:gus").lines.map { "\($0)" }
        var request = LogRequest()
        (request.record, request.withChanges) = (.user(UserID("gus")), true)
        try await reader.log(request) { entry in
          lines += [entry.transaction.reason] + entry.changes.map { "\($0.text) \($0.json)" }
        }
        let text = lines.joined(separator: "\n")
        #expect(text.contains("Greta"))
        for mark in ["Gus", "gus@example.com"] {
          #expect(!text.contains(mark), "\(viewer), \(mark): \(text)")
        }
      }
    }
  }

  @Test func `of somebody who left stays hidden by the rule, whoever has the id`() async throws {
    try await withCompany { company in
      let hub = Hub(company.site)
      let whole = company.site.settings.caller(.everything)
      let administrator = try Administrator(Session(hub, whole) { _ in }, to: "test")
      let visibility = VisibilityAdministration(administrator)
      try await visibility.write(
        VisibilityRules([
          VisibilityRule(.hide, .person(UserID("ivo")), .everybody),
          VisibilityRule(.hide, .department(DepartmentID("xr")), .everybody), .base,
        ]),
        replacing: try await visibility.rules()
      )
      try await company.edit(
        .remove(who: ["ivo"], recursive: false, peopleTo: nil),
        .remove(who: ["xr"], recursive: true, peopleTo: nil),
        reason: "gone"
      )
      try await company.edit(
        .addUser(name: "Irma", department: "play", id: "ivo", title: "New", values: []),
        .addDepartment(name: "Xylophones", parent: "play", id: "xr", values: []),
        reason: "hired Irma"
      )
      // The rules that hide go along, since they cover both.
      try await company.edit(.set(who: "id:ivo", values: ["id=irma"]), reason: "another id")
      try await company.edit(.set(who: "id:xr", values: ["id=xylo"]), reason: "another id")
      _ = try await SnapshotSync(administrator).sync()
      let hal = Session(hub, company.site.settings.caller(.person(UserID("hal")))) { _ in }
      let first = String(try await company.number("of play"))
      let text = (try await log(hal) + diff(hal, first)).joined(separator: "\n")
      for mark in ["Ivo", "Xray", "rays", "Irma", "Xylophones"] {
        #expect(!text.contains(mark), "\(mark): \(text)")
      }
      #expect(text.contains("Hal") && text.contains("Fay"))
    }
  }

  @Test func `of an id that was changed is taken back with whatever was edited since`()
    async throws
  {
    try await withCompany { company in
      let numbers = [
        try await company.number("another id for Pia's den"),
        try await company.number("another id for Olga"),
      ]
      try await company.edit(
        .set(who: "id:newden", values: ["description=deep"]),
        .set(who: "id:newid", values: ["title=Later"]),
        reason: "edited since"
      )
      let administrator = try Administrator(company.whole, to: "test")
      _ = try await HistoryUndo(administrator).undo(
        numbers,
        force: false,
        reason: nil,
        isDryRun: false,
        observer: EditObserver()
      )
      _ = try await SnapshotSync(administrator).sync()
      let rows = try await rows(company.whole, asOf: "now").joined(separator: "\n")
      for mark in [#""id":"den""#, "deep", #""id":"oldid""#, "Later"] {
        #expect(rows.contains(mark), "\(mark): \(rows)")
      }
      #expect(!rows.contains("newden") && !rows.contains("newid"))
      let reader = HistoryReader(company.whole)
      #expect(try await reader.blame("id:pia").lines.contains { $0.value == "DEN" })
    }
  }

  @Test func `of two people with one id is that of the one who has it now`() async throws {
    try await withCompany { company in
      try await addNamesakes(company)
      func reasons(_ who: String) async throws -> [String] {
        var request = LogRequest()
        request.who = who
        var reasons: [String] = []
        try await HistoryReader(company.whole).log(request) {
          reasons.append($0.transaction.reason)
        }
        return reasons
      }
      #expect(try await reasons("id:gus") == ["praise of Greta", "hired Greta"])
      #expect(try await reasons("Gus") == ["Gus left", "away", "hired Gus"])
      #expect(
        try await reasons("Olga") == ["another id for Olga", "hired Olga"],
        "under both ids"
      )
      let left = try await HistoryReader(company.whole).formerPeople("", limit: 9)
      #expect(left.map(\.change.name) == ["Fay", "Gus"])
    }
  }

  /// What takes time is what is asked: a clock would tell nothing on a busy machine.
  @Test func `is asked the same of what is hidden as of what never was`() async throws {
    try await withCompany { company in
      let reader = HistoryReader(company.session("hal"))
      let history = AskedHistory(try await company.whole.openHistory("test"))
      func questions(_ ask: () async throws -> Void) async throws -> [String] {
        _ = history.takeQuestions()
        do {
          try await ask()
          Issue.record("found")
        } catch let error as DirectoryError {
          #expect(error.kind == .notFound, "\(error)")
        }
        return history.takeQuestions()
      }
      let never = try await questions { _ = try await reader.subject("never", history) }
      #expect(never.count { $0.hasPrefix("removed") } == 2)
      for text in [
        "id:dana", "dana", "Dana", "dana@example.com", "gus", "Gus", "oldid", "newid", "Olga",
        "lab",
        "LAB", "den", "newden", "Pia", "self",
      ] {
        let hidden = try await questions { _ = try await reader.subject(text, history) }
        #expect(hidden == never, "\(text)")
      }
      func log(_ number: Int64) async throws -> [String] {
        var request = LogRequest()
        request.number = number
        return try await questions { try await reader.log(request, history) { _ in } }
      }
      let number = try await company.number("praise of Dana")
      #expect(try await log(number) == log(987_654_321))
    }
  }

  @Test func `reads a log in parts, and as far as it is asked for`() async throws {
    try await withCompany { company in
      let reader = HistoryReader(company.session("hal"))
      let history = AskedHistory(try await company.whole.openHistory("test"))
      var all: [Int64] = []
      try await reader.log(LogRequest(), history) { all.append($0.transaction.number) }
      _ = history.takeQuestions()
      var request = LogRequest()
      for limit in 1...all.count {
        request.limit = limit
        var some: [Int64] = []
        try await reader.log(request, history) { some.append($0.transaction.number) }
        #expect(some == Array(all.prefix(limit)))
        if limit == 1 { #expect(history.takeQuestions().count { $0.hasPrefix("changes") } == 1) }
      }
      var filter = HistoryFilter()
      filter.limit = 2
      var window = TransactionWindow(filter, fewest: 2)
      var read: [Int64] = []
      while let part = try await window.next(history) { read += part.map(\.number) }
      #expect(read == (try await history.transactions(HistoryFilter()).map(\.number)))
    }
  }

  @Test func `names the author of each value, however many there are of one transaction`()
    async throws
  {
    try await withCompany { company in
      let blame = try await HistoryReader(company.session("hal")).blame("hal")
      let number = try await company.number("Hal's number")
      let lines = blame.lines.filter { $0.transaction?.number == number }
      #expect(Set(lines.map(\.label)) == ["title in PLAY", "email"])
      #expect(lines.allSatisfy { $0.transaction?.author == "Root" && $0.transaction?.reason == "" })
    }
  }

  @Test func `holds the viewer's own card`() async throws {
    try await withCompany { company in
      let own = company.session("self")
      let directory = try await HistoryReader(own).directory(asOf: "now")
      guard case .card(let now) = try directory.lookUp("self", limit: 9) else {
        Issue.record("no card")
        return
      }
      #expect(now.name == "Selma" && now.contacts?[.phone] == "+49 30 1")
      let first = String(try await company.number("hired Ivo"))
      let past = try await HistoryReader(own).directory(asOf: first)
      guard case .nothing = try past.lookUp("self", limit: 9) else {
        Issue.record("a card of before")
        return
      }
      let rows = try await rows(own, asOf: first)
      #expect(!rows.joined().contains("Selma"))
    }
  }

  @Test func `is told by the caller's clock, and only of people who were seen`() async throws {
    try await withCompany { company in
      let zone = try #require(Zone("Asia/Kolkata"))
      let away = company.session("hal", zone: zone)
      let early = await refusal { try await rows(away, asOf: "2001-01-01") }
      #expect(early.hasSuffix(" +05:30"), "\(early)")
      #expect(await refusal { try await diff(away, "2001-01-01") }.hasPrefix("done"))
      #expect(company.takeTold().contains(" +05:30, when the history begins"))
      let administrator = try Administrator(company.whole, to: "test")
      _ = try await HistoryRetention(administrator).forget("gus") { _ in true }
      let time = String(try await company.number("hired Fay"))
      _ = company.takeTold()
      _ = try await rows(company.whole, asOf: time)
      #expect(company.takeTold().contains("1 person"))
      _ = try await rows(company.session("hal"), asOf: time)
      #expect(!company.takeTold().contains("forgotten"))
    }
  }
}
