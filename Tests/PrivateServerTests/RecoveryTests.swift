import LibPQ
import Platform
import SystemPackage
import TestSupport
import Testing

@testable import PrivateServer

@Suite("After an accident the private server")
struct RecoveryTests {
  @Test func `comes back when it was killed`() async throws {
    try await withHomes { homes throws in
      let server = homes.server()
      let address = try await server.start()
      try await tell(address, "create table kept (a int); insert into kept values (7)")
      try await server.crash()
      guard case .stopped = try server.status().state else {
        Issue.record("\(try server.status())")
        return
      }
      let again = try await server.start()
      #expect(try await ask(again, "select a from kept") == "7")
    }
  }

  @Test func `starts although a stranger has the number in its pid file, and spares it`()
    async throws
  {
    try await withHomes { homes throws in
      let server = homes.server()
      _ = try await server.start()
      let own = homes.open.appending("postgres")
      try await server.crash()
      try await withStranger(of: try fileStatus(own).st_uid) { stranger in
        for file in [own.appending("data/postmaster.pid"), own.appending(".s.PGSQL.5432.lock")] {
          let rest = try read(file).drop { $0 != "\n" }
          try write("\(stranger)" + rest, to: file)
        }
        #expect(try await server.stop() == false)
        let address = try await server.start()
        #expect(try await ask(address, "select 1") == "1")
        #expect(try await server.stop())
        #expect(kill(stranger, 0) == 0)
      }
    }
  }

  @Test func `waits for what a killed server left running`() async throws {
    try await withHomes { homes throws in
      let server = homes.server()
      let address = try await server.start()
      let session = try await PGSession.connect(conninfo: address.conninfo)
      let orphan = await session.withConnection { $0.backendPID }
      // One that does not look up from its work, and so does not notice.
      #expect(kill(orphan, SIGSTOP) == 0)
      try await server.crash()
      let starting = Task { try await server.start() }
      try await Task.sleep(for: .milliseconds(300))
      #expect(kill(orphan, SIGCONT) == 0)
      #expect(try await ask(starting.value, "select 1") == "1")
    }
  }

  @Test func `is started anew when its socket was cleaned away`() async throws {
    try await withHomes { homes throws in
      let server = homes.server()
      let address = try await server.start()
      let before = try server.processID()
      #expect(unlink(address.socketFolder.appending(".s.PGSQL.5432").string) == 0)
      let again = try await server.start()
      #expect(try await ask(again, "select 1") == "1")
      #expect(try server.processID() != before)
    }
  }

  @Test func `can be stopped also when its socket was cleaned away`() async throws {
    try await withHomes { homes throws in
      let server = homes.server()
      let address = try await server.start()
      let processID = try #require(try server.processID())
      #expect(unlink(address.socketFolder.appending(".s.PGSQL.5432").string) == 0)
      #expect(try await server.stop())
      try await wait(until: "the server has ended") { kill(processID, 0) == -1 }
    }
  }

  @Test func `is set up although an earlier attempt was cut short`() async throws {
    try await withHomes { homes throws in
      let server = homes.server()
      _ = try await server.start()
      #expect(try await server.stop())
      let own = homes.open.appending("postgres")
      #expect(rename(own.appending("data").string, own.appending("data.new-1f").string) == 0)
      _ = try await server.start()
      #expect(access(own.appending("data.new-1f").string, F_OK) == -1)
    }
  }

  @Test func `says the last line of its log when its settings are broken`() async throws {
    try await withHomes { homes throws in
      let server = homes.server()
      _ = try await server.start()
      #expect(try await server.stop())
      let settings = homes.open.appending("postgres/data/postgresql.conf")
      try write("max_connections = 'many'\n", to: settings, appending: true)
      let error = await #expect(throws: PrivateServerError.self) { try await server.start() }
      guard case .startFailed(let reason, let log, .other) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(reason.contains("contains errors"), "\(reason)")
      #expect(error?.advice == "see \(log) for details")
    }
  }

  @Test func `says what to install when its version is not there`() async throws {
    try await withHomes { homes throws in
      let server = homes.server()
      _ = try await server.start()
      #expect(try await server.stop())
      let data = homes.open.appending("postgres/data")
      try write("14\n", to: data.appending("PG_VERSION"))
      let error = await #expect(throws: PrivateServerError.self) { try await server.start() }
      #expect(error == .versionNotInstalled(14, data: data))
      #expect(
        error?.advice
          == "install that version (apt-get install postgresql-14); the data stays as it is"
      )
      try write("9.6\n", to: data.appending("PG_VERSION"))
      await #expect(throws: PrivateServerError.versionUnknown("9.6", data: data)) {
        try await server.start()
      }
    }
  }

  @Test func `says what to install when there is no PostgreSQL at all`() async throws {
    try await withHomes { homes throws in
      let server = PrivateServer(
        folder: homes.open,
        environment: { _ in nil },
        system: homes.system,
        installationFolders: ["/nowhere/*/bin"]
      )
      let error = await #expect(throws: PrivateServerError.postgresNotFound) {
        try await server.start()
      }
      #expect(
        error?.advice == "install PostgreSQL 13 or later (apt-get install postgresql)"
      )
    }
  }

  @Test func `is found without pg_config in the usual folders`() async throws {
    try await withHomes { homes throws in
      let server = PrivateServer(
        folder: homes.open,
        environment: { _ in nil },
        system: homes.system
      )
      #expect(try await ask(server.start(), "select 1") == "1")
    }
  }

  /// Lends a process of the server's account that has nothing to do with it.
  private func withStranger(
    of account: UInt32,
    _ body: (Int32) async throws -> Void
  ) async throws {
    let identity = geteuid() == account ? nil : TestAccount(userID: account, groupID: account)
    let script = "sleep 600 > /dev/null 2>&1 & echo $!"
    let outcome = try await runProgram("/bin/sh", ["-c", script], as: identity)
    let stranger = try #require(Int32(outcome.stdout.split(separator: "\n").first ?? ""))
    defer { kill(stranger, SIGKILL) }
    try await body(stranger)
  }
}
