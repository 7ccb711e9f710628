import Administration
import DirectoryModel
import DirectoryStore
import DirectoryWriting
import LibPQ
import LiveDirectory
import Logging
import NIOCore
import Serving
import SiteSettings
import Synchronization
import SystemPackage
import TestSupport

/// A migrated database of which tests get copies.
let migrated = TemplateDatabase { _ = try await Migrator().migrate(conninfo: $0) }

/// A company in a database of its own, and who may do everything with it.
struct ServedCompany: Sendable {
  let conninfo: String
  let scratch: ScratchFolder

  /// What only the administrator sees bears it.
  static let mark = "Zq9"
  /// A name that no front may take for markup, a header or a line's end.
  static let hostile = "<b>\"Eve\"</b>\r\nSet-Cookie: a=b, \u{202E}٣; 李\u{1F469}\u{200D}\u{1F52C}"

  /// Makes one for a test, with or without what the rules hide.
  static func with(
    hidden withHidden: Bool = true,
    _ body: (ServedCompany) async throws -> Void
  ) async throws {
    try await withTestDatabase(template: migrated) { conninfo in
      let company = ServedCompany(conninfo: conninfo, scratch: try ScratchFolder())
      try company.run(script(withHidden: withHidden))
      let visibility = VisibilityAdministration(try company.administrator())
      try await visibility.write(rules, replacing: try await visibility.rules())
      try await body(company)
    }
  }

  /// The department of the mark, everybody's phones, and the whole base.
  private static var rules: VisibilityRules {
    VisibilityRules([
      VisibilityRule(.hide, .department(DepartmentID("d\(mark)")), .everybody),
      VisibilityRule(.hide, fields: ["phone"], .everything, .everybody),
      VisibilityRule.base,
    ])
  }

  private static func script(withHidden: Bool) -> String {
    let phone = withHidden ? "49301" : ""
    let hostile = hostile.replacing("'", with: "''")
    return """
      begin;
      insert into staffbook.departments (id, name, parent_id, sort_order) values
        ('acme', 'Acme', null, 0), ('lamps', 'Lamps', 'acme', 1), ('a/b%', '\(hostile)', 'acme', 2);
      insert into staffbook.users (id, name, email, phone, primary_department_id) values
        ('ada', 'Ada Lund', 'ada@lumen.example', '\(phone)', 'lamps'),
        ('bo', 'Bo Lund', '', '', 'lamps'), ('eve', E'\(hostile.replacing("\\", with: "\\\\"))', '', '', 'a/b%');
      insert into staffbook.memberships (user_id, department_id, title) values
        ('ada', 'lamps', 'Head'), ('bo', 'lamps', ''), ('eve', 'a/b%', '');
      \(withHidden ? hiddenPart : "")
      commit
      """
  }

  private static var hiddenPart: String {
    """
    insert into staffbook.departments (id, name, parent_id) values ('d\(mark)', 'D\(mark)', 'acme');
    insert into staffbook.users (id, name, email, primary_department_id) values
      ('cy\(mark)', 'Ada \(mark)', 'cy\(mark)@lumen.example', 'd\(mark)');
    insert into staffbook.memberships (user_id, department_id, title) values
      ('cy\(mark)', 'd\(mark)', 'T\(mark)'), ('bo', 'd\(mark)', 'T\(mark)');
    """
  }

  func run(_ sql: String) throws {
    var connection = try PGConnection(conninfo: conninfo)
    try connection.executeScript(sql)
  }

  func settings(_ home: ScratchFolder? = nil) throws -> Settings {
    try Settings(
      environment: [
        "STAFFBOOK_HOME": (home ?? scratch).path.string, "STAFFBOOK_DATABASE_URL": conninfo,
        "STAFFBOOK_LOCALE": "und",
      ]
    )
  }

  func administrator() throws -> Administrator {
    let settings = try settings()
    let hub = Hub(Site(settings: settings) { _ in })
    return try Administrator(Session(hub, settings.caller(.everything)) { _ in }, to: "test")
  }

