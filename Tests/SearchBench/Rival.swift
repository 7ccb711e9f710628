import LibPQ
import TextRules

/// Substring search in PostgreSQL: one folded column with a trigram index, one connection,
/// statements prepared, `LIKE '%…%'` for each word.
struct Rival: ~Copyable {
  private var connection: PGConnection
  private var prepared: Set<String> = []

  /// Makes the table, or keeps the one that is there.
  ///
  /// - Parameters:
  ///   - conninfo: A database whose owner may make extensions.
  ///   - directory: Whose people go into it.
  /// - Throws: `PostgresError`, and what reading the directory throws.
  init(conninfo: String, _ directory: Directory) throws {
    var connection = try PGConnection(conninfo: conninfo)
    try connection.execute("set client_min_messages = warning")
    try connection.execute("create extension if not exists pg_trgm")
    let rows = try connection.execute("select to_regclass('people_folded') is not null")
    if rows.bool(row: 0, column: 0) != true {
      try Self.fill(&connection, directory)
    }
    // Plans for the very words: a plan for any word would read the table for the rare ones.
    try connection.execute("set plan_cache_mode = force_custom_plan")
    try connection.execute("set statement_timeout = '5s'")
    // Into memory, where the index just made is still.
    try connection.execute("select count(*) from people_folded where text like '%#%'")
    self.connection = connection
  }

  private static func fill(
    _ connection: inout PGConnection,
    _ directory: Directory
  ) throws {
    try connection.execute("create unlogged table people_folded (id int, text text)")
    let texts = try (0..<directory.count).map { try directory.foldedText(of: $0) }
    try connection.copyIn("copy people_folded from stdin") { (writer) throws(PostgresError) in
      for (row, text) in texts.enumerated() {
        try writer.write("\(row)\t\(Self.escaped(text))\n")
      }
    }
    try connection.execute("set maintenance_work_mem = '1GB'")
    try connection.execute(
      "create index people_trigrams on people_folded using gin (text gin_trgm_ops)"
    )
    try connection.execute("vacuum analyze people_folded")
  }

  /// Finds the first twenty.
  ///
  /// - Parameters:
  ///   - words: What must be there, folded.
  ///   - excluded: What must not.
  /// - Returns: How many were found; `nil` when it took more than five seconds.
  /// - Throws: `PostgresError`.
  mutating func search(_ words: [String], without excluded: [String]) throws -> Int? {
    let name = "find_\(words.count)_\(excluded.count)"
    if prepared.insert(name).inserted {
      let conditions =
        words.indices.map { "text like $\($0 + 1)" }
        + excluded.indices.map { "text not like $\(words.count + $0 + 1)" }
      try connection.execute(
        "prepare \(name) as select id from people_folded where "
          + conditions.joined(separator: " and ") + " limit 20"
      )
    }
    let patterns = (words + excluded).map { "'%" + Self.pattern($0) + "%'" }
    do {
      return try connection.execute("execute \(name)(\(patterns.joined(separator: ", ")))").rowCount
    } catch {
      guard case .refused(let diagnostic) = error, diagnostic.sqlstate == .queryCanceled else {
        throw error
      }
      return nil
    }
  }

  /// Literal in a pattern, and in a string of SQL.
  private static func pattern(_ word: String) -> String {
    var pattern = ""
    for letter in word {
      switch letter {
      case "%", "_", "\\": pattern += "\\" + String(letter)
      case "'": pattern += "''"
      default: pattern.append(letter)
      }
    }
    return pattern
  }

  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\n", "\t", "\r": escaped += " "
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
