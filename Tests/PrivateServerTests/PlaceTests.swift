import LibPQ
import Platform
import SystemPackage
import TestSupport
import Testing

@testable import PrivateServer

@Suite("The private server's place")
struct PlaceTests {
  @Test func `is the data home where root's server can get there`() async throws {
    guard canActAsRoot() else { return }
    try await withHomes { homes throws in
      let address = try await homes.server().start()
      #expect(address.socketFolder == homes.open.appending("postgres"))
      #expect(try fileStatus(homes.open).st_uid == 0)
      #expect(try mode(homes.open) == 0o711)
    }
  }

  @Test func `is the system's folders when root's home is closed`() async throws {
    guard canActAsRoot() else { return }
    try await withHomes { homes throws in
      let server = homes.server(homes.closed)
      let address = try await server.start()
      let hash = ServerLocation.hash(homes.closed)
      #expect(address.socketFolder == homes.system.run.appending(hash))
      let data = homes.system.library.appending(hash).appending("postgres/data")
      #expect(try server.status().data == data)
      #expect(try fileStatus(data).st_uid != 0)
      #expect(try mode(homes.system.library) == 0o711)
      #expect(try mode(address.socketFolder) == 0o700)
      #expect(access(homes.closed.string, F_OK) == -1)
      #expect(try await ask(address, "select 1") == "1")
    }
  }

