import Dispatch
import LibPQ
import Platform
import Seeds
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("A sync that watches")
struct WatchTests {
  /// What it says when it waits for notifications.
  private static let waiting = "waiting for changes"

  private func withCompany(_ body: (Book, FilePath) async throws -> Void) async throws {
    try await withBook { (book: Book) async throws -> Void in
      try await withTemporaryDirectory { (folder: FilePath) async throws -> Void in
        try writeSmallCompany(to: folder)
        try await book.lines("import", "--no-sync", folder.string)
        try await body(book, folder)
      }
    }
  }

  private static func isNotKept(_ line: String) -> Bool {
    line.reads("  Kept fresh:…  no; keep it up to date with: staffbook sync --watch")
  }

  private func call(_ book: Book, _ phone: String) throws {
    try book.script("update staffbook.users set phone = '\(phone)' where id = 'u1'")
  }

  @Test func `has a change in the snapshot long before its poll, and is seen by status`()
    async throws
  {
    try await withCompany { (book: Book, folder: FilePath) async throws -> Void in
      #expect(try await book.lines("status").contains(where: Self.isNotKept))
      try await Watcher.run(book, in: folder) { (watcher: Watcher) async throws -> Void in
        try await watcher.says(Self.waiting)
        let status = try #require(try await book.lines("status", "--json").first)
        #expect(
          status.contains(
            #""watcher":{"mode":"listening","poll":3600,"process":\#(watcher.process),"#
          )
        )
        #expect(values(of: "age", in: [status]).first.flatMap { Int($0) } ?? 9999 < 3600)
        try call(book, "+1 777")
        // `scripts/bench` measures how soon: below a second.
        try await watcher.shows("+1 777")
        let second = try await book.run("sync", "--watch")
        #expect(
          second.status == 75
            && second.stderr.reads(
              "staffbook: cannot watch: process \(watcher.process) is already watching this snapshot",
              "staffbook: stop it first, or leave it running"
            )
        )
      }
      #expect(try await book.lines("status").contains(where: Self.isNotKept))
    }
  }

  @Test func `has changed rules in the snapshot, without a change of records`() async throws {
    try await withCompany { (book: Book, folder: FilePath) async throws -> Void in
      try await Watcher.run(book, in: folder) { (watcher: Watcher) async throws -> Void in
        try await watcher.says(Self.waiting)
        #expect(
          try await book.lines("tree", "--all", "--as", "u1").contains { $0.contains("Mirrors") }
        )
        try await book.lines(
          "visibility",
          "add",
          "--yes",
          "--no-sync",
          "hide department mir from everybody"
        )
        try await wait(until: "the rule is in the snapshot") {
          try await !book.lines("tree", "--all", "--as", "u1").contains { $0.contains("Mirrors") }
        }
      }
    }
  }

  @Test func `a restored backup is in the snapshot long before the poll`() async throws {
    try await withCompany { (book: Book, folder: FilePath) async throws -> Void in
      let file = folder.appending("company.backup")
      try await book.lines("backup", file.string)
      try await Watcher.run(book, in: folder) { (watcher: Watcher) async throws -> Void in
        try await watcher.says(Self.waiting)
        let found = try await book.lines("search", "Ada Lund", "--plain")
        try call(book, "+1 777")
        try await watcher.shows("+1 777")
        try await book.lines("restore-backup", file.string, "--yes")
        try await wait(until: "the restored directory is in the snapshot") {
          try await book.lines("search", "Ada Lund", "--plain") == found
        }
      }
    }
  }

  @Test func `polls while another session has its lock, says which, and listens again`()
    async throws
  {
    try await withCompany { (book: Book, folder: FilePath) async throws -> Void in
      var hoarder = try PGConnection(conninfo: book.conninfo + " application_name=hoarder")
      try hoarder.executeScript("select pg_advisory_lock(1650814060, 7)")
      let reason = "process \(hoarder.backendPID) (hoarder, user "
      try await Watcher.run(book, "--poll", "1s", in: folder) {
        (watcher: Watcher) async throws -> Void in
        try await watcher.says(reason)
        let status = try await book.lines("status", "--json")[0]
        #expect(status.contains(#""mode":"polling""#) && status.contains(reason), "\(status)")
        try call(book, "+1 778")
        try await watcher.shows("+1 778")
        #expect(try !watcher.log.contains { $0.contains(Self.waiting) })
        try hoarder.executeScript("select pg_advisory_unlock_all()")
        try await watcher.says(Self.waiting)
        #expect(
          try await book.lines("status", "--json")[0].contains(#""mode":"listening""#)
        )
      }
    }
  }

  @Test func `gathers a burst, of which few transactions notify, and leaves nothing open`()
    async throws
  {
    try await withCompany { (book: Book, folder: FilePath) async throws -> Void in
      try await Watcher.run(book, "--json", in: folder) { (watcher: Watcher) async throws -> Void in
        try await watcher.says("listening")
        let (before, open) = (try watcher.log.count, try watcher.descriptors)
        var bystander = try PGConnection(conninfo: book.conninfo)
        try bystander.execute("listen staffbook")
        // By the server alone, which is quicker than any client on a busy machine.
        try book.script(
          """
          do $$ begin
            for number in 1..1000 loop
              update staffbook.users set phone = '+1 555 ' || number where id = 'u1'; commit;
            end loop;
          end $$
          """
        )
        try await watcher.shows("+1 555 1000")
        let syncs = try watcher.log.count - before
        #expect(syncs < 100)
        try bystander.execute("select 1")
        let notices = bystander.takeNotifications()
        // Until it is given time to hear of the first, others tell too: 23 of them in 5 syncs, once.
        #expect((1..<500).contains(notices), "\(syncs) syncs")
        try await wait(
          until: "the watch has no more open than before",
          seen: { "\(try watcher.log)" }
        ) {
          try watcher.descriptors <= open
        }
      }
    }
  }

  @Test func `makes a removed folder anew, and is still seen there`() async throws {
    try await withCompany { (book: Book, folder: FilePath) async throws -> Void in
      try await Watcher.run(book, in: folder) { (watcher: Watcher) async throws -> Void in
        try await watcher.says(Self.waiting)
        _ = try await runProgram("/bin/rm", ["-rf", book.home.appending("cache").string])
        try call(book, "+1 888")
        try await watcher.shows("+1 888")
        try await wait(until: "the status shows the watch") {
          try await book.lines("status", "--json").joined().contains(
            #""process":\#(watcher.process),"#
          )
        }
        #expect(try await book.run("sync", "--watch").status == 75)
      }
    }
  }

  /// Without a poll, whatever is missed stays missed.
  @Test func `misses nothing that ends while it begins to wait`() async throws {
    try await withCompany { (book: Book, folder: FilePath) async throws -> Void in
      try await Watcher.run(book, in: folder) { (watcher: Watcher) async throws -> Void in
        try await watcher.says(Self.waiting)
        for round in 1...rounds(5, thorough: 15) {
          try await withThrowingTaskGroup(of: Void.self) { group in
            for (place, id) in ["u1", "u2", "u3"].enumerated() {
              group.addTask { try await writeSlowly("+1 \(round) \(place)", of: id, book) }
            }
            try await group.waitForAll()
          }
          for (place, name) in ["Ada Lund", "Łukasz Żak", "Émile Noé"].enumerated() {
            try await watcher.shows("+1 \(round) \(place)", of: name)
          }
        }
      }
    }
  }

  /// Looks whether anybody waits, and ends at some time later.
  private func writeSlowly(_ phone: String, of id: String, _ book: Book) async throws {
    try await Task.sleep(for: .milliseconds(Int.random(in: 0...150)))
    let session = try await PGSession.connect(conninfo: book.conninfo)
    try await session.withConnection { (connection) throws(PostgresError) in
      try connection.executeScript(
        "begin; update staffbook.users set phone = '\(phone)' where id = '\(id)'; "
          + "set constraints all immediate"
      )
    }
    try await Task.sleep(for: .milliseconds(Int.random(in: 0...200)))
    try await session.withConnection { (connection) throws(PostgresError) in
      try connection.executeScript("commit")
    }
  }

  /// As a machine that was suspended: its connection may be lost without notice.
  @Test func `catches up with what it slept through, with its connection and without`() async throws
  {
    try await withCompany { (book: Book, folder: FilePath) async throws -> Void in
      try await Watcher.run(book, in: folder) { (watcher: Watcher) async throws -> Void in
        try await watcher.says(Self.waiting)
        for isCut in [false, true] {
          kill(watcher.process, SIGSTOP)
          for number in 1...100 { try call(book, "+1 \(isCut) \(number)") }
          if isCut {
            try book.script(
              "select pg_terminate_backend(pid) from pg_stat_activity "
                + "where pid <> pg_backend_pid() and datname = current_database()"
            )
          }
          kill(watcher.process, SIGCONT)
          try await watcher.shows("+1 \(isCut) 100")
        }
      }
    }
  }

  @Test func `lets transactions be prepared, and finds them by itself`() async throws {
    try await withCompany { (book: Book, folder: FilePath) async throws -> Void in
      try await Watcher.run(book, "--poll", "1s", in: folder) {
        (watcher: Watcher) async throws -> Void in
        try await watcher.says(Self.waiting)
        try book.script(
          "begin; update staffbook.users set phone = '+1 2' where id = 'u1'; "
            + "prepare transaction 'watched \(watcher.process)'"
        )
        try book.script("commit prepared 'watched \(watcher.process)'")
        try await watcher.shows("+1 2")
      }
    }
  }

  @Test func `keeps the old snapshot while deletions are refused, and says so once`() async throws {
    try await withCompany { (book: Book, folder: FilePath) async throws -> Void in
      try await book.lines("sync")
      try await Watcher.run(book, "--poll", "1s", in: folder) {
        (watcher: Watcher) async throws -> Void in
        try await watcher.says(Self.waiting)
        // In the order in which a sync reads them: the watch may be at it.
        try book.script("truncate staffbook.departments, staffbook.users, staffbook.memberships")
        try await watcher.says("cannot sync")
        try await Task.sleep(for: .seconds(3))
        #expect(try watcher.log.count { $0.contains("cannot sync") } == 1)
        #expect(try await book.lines("search", "Ada").count == 1)
        try await book.lines("sync", "--accept-deletions")
        try await watcher.says("syncing again")
      }
    }
  }

  @Test func `tells the service manager how it goes`() async throws {
    try await withCompany { (book: Book, folder: FilePath) async throws -> Void in
      let manager = try NotifySocket()
      var book = book
      book.environment = ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "600000"]
      try await Watcher.run(book, in: folder) { (watcher: Watcher) async throws -> Void in
        try await watcher.says(Self.waiting)
        try await wait(until: "the pulse is felt") { manager.messages.contains("WATCHDOG=1") }
      }
      let messages = manager.messages
      #expect(messages.contains("READY=1"))
      #expect(messages.contains { $0.hasPrefix("STATUS=waiting") })
      #expect(messages.contains("STOPPING=1"))
    }
  }

  @Test func `reads tables of one's own now and then`() async throws {
    try await withCompany { (book: Book, folder: FilePath) async throws -> Void in
      try book.script(
        """
        create view public.d as select id, parent_id, name, description, sort_order
          from staffbook.departments;
        create view public.u as select id, primary_department_id as department_id, name, email, phone
          from staffbook.users;
        create view public.m as select user_id, department_id, title, sort_order
          from staffbook.memberships;
        """
      )
      let configuration = book.home.appending("config")
      _ = configuration.withPlatformString { mkdir($0, 0o700) }
      try write(
        """
        source:
          departments: select * from public.d
          users: select * from public.u
          memberships: select * from public.m
        poll: 1 second
        """,
        to: configuration.appending("config.yaml")
      )
      try await Watcher.run(book, "--poll", "1s", in: folder) {
        (watcher: Watcher) async throws -> Void in
        try await watcher.says("these tables do not send notifications")
        try call(book, "+1 3")
        try await watcher.shows("+1 3")
      }
    }
  }

  @Test func `refuses what is for a single sync`() async throws {
    try await withCompany { (book: Book, _: FilePath) async throws -> Void in
      for option in ["--full", "--dry-run", "--accept-deletions"] {
        #expect(try await book.run("sync", "--watch", option).status == 64)
      }
      #expect(try await book.run("sync", "--watch", "--poll", "soon").status == 64)
      #expect(try await book.run("sync", "--poll", "1m").status == 64)
    }
  }
}

