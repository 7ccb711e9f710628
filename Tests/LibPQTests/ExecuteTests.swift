import LibPQ
import TestSupport
import Testing

@Suite("Executing a statement")
struct ExecuteTests {
  @Test func `binds parameters of every kind`() async throws {
    try await withConnection { connection throws in
      let result = try connection.execute(
        "select $1::text, $2::int8, $3::float8, $4::bool, $5::bytea, $6::text[], $7::int8[], $8::text",
        [
          "it's; drop table x; --", -9_000_000_000, .double(0.1), true, .bytes([0, 255, 10]),
          .textArray(["a,b", #"q"\"#, nil, "", "NULL", "名"]), .int64Array([1, -2]), nil,
        ]
      )
      #expect(result.rowCount == 1)
      #expect(result.columnCount == 8)
      #expect(result.text(row: 0, column: 0) == "it's; drop table x; --")
      #expect(result.int(row: 0, column: 1) == -9_000_000_000)
      #expect(result.text(row: 0, column: 2) == "0.1")
      #expect(result.bool(row: 0, column: 3) == true)
      #expect(result.text(row: 0, column: 4) == #"\x00ff0a"#)
      #expect(result.text(row: 0, column: 5) == #"{"a,b","q\"\\",NULL,"","NULL",名}"#)
      #expect(result.text(row: 0, column: 6) == "{1,-2}")
      #expect(result.isNull(row: 0, column: 7) == true)
      #expect(result.text(row: 0, column: 7) == nil)
    }
  }

  @Test(arguments: [Double.infinity, -.infinity, .nan, 1e300, -0.0, .leastNonzeroMagnitude])
  func `sends a double that comes back bit for bit`(_ number: Double) async throws {
    try await withConnection { connection in
      let text = try connection.value("select $1::float8", [.double(number)])
      let words = ["Infinity": "inf", "-Infinity": "-inf", "NaN": "nan"]
      let back = Double(words[text ?? ""] ?? text ?? "")
      #expect(back == number || (back?.isNaN == true && number.isNaN))
      #expect(back?.sign == number.sign || number.isNaN)
    }
  }

  @Test func `takes the type of a parameter from where it stands`() async throws {
    try await withConnection { connection throws in
      try connection.executeScript("create table t (a int2, b numeric, c date, d text[])")
      let inserted = try connection.execute(
        "insert into t values ($1, $2, $3, $4)",
        [7, "1.50", "2024-02-29", .textArray(["x"])]
      )
      #expect(inserted.affectedRows == 1)
      #expect(inserted.commandTag == "INSERT 0 1")
      #expect(
        try connection.value("select a || ' ' || b || ' ' || c from t where a = $1", [7])
          == "7 1.50 2024-02-29"
      )
    }
  }

  @Test func `refuses a NUL byte instead of cutting the text off`() async throws {
    try await withConnection { connection throws in
      let reason = "text cannot contain a NUL byte"
      #expect(throws: PostgresError.invalidParameter(position: 2, reason: reason)) {
        try connection.execute("select $1::text, $2::text", ["fine", "cut\0off"])
      }
      #expect(throws: PostgresError.invalidParameter(position: 1, reason: reason)) {
        try connection.execute("select $1::text[]", [.textArray(["a", "b\0"])])
      }
      #expect(throws: PostgresError.invalidStatement(reason: "its text contains a NUL byte")) {
        try connection.execute("select 1\0 + 1")
      }
      #expect(throws: PostgresError.invalidStatement(reason: "its text contains a NUL byte")) {
        try connection.executeScript("select 1;\0 select 2")
      }
      #expect(try connection.value("select 1") == "1")
    }
  }

  @Test func `sends as many parameters as the protocol counts and refuses more`() async throws {
    try await withConnection { connection throws in
      let most = [PGParameter](repeating: 1, count: 65_535)
      let sum = most.indices.map { "$\($0 + 1)::int" }.joined(separator: ",")
      #expect(try connection.value("select cardinality(array[\(sum)])", most) == "65535")
      #expect(
        throws: PostgresError.invalidStatement(reason: "65536 parameters are more than 65535")
      ) {
        try connection.execute("select 1", most + [1])
      }
    }
  }

  @Test func `lends cells as bytes, empty and NULL apart`() async throws {
    try await withConnection { connection throws in
      let result = try connection.execute("select '' as empty, null as missing, 'ä' as letter")
      #expect(result.columnName(2) == "letter")
      #expect(result.withBytes(row: 0, column: 0) { $0?.count } == 0)
      #expect(result.withBytes(row: 0, column: 1) { $0?.count } == nil)
      #expect(result.withBytes(row: 0, column: 2) { $0.map { Array($0) } } == [0xC3, 0xA4])
    }
  }

  @Test func `takes an empty statement and one without rows`() async throws {
    try await withConnection { connection throws in
      let empty = try connection.execute("")
      #expect(empty.rowCount == 0)
      let created = try connection.execute("create table t ()")
      #expect(created.commandTag == "CREATE TABLE")
      #expect(created.affectedRows == nil)
    }
  }

  @Test func `says what the server refused, where and why`() async throws {
    try await withConnection { connection throws in
      try connection.executeScript(
        """
        create table people (id text constraint people_id primary key, age int not null,
          constraint people_adult check (age >= 18))
        """
      )
      try connection.execute("insert into people values ('a', 20)")
      let duplicate = #expect(throws: PostgresError.self) {
        try connection.execute("insert into people values ($1, 30)", ["a"])
      }
      guard case .refused(let diagnostic) = duplicate else {
        Issue.record("\(String(describing: duplicate))")
        return
      }
      #expect(diagnostic.severity == .error)
      #expect(diagnostic.sqlstate == .uniqueViolation)
      #expect(diagnostic.table == "people")
      #expect(diagnostic.constraint == "people_id")
      #expect(diagnostic.detail == "Key (id)=(a) already exists.")
      let missing = #expect(throws: PostgresError.self) {
        try connection.execute("insert into people values ('b', null)")
      }
      #expect(missing?.sqlstate == .notNullViolation)
      let wrong = #expect(throws: PostgresError.self) { try connection.execute("selec 1") }
      guard case .refused(let syntax) = wrong else { return }
      #expect(syntax.sqlstate == .syntaxError)
    }
  }

  @Test(arguments: [
    "select $1::int", "select $1::date", "insert into t values ($1, 1)",
    "insert into t values (1, $1::int8)",
  ])
  func `keeps bound parameters out of an error's description`(_ sql: String) async throws {
    try await withConnection { connection throws in
      try connection.executeScript("create table t (a int, b int check (b < 10))")
      let secret = sql.contains("int8") ? "48151623" : "sesame"
      let error = #expect(throws: PostgresError.self) {
        try connection.execute(sql, [.text(secret)])
      }
      guard case .refused(let diagnostic)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect((diagnostic.message + (diagnostic.detail ?? "")).contains(secret))
      #expect(!diagnostic.description.contains(secret))
    }
  }

  @Test func `a COPY where rows are expected is ended, and the connection stays usable`()
    async throws
  {
    try await withConnection { connection throws in
      try connection.executeScript("create table t (a int)")
      #expect(throws: PostgresError.invalidStatement(reason: "COPY … TO STDOUT needs copyOut")) {
        try connection.execute("copy (select generate_series(1, 100000)) to stdout")
      }
      #expect(throws: PostgresError.invalidStatement(reason: "COPY … FROM STDIN needs copyIn")) {
        try connection.execute("copy t from stdin")
      }
      #expect(throws: PostgresError.invalidStatement(reason: "COPY … FROM STDIN needs copyIn")) {
        try connection.executeScript("select 1; copy t from stdin; select 2")
      }
      #expect(try connection.value("select count(*) from t") == "0")
    }
  }

  @Test func `a script is all or nothing`() async throws {
    try await withConnection { connection throws in
      #expect(throws: PostgresError.self) {
        try connection.executeScript("create table a (); create table b (); select 1 / 0")
      }
      #expect(try connection.value("select to_regclass('a') is null") == "t")
    }
  }
}
