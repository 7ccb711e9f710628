import DirectoryModel
import LibPQ
import Platform
import TestSupport
import Testing

@testable import DirectoryStore

@Suite("A server that says nothing")
struct PatienceTests {
  private func database(_ conninfo: String) async throws -> Database {
    try await Database.connect(
      conninfo: conninfo,
      doing: "look",
      access: DatabaseAccess(silenceLimit: .seconds(1))
    )
  }

  @Test func `is given more time while it is at work`() async throws {
    let database = try await database(TestDatabase.serverConninfo())
    let answer = try await database.run { (connection) throws(StoreFailure) in
      try connection.query("select 'done', pg_sleep(3)").cell(0)
    }
    #expect(answer == "done")
  }

  /// The address is given since the name leads nowhere, or elsewhere: no connection may go by it.
  @Test(arguments: [
    "host=nowhere.invalid hostaddr=127.0.0.1 port=PORT", "hostaddr=127.0.0.1 port=PORT",
    "host=a.invalid,b.invalid hostaddr=127.0.0.1,127.0.0.1 port=1,PORT",
  ])
  func `is asked at the address in use whether it is at work`(place: String) async throws {
    var port: UInt16 = 0
    let cluster = try await clusterOnTCP(port: &port)
    let conninfo = place.replacing("PORT", with: "\(port)") + " user=postgres dbname=postgres"
    let database = try await database(conninfo)
    let answer = try await database.run { (connection) throws(StoreFailure) in
      try connection.query("select 'done', pg_sleep(3)").cell(0)
    }
    #expect(answer == "done")
    _ = cluster
  }

  /// Makes a cluster on a free port; on another one where a program takes it before the server does.
  private func clusterOnTCP(port: inout UInt16) async throws -> PostgresCluster {
    for _ in 0..<9 {
      port = try freePort()
      do { return try await makeCluster(port: port) } catch {}
    }
    port = try freePort()
    return try await makeCluster(port: port)
  }

  private func makeCluster(port: UInt16) async throws -> PostgresCluster {
    try await PostgresCluster.make(
      settings: ["listen_addresses": "'127.0.0.1'", "port": "\(port)"]
    )
  }

  @Test func `is given no more once it has answered and the answer is lost`() async throws {
    try await withTemporaryDirectory { folder in
      let relay = try SocketRelay(
        in: folder,
        to: TestDatabase.serverConninfo(),
        bytesToClient: 20_000
      )
      defer { relay.stop() }
      let database = try await database(relay.conninfo.pairs)
      let error = await #expect(throws: DirectoryError.self) {
        try await database.run { (connection) throws(StoreFailure) in
          try connection.query("select repeat('x', 30000)").cell(0)
        }
      }
      #expect(
        error?.message == """
          cannot look: the connection to PostgreSQL was lost: the server sent nothing for 1 second
          """
      )
    }
  }
}

/// A port of TCP that no one listens on.
private func freePort() throws -> UInt16 {
  let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let isBound = withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
    }
  }
  try #require(isBound)
  return UInt16(bigEndian: address.sin_port)
}
