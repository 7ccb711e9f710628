import DirectoryModel
import LibPQ
import TestSupport
import Testing

@testable import DirectoryStore

@Suite("A server that says nothing")
struct PatienceTests {
  private func database(_ conninfo: String) async throws -> Database {
    try await Database.connect(
      conninfo: conninfo,
      doing: "look",
      patience: DatabasePatience(silenceLimit: .seconds(1))
    )
  }

  @Test func `is given more time while it is at work`() async throws {
    let database = try await database(TestDatabase.serverConninfo())
    let answer = try await database.run { (connection) throws(StoreFailure) in
      try connection.query("select 'done', pg_sleep(3)").cell(0)
    }
    #expect(answer == "done")
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
      #expect(error?.message.contains("sent nothing for 1 seconds") == true, "\(error as Any)")
    }
  }
}
