import Administration
import SiteSettings
import DirectoryModel
import DirectoryStore
import DirectoryWriting
import LibPQ
import LiveDirectory
import Synchronization
import SystemPackage
import Testing
import TestSupport

/// A small company, of which `ada` is the first, and an account with the rights that are tested.
private struct TokenCompany {
  let scratch: ScratchFolder
  let conninfo: String
  let tokens: TokenAdministration

  static func with(_ body: (TokenCompany) async throws -> Void) async throws {
    try await withTestDatabase(template: migrated) { conninfo in
      let scratch = try ScratchFolder()
      let company = TokenCompany(
        scratch: scratch,
        conninfo: conninfo,
        tokens: TokenAdministration(try administrator(scratch, conninfo))
      )
      try company.run(
        """
        begin;
        insert into staffbook.departments (id, name) values ('d', 'Lamps');
        insert into staffbook.users (id, name, email, primary_department_id) values
          ('ada', 'Ada Lund', 'ada@lumen.example', 'd'), ('bo', 'Bo', '', 'd'), ('cy', 'Bo', '', 'd');
        insert into staffbook.memberships (user_id, department_id) select id, 'd' from staffbook.users;
        commit
        """
      )
      try await body(company)
    }
  }

  static func administrator(
    _ scratch: ScratchFolder,
    _ conninfo: String,
    tell: @escaping @Sendable (Advice) -> Void = { _ in }
  ) throws -> Administrator {
    let settings = try Settings(
      environment: ["STAFFBOOK_HOME": scratch.path.string, "STAFFBOOK_DATABASE_URL": conninfo]
    )
    return try Administrator(Session(settings: settings, tell: tell), to: "test")
  }

  func administrator(role: String? = nil) throws -> Administrator {
    let login = role.map { conninfo + " options=-crole=\($0)" } ?? conninfo
    return try Self.administrator(scratch, login)
  }

  /// Who reads the tokens for each question.
  func holders() throws -> TokenHolders { TokenHolders(try administrator(), freshness: .zero) }

  func add(
    _ who: String = "ada",
    for purpose: String = "test",
    scope: TokenScope = .read,
    expires: String = "1y"
  ) async throws -> (text: String, token: Token) {
    try await tokens.addToken(for: who, purpose: purpose, scope: scope, expires: expires)
  }

  func run(_ sql: String) throws {
    var connection = try PGConnection(conninfo: conninfo)
    try connection.executeScript(sql)
  }

  func value(_ sql: String) throws -> String? {
    var connection = try PGConnection(conninfo: conninfo)
    return try connection.execute(sql).text(row: 0, column: 0)
  }
}

