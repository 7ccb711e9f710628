import LibPQ
import TestSupport
import Testing

@Suite("A transaction")
struct TransactionTests {
  @Test func `commits what its body did and returns its value`() async throws {
    try await withConnection { connection throws in
      try connection.executeScript("create table t (a int)")
      let rows = try connection.transaction { connection throws(PostgresError) in
        try connection.execute("insert into t values (1), (2)").affectedRows
      }
      #expect(rows == 2)
      #expect(try connection.value("select count(*) from t") == "2")
    }
  }

  @Test func `is rolled back by any error of its body, which is passed on`() async throws {
    try await withConnection { connection throws in
      try connection.executeScript("create table t (a int)")
      #expect(throws: Stop.ours) {
        try connection.transaction { connection throws(Stop) in
          _ = try? connection.execute("insert into t values (1)").rowCount
          throw Stop.ours
        }
      }
      let error = #expect(throws: PostgresError.self) {
        try connection.transaction { connection throws(PostgresError) in
          try connection.execute("insert into t values (1)")
          try connection.execute("select 1 / 0")
        }
      }
      #expect(error?.sqlstate == SQLState(rawValue: "22012"))
      #expect(connection.transactionStatus == .idle)
      #expect(try connection.value("select count(*) from t") == "0")
    }
  }

  @Test func `says when the server rolled back instead of committing`() async throws {
    try await withConnection { connection throws in
      #expect(throws: PostgresError.rolledBackInsteadOfCommitted) {
        try connection.transaction { connection throws(PostgresError) in
          _ = try? connection.execute("select 1 / 0").rowCount
        }
      }
      #expect(connection.transactionStatus == .idle)
    }
  }

  @Test func `that fails at COMMIT is a refusal, not a doubt`() async throws {
    try await withConnection { connection throws in
      try connection.executeScript(
        "create table t (a int constraint t_once unique deferrable initially deferred)"
      )
      let error = #expect(throws: PostgresError.self) {
        try connection.transaction { connection throws(PostgresError) in
          _ = try connection.execute("insert into t values (1), (1)").rowCount
        }
      }
      #expect(error?.constraint == "t_once")
      #expect(try connection.value("select count(*) from t") == "0")
    }
  }

  @Test func `has the isolation asked for, and refuses to write when read only`() async throws {
    try await withConnection { connection throws in
      let isolation = try connection.transaction(.consistentRead) {
        connection throws(PostgresError) in
        try connection.execute("show transaction_isolation").text(row: 0, column: 0)
      }
      #expect(isolation == "repeatable read")
      // Temporary tables may be written even so.
      let error = #expect(throws: PostgresError.self) {
        try connection.transaction(.consistentRead) { connection throws(PostgresError) in
          _ = try connection.execute("create table public.never ()").rowCount
        }
      }
      #expect(error?.sqlstate == .readOnlySQLTransaction)
    }
  }

  @Test func `inside another is a trap`() async throws {
    _ = try TestDatabase.serverConninfo()
    await #expect(processExitsWith: .failure) {
      var connection = try PGConnection(conninfo: TestDatabase.serverConninfo())
      try connection.transaction { connection throws(PostgresError) in
        try connection.transaction { _ throws(PostgresError) in }
      }
    }
  }

  @Test func `that lost against another is worth another try`() async throws {
    try await withTestDatabase { conninfo in
      var one = try PGConnection(conninfo: conninfo)
      var other = try PGConnection(conninfo: conninfo)
      try one.executeScript("create table t (a int); insert into t values (1)")
      let error = #expect(throws: PostgresError.self) {
        try one.transaction(PGTransactionOptions(isolation: .repeatableRead)) {
          one throws(PostgresError) in
          try one.execute("select * from t")
          try other.execute("update t set a = 2")
          try one.execute("update t set a = 3")
        }
      }
      #expect(error?.sqlstate == .serializationFailure)
      #expect(error?.isTransient == true)
    }
  }
}