/// The socket on which a service manager hears, in the abstract namespace.
///
/// It is read as soon as something comes: the system keeps ten messages, and the next one's sender waits.
/// (unix(7), max_dgram_qlen)
// @unchecked: a source of Dispatch may be used by any thread, and the rest never changes.
private final class NotifySocket: @unchecked Sendable {
  let name: String
  private let socket: CInt
  private let source: any DispatchSourceRead
  private let heard = Mutex<[String]>([])

  init() throws {
    name = "@staffbook-test-\(UInt64.random(in: .min ... .max))"
    socket = Platform.socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { [name] path in
      path.copyBytes(from: name.utf8)
      path[0] = 0
    }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + name.utf8.count)
    let status = withUnsafePointer(to: &address) { [socket] in
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, length) }
    }
    guard status == 0 else {
      throw TestSetupError("cannot bind \(name): \(Errno(rawValue: errno))")
    }
    source = DispatchSource.makeReadSource(fileDescriptor: socket)
    source.setEventHandler { [weak self] in self?.receive() }
    source.setCancelHandler { [socket] in _ = close(socket) }
    source.activate()
  }

  deinit { source.cancel() }

  /// All lines that have come.
  var messages: [String] {
    receive()
    return heard.withLock { $0 }
  }

  private func receive() {
    heard.withLock { heard in
      var bytes = [UInt8](repeating: 0, count: 4_096)
      while case let count = recv(socket, &bytes, bytes.count, 0), count > 0 {
        let lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
        heard += lines.map(String.init)
      }
    }
  }
}
