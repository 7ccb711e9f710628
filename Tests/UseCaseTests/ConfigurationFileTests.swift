import DirectoryModel
import DirectoryStore
import SiteSettings
import SystemPackage
import TestSupport
import Testing

@Suite("The configuration file")
struct ConfigurationFileTests {
  private func read(_ bytes: [UInt8]) throws -> ConfigurationFile {
    let folder = try ScratchFolder()
    return try read(path: folder.write(bytes, to: "config.yaml"))
  }

  private func read(path: FilePath) throws -> ConfigurationFile {
    var file = ConfigurationFile()
    try file.read(path)
    return file
  }

  private func read(_ text: String) throws -> ConfigurationFile { try read(Array(text.utf8)) }

  /// Whether reading fails with a message that names the file and the line, and has these words.
  private func expectFailure(
    _ bytes: [UInt8],
    line: Int,
    _ words: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: DirectoryError.self, sourceLocation: sourceLocation) {
      try read(bytes)
    }
    guard let error else { return }
    #expect(error.kind == .usage, sourceLocation: sourceLocation)
    for part in ["config.yaml, line \(line): "] + words {
      #expect(error.message.contains(part), sourceLocation: sourceLocation)
    }
  }

  private func expectFailure(
    _ text: String,
    line: Int,
    _ word: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let words = word.isEmpty ? "config.yaml" : word
    expectFailure(Array(text.utf8), line: line, words, sourceLocation: sourceLocation)
  }

  // MARK: What is read

  @Test func `one that is missing says nothing`() throws {
    let folder = try ScratchFolder()
    let file = try read(path: folder.path.appending("nowhere/config.yaml"))
    #expect(file == ConfigurationFile())
  }

  @Test(arguments: ["", "\n\n", "# nothing yet\n", "---\n", "--- # nothing\n...\n", "\u{FEFF}"])
  func `one without a word says nothing`(text: String) throws {
    #expect(try read(text) == ConfigurationFile())
  }

  @Test func `every key is read`() throws {
    let file = try read(
      """
      # where the directory lives
      database: "postgresql://ada@db.example/staff?sslmode=require"  # a comment
      locale: de-AT
      country: 'AT'
      source:
        departments: select id, parent_id, name, '' as description, 0 as sort_order from unit
        users: |
          select id, unit_id,
            name, mail, phone
          from person
        memberships: >-
          select person_id, unit_id, title,
          0 from place
      """
    )
    #expect(file.database == "postgresql://ada@db.example/staff?sslmode=require")
    #expect(file.locale == "de-AT")
    #expect(file.country == "AT")
    #expect(
      file.source?.departments
        == "select id, parent_id, name, '' as description, 0 as sort_order from unit"
    )
    #expect(file.source?.users == "select id, unit_id,\n  name, mail, phone\nfrom person\n")
    #expect(file.source?.memberships == "select person_id, unit_id, title, 0 from place")
  }

  @Test func `an anchor stands for its text`() throws {
    let file = try read("locale: &l de\ncountry: *l\n")
    #expect(file.locale == "de" && file.country == "de")
  }

  @Test func `UTF-16 with a byte order mark is YAML too`() throws {
    let units = "\u{FEFF}locale: ö".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    #expect(try read(units).locale == "ö")
  }

  @Test func `a megabyte of comments does not matter`() throws {
    let comments = String(repeating: "# nothing to see here, move on\n", count: 34_000)
    #expect(try read(comments + "locale: de\n" + comments).locale == "de")
  }

  @Test func `a megabyte of text is read whole`() throws {
    let query = String(repeating: "select 1 union ", count: 70_000) + "select 2"
    #expect(try read("database: \(query)\n").database == query)
  }

  @Test func `keys of the browser are one text or several, and stay with their lines`() throws {
    let file = try read("keys:\n  up: w\n  page-up: [Ctrl-b, PageUp]\n  down: {a: b}\n")
    #expect(file.keys.map(\.action) == ["up", "page-up"])
    #expect(file.keys.map(\.keys) == [["w"], ["Ctrl-b", "PageUp"]])
    #expect(file.keys.map(\.line) == [2, 3])
    #expect(file.problems.map(\.line) == [4])
  }

  // MARK: What is refused

  @Test func `an unknown key is told with its line and the keys there are, and is left out`() throws
  {
    let file = try read("locale: de\n\ndatabse: x\n")
    #expect(file.locale == "de" && file.database == nil)
    let problem = try #require(file.problems.first)
    #expect(problem.text { "\($0)" }.hasSuffix("config.yaml:3: databse: \(problem.reason)"))
    #expect(
      problem.reason
        == "there is no such key; the keys are database, locale, country, me, max_age, poll, color, source, visibility, jobs, server and keys"
    )
    #expect(try read("Locale: de\n").problems.count == 1)
    #expect(try read("? [a, b]\n: c\n").problems.map(\.line) == [1])
  }

  @Test func `a key that stands there twice is refused`() throws {
    expectFailure("locale: de\ncountry: DE\nlocale: fr\n", line: 3, "locale")
    expectFailure(
      "source:\n  users: a\n  departments: b\n  memberships: c\n  users: d\n",
      line: 5,
      "users"
    )
  }

  @Test func `a database that is not text is refused`() throws {
    expectFailure("# a\ndatabase: [a]\n", line: 2, "database is not text")
    expectFailure("database:\n  a: b\n", line: 2, "database is not text")
  }

  @Test(arguments: ["locale", "country"])
  func `a value of another kind that is not text is told and left out`(key: String) throws {
    for text in ["# a\n\(key): [a]\n", "\(key):\n  a: b\n"] {
      let file = try read(text)
      #expect(file.locale == nil && file.country == nil)
      #expect(file.problems.map(\.reason) == ["the value is not text"])
      #expect(file.problems.first?.line == 2)
    }
  }

  @Test(arguments: ["just text\n", "- a\n- b\n", "42\n"])
  func `a file that is no mapping is refused`(text: String) throws {
    expectFailure(text, line: 1, "is not a mapping of keys to values")
  }

  @Test func `a source must have its three queries and no others`() throws {
    expectFailure("source: select\n", line: 1, "source is not a mapping of keys to values")
    expectFailure("\nsource:\n  users: a\n  departments: b\n", line: 3, "source is incomplete")
    expectFailure("source:\n", line: 1, "source is incomplete")
    expectFailure("source:\n  people: a\n", line: 2, "source has no key people")
    expectFailure("source:\n  users: [a]\n", line: 2, "source.users is not text")
  }

  @Test func `fields of a source are no built-in columns, but may be called identity`() throws {
    func source(_ fields: String) -> String {
      "source:\n  departments: a\n  users: b\n  memberships: c\n  fields: \(fields)\n"
    }
    #expect(try read(source("site, identity")).source?.fields == ["site", "identity"])
    expectFailure(source("site, email"), line: 5, "source.fields cannot contain email")
  }

  @Test(
    arguments: [
      ("locale: de\n\tcountry: DE\n", 2), ("locale:\tde\n\t- x\n", 2), ("a: b: c\n", 1),
      ("locale: \"de\n", 2), ("locale: de\n  country: DE\n", 2), ("{a: b\n", 2),
      ("locale: *nobody\n", 1), ("locale: de\n%YAML 9\n", 2), ("locale: \"\\q\"\n", 1),
      ("locale: @de\n", 1),
    ]
  )
  func `broken YAML is refused with its line`(text: String, line: Int) throws {
    expectFailure(text, line: line)
  }

  @Test func `what is not UTF-8 is refused with its line`() throws {
    expectFailure(Array("locale: d".utf8) + [0xFF, 0x0A], line: 1, "UTF-8")
    expectFailure(Array("# \u{FC}\nlocale: de\ncountry: ".utf8) + [0xC3, 0x0A], line: 3, "UTF-8")
    let comments = String(repeating: "# nothing to see here, move on\n", count: 10_000)
    expectFailure(Array(comments.utf8) + [0xE9], line: 10_001, "UTF-8")
  }

  @Test func `control characters are refused`() throws {
    expectFailure("locale: de\ncountry: \u{0}\n", line: 2, "control")
    expectFailure("locale: \u{1B}[31m\n", line: 1, "control")
  }

  @Test func `deep nesting is refused and breaks nothing`() throws {
    expectFailure("source: {users: {a: {b: {c: {d: e}}}}}\n", line: 1, "nested too deeply")
    for (left, right) in [("[", "]"), ("{a: ", "}"), ("- ", ""), ("? ", "")] {
      let deep = String(repeating: left, count: 200_000) + String(repeating: right, count: 200_000)
      #expect(throws: DirectoryError.self) { try read("locale: " + deep) }
      #expect(throws: DirectoryError.self) { try read(deep) }
    }
  }

  @Test func `an anchor within itself is refused`() throws {
    expectFailure("source: &a\n  users: *a\n", line: 2, "nested too deeply")
    expectFailure("locale: &a [*a]\n", line: 1, "nested too deeply")
    #expect(try read("locale: [a]\n").problems.map(\.reason) == ["the value is not text"])
    expectFailure("&a {source: *a}\n", line: 1, "nested too deeply")
  }

  @Test(.timeLimit(.minutes(40)))
  func `anchors that multiply are refused before they do`() throws {
    func mapping(_ value: String) -> String {
      "{" + (0..<3_000).map { "k\($0): \(value)" }.joined(separator: ", ") + "}"
    }
    #expect(throws: DirectoryError.self) {
      try read(
        "database: &c \(mapping("x"))\nlocale: &b \(mapping("*c"))\nsource: \(mapping("*b"))\n"
      )
    }
  }

  @Test func `a folder in its place cannot be read`() throws {
    let folder = try ScratchFolder()
    let error = #expect(throws: DirectoryError.self) { try read(path: folder.path) }
    #expect(error?.kind == .cannotRead)
    #expect(error?.message.contains(folder.path.string) == true)
  }

  @Test func `says how the server serves`() throws {
    let server = try read(
      """
      server:
        listen: [127.0.0.1:0, "[::1]:80", /run/staffbookd/socket]
        hosts: Book.example
        certificate: cert.pem
        key: key.pem
        lag: 1 minute
        sign_in: {header: Remote-User, match: id, from: [127.0.0.1]}
        proxy_protocol_from: 192.0.2.1
        requests_per_second: 10
        access_log: true
        reports: https://tickets.example/new?queue=book
      """
    ).server
    #expect(
      server.listeners == [
        .address("127.0.0.1", port: 0), .address("::1", port: 80),
        .socket("/run/staffbookd/socket"),
      ]
    )
    #expect(server.hosts.contains("book.example") && server.hosts.contains("localhost"))
    #expect((server.certificate, server.privateKey) == ("cert.pem", "key.pem"))
    #expect((server.lag, server.requestsPerSecond, server.exportsPerHour) == (60, 10, 60))
    #expect(server.signIn == .init(header: "Remote-User", match: .id, from: ["127.0.0.1"]))
    #expect(server.proxyProtocolFrom == ["192.0.2.1"] && server.accessLog)
    #expect(server.reports == "https://tickets.example/new?queue=book")
    #expect(try read("server: {reports: hr@lumen.example}").server.reports == "hr@lumen.example")
    #expect(try read("server: {}").server == ServerSettings())
    for (text, word) in [
      ("listen: 8440", "listen"), ("listen: 127.0.0.1:65536", "listen"), ("listen: []", "listen"),
      ("lag: soon", "length of time"), ("access_log: yes", "true"), ("hosts: {a: b}", "hosts"),
      ("requests_per_second: 0", "from 1"), ("certificate: a", "must be set together"),
      ("sign_in: {match: id}", "header"), ("sign_in: {header: a, match: name}", "match"),
      ("port: 1", "no key"), ("reports: http://a.example", "https"),
      ("reports: https:///x", "https"),
      ("reports: a@b?cc=c@d", "mail address"), ("reports: a@b,c@d", "mail"),
      ("reports: '@'", "mail"),
    ] {
      expectFailure("server:\n  \(text)\n", line: 2, word)
    }
  }

}
