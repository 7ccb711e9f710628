import DirectoryModel
import DirectoryStore
import Platform
import SiteSettings
import SystemPackage
import TestSupport
import Testing

@Suite("What wins: flag, environment or file")
struct SettingsTests {
  /// Settings with `config.yaml` in a home of its own.
  private func settings(
    file: String = "",
    _ environment: [String: String] = [:],
    database: String? = nil
  ) throws -> Settings {
    let home = try ScratchFolder()
    try home.write(Array(file.utf8), to: "config/config.yaml")
    let own = ["STAFFBOOK_HOME": home.path.string]
    return try Settings(environment: environment.merging(own) { $1 }, database: database)
  }

  private let url = ["STAFFBOOK_DATABASE_URL": "host=url"]
  private let libpq = ["PGHOST": "libpq"]
  private let file = "database: host=file\n"

  @Test func `without a setting the private server is meant`() throws {
    #expect(try settings().source.server == .privateServer)
    #expect(
      try settings(["PGPASSWORD": "x", "PGSSLMODE": "require"]).source.server == .privateServer
    )
  }

  @Test func `the flag wins over all`() throws {
    let all = url.merging(libpq) { $1 }
    let settings = try settings(file: file, all, database: "host=flag")
    #expect(settings.source.server == .conninfo("host=flag"))
  }

  @Test func `then STAFFBOOK_DATABASE_URL`() throws {
    let settings = try settings(file: file, url.merging(libpq) { $1 })
    #expect(settings.source.server == .conninfo("host=url"))
  }

  @Test(arguments: ["PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER", "PGSERVICE"])
  func `then libpq's own variables`(variable: String) throws {
    #expect(try settings(file: file, [variable: "1"]).source.server == .conninfo(""))
  }

  @Test func `then the file`() throws {
    #expect(try settings(file: file).source.server == .conninfo("host=file"))
  }

  @Test func `what is empty is as if it were not there`() throws {
    let empty = ["STAFFBOOK_DATABASE_URL": "", "PGHOST": "", "PGPORT": ""]
    #expect(try settings(file: file, empty, database: "").source.server == .conninfo("host=file"))
    #expect(try settings(file: "database:\n", empty).source.server == .privateServer)
    #expect(try settings(file: "database: ''\n", empty).source.server == .privateServer)
    #expect(try settings(file: "locale: ''\n", ["STAFFBOOK_LOCALE": ""]).locale == "und")
  }

  @Test func `the locale is the environment's, then the file's, then the root's`() throws {
    #expect(try settings(file: "locale: de\n", ["STAFFBOOK_LOCALE": "fr"]).locale == "fr")
    #expect(try settings(file: "locale: de\n").locale == "de")
    #expect(try settings().locale == "und")
  }

  @Test func `a connection string that libpq cannot read is wrong usage, and no secret`() throws {
    let error = #expect(throws: DirectoryError.self) {
      try settings([:], database: "host=x password=geheim nonsense")
    }
    #expect(error?.kind == .usage)
    #expect(error.map { "\($0.message) \($0.advice ?? "")".contains("geheim") } == false)
  }

  @Test func `a broken file is an error even where a flag is given`() throws {
    #expect(throws: DirectoryError.self) { try settings(file: "x: [", [:], database: "host=a") }
  }

  @Test func `all that is wrong is told at once, and goes on as if it were not there`() throws {
    let file = "locale: xx-nowhere\ncountry: XX\ncolour: red\n"
    let environment = ["STAFFBOOK_LOCALE": "de_AT.UTF-8", "STAFFBOOK_TIMEOUT": "soon"]
    let settings = try settings(file: file, environment)
    #expect(settings.locale == "und")
    #expect(try settings.phones == self.settings().phones)
    #expect(settings.silenceLimit == .seconds(60))
    #expect(settings.problems.map(\.id) == ["locale", "country", "colour", nil, nil])
    #expect(settings.problems.map(\.line) == [1, 2, 3, nil, nil])
    let error = #expect(throws: DirectoryError.self) { try settings.requireSound() }
    #expect(error?.kind == .usage)
    #expect(error?.problemCount == 5)
    #expect(try self.settings(file: "country: DE\n").problems.isEmpty)
  }

  @Test func `a wrong locale of the file is told although the environment's is meant`() throws {
    let settings = try settings(file: "locale: qq\n", ["STAFFBOOK_LOCALE": "de"])
    #expect(settings.locale == "de")
    #expect(settings.problems.count == 1)
  }

  @Test func `queries of the file make a source of their own`() throws {
    let file = "source:\n  departments: a\n  users: b\n  memberships: c\n"
    let settings = try settings(file: file)
    #expect(settings.source.queries?.users == "b")
  }

  @Test
  func `the machine's file is read before the user's, but not where one folder is everything`()
    throws
  {
    let home = try ScratchFolder()
    try home.write(Array("locale: de\ncountry: XX\nkeys:\n  up: w\n".utf8), to: "etc/config.yaml")
    try home.write(Array("locale: fr\nkeys:\n  up: z\n".utf8), to: "own/staffbook/config.yaml")
    let environment = ["HOME": home.path.string, "XDG_CONFIG_HOME": "\(home.path)/own"]
    let settings = try Settings(
      environment: environment,
      administrator: home.path.appending("etc/config.yaml")
    )
    #expect(settings.locale == "fr")
    #expect(settings.keys.map(\.keys) == [["w"], ["z"]])
    #expect(settings.problems.map(\.file) == ["\(home.path)/etc/config.yaml"])
    let alone = try Settings(
      environment: environment.merging(["STAFFBOOK_HOME": "\(home.path)/all"]) { $1 },
      administrator: home.path.appending("etc/config.yaml")
    )
    #expect(alone.locale == "und" && alone.keys.isEmpty && alone.problems.isEmpty)
  }

  @Test func `a job of one's own replaces the machine's of the same name`() throws {
    let home = try ScratchFolder()
    try home.write(
      Array("jobs:\n  staff:\n    files: a\n  rooms:\n    files: b\n".utf8),
      to: "etc/staffbook/config.yaml"
    )
    try home.write(Array("jobs:\n  staff:\n    files: c\n".utf8), to: "own/staffbook/config.yaml")
    let administrator = home.path.appending("etc/staffbook/config.yaml")
    func jobs(_ folder: String) throws -> [[String]] {
      let environment = ["HOME": home.path.string, "XDG_CONFIG_HOME": "\(home.path)/\(folder)"]
      return try Settings(environment: environment, administrator: administrator).jobs
        .sorted { $0.name < $1.name }.map(\.files)
    }
    #expect(try jobs("own") == [["b"], ["c"]])
    #expect(try jobs("etc") == [["b"], ["a"]])
  }

  @Test func `the machine's file is read once where it is one's own, too`() throws {
    let home = try ScratchFolder()
    try home.write(Array("keys:\n  up: w\nnone: x\n".utf8), to: "etc/staffbook/config.yaml")
    let settings = try Settings(
      environment: ["HOME": home.path.string, "XDG_CONFIG_HOME": "\(home.path)/etc/"],
      administrator: home.path.appending("etc/staffbook/config.yaml")
    )
    #expect(settings.keys.count == 1 && settings.problems.count == 1)
  }

  @Test func `only another folder for everything helps against the machine's file`() throws {
    let home = try ScratchFolder()
    try home.write(Array("locale: de\n".utf8), to: "etc/config.yaml")
    let file = home.path.appending("etc/config.yaml")
    try #require(file.withPlatformString { chmod($0, 0o666) } == 0)
    let error = #expect(throws: DirectoryError.self) {
      try Settings(environment: ["HOME": home.path.string], administrator: file)
    }
    #expect(
      error?.advice?.description
        == "run chmod o-w \(file), or set STAFFBOOK_HOME to a folder of your own"
    )
  }

  @Test func `colour is turned off, or it is said what can be written`() throws {
    #expect(try settings(file: "color: never\n").usesColour == false)
    #expect(try settings(file: "color: auto\n").usesColour)
    let wrong = try settings(file: "color: red\n")
    #expect(wrong.usesColour && wrong.problems.map(\.line) == [1])
  }
}

