import DirectoryModel
import DirectoryReading
import DirectorySnapshot
import DirectoryTestSupport
import LiveDirectory
import SiteSettings
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// A home in which snapshots are put in place as a sync does, and rules that are as the test says.
private final class Rooms: Sendable {
  let home: ScratchFolder
  let settings: Settings
  private let rules = Mutex(VisibilityRules())

  init() throws {
    home = try ScratchFolder()
    settings = try Settings(
      environment: [
        "STAFFBOOK_HOME": home.path.string, "STAFFBOOK_LOCALE": "C",
        "STAFFBOOK_DATABASE_URL": "host=/nowhere",
      ]
    )
  }

  func hub(isLongLived: Bool = false, mostBytes: Int = Hub.mostBytes) -> Hub {
    Hub(Site(settings: settings) { _ in }, isLongLived: isLongLived, mostBytes: mostBytes) {
      [self] _ in rules.withLock { $0 }
    }
  }

  func session(_ hub: Hub, _ viewer: String) -> Session {
    Session(hub, settings.caller(.person(UserID(viewer)))) { _ in }
  }

  /// Puts a company in place: departments with what is above, and people with their departments.
  func put(
    _ sentences: [String],
    _ departments: [(String, String?)],
    _ people: [(String, String)]
  ) throws {
    var company = Company()
    for (id, parent) in departments { try company.department(id, under: parent) }
    for (id, department) in people { try company.user(id, in: department) }
    try put(sentences, company)
  }

  /// Puts a company in place in which a person has the id `me`, beside `u`.
  func put(_ sentences: [String], me identity: String) throws {
    var company = Company()
    try company.department("a")
    var record = UserRecord(id: UserID("me"), primaryDepartment: DepartmentID("a"), name: identity)
    record.identity = RecordIdentity(identity)
    try company.records.users.append(record)
    try company.member("me", of: "a")
    try company.user("u", in: "a")
    try put(sentences, company)
  }

  private func put(_ sentences: [String], _ company: Company) throws {
    let all = try sentences.map { try VisibilityRule(sentence: $0) } + [.base]
    rules.withLock { $0 = VisibilityRules(all) }
    let snapshots = Site(settings: settings) { _ in }.snapshots
    try Folders.create(snapshots.folder)
    try company.write(to: snapshots.path)
  }
}

private final class Moment: Sendable {
  let time = Mutex<ContinuousClock.Instant?>(nil)
}

@Suite("Classes of viewers")
struct ClassTests {
  private static let departments: [(String, String?)] = [("a", nil), ("b", nil), ("c", "b")]
  private static let people = [("me", "a"), ("u", "a"), ("v", "c")]

  private func people(_ directory: Directory) throws -> [String] {
    var ids: [String] = []
    try directory.forEachRow(of: TreeRequest(opening: .all)) { row in
      if row.kind == .user { ids.append(String(decoding: row.id, as: UTF8.self)) }
    }
    return ids.sorted()
  }

  /// After a rule has changed, a person has moved into a hidden department and out of it, and a
  /// department has moved below a limited one.
  @Test(arguments: [false, true])
  func `see nothing of before when the newest state is theirs`(isLongLived: Bool) async throws {
    let rooms = try Rooms()
    let hide = "hide department b from everybody"
    let limit = "hide department x from everybody"
    let (a, b) = (Self.departments, Self.people)
    let steps: [([String], [(String, String?)], [(String, String)], seen: [String])] = [
      ([], a, b, ["me", "u", "v"]),
      ([hide], a, b, ["me", "u"]),
      ([hide], a, [("me", "a"), ("u", "c"), ("v", "c")], ["me"]),
      ([hide], a, [("me", "a"), ("u", "c"), ("v", "a")], ["me", "v"]),
      ([limit], a + [("x", nil)], b, ["me", "u", "v"]),
      ([limit], [("a", nil), ("x", nil), ("b", "x"), ("c", "b")], b, ["me", "u"]),
    ]
    let hub = rooms.hub(isLongLived: isLongLived)
    let door = DirectoryOpener(rooms.session(hub, "me"))
    for (index, step) in steps.enumerated() {
      try rooms.put(step.0, step.1, step.2)
      let first = try await people(door.directory())
      if isLongLived {
        // For a moment the state before may answer, and no other.
        #expect(first == step.seen || first == steps[max(0, index - 1)].seen)
        try await Task.sleep(for: Hub.longestDelay)
      }
      #expect(try await people(door.directory()) == step.seen, "step \(index)")
    }
  }

