import DirectoryModel
import DirectoryStore
import LibPQ
import TestSupport
import Testing

@Suite("An import")
struct ImportTests {
  private typealias Files = ImportFiles

  private static let company = ImportFiles(
    departments: [
      .init(id: "a"), .init(id: "b", parent: "a"), .init(id: "c", parent: "b"),
    ],
    users: [
      .init(id: "u1", department: "a", title: "Keeper", email: "u1@example.test"),
      .init(id: "u2", department: "b"), .init(id: "u3", department: "c"),
    ],
    memberships: [.init(user: "u3", department: "a", title: "Guest", sortOrder: 4)]
  )

  private func memberships(_ sql: SQLSession, of user: String) async throws -> [[String]] {
    try await sql.rows(
      """
      select m.department_id, m.title, (u.primary_department_id = m.department_id)::text
        from staffbook.memberships m join staffbook.users u on u.id = m.user_id
        where m.user_id = $1 order by 1
      """,
      [.text(user)]
    )
  }

  @Test func `into an empty database adds everything`() async throws {
    try await withDirectory { conninfo in
      let outcome = try await importFiles(Self.company, conninfo)
      #expect(
        outcome
          == .done(
            ChangeTotals(
              departments: ChangeCounts(added: 3),
              users: ChangeCounts(added: 3),
              memberships: ChangeCounts(added: 4)
            )
          )
      )
      let sql = try await SQLSession(conninfo)
      #expect(
        try await memberships(sql, of: "u3") == [["a", "Guest", "false"], ["c", "", "true"]]
      )
      #expect(try await memberships(sql, of: "u1") == [["a", "Keeper", "true"]])
    }
  }

  @Test func `of the same again writes nothing`() async throws {
    try await withDirectory { conninfo in
      try await importFiles(Self.company, conninfo)
      let sql = try await SQLSession(conninfo)
      let marks = """
        select changed_in from staffbook.departments union select changed_in from staffbook.users
          union select changed_in from staffbook.memberships
        """
      let before = try await sql.rows(marks)
      for replace in [false, true] {
        let outcome = try await importFiles(Self.company, replace: replace, conninfo)
        #expect(
          outcome
            == .done(
              ChangeTotals(
                departments: ChangeCounts(unchanged: 3),
                users: ChangeCounts(unchanged: 3),
                memberships: ChangeCounts(unchanged: 4)
              )
            )
        )
        #expect(try await sql.rows(marks) == before)
      }
    }
  }

  @Test func `keeps text byte for byte`() async throws {
    try await withDirectory { conninfo in
      let odd = "\\N\t\\.\n\r\"x'\\\\ e\u{301} 灯\u{200F}\u{1}"
      let files = Files(
        departments: [.init(id: odd, name: odd, description: odd, sortOrder: .min)],
        users: [
          .init(
            id: odd,
            department: odd,
            name: odd,
            title: odd,
            email: odd,
            phone: odd,
            sortOrder: .max
          )
        ]
      )
      try await importFiles(files, conninfo)
      let records = try await DirectoryRepository(conninfo: conninfo).load().records
      try #require(
        (records.departments.count, records.users.count, records.memberships.count) == (1, 1, 1)
      )
      let department = records.departments[0]
      #expect(Array(department.name.utf8) == Array(odd.utf8))
      #expect(Array(department.description.utf8) == Array(odd.utf8))
      #expect(department.id == DepartmentID(odd))
      #expect(department.sortOrder == .min)
      let user = records.users[0]
      for text in [user.id.rawValue, user.name] + user.contacts.all {
        #expect(Array(text.utf8) == Array(odd.utf8))
      }
      #expect(records.memberships[0].sortOrder == .max)
      #expect(Array(records.memberships[0].title.utf8) == Array(odd.utf8))
    }
  }

  @Test func `lets a new primary department take the old one's place`() async throws {
    try await withDirectory { conninfo in
      try await importFiles(Self.company, conninfo)
      let sql = try await SQLSession(conninfo)
      let moved = Files(users: [.init(id: "u3", department: "b", title: "Head")])
      let outcome = try await importFiles(moved, conninfo)
      #expect(
        outcome
          == .done(
            ChangeTotals(
              users: ChangeCounts(moved: 1),
              memberships: ChangeCounts(added: 1, removed: 1)
            )
          )
      )
      #expect(
        try await memberships(sql, of: "u3") == [["a", "Guest", "false"], ["b", "Head", "true"]]
      )
    }
  }

  @Test func `makes a further membership the primary one`() async throws {
    try await withDirectory { conninfo in
      try await importFiles(Self.company, conninfo)
      let sql = try await SQLSession(conninfo)
      let moved = Files(users: [.init(id: "u3", department: "a", title: "Guest", sortOrder: 4)])
      let outcome = try await importFiles(moved, conninfo)
      #expect(
        outcome
          == .done(
            ChangeTotals(
              users: ChangeCounts(moved: 1),
              memberships: ChangeCounts(removed: 1, unchanged: 1)
            )
          )
      )
      #expect(try await memberships(sql, of: "u3") == [["a", "Guest", "true"]])
    }
  }

  @Test func `keeps the old primary department that the files name as a further one`() async throws
  {
    try await withDirectory { conninfo in
      try await importFiles(Self.company, conninfo)
      let sql = try await SQLSession(conninfo)
      let moved = Files(
        users: [.init(id: "u3", department: "a", title: "Head")],
        memberships: [.init(user: "u3", department: "c", title: "Adviser")]
      )
      try await importFiles(moved, conninfo)
      #expect(
        try await memberships(sql, of: "u3")
          == [["a", "Head", "true"], ["c", "Adviser", "false"]]
      )
    }
  }

  @Test func `without --replace keeps what it does not mention`() async throws {
    try await withDirectory { conninfo in
      try await importFiles(Self.company, conninfo)
      let more = Files(
        departments: [.init(id: "d", parent: "c", name: "Prisms"), .init(id: "a", name: "Lamps")],
        users: [.init(id: "u4", department: "d")]
      )
      #expect(
        try await importFiles(more, conninfo)
          == .done(
            ChangeTotals(
              departments: ChangeCounts(added: 1, changed: 1),
              users: ChangeCounts(added: 1),
              memberships: ChangeCounts(added: 1)
            )
          )
      )
      let sql = try await SQLSession(conninfo)
      #expect(try await sql.value("select count(*) from staffbook.users") == "4")
      #expect(try await sql.value("select count(*) from staffbook.memberships") == "5")
    }
  }

  @Test func `with --replace removes what the files do not mention`() async throws {
    try await withDirectory { conninfo in
      try await importFiles(Self.company, conninfo)
      let less = Files(
        departments: [.init(id: "c"), .init(id: "d", parent: "c")],
        users: [.init(id: "u3", department: "c"), .init(id: "u5", department: "d")]
      )
      #expect(
        try await importFiles(less, replace: true, conninfo)
          == .done(
            ChangeTotals(
              departments: ChangeCounts(added: 1, moved: 1, removed: 2),
              users: ChangeCounts(added: 1, changed: 1, removed: 2),
              memberships: ChangeCounts(added: 1, removed: 3, unchanged: 1)
            )
          )
      )
      let sql = try await SQLSession(conninfo)
      #expect(
        try await sql.rows("select id, parent_id from staffbook.departments order by 1")
          == [["c", "∅"], ["d", "c"]]
      )
    }
  }

  @Test func `turns the tree upside down`() async throws {
    try await withDirectory { conninfo in
      try await importFiles(Self.company, conninfo)
      var turned = Self.company
      turned.departments = [
        .init(id: "c"), .init(id: "b", parent: "new"), .init(id: "new", parent: "c"),
        .init(id: "a", parent: "b"),
      ]
      for replace in [false, true] {
        _ = try await importFiles(turned, replace: replace, conninfo)
        let sql = try await SQLSession(conninfo)
        #expect(
          try await sql.rows("select id, parent_id from staffbook.departments order by 1")
            == [["a", "b"], ["b", "new"], ["c", "∅"], ["new", "c"]]
        )
        try await importFiles(Self.company, replace: replace, conninfo)
      }
    }
  }

  @Test func `by another program at the same moment waits for its turn`() async throws {
    try await withDirectory { conninfo in
      let first = try await Self.company.locked(conninfo)
      async let second = importFiles(Self.company, conninfo)
      try await waitForBlockedSession(try await SQLSession(conninfo))
      try await first.checkAndApply()
      try await first.commit()
      let unchanged = ChangeTotals(
        departments: ChangeCounts(unchanged: 3),
        users: ChangeCounts(unchanged: 3),
        memberships: ChangeCounts(unchanged: 4)
      )
      #expect(try await second == .done(unchanged))
    }
  }

  @Test func `that is given up leaves nothing`() async throws {
    try await withDirectory { conninfo in
      let importer = try await Self.company.locked(conninfo)
      try await importer.checkAndApply()
      await importer.rollback()
      let sql = try await SQLSession(conninfo)
      #expect(try await sql.value("select count(*) from staffbook.departments") == "0")
      #expect(try await sql.value("select count(*) from staffbook.ledger") == "0")
    }
  }

  @Test func `whose connection breaks says what is known of it`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      let importer = try await Self.company.locked(conninfo)
      try await importer.checkAndApply()
      try await terminateOthers(sql)
      let error = await #expect(throws: DirectoryError.self) { try await importer.commit() }
      #expect(error?.kind == .unavailable)
      #expect(
        error?.message == """
          cannot import the directory: the connection was lost during COMMIT, and the server \
          reports that nothing was applied
          """
      )
      #expect(try await sql.value("select count(*) from staffbook.departments") == "0")
    }
  }

  private func terminateOthers(_ sql: SQLSession) async throws {
    let others = """
      from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
        and backend_type = 'client backend'
      """
    try await sql.run("select pg_terminate_backend(pid) \(others)")
    try await wait(until: "the others have ended") {
      try await sql.value("select count(*) \(others)") == "0"
    }
  }

  @Test func `needs no more rights than writing three tables and reading the rest`() async throws {
    try await withDirectory { conninfo in
      let owner = try await SQLSession(conninfo)
      let role = uniqueName("importer")
      try await owner.run(
        """
        create role \(role) in role staffbook_reader;
        grant insert, update, delete on staffbook.departments, staffbook.users,
          staffbook.memberships to \(role);
        """
      )
      let asWriter = conninfo + " options=-crole=\(role)"
      try await importFiles(Self.company, asWriter)
      let nothing = try await importFiles(Files(), replace: true, asWriter)
      #expect(
        nothing
          == .done(
            ChangeTotals(
              departments: ChangeCounts(removed: 3),
              users: ChangeCounts(removed: 3),
              memberships: ChangeCounts(removed: 4)
            )
          )
      )
      try await owner.run("drop owned by \(role); drop role \(role)")
    }
  }

  @Test func `of values beyond the limits is refused by the database`() async throws {
    try await withDirectory { conninfo in
      let files = Files(departments: [.init(id: "a", name: " ")])
      let error = await #expect(throws: DirectoryError.self) {
        try await importFiles(files, conninfo)
      }
      #expect(error?.kind == .badData)
      #expect(error?.message.contains("departments_name_visible") == true)
    }
  }
}