@Suite("The folder of a source")
struct SourceKeyTests {
  private func key(
    _ conninfo: String?,
    _ environment: [String: String] = [:],
    file: String = ""
  ) throws -> String {
    let home = try ScratchFolder()
    try home.write(Array(file.utf8), to: "config/config.yaml")
    let own = ["STAFFBOOK_HOME": home.path.string]
    return try Settings(environment: environment.merging(own) { $1 }, database: conninfo)
      .source.key(environment: environment)
  }

  @Test func `is the same for other users and passwords`() throws {
    let key = try key("postgresql://ada:one@db.example:5433/staff")
    #expect(try self.key("postgresql://bo:two@db.example:5433/staff") == key)
    #expect(try self.key("host=db.example port=5433 dbname=staff user=cy sslmode=require") == key)
    #expect(try self.key("host=db.example dbname=staff", ["PGPORT": "5433"]) == key)
  }

  @Test func `is another for another host, address, port, database or service`() throws {
    let keys = try [
      "host=a dbname=d", "host=b dbname=d", "host=a dbname=e", "host=a dbname=d port=5433",
      "host=a dbname=d hostaddr=192.0.2.1", "host=a,b dbname=d", "service=a", "service=b",
      "host=/run/a dbname=d", "host=ad dbname=''",
    ].map { try key($0) }
    #expect(Set(keys).count == keys.count)
    let byEnvironment = try [
      ["PGHOST": "a"], ["PGHOST": "b"], ["PGDATABASE": "a"], ["PGPORT": "1"], ["PGSERVICE": "a"],
      ["PGHOSTADDR": "192.0.2.1"],
    ].map { try key(nil, $0) }
    #expect(Set(byEnvironment).count == byEnvironment.count)
  }