  @Test func `are told of the newest state, and not of the one before`() async throws {
    let rooms = try Rooms()
    try rooms.put([], Self.departments, Self.people)
    let hub = rooms.hub(isLongLived: true)
    let session = rooms.session(hub, "me")
    let directory = try await DirectoryOpener(session).directory()
    try rooms.put(["hide department b from everybody"], Self.departments, Self.people)
    for await next in hub.replacements(of: directory, for: session) {
      #expect(try people(next) == ["me", "u"])
      break
    }
  }

  @Test(arguments: [false, true])
  func `are not those of a person who had the id before`(isLongLived: Bool) async throws {
    let rooms = try Rooms()
    try rooms.put(["hide person u from everybody"], me: "first")
    let hub = rooms.hub(isLongLived: isLongLived)
    func session(_ identity: String?) -> Session {
      var caller = rooms.settings.caller(.person(UserID("me")))
      caller.identity = identity.map { RecordIdentity($0) }
      return Session(hub, caller) { _ in }
    }
    func own(_ identity: String?) async throws -> String? {
      try await DirectoryOpener(session(identity)).directory().ownCard()?.name
    }
    #expect(try await own("first") == "first")
    #expect(try await own(nil) == "first")
    let early = await #expect(throws: DirectoryError.self) { try await own("second") }
    #expect(early?.kind == .notSignedIn)
    try rooms.put(["hide person u from everybody"], me: "second")
    // At once: the state before is not for somebody else, as it would be for a moment otherwise.
    #expect(try await own("second") == "second")
    #expect(try await own(nil) == "second")
    let late = await #expect(throws: DirectoryError.self) { try await own("first") }
    #expect(late?.kind == .notSignedIn)
    #expect(throws: DirectoryError.self) { try hub.visibility(for: session("first")) }
  }

  @Test func `are shared by viewers with equal answers, and not by others`() async throws {
    let rooms = try Rooms()
    try rooms.put(["hide department b from department a"], Self.departments, Self.people)
    let hub = rooms.hub()
    func checksum(_ viewer: String) async throws -> UInt64 {
      try await DirectoryOpener(rooms.session(hub, viewer)).directory().checksum
    }
    let (me, u, v) = try await (checksum("me"), checksum("u"), checksum("v"))
    let everything = try await DirectoryOpener(
      Session(hub, rooms.settings.caller(.everything)) { _ in }
    ).directory().checksum
    #expect(me == u && me != v && v == everything)
    #expect(try await people(DirectoryOpener(rooms.session(hub, "nobody")).directory()).isEmpty)
  }

  /// Fifty departments, in each of which the user sees that department alone, and a secret person.
  private func putFifty(_ rooms: Rooms, _ first: [String] = []) throws {
    let numbers = 0..<50
    try rooms.put(
      first + numbers.map { "show department d\($0) to department d\($0)" }
        + ["hide everything from everybody"],
      numbers.map { ("d\($0)", nil) },
      numbers.flatMap { [("p\($0)", "d\($0)"), ("s\($0)", "d\($0)")] }
    )
  }

