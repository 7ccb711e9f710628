import LibPQ
import TestSupport
import Testing

@Suite("Copying out")
struct CopyOutTests {
  @Test func `gives each row once, in order, with its line break`() async throws {
    try await withConnection { connection throws in
      var rows: [String] = []
      let count = try connection.copyOut(
        "copy (values (1, 'a' || chr(9) || 'b'), (2, null), (3, 'ä')) to stdout"
      ) { row throws(PostgresError) in
        rows.append(String(decoding: row, as: UTF8.self))
      }
      #expect(count == 3)
      #expect(rows == ["1\ta\\tb\n", "2\t\\N\n", "3\tä\n"])
    }
  }

  @Test func `stopped by its reader leaves the connection usable`() async throws {
    try await withConnection { connection throws in
      var rows = 0
      try connection.executeScript("create temporary sequence sent")
      #expect(throws: Stop.ours) {
        try connection.copyOut(
          "copy (select nextval('sent'), repeat('x', 100) from generate_series(1, 10000000)) to stdout"
        ) { _ throws(Stop) in
          rows += 1
          if rows == 1000 { throw Stop.ours }
        }
      }
      #expect(rows == 1000)
      #expect(try connection.value("select 1") == "1")
      let sent = try connection.value("select last_value from sent")
      #expect(sent.flatMap { Int($0) } ?? .max < 10_000_000, "the server has stopped, too")
    }
  }

  @Test func `that fails halfway throws the server's error after the rows before it`() async throws
  {
    try await withConnection { connection throws in
      var rows = 0
      let error = #expect(throws: PostgresError.self) {
        let sql = "copy (select 1 / (1000 - i) from generate_series(1, 2000) i) to stdout"
        try connection.copyOut(sql) { _ throws(PostgresError) in rows += 1 }
      }
      #expect(error?.sqlstate == SQLState(rawValue: "22012"))
      #expect(rows == 999)
      #expect(try connection.value("select 1") == "1")
    }
  }

  @Test(arguments: ["select 1", "copy t from stdin", "create table u ()"])
  func `of anything but COPY TO is refused and undone`(_ sql: String) async throws {
    try await withConnection { connection throws in
      try connection.executeScript("create table t (a int)")
      #expect(throws: PostgresError.self) {
        try connection.copyOut(sql) { _ throws(PostgresError) in }
      }
      #expect(try connection.value("select 1") == "1")
    }
  }
}

@Suite("Copying in")
struct CopyInTests {
  @Test func `writes pieces of any size as one stream`() async throws {
    try await withConnection { connection throws in
      try connection.executeScript("create table t (a text)")
      let long = String(repeating: "ü", count: 20_000_000)
      let outcome = try connection.copyIn("copy t from stdin") { writer throws(PostgresError) in
        for number in 1...10_000 {
          try writer.write("\(number)")
          try writer.write("\n")
        }
        try writer.write([])
        try writer.write(Array("a\\tb\n".utf8))
        try writer.write(long.utf8.span.bytes)
        try writer.write("\n")
        return "done"
      }
      #expect(outcome.rows == 10_002)
      #expect(outcome.value == "done")
      #expect(try connection.value("select count(*) from t where a ~ '^[0-9]+$'") == "10000")
      #expect(try connection.value("select max(length(a)) from t") == "20000000")
    }
  }

  @Test func `stopped by its writer keeps nothing and leaves the connection usable`() async throws {
    try await withConnection { connection throws in
      try connection.executeScript("create table t (a int)")
      #expect(throws: Stop.ours) {
        try connection.copyIn("copy t from stdin") { writer throws(Stop) in
          do { try writer.write("1\n2\n") } catch { throw Stop.ours }
          throw Stop.ours
        }
      }
      #expect(connection.transactionStatus == .idle)
      #expect(try connection.value("select count(*) from t") == "0")
    }
  }

  @Test func `says which line the server refused`() async throws {
    try await withConnection { connection throws in
      try connection.executeScript("create table t (a int)")
      let error = #expect(throws: PostgresError.self) {
        try connection.copyIn("copy t from stdin") { writer throws(PostgresError) in
          try writer.write("1\n2\nx\n4\n")
        }
      }
      guard case .refused(let diagnostic) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(diagnostic.sqlstate == .invalidTextRepresentation)
      #expect(diagnostic.context?.hasPrefix("COPY t, line 3") == true)
      #expect(try connection.value("select count(*) from t") == "0")
    }
  }

  @Test(arguments: ["select 1", "copy t to stdout", "selec"])
  func `of anything but COPY FROM is refused and undone`(_ sql: String) async throws {
    try await withConnection { connection throws in
      try connection.executeScript("create table t (a int)")
      #expect(throws: PostgresError.self) {
        try connection.copyIn(sql) { _ throws(PostgresError) in }
      }
      #expect(try connection.value("select 1") == "1")
    }
  }
}

/// What ends a closure early, and what PostgreSQL said.
enum Stop: PostgresFailure, Equatable {
  case ours
  case postgres(PostgresError)

  init(_ error: PostgresError) { self = .postgres(error) }
}