@Suite("Tokens")
struct TokenTests {
  @Test func `let in whom they are of, with what they may, until they are removed`() async throws {
    try await TokenCompany.with { company in
      try await company.tokens.addDevice("lobby")
      let ada = try await company.add("Ada Lund", for: "build server", scope: .edit)
      let lobby = try await company.add("device:lobby", expires: "never")
      #expect(ada.text.wholeMatch(of: /sb_[a-z2-7]{32}/) != nil && ada.text != lobby.text)
      #expect(ada.token.holder == .person(UserID("ada")) && ada.token.name == "Ada Lund")
      #expect(ada.token.purpose == "build server" && lobby.token.expires == nil)
      #expect(try await company.tokens.tokens() == [ada.token, lobby.token])

      let holders = try company.holders()
      let first = try await holders.holder(of: ada.text)
      #expect(first?.viewer == .person(UserID("ada")) && first?.scope == .edit)
      let other = try await holders.holder(of: lobby.text)
      #expect(other?.viewer == .device("lobby") && other?.scope == .read)
      #expect(first?.token != other?.token)
      for wrong in ["", "sb_", ada.text + "a", ada.text.uppercased(), String(ada.text.dropLast())] {
        #expect(try await holders.holder(of: wrong) == nil)
      }
      #expect(try await holders.holder(of: ada.text) == first)

      let missing = await #expect(throws: DirectoryError.self) {
        try await company.tokens.removeTokens([ada.token.id, 99])
      }
      #expect(missing?.kind == .notFound)
      #expect(try await holders.holder(of: ada.text) == first)
      try await company.tokens.removeTokens([ada.token.id])
      #expect(try await holders.holder(of: ada.text) == nil)
      #expect(try await company.tokens.devices().map(\.tokenCount) == [1])
      #expect(try await company.tokens.removeDevice("lobby") == 1)
      #expect(try await holders.holder(of: lobby.text) == nil)
      #expect(try await company.tokens.tokens() == [])
    }
  }

  @Test func `are of whom is named exactly`() async throws {
    try await TokenCompany.with { company in
      for (who, id) in [("ada@lumen.example", "ada"), ("id:bo", "bo"), ("ada lund", "ada")] {
        #expect(try await company.add(who).token.holder == .person(UserID(id)), "\(who)")
      }
      for who in ["Bo", "Ada", "Lamps", "nobody", "device:lobby", "device:"] {
        let error = await #expect(throws: DirectoryError.self, "\(who)") {
          try await company.add(who)
        }
        #expect(error?.kind == .notFound, "\(who): \(error.map { "\($0)" } ?? "")")
      }
      // A name that became another person's too since the last sync.
      try company.run("update staffbook.users set name = 'Ada Lund' where id = 'bo'")
      await #expect(throws: DirectoryError.self) { try await company.add("Ada Lund") }
      for (purpose, period) in [("", "1y"), ("a\nb", "1y"), (" ", "1y"), ("x", "1"), ("x", "soon")]
      {
        let error = await #expect(throws: DirectoryError.self) {
          try await company.add(for: purpose, expires: period)
        }
        #expect(error?.kind == .usage, "\(purpose) \(period)")
      }
      try await company.tokens.addDevice("lobby")
      for name in ["lobby", "", " ", "a\nb"] {
        let error = await #expect(throws: DirectoryError.self) {
          try await company.tokens.addDevice(name)
        }
        #expect(error?.kind == .badData)
      }
      #expect(try await company.tokens.tokens().count == 3)
    }
  }

  @Test func `expire`() async throws {
    try await TokenCompany.with { company in
      let made = try await company.add(expires: "1d")
      #expect(made.token.expires.map { ($0 - made.token.created) / 3600 } == 24)
      let holders = try company.holders()
      #expect(try await holders.holder(of: made.text) != nil)
      try company.run("update staffbook.tokens set expires = clock_timestamp()")
      #expect(try await holders.holder(of: made.text) == nil)
      #expect(try await company.tokens.tokens().count == 1)
      // Those who have read it before it does need no other read.
      try company.run("update staffbook.tokens set expires = clock_timestamp() + '1 s'")
      let old = TokenHolders(try company.administrator(), freshness: .seconds(3600))
      _ = try await old.holder(of: made.text)
      try await wait(until: "it has expired") { try await old.holder(of: made.text) == nil }
    }
  }

  @Test func `follow a renamed id, and end for good with the person`() async throws {
    try await TokenCompany.with { company in
      let holders = try company.holders()
      let text = try await company.add().text
      let others = try await company.add("id:bo").text
      try company.run("update staffbook.users set id = 'ida' where id = 'ada'")
      #expect(try await holders.holder(of: text)?.viewer == .person(UserID("ida")))
      let writer = DirectoryWriter(try company.administrator().session)
      _ = try await writer.edit(.remove(who: ["id:ida"], recursive: false, peopleTo: nil))
      #expect(try await holders.holder(of: text) == nil)
      _ = try await HistoryUndo(company.administrator()).undo(
        [],
        force: false,
        reason: nil,
        isDryRun: false,
        observer: EditObserver()
      )
      #expect(try company.value("select count(*) from staffbook.users where id = 'ida'") == "1")
      #expect(try await holders.holder(of: text) == nil)
      #expect(try await holders.holder(of: others)?.viewer == .person(UserID("bo")))
      #expect(try await company.tokens.tokens().count == 1)
      #expect(
        try company.value("select count(*) from staffbook.changes where before::text ~ 'sb_'")
          == "0"
      )
    }
  }

  @Test func `admit no other person who was given the id`() async throws {
    try await TokenCompany.with { company in
      let holders = try company.holders()
      let text = try await company.add().text
      let first = try await holders.holder(of: text)
      #expect(
        try company.value("select identity::text from staffbook.users where id = 'ada'")
          == first?.identity?.rawValue
      )
      // Also where the token was not removed with the person.
      try company.run(
        """
        alter table staffbook.users disable trigger end_tokens;
        begin;
        delete from staffbook.memberships where user_id = 'ada';
        delete from staffbook.users where id = 'ada';
        insert into staffbook.users (id, name, primary_department_id) values ('ada', 'Ada Other', 'd');
        insert into staffbook.memberships (user_id, department_id) values ('ada', 'd');
        commit
        """
      )
      #expect(try company.value("select count(*) from staffbook.tokens") == "1")
      #expect(try await holders.holder(of: text) == nil)
      let others = try await company.add().text
      let second = try await holders.holder(of: others)
      #expect(second?.viewer == first?.viewer && second?.identity != first?.identity)
    }
  }

  @Test(arguments: [
    "delete from staffbook.memberships; delete from staffbook.users",
    "truncate staffbook.memberships, staffbook.users",
    "set session_replication_role = replica; delete from staffbook.users where id = 'ada'",
    "alter table staffbook.users disable trigger end_tokens; delete from staffbook.users",
  ])
  func `admit no holder whom any writer has removed`(_ removal: String) async throws {
    try await TokenCompany.with { company in
      try await company.tokens.addDevice("ada")
      let holders = try company.holders()
      let text = try await company.add().text
      let device = try await company.add("device:ada").text
      #expect(try await holders.holder(of: text) != nil)
      try company.run(removal)
      #expect(try await holders.holder(of: text) == nil)
      #expect(try await holders.holder(of: device) != nil)
      guard !removal.contains("disable") else { return }
      try company.run(
        """
        begin;
        insert into staffbook.users (id, name, primary_department_id) values ('ada', 'Ada', 'd');
        insert into staffbook.memberships (user_id, department_id) values ('ada', 'd')
          on conflict do nothing;
        commit
        """
      )
      #expect(try await holders.holder(of: text) == nil)
    }
  }

  @Test func `are not made for a person who is being removed`() async throws {
    try await TokenCompany.with { company in
      let insertion = """
        insert into staffbook.tokens (user_id, purpose, hash)
          values ('cy', 'test', sha256('x'))
        """
      let error = #expect(throws: PostgresError.self) {
        try company.run("delete from staffbook.users where id = 'cy';" + insertion)
      }
      #expect(error.map { "\($0)" }?.contains("there is no user") == true)
      var adding = try PGConnection(conninfo: company.conninfo)
      try adding.executeScript("begin;" + insertion)
      // A session waits on a thread of its own; on one of the tasks, of which there are two, the test that
      // is to commit waited for minutes.
      let removing = try await PGSession.connect(conninfo: company.conninfo)
      async let removal: Void = removing.withConnection { (connection) throws(PostgresError) in
        try connection.executeScript("delete from staffbook.users where id = 'cy'")
      }
      try await wait(until: "the removal waits") {
        try company.value(
          """
          select count(*) from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'
          """
        ) != "0"
      }
      try adding.executeScript("commit")
      try await removal
      #expect(try await company.tokens.tokens() == [])
    }
  }

  @Test func `are for administrators and servers, each as far as they need`() async throws {
    try await TokenCompany.with { company in
      try await company.tokens.addDevice("lobby")
      let text = try await company.add().text
      for role in ["reader", "editor", "historian", "admin", "server"] {
        let name = "token_\(role)_\(UInt64.random(in: .min ... .max))"
        try company.run("create role \(name) in role staffbook_\(role)")
        let somebody = try company.administrator(role: name)
        let tokens = TokenAdministration(somebody)
        let mayWrite = role == "admin"
        func refused(_ body: () async throws -> Void) async -> DirectoryError? {
          do { try await body() } catch { return DirectoryError(describing: error) }
          return nil
        }
        for refusal in [
          await refused {
            _ = try await tokens.addToken(for: "ada", purpose: role, scope: .read, expires: "1d")
          },
          await refused { try await tokens.addDevice(role) },
          await refused { _ = try await tokens.removeDevice(mayWrite ? role : "lobby") },
        ] {
          #expect((refusal == nil) == mayWrite, "\(role): \(refusal.map { "\($0)" } ?? "")")
          guard let refusal else { continue }
          #expect(refusal.kind == .notPermitted, "\(role): \(refusal)")
          #expect(refusal.message.hasSuffix("is not a member of staffbook_admin"), "\(refusal)")
          // Whom it names is who signed in, whose role was changed afterwards.
          let advice = "nothing was changed; have an administrator run: grant staffbook_admin to \""
          #expect(refusal.advice?.description.hasPrefix(advice) == true, "\(refusal)")
        }
        let list = await refused { _ = try await tokens.tokens() }
        #expect((list == nil) == ["admin", "server"].contains(role), "\(role)")
        let holders = TokenHolders(somebody, freshness: .zero)
        let holder = await refused {
          let found = try await holders.holder(of: text)
          #expect(found != nil)
        }
        #expect((holder == nil) == ["admin", "server"].contains(role), "\(role)")
        if role == "reader" {
          #expect(holder?.message.hasSuffix("is not a member of staffbook_server") == true)
        }
        try company.run("drop owned by \(name); drop role \(name)")
      }
      #expect(try await company.tokens.devices().map(\.name) == ["lobby"])
    }
  }

  @Test func `come back with a backup, and so do devices`() async throws {
    try await TokenCompany.with { company in
      try await company.tokens.addDevice("lobby")
      let text = try await company.add("device:lobby").text
      let file = company.scratch.path.appending("company.backup").string
      let backup = Backup(try company.administrator())
      _ = try await backup.backup(to: file, replacing: false) { _ in }
      #expect(try await company.tokens.removeDevice("lobby") == 1)
      _ = try await backup.restoreBackup(
        file,
        isRehearsal: false,
        tokens: .kept,
        confirm: { _ throws(DirectoryError) in true },
        progress: { _ in }
      )
      #expect(try await company.holders().holder(of: text)?.viewer == .device("lobby"))
    }
  }

  @Test func `need a schema`() async throws {
    let scratch = try ScratchFolder()
    try scratch.write(
      Array(
        """
        source:
          departments: select 1
          users: select 1
          memberships: select 1

        """.utf8
      ),
      to: "config/config.yaml"
    )
    let administrator = try TokenCompany.administrator(scratch, "host=/nowhere")
    let error = await #expect(throws: DirectoryError.self) {
      try await TokenAdministration(administrator).addDevice("lobby")
    }
    #expect(error?.kind == .notPermitted)
    #expect(
      error?.message == """
        cannot add a device: tokens are kept in the schema of Staffbook, and the source is queries on \
        other tables, which are only read
        """
    )
    #expect(try await TokenHolders(administrator).holder(of: "sb_x") == nil)
  }

  @Test func `are in no description`() async throws {
    let text = "sb_abcdefghijklmnopqrstuvwxyz234567"
    let hash = TokenHash(of: text)
    #expect(
      "\(hash) \(String(reflecting: [hash])) \([hash: 1])".contains("\(hash.bytes[0])") == false
    )
    let digits = hash.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    #expect(TokenHash(digits: digits) == hash)
    #expect(TokenHash(digits: String(digits.dropLast())) == nil)
  }
}