  @Test(arguments: [0o077, 0o027] as [mode_t])
  func `is the same whatever root's umask is`(mask: mode_t) async throws {
    guard canActAsRoot() else { return }
    try await withHomes { homes throws in
      for home in [homes.open, homes.closed] {
        let (root, path) = (homes.root.string, home.string)
        await #expect(processExitsWith: .success) {
          [root = root as String, path = path as String, mask = mask as mode_t] in
          umask(mask)
          let server = Homes(root: FilePath(root)).server(FilePath(path))
          let address = try await server.start()
          #expect(try await ask(address, "select 1") == "1")
        }
      }
      #expect(try mode(homes.open) == 0o711)
      #expect(try mode(homes.system.library) == 0o711)
    }
  }

  @Test func `that a folder above it closes is refused by that folder's name`() async throws {
    guard canActAsRoot() else { return }
    try await withHomes { homes throws in
      let server = homes.server(homes.closed)
      _ = try await server.start()
      #expect(try await server.stop())
      #expect(chmod(homes.system.library.string, 0o700) == 0)
      let error = await #expect(throws: PrivateServerError.self) { try await server.start() }
      let words = error?.description ?? ""
      #expect(
        words.hasPrefix(
          "cannot use \(homes.system.library): its mode 700 keeps the server's account "
        ) && words.hasSuffix(" out"),
        "\(error as Any)"
      )
      #expect(chmod(homes.system.library.string, 0o711) == 0)
    }
  }

  @Test func `stays where the data is when permissions change`() async throws {
    guard canActAsRoot() else { return }
    try await withHomes { homes throws in
      let server = homes.server(homes.closed)
      let address = try await server.start()
      try await tell(address, "create table kept (a int); insert into kept values (7)")
      #expect(try await server.stop())
      #expect(chmod(homes.closed.removingLastComponent().string, 0o755) == 0)
      #expect(try await ask(server.start(), "select a from kept") == "7")
    }
  }

  @Test func `of root's is not in a home that another account controls`() async throws {
    guard canActAsRoot() else { return }
    try await withHomes { homes throws in
      let foreign = homes.root.appending("foreign")
      Nobody.makeFolder(foreign, mode: 0o755)
      let server = homes.server(foreign.appending("staffbook"))
      _ = try await server.start()
      #expect(try server.status().data?.starts(with: homes.system.library) == true)
      #expect(access(foreign.appending("staffbook").string, F_OK) == -1)
      #expect(try await server.stop())
    }
  }

  @Test func `of an ordinary user is that user's home, closed to all others`() async throws {
    guard canActAsRoot() else { return }
    try await withHomes { homes throws in
      let home = homes.root.appending("nobody")
      Nobody.makeFolder(home)
      let path = home.string
      await #expect(processExitsWith: .success) { [path = path as String] in
        Nobody.become()
        let home = FilePath(path).appending(".local/share/staffbook")
        let server = PrivateServer(folder: home)
        let address = try await server.start()
        #expect(address.socketFolder == home.appending("postgres"))
        #expect(try await ask(address, "select current_user") == "staffbook")
        #expect(try mode(home) == 0o700)
        #expect(try await server.start() == address)
      }
      // Root may open every socket; the server does not know it, and to root it is not root's.
      let server = homes.server(home.appending(".local/share/staffbook"))
      #expect(try server.status().state == .absent)
      let url = "host=\(home)/.local/share/staffbook/postgres user=staffbook dbname=staffbook"
      #expect(throws: PostgresError.self) { _ = try PGConnection(conninfo: url) }
      await #expect(processExitsWith: .success) { [path = path as String] in
        Nobody.become()
        let home = FilePath(path).appending(".local/share/staffbook")
        let stopped = try await PrivateServer(folder: home).stop()
        #expect(stopped)
      }
    }
  }

  @Test func `is refused where it is a link, another account's, or open to all`() async throws {
    try await withHomes { homes throws in
      let elsewhere = homes.root.appending("elsewhere")
      #expect(mkdir(elsewhere.string, 0o755) == 0)
      #expect(symlink(elsewhere.string, homes.open.string) == 0)
      let error = await #expect(throws: PrivateServerError.self) {
        try await homes.server().start()
      }
      #expect(error == .untrustedFolder(homes.open, reason: "it is a symbolic link"))
      #expect(unlink(homes.open.string) == 0)

      #expect(mkdir(homes.open.string, 0o711) == 0)
      #expect(symlink(elsewhere.string, homes.open.appending("postgres").string) == 0)
      await #expect(
        throws: PrivateServerError.untrustedFolder(
          homes.open.appending("postgres"),
          reason: "it is a symbolic link"
        )
      ) {
        try await homes.server().start()
      }
      #expect(unlink(homes.open.appending("postgres").string) == 0)
      #expect(try homesEntries(elsewhere).isEmpty)
    }
  }

  @Test func `is refused when others may write there`() async throws {
    guard canActAsRoot() else { return }
    try await withHomes { homes throws in
      let home = homes.root.appending("nobody")
      Nobody.makeFolder(home)
      let path = home.string
      await #expect(processExitsWith: .success) { [path = path as String] in
        Nobody.become()
        let home = FilePath(path).appending("staffbook")
        precondition(mkdir(home.string, 0o700) == 0 && chmod(home.string, 0o777) == 0)
        let error = await #expect(throws: PrivateServerError.self) {
          try await PrivateServer(folder: home).start()
        }
        #expect(error == .untrustedFolder(home, reason: "its mode 777 gives others access"))
        #expect(
          error?.advice
            == "if it is yours, run chown and chmod 700 on it; otherwise set STAFFBOOK_HOME to "
            + "another folder"
        )
      }
      await #expect(processExitsWith: .success) { [path = path as String] in
        Nobody.become()
        // The folder of root above it is closed to us.
        let error = await #expect(throws: PrivateServerError.self) {
          try await PrivateServer(folder: "/root/staffbook-of-nobody").start()
        }
        #expect(error?.cause == .notPermitted)
        _ = path
      }
    }
  }

  @Test func `has its socket elsewhere when the path is too long`() async throws {
    guard canActAsRoot() else { return }
    try await withHomes { homes throws in
      let long = homes.open.appending(String(repeating: "n", count: 100))
      let server = homes.server(long)
      let address = try await server.start()
      #expect(address.socketFolder == homes.system.run.appending(ServerLocation.hash(long)))
      #expect(try server.status().data == long.appending("postgres/data"))
      #expect(try await ask(address, "select 1") == "1")
      #expect(try await server.stop())
    }
  }

  @Test func `has its socket elsewhere when libpq would take its path for two`() async throws {
    guard canActAsRoot() else { return }
    try await withHomes { homes throws in
      let home = homes.open.appending("one, two")
      let server = homes.server(home)
      let address = try await server.start()
      #expect(address.socketFolder == homes.system.run.appending(ServerLocation.hash(home)))
      #expect(try await ask(address, "select 1") == "1")
      #expect(try await server.stop())
    }
  }

  @Test func `of an ordinary user's socket is the runtime folder, else a checked one in tmp`()
    async throws
  {
    guard canActAsRoot() else { return }
    try await withHomes { homes throws in
      let home = homes.root.appending("nobody")
      let runtime = homes.root.appending("runtime")
      Nobody.makeFolder(home)
      Nobody.makeFolder(runtime)
      let path = homes.root.string
      await #expect(processExitsWith: .success) { [path = path as String] in
        Nobody.become()
        let run = path + "/runtime"
        let long = FilePath(path).appending("nobody").appending(String(repeating: "n", count: 100))
        let hash = ServerLocation.hash(long)
        let server = PrivateServer(
          folder: long,
          environment: { $0 == "XDG_RUNTIME_DIR" ? run : nil }
        )
        let address = try await server.start()
        #expect(address.socketFolder == FilePath(run).appending("staffbook-" + hash))
        #expect(try mode(address.socketFolder) == 0o700)
        // Found also by who does not have the variable.
        #expect(try await PrivateServer(folder: long).start() == address)
        #expect(try await server.stop())

        let shared = FilePath("/tmp/staffbook-\(Nobody.userID)-\(hash)")
        let other = PrivateServer(folder: long, environment: { _ in nil })
        let inShared = try await other.start()
        #expect(inShared.socketFolder == shared)
        #expect(try await ask(inShared, "select 1") == "1")
        #expect(try await other.stop())
        #expect(chmod(shared.string, 0o755) == 0)
        let error = await #expect(throws: PrivateServerError.self) { try await other.start() }
        #expect(error == .untrustedFolder(shared, reason: "its mode 755 gives others access"))
        #expect(rmdir(shared.string) == 0)
      }
    }
  }

  private func homesEntries(_ path: FilePath) throws -> [String] { try Folder(path).names() }
}