  @Test func `are made once for all who ask at the same time, also where one is cancelled`()
    async throws
  {
    let rooms = try Rooms()
    try putFifty(rooms)
    let hub = rooms.hub()
    for round in 0..<50 {
      let door = DirectoryOpener(rooms.session(hub, "p\(round)"))
      try await withThrowingTaskGroup(of: [String].self) { group in
        for _ in 0..<8 { group.addTask { try await people(door.directory()) } }
        let cancelled = Task { try await door.directory() }
        cancelled.cancel()
        _ = await cancelled.result
        for try await seen in group { #expect(seen == ["p\(round)", "s\(round)"]) }
      }
      #expect(hub.madeCount.load(ordering: .relaxed) == round + 1)
    }
  }

  @Test func `beyond the limit of bytes are discarded, and answer as before when made again`()
    async throws
  {
    let rooms = try Rooms()
    try putFifty(rooms)
    let hub = rooms.hub(mostBytes: 1 << 15)
    for _ in 0..<2 {
      for number in 0..<50 {
        let door = DirectoryOpener(rooms.session(hub, "p\(number)"))
        for _ in 0..<2 {
          #expect(try await people(door.directory()) == ["p\(number)", "s\(number)"])
        }
      }
    }
    // Each was still there when it was asked for again at once, and none a round later.
    #expect(hub.madeCount.load(ordering: .relaxed) == 100)
  }

  @Test func `of a state that is replaced under many askers show nothing hidden after the delay`()
    async throws
  {
    let rooms = try Rooms()
    try putFifty(rooms)
    let hub = rooms.hub(isLongLived: true)
    let sessions = (0..<50).map { rooms.session(hub, "p\($0)") }
    for session in sessions { _ = try await DirectoryOpener(session).directory() }
    let clock = ContinuousClock()
    let replaced = Moment()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, session) in sessions.enumerated() {
        group.addTask {
          var hasSeenNew = false
          while true {
            let (asked, hidden) = (clock.now, replaced.time.withLock { $0 })
            let seen = try await people(DirectoryOpener(session).directory())
            let isNew = seen == ["p\(number)"]
            #expect(isNew || seen == ["p\(number)", "s\(number)"], "\(seen)")
            #expect(isNew || !hasSeenNew, "the former state after the new one")
            hasSeenNew = isNew
            guard let hidden else { continue }
            if asked > hidden + Hub.longestDelay {
              #expect(isNew, "\(number) sees what was hidden \(asked - hidden) before")
              return
            }
            try await Task.sleep(for: .milliseconds(10))
          }
        }
      }
      try putFifty(rooms, (0..<50).map { "hide person s\($0) from everybody" })
      replaced.time.withLock { $0 = clock.now }
      try await group.waitForAll()
    }
  }

  @Test func `answer by the former state only just after it was replaced`() async throws {
    let rooms = try Rooms()
    try rooms.put([], Self.departments, Self.people)
    let hub = rooms.hub(isLongLived: true)
    let door = DirectoryOpener(rooms.session(hub, "me"))
    #expect(try await people(door.directory()) == ["me", "u", "v"])
    try rooms.put(["hide department b from everybody"], Self.departments, Self.people)
    try await Task.sleep(for: Hub.longestDelay)
    #expect(try await people(door.directory()) == ["me", "u"])
  }

  @Test
  func `are told nothing of a setting that is not theirs when they are hidden from themselves`()
    async throws
  {
    let rooms = try Rooms()
    try rooms.put(["hide person me from everybody"], Self.departments, Self.people)
    let hub = rooms.hub()
    let told = Mutex<[String]>([])
    for (viewer, isTold) in [(Viewer.person(UserID("me")), false), (.everything, true)] {
      var caller = rooms.settings.caller(viewer)
      caller.me = isTold ? "who" : "me"
      let session = Session(hub, caller) { text in told.withLock { $0.append("\(text)") } }
      let directory = try await DirectoryOpener(session).directory()
      _ = try directory.searcher().forEachHit(of: SearchOptions("u")) { _ in }
      #expect(told.withLock { $0.isEmpty } != isTold)
    }
  }

  @Test func `do not make an administrator of who sees everything`() throws {
    let rooms = try Rooms()
    #expect(throws: DirectoryError.self) {
      try Administrator(rooms.session(rooms.hub(), "me"), to: "undo")
    }
  }
}