/// A database behind a relay that may be cut, and what was said to it.
private final class WatchedDatabase: Sendable {
  enum Network: Sendable { case sound, silent, down }

  private struct State {
    var network = Network.sound
    var said: [UInt8] = []
  }

  private let state = Mutex(State())
  private let told = Mutex<[String]>([])

  func set(_ network: Network) { state.withLock { $0.network = network } }

  /// How often a statement was sent.
  func count(of statement: String) -> Int {
    state.withLock {
      String(decoding: $0.said, as: UTF8.self).split(separator: statement).count - 1
    }
  }

  var notices: [String] { told.withLock { $0 } }

  func relay(_ company: TokenCompany) throws -> SocketRelay {
    try SocketRelay(in: company.scratch.path, to: company.conninfo) { [self] speaker, bytes, _ in
      state.withLock { state in
        if speaker == .client { state.said += bytes }
        return switch state.network {
        case .sound: .pass
        case .silent: .silence(after: 0)
        case .down: .cut
        }
      }
    }
  }

  func administrator(_ company: TokenCompany, _ relay: SocketRelay) throws -> Administrator {
    try TokenCompany.administrator(company.scratch, relay.conninfo.pairs) { [self] advice in
      told.withLock { $0.append(advice.description) }
    }
  }
}

@Suite("Who holds a token")
struct TokenHoldersTests {
  @Test func `is read once for all who ask while the list is fresh`() async throws {
    try await TokenCompany.with { company in
      let text = try await company.add().text
      let database = WatchedDatabase()
      let relay = try database.relay(company)
      defer { relay.stop() }
      let holders = TokenHolders(
        try database.administrator(company, relay),
        freshness: .seconds(3600)
      )
      let right = try await withThrowingTaskGroup(of: Bool.self) { group async throws -> Int in
        for number in 0..<50 {
          group.addTask { try await holders.holder(of: number % 2 == 0 ? text : "x") != nil }
        }
        return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      #expect(right == 25)
      #expect(database.count(of: "from staffbook.tokens t cross join") == 1)
    }
  }

  @Test func `is known for a while when the database cannot be reached`() async throws {
    try await TokenCompany.with { company in
      let text = try await company.add().text
      let database = WatchedDatabase()
      let relay = try database.relay(company)
      defer { relay.stop() }
      let administrator = try database.administrator(company, relay)
      let holders = TokenHolders(administrator, freshness: .zero)
      let strict = TokenHolders(administrator, freshness: .zero, outage: .zero)
      for holders in [holders, strict] { #expect(try await holders.holder(of: text) != nil) }

      database.set(.down)
      for _ in 0..<2 {
        #expect(try await holders.holder(of: text) != nil)
        #expect(try await holders.holder(of: "x") == nil)
        let error = await #expect(throws: DirectoryError.self) { try await strict.holder(of: text) }
        #expect(error?.kind == .unavailable)
        #expect(error?.message.hasPrefix("cannot read the tokens: ") == true)
      }
      let new = TokenHolders(administrator, freshness: .zero)
      await #expect(throws: DirectoryError.self) { try await new.holder(of: text) }

      // It says so once, after it has answered, and names no token.
      try await wait(until: "all have told it") { database.notices.count >= 3 }
      #expect(database.notices.count == 3, "\(database.notices)")
      #expect(!database.notices.joined().contains(text.dropFirst(3)))
      database.set(.sound)
      let others = try await company.add("bo").text
      for holders in [holders, strict, new] {
        #expect(try await holders.holder(of: others)?.viewer == .person(UserID("bo")))
      }
      try await wait(until: "all have told it") { database.notices.count >= 6 }
      #expect(
        database.notices.dropFirst(3)
          == Array(repeating: "the tokens can be read again", count: 3)[...]
      )
    }
  }

  @Test func `waits no longer than told for a database that is silent`() async throws {
    try await TokenCompany.with { company in
      let text = try await company.add().text
      let database = WatchedDatabase()
      let relay = try database.relay(company)
      defer { relay.stop() }
      let administrator = try database.administrator(company, relay)
      let former = TokenHolders(administrator, freshness: .zero)
      #expect(try await former.holder(of: text) != nil)
      database.set(.silent)
      let holders = TokenHolders(administrator, freshness: .zero, patience: .milliseconds(50))
      let error = await #expect(throws: DirectoryError.self) { try await holders.holder(of: text) }
      #expect(error?.kind == .unavailable)
    }
  }

  @Test func `is noted to the hour, beside the questions`() async throws {
    try await TokenCompany.with { company in
      let database = WatchedDatabase()
      let relay = try database.relay(company)
      defer { relay.stop() }
      let holders = TokenHolders(try database.administrator(company, relay), freshness: .zero)
      let texts = [try await company.add().text, try await company.add("bo").text]
      _ = try await company.add("cy")
      func noted() throws -> String? {
        try company.value(
          """
          select string_agg(user_id, ' ' order by user_id) from staffbook.tokens
            where last_used = date_trunc('hour', last_used) and last_used > now() - interval '90 min'
          """
        )
      }
      for _ in 0..<2 {
        for text in texts { #expect(try await holders.holder(of: text) != nil) }
        #expect(try await holders.holder(of: "x") == nil)
        try await wait(until: "use is noted") {
          for text in texts { _ = try await holders.holder(of: text) }
          return try noted() == "ada bo"
        }
        try company.run("update staffbook.tokens set last_used = last_used - interval '2 h'")
      }
      try company.run("update staffbook.tokens set last_used = date_trunc('hour', now())")
      // What is under way ends first.
      try await wait(until: "nothing is noted any more") {
        let before = database.count(of: "update staffbook.tokens")
        for text in texts + texts + texts {
          let found = try await holders.holder(of: text)
          #expect(found != nil)
        }
        return database.count(of: "update staffbook.tokens") == before
      }
    }
  }
}