  /// libpq: "dbname: the database name. Defaults to be the same as the user name."
  @Test func `without a database's name the user's is the database's`() throws {
    #expect(try key("postgresql://ada@db.example") != key("postgresql://bo@db.example"))
    #expect(try key("host=a", ["PGUSER": "ada"]) != key("host=a", ["PGUSER": "bo"]))
    #expect(try key("host=a user=ada") == key("host=a dbname=ada user=bo"))
    #expect(
      try key("host=a user=ada", ["PGDATABASE": "staff"])
        == key("host=a user=bo", ["PGDATABASE": "staff"])
    )
  }

  @Test func `is another for other queries`() throws {
    func file(_ users: String) -> String {
      "source:\n  departments: a\n  users: \(users)\n  memberships: c\n"
    }
    let keys = try [
      key(nil), key(nil, file: file("b")), key(nil, file: file("b2")),
      key("host=a dbname=d"), key("host=a dbname=d", file: file("b")),
    ]
    #expect(Set(keys).count == keys.count)
  }

  @Test(
    arguments: [
      "host='../../etc' dbname='/'", "host='..' dbname='..'",
      "dbname='ünï\u{202E}' host='\u{1B}[31m'", "host=/run/postgresql",
      "dbname='\(String(repeating: "long", count: 500))'",
    ]
  )
  func `is a plain name of a folder`(conninfo: String) throws {
    let key = try key(conninfo)
    #expect(key.utf8.count <= 80)
    #expect(!key.hasPrefix("."))
    #expect(
      key.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
          || (0x61...0x7A).contains(byte) || byte == 0x2D || byte == 0x2E
      }
    )
  }

  @Test func `of the private server is private`() throws {
    #expect(try key(nil) == "private")
  }
}
