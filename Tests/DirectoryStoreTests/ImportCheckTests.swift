import DirectoryModel
import DirectoryStore
import Seeds
import TestSupport
import Testing

@Suite("An import is refused for")
struct ImportCheckTests {
  private typealias Files = ImportFiles

  /// Problems as `file:line id: reason`.
  private func problems(
    of files: ImportFiles,
    after company: String? = nil,
    replace: Bool = false,
    unreadable: UnreadableFiles = [],
    limit: Int = 20
  ) async throws -> [String] {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      if let company { try await sql.run(company) }
      let state = """
        select count(*), coalesce(sum(hashtext(t::text)), 0) from (
          select id, name, changed_in from staffbook.departments union all
          select id, name, changed_in from staffbook.users union all
          select user_id, department_id, changed_in from staffbook.memberships) t
        """
      let before = try await sql.rows(state)
      let outcome = try await importFiles(
        files,
        replace: replace,
        unreadable: unreadable,
        limit: limit,
        conninfo
      )
      guard case .refused(let problems, _) = outcome else { return [] }
      #expect(try await sql.rows(state) == before)
      return problems.map {
        "\($0.file):\($0.line ?? 0) \($0.id ?? ""): \($0.reason)"
      }
    }
  }

  @Test func `ids that stand twice, with both lines`() async throws {
    let files = Files(
      departments: [.init(id: "a"), .init(id: "b"), .init(id: "a")],
      users: [
        .init(id: "u1", department: "a"), .init(id: "u2", department: "a"),
        .init(id: "u2", department: "b"), .init(id: "u2", department: "b"),
      ],
      memberships: [
        .init(user: "u1", department: "b"), .init(user: "u1", department: "b", title: "x"),
      ]
    )
    #expect(
      try await problems(of: files) == [
        #"departments.csv:4 a: the department id "a" is used twice, on lines 2 and 4"#,
        #"users.csv:4 u2: the user id "u2" is used twice, on lines 3 and 4; "#
          + "list additional departments in memberships.csv",
        #"users.csv:5 u2: the user id "u2" is used twice, on lines 3 and 5; "#
          + "list additional departments in memberships.csv",
        #"memberships.csv:3 u1: the user "u1" is in the department "b" twice, on lines 2 and 3"#,
      ]
    )
  }

  @Test func `references to nothing`() async throws {
    let files = Files(
      departments: [.init(id: "a", parent: " ")],
      users: [.init(id: "u1", department: "x"), .init(id: "u2", department: "a")],
      memberships: [.init(user: "u9", department: "a"), .init(user: "u2", department: "y")]
    )
    #expect(
      try await problems(of: files) == [
        #"departments.csv:2 a: the parent department " " is neither in the files nor in the database"#,
        #"users.csv:2 u1: the department "x" is neither in the files nor in the database"#,
        #"memberships.csv:2 u9: the user "u9" is neither in the files nor in the database"#,
        #"memberships.csv:3 u2: the department "y" is neither in the files nor in the database"#,
      ]
    )
  }

  @Test func `a further membership that is the primary one`() async throws {
    let files = Files(
      departments: [.init(id: "a")],
      users: [.init(id: "u1", department: "a")],
      memberships: [.init(user: "u1", department: "a")]
    )
    let reason = #"memberships.csv:2 u1: the department "a" is already the primary department "#
    #expect(try await problems(of: files) == [reason + #"of the user "u1""#])
    // Also where only the database says which is the primary one, and not where the file says else.
    let further = Files(memberships: [.init(user: "u1", department: "a")])
    #expect(
      try await problems(of: further, after: smallCompany) == [reason + #"of the user "u1""#]
    )
    let moved = Files(
      users: [.init(id: "u1", department: "b")],
      memberships: [.init(user: "u1", department: "a")]
    )
    #expect(try await problems(of: moved, after: smallCompany) == [])
  }

  @Test func `rings, by all their members, not by what hangs off them`() async throws {
    let files = Files(departments: [
      .init(id: "top"), .init(id: "child", parent: "b"), .init(id: "b", parent: "c"),
      .init(id: "a", parent: "b"), .init(id: "c", parent: "a"), .init(id: "self", parent: "self"),
    ])
    #expect(
      try await problems(of: files) == [
        #"departments.csv:4 b: 3 departments form a cycle: "#
          + #""b" → "c" → "a" → "b""#,
        #"departments.csv:7 self: the department "self" is its own parent"#,
      ]
    )
  }

  @Test func `rings that close through the database`() async throws {
    let files = Files(departments: [.init(id: "a", parent: "c")])
    #expect(
      try await problems(of: files, after: smallCompany) == [
        #"departments.csv:2 a: 3 departments form a cycle: "#
          + #""a" → "c" → "b" → "a""#
      ]
    )
    // Replaced, b and c are removed.
    #expect(
      try await problems(of: files, after: smallCompany, replace: true) == [
        #"departments.csv:2 a: the parent department "c" is not in the files"#
      ]
    )
  }

  @Test func `references only to what will be there`() async throws {
    let files = Files(
      departments: [.init(id: "d", parent: "a")],
      users: [.init(id: "u4", department: "c")],
      memberships: [.init(user: "u1", department: "d")]
    )
    #expect(try await problems(of: files, after: smallCompany) == [])
    #expect(try await problems(of: files, after: smallCompany, replace: true).count == 3)
  }

  @Test func `what it can judge when rows of a file are missing`() async throws {
    let files = Files(
      departments: [.init(id: "a", parent: "x"), .init(id: "r", parent: "r")],
      users: [.init(id: "u1", department: "y")],
      memberships: [.init(user: "u9", department: "z"), .init(user: "u9", department: "z")]
    )
    #expect(try await problems(of: files).count == 8)
    #expect(try await problems(of: files, unreadable: .departments).count == 4)
    #expect(try await problems(of: files, unreadable: .users).count == 6)
    #expect(try await problems(of: files, unreadable: [.users, .departments]).count == 2)
    // A row that is missing here may be the one that moves what only the database knows.
    let through = Files(
      departments: [.init(id: "a", parent: "c")],
      memberships: [.init(user: "u1", department: "a")]
    )
    #expect(try await problems(of: through, after: smallCompany).count == 2)
    #expect(
      try await problems(of: through, after: smallCompany, unreadable: [.users, .departments])
        == []
    )
  }

  @Test func `more problems than it names, in the order of files and lines`() async throws {
    try await withDirectory { conninfo in
      var files = Files()
      files.departments = (0..<30).map { .init(id: "d\($0)", parent: $0 == 3 ? "d3" : "gone") }
      files.users = (0..<30).map { .init(id: "u\($0)", department: "gone") }
      let outcome = try await importFiles(files, limit: 5, conninfo)
      guard case .refused(let problems, let total) = outcome else {
        Issue.record("\(outcome)")
        return
      }
      #expect(total == 60)
      #expect(problems.map(\.line) == [2, 3, 4, 5, 6])
      #expect(problems.map(\.id) == ["d0", "d1", "d2", "d3", "d4"])
    }
  }

  @Test(.timeLimit(.minutes(40)))
  func `a long ring, in linear time; a long chain is none`() async throws {
    try await withDirectory { conninfo in
      let count = rounds(20_000, thorough: 100_000)
      var files = Files()
      files.departments = (0..<count).map { .init(id: "d\($0)", parent: "d\(($0 + 1) % count)") }
      guard case .refused(let problems, 1) = try await importFiles(files, conninfo) else {
        Issue.record("no ring")
        return
      }
      #expect(problems.first?.line == 2)
      let shown = (0..<100).map { "\"d\($0)\"" }.joined(separator: " → ")
      #expect(
        problems.first?.reason == "\(count) departments form a cycle: \(shown) → … → \"d0\""
      )
      files.departments[count - 1].parent = ""
      files.departments.shuffle()
      let added = ChangeCounts(added: count)
      #expect(
        try await importFiles(files, conninfo) == .done(ChangeTotals(departments: added))
      )
    }
  }
}
