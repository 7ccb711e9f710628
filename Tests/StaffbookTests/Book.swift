import LibPQ
import Platform
import SystemPackage
import TestSupport
import Testing

/// The program as the user runs it, with a home and a database of its own.
struct Book: Sendable {
  let home: FilePath
  let conninfo: String
  var locale = "C"
  /// Further variables, which win.
  var environment: [String: String] = [:]

  static func program() throws -> String {
    guard let path = environmentValue("STAFFBOOK_TEST_PROGRAM") else {
      throw TestSetupError("STAFFBOOK_TEST_PROGRAM does not name the program; run scripts/test")
    }
    return path
  }

  func run(_ arguments: String...) async throws -> ProgramOutcome {
    try await run(arguments)
  }

  func run(_ arguments: [String]) async throws -> ProgramOutcome {
    try await runProgram(FilePath(try Self.program()), arguments, environment: variables)
  }

  /// All variables that the program runs with.
  var variables: [String: String] {
    var variables = [
      "PATH": environmentValue("PATH") ?? "/usr/bin:/bin", "HOME": home.string,
      "STAFFBOOK_HOME": home.string, "STAFFBOOK_DATABASE_URL": conninfo,
      "STAFFBOOK_LOCALE": locale, "LC_ALL": "C.UTF-8", "TERM": "dumb",
    ]
    variables.merge(environment) { _, further in further }
    return variables.filter { !$0.value.isEmpty }
  }

  /// Runs what must succeed and gives its lines.
  @discardableResult
  func lines(_ arguments: String...) async throws -> [String] { try await lines(arguments) }

  func lines(_ arguments: [String]) async throws -> [String] {
    let outcome = try await run(arguments)
    try #require(outcome.status == 0, "\(arguments): \(outcome)")
    return outcome.stdout.split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
  }

  /// Runs a query and gives its rows as text.
  func query(_ sql: String) throws -> [[String]] {
    var connection = try PGConnection(conninfo: conninfo)
    let result = try connection.execute(sql)
    return (0..<result.rowCount).map { row in
      (0..<result.columnCount).map { result.text(row: row, column: $0) ?? "" }
    }
  }

  /// The one value that a query gives.
  func value(_ sql: String) throws -> String {
    let rows = try query(sql)
    return try #require(rows.first?.first, "\(sql)")
  }

  /// Runs statements.
  func script(_ sql: String) throws {
    var connection = try PGConnection(conninfo: conninfo)
    try connection.executeScript(sql)
  }

  /// Lets no one connect to the database for the time of `body`.
  func withoutConnections(_ body: () async throws -> Void) async throws {
    let name = try PGConninfo(parsing: conninfo)["dbname"] ?? ""
    func allow(_ isAllowed: Bool) throws {
      var server = try PGConnection(conninfo: try TestDatabase.serverConninfo())
      try server.executeScript("alter database \"\(name)\" allow_connections \(isAllowed)")
    }
    try allow(false)
    do {
      try await body()
    } catch {
      try allow(true)
      throw error
    }
    try allow(true)
  }

  /// Everything that the tables hold, marks included, as one digest.
  func contents() throws -> String {
    try value(
      """
      select md5(string_agg(line, E'\\n' order by line)) from (
        select 'd' || d::text as line from staffbook.departments d
        union all select 'u' || u::text from staffbook.users u
        union all select 'm' || m::text from staffbook.memberships m) everything
      """
    )
  }

  /// The folder of a broken or odd data set.
  static func badInput(_ name: String) throws -> FilePath {
    try TestData.directory(named: "badinput").appending(name)
  }
}

/// Runs a test with a migrated database and an empty home.
func withBook(_ body: (Book) async throws -> Void) async throws {
  try await withTestDatabase(template: migrated) { conninfo in
    try await withTemporaryDirectory { home in
      try await body(Book(home: home, conninfo: conninfo))
    }
  }
}

private let migrated = TemplateDatabase { conninfo in
  try await withTemporaryDirectory { home in
    _ = try await Book(home: home, conninfo: conninfo).lines("db", "migrate")
  }
}

/// Writes a small file below a folder.
func write(_ text: String, to path: FilePath) throws { try write(bytes: text.utf8, to: path) }

func write(bytes: some Sequence<UInt8>, to path: FilePath) throws {
  let file = try FileDescriptor.open(
    path,
    .writeOnly,
    options: [.create, .truncate],
    permissions: .ownerReadWrite
  )
  try file.closeAfter { _ = try file.writeAll(bytes) }
}

func bytes(of path: FilePath) throws -> [UInt8] {
  try MappedFile(path: path).withBytes { Array($0) }
}

/// A folder of CSV files in a few words.
func writeCompany(
  departments: String,
  users: String,
  memberships: String? = nil,
  to folder: FilePath
) throws {
  try write(
    "id,parent_id,name,description,sort_order\n" + departments,
    to: folder.appending("departments.csv")
  )
  try write(
    "id,department_id,name,title,email,phone,sort_order\n" + users,
    to: folder.appending("users.csv")
  )
  if let memberships {
    try write(
      "user_id,department_id,title,sort_order\n" + memberships,
      to: folder.appending("memberships.csv")
    )
  }
}

/// Four departments, one of them empty, and three people, one of them twice.
func writeSmallCompany(to folder: FilePath) throws {
  try writeCompany(
    departments: """
      lum,,Lumen,Makers of light,0
      opt,lum,Optics,,1
      mir,opt,Mirrors,,0
      vac,lum,Vacant,,2

      """,
    users: """
      u1,lum,Ada Lund,Head,ada@lumen.example,+1 555 0100,0
      u2,mir,Łukasz Żak,Polisher,lukasz@lumen.example,+1 555 0101,0
      u3,mir,Émile Noé,Grinder,,,0

      """,
    memberships: "u2,opt,Adviser,0\n",
    to: folder
  )
}

/// Values of one key in JSON Lines, for flat string and number values.
func values(of key: String, in lines: [String]) -> [String] {
  lines.map { line in
    guard let start = line.range(of: "\"\(key)\":")?.upperBound else { return "" }
    let rest = line[start...]
    if rest.hasPrefix("\"") {
      var value = ""
      var isEscaped = false
      for character in rest.dropFirst().unicodeScalars {
        if isEscaped {
          value.unicodeScalars.append(character)
          isEscaped = false
        } else if character == "\\" {
          isEscaped = true
        } else if character == "\"" {
          break
        } else {
          value.unicodeScalars.append(character)
        }
      }
      return value
    }
    return String(rest.prefix { $0 != "," && $0 != "}" })
  }
}

extension String {
  /// Whether this is exactly these lines.
  ///
  /// `…` alone stands for any lines, and within a line for any text. Spaces at the end of a line do not
  /// count, nor does what is said on a busy machine alone.
  func reads(_ lines: String...) -> Bool { reads(lines) }

  func reads(_ lines: [String]) -> Bool {
    var written = utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    let waiting = "staffbook: waiting for "
    if !lines.contains(where: { $0.hasPrefix(waiting) }) {
      written.removeAll { $0.hasPrefix(waiting) }
    }
    return ShownOutput.matches(lines, written)
  }

  /// The first place of a text in this one, by scalars.
  fileprivate func range(of text: String) -> Range<String.Index>? {
    let needle = Array(text.unicodeScalars)
    let scalars = unicodeScalars
    var start = scalars.startIndex
    while start < scalars.endIndex {
      if scalars[start...].starts(with: needle) {
        return start..<scalars.index(start, offsetBy: needle.count)
      }
      start = scalars.index(after: start)
    }
    return nil
  }
}