  // MARK: Serving

  /// Serves it until `body` returns, once there is a directory to answer by; of several nodes each has a
  /// home of its own.
  ///
  /// People are signed in by a header `Remote-User` with their id, unless the settings are changed.
  func serve(
    home: ScratchFolder? = nil,
    mostConnections: Int = 20_000,
    longestAnswer: Duration = .seconds(10),
    longestContent: Duration = .seconds(30),
    _ change: (inout ServerSettings) -> Void = { _ in },
    _ body: (TestServer) async throws -> Void
  ) async throws {
    // Locks of other tests may keep a server from being told of changes.
    let folder = (home ?? scratch).path.appending("config")
    try Folders.create(folder)
    let file = try FileDescriptor.open(
      folder.appending("config.yaml"),
      .writeOnly,
      options: [.create, .truncate],
      permissions: .ownerReadWrite
    )
    try file.closeAfter { _ = try file.writeAll("poll: 1 second\n".utf8) }
    var settings = try settings(home)
    settings.server.listeners = [.address("127.0.0.1", port: 0)]
    settings.server.signIn = ServerSettings.SignIn(
      header: "Remote-User",
      match: .id,
      from: ["127.0.0.1"]
    )
    (settings.server.requestsPerSecond, settings.server.exportsPerHour) = (1_000_000, 1_000_000)
    change(&settings.server)
    let log = TestLog()
    let service = try DirectoryService(
      settings,
      version: "test",
      longestAnswer: longestAnswer,
      longestContent: longestContent
    ) { _ in }
    let (ports, continuation) = AsyncStream.makeStream(of: [Int?].self)
    let run = ServerRun(
      service,
      logger: Logger(label: "test") { _ in log },
      mostConnections: mostConnections
    ) {
      continuation.yield($0)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { continuation.finish() }
        try await run.run(signals: [])
      }
      var started = ports.makeAsyncIterator()
      guard let port = await started.next() else {
        try await group.waitForAll()
        throw TestSetupError("the server ended before it began")
      }
      let socket: String? =
        if case .socket(let path) = settings.server.listeners[0] { path } else { nil }
      let server = TestServer(
        address: socket.map { .socket($0) } ?? .port(port.first.flatMap { $0 } ?? 0),
        service: service,
        log: log
      )
      let isPlain = settings.server.certificate == nil && settings.server.proxyProtocolFrom.isEmpty
      if isPlain { try await server.waitUntilReady() }
      try await body(server)
      group.cancelAll()
    }
  }
}

/// A server in this process.
struct TestServer: Sendable {
  let address: ServerAddress
  let service: DirectoryService
  let log: TestLog

  func client() throws -> TestClient { try TestClient(address) }

  /// Asks on a connection of its own.
  func ask(
    _ path: String,
    as user: String? = "ada",
    method: String = "GET",
    headers: [String] = [],
    content: String? = nil,
    readsContent: Bool = true
  ) async throws -> Answer {
    try await client().ask(
      path,
      method: method,
      headers: headers + (user.map { ["Remote-User: \($0)"] } ?? []),
      content: content,
      readsContent: readsContent
    )
  }

  func waitUntilReady() async throws {
    try await wait(until: "the server is ready") {
      try await client().ask("/readyz").status == 200
    }
  }
}

/// What a server logs.
final class TestLog: LogHandler, Sendable {
  private let lines = Mutex<[String]>([])

  var metadata: Logger.Metadata {
    get { [:] }
    set {}
  }
  var logLevel: Logger.Level {
    get { .trace }
    set {}
  }

  subscript(metadataKey _: String) -> Logger.Metadata.Value? {
    get { nil }
    set {}
  }

  var text: String { lines.withLock { $0.joined(separator: "\n") } }

  func log(event: LogEvent) {
    let line = "\(event.message) \((event.metadata ?? [:]).sorted { $0.key < $1.key })"
    lines.withLock { $0.append(line) }
  }
}
