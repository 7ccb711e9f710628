import DirectoryModel
import DirectoryStore
import LibPQ

/// Where the directory comes from.
package struct SourceSetting: Sendable {
  package enum Server: Sendable, Equatable {
    /// Staffbook's own PostgreSQL.
    case privateServer
    /// The user's server; the string may hold a password.
    case conninfo(String)
  }

  package let server: Server
  /// Queries over tables that are not ours; such a source is read-only.
  package let queries: DirectoryQueries?

  /// Takes a connection string as it is, once libpq can read it.
  ///
  /// - Parameters:
  ///   - conninfo: A libpq connection string, empty for libpq's environment alone; `nil` for the
  ///     private server.
  ///   - queries: Queries over a company's own tables.
  /// - Throws: `.usage` when libpq cannot read the string.
  init(conninfo: String?, queries: DirectoryQueries?) throws(DirectoryError) {
    self.queries = queries
    guard let conninfo else {
      server = .privateServer
      return
    }
    do throws(PostgresError) {
      _ = try PGConninfo(parsing: conninfo)
    } catch {
      throw DirectoryError(
        .usage,
        "cannot use the connection string: \(error)",
        advice: "give a libpq URI such as postgresql://user@host/database"
      )
    }
    server = .conninfo(conninfo)
  }

  /// A folder name that stands for the source: the same for every user and password, another one
  /// for another host, port, database, service or set of queries.
  package func key(environment: [String: String]) -> String {
    key(environment: environment, queriesText)
  }

  /// The same for the database alone, whatever queries it is asked.
  package func databaseKey(environment: [String: String]) -> String {
    key(environment: environment, "")
  }

  private func key(environment: [String: String], _ queriesText: String) -> String {
    guard case .conninfo(let conninfo) = server else {
      return queriesText.isEmpty ? "private" : "private-" + Self.digest([queriesText])
    }
    let parts = (try? PGConninfo(parsing: conninfo)) ?? PGConninfo()
    func value(_ keyword: String, _ variable: String) -> String {
      [parts[keyword], environment[variable]].compactMap { $0 }.first { !$0.isEmpty } ?? ""
    }
    var named = Self.identifyingKeywords.map(value)
    // Without a name, the database is the one called like the user (libpq: dbname), but for a
    // service, whose file may name it.
    if named[3].isEmpty, named[4].isEmpty { named[3] = value("user", "PGUSER") }
    let prefix = "\(named[3])-at-\(named[0])".unicodeScalars.drop { $0 == "." }.filter { scalar in
      scalar.isASCII
        && (scalar.properties.isAlphabetic || "0123456789.-".unicodeScalars.contains(scalar))
    }
    return String(String.UnicodeScalarView(prefix.prefix(40))) + "-"
      + Self.digest(named + [queriesText])
  }

  /// What names a database, and libpq's variables for it.
  package static let identifyingKeywords = [
    ("host", "PGHOST"), ("hostaddr", "PGHOSTADDR"), ("port", "PGPORT"),
    ("dbname", "PGDATABASE"), ("service", "PGSERVICE"),
  ]

  private var queriesText: String {
    queries.map { "\($0.departments)\u{0}\($0.users)\u{0}\($0.memberships)" } ?? ""
  }

  private static func digest(_ parts: [String]) -> String {
    let bytes = Array(parts.joined(separator: "\u{0}").utf8)
    let digest = bytes.withUnsafeBytes { XXHash64.digest($0) }
    let hexadecimal = String(digest, radix: 16)
    return String(repeating: "0", count: 16 - hexadecimal.count) + hexadecimal
  }
}
