import LibPQ
import Seeds
import TestSupport
import Testing

@Suite("A ring of departments")
struct RingTests {
  @Test(arguments: [
    ("update staffbook.departments set parent_id = 'a' where id = 'a'", "a → a"),
    ("update staffbook.departments set parent_id = 'c' where id = 'a'", "a → c → b → a"),
    ("update staffbook.departments set parent_id = 'b' where id = 'a'", "a → b → a"),
    (
      "insert into staffbook.departments (id, parent_id, name) values ('x', 'y', 'n'), ('y', 'x', 'n')",
      "x → y → x"
    ),
    ("insert into staffbook.departments (id, parent_id, name) values ('x', 'x', 'n')", "x → x"),
  ])
  func `is refused and named`(_ sql: String, _ ring: String) async throws {
    try await withDirectory { conninfo in
      let session = try await SQLSession(conninfo)
      try await session.run(smallCompany)
      let refusal = try await session.refusal(of: sql)
      #expect(refusal?.sqlstate?.rawValue == "SB001")
      #expect(refusal?.constraint == "departments_no_ring")
      #expect(refusal?.table == "departments")
      #expect(refusal?.detail == ring)
    }
  }

  @Test func `is refused when a trigger closes it behind the statement's back`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      try await sql.run(
        """
        create function public.meddle() returns trigger language plpgsql as
          $$ begin new.parent_id := 'c'; return new; end $$;
        create trigger meddle before update on staffbook.departments
          for each row when (old.id = 'a') execute function public.meddle();
        """
      )
      let refusal = try await sql.refusal(
        of: "update staffbook.departments set name = 'Lanterns' where id = 'a'"
      )
      #expect(refusal?.constraint == "departments_no_ring")
    }
  }

  @Test func `is refused in a session that plays the replica`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      try await sql.run("set session_replication_role = replica")
      let refusal = try await sql.refusal(
        of: "update staffbook.departments set parent_id = 'c' where id = 'a'"
      )
      #expect(refusal?.constraint == "departments_no_ring")
      // Without foreign keys a parent may be missing for a while; that is not a ring.
      #expect(
        try await sql.refusal(
          of: """
            insert into staffbook.departments (id, parent_id, name)
              select 'x' || i, 'gone' || i, 'n' from generate_series(1, 2000) i
            """
        ) == nil
      )
    }
  }

  @Test func `cannot be kept out without the lock's row, so that nothing is moved`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany + "delete from staffbook.tree_lock")
      let refusal = try await sql.refusal(
        of: "update staffbook.departments set parent_id = null where id = 'c'"
      )
      #expect(refusal?.table == "tree_lock")
      try await sql.run(
        try #require(refusal?.hint?.split(separator: "run: ").last.map(String.init))
      )
      try await sql.run("update staffbook.departments set parent_id = null where id = 'c'")
    }
  }

  @Test func `does not come about when parent and child change places`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      try await sql.run(
        """
        update staffbook.departments set parent_id =
          case id when 'a' then 'b' when 'b' then null else parent_id end
        """
      )
      #expect(
        try await sql.rows("select id, parent_id from staffbook.departments order by 1")
          == [["a", "b"], ["b", "∅"], ["c", "b"]]
      )
    }
  }

  /// Quadratic work would take hours.
  @Test(.timeLimit(.minutes(40)))
  func `is looked for in linear time along a chain`() async throws {
    let count = rounds(20_000, thorough: 100_000)
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(
        """
        insert into staffbook.departments (id, parent_id, name)
          select 'd' || i, case when i < \(count) then 'd' || i + 1 end, 'n'
            from generate_series(1, \(count)) i order by md5(i::text)
        """
      )
      // A thousand moves at the deep end, each with all of the chain above it.
      try await sql.run(
        """
        insert into staffbook.departments (id, parent_id, name)
          select 'e' || i, 'd1', 'n' from generate_series(1, 1000) i;
        update staffbook.departments set parent_id = 'd2' where id like 'e%';
        update staffbook.departments set parent_id = 'd3' where id like 'e1%';
        """
      )
      let refusal = try await sql.refusal(
        of: "update staffbook.departments set parent_id = 'd1' where id = 'd\(count)'"
      )
      let shown = (1...20).map { "d\($0)" }.joined(separator: " → ")
      #expect(refusal?.detail == "\(shown) → … → d1 (a ring of \(count))")
    }
  }

  @Test func `is found among many changed rows`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(
        """
        insert into staffbook.departments (id, parent_id, name)
          select 'd' || i, 'd' || nullif(i / 2, 0), 'n' from generate_series(1, 3000) i
        """
      )
      let refusal = try await sql.refusal(
        of: """
          update staffbook.departments set parent_id =
            case id when 'd2' then 'd9' else 'd2' end where id <> 'd1' and id <> 'd4'
          """
      )
      #expect(refusal?.detail == "d2 → d9 → d2")
    }
  }

  @Test(arguments: ["read committed", "repeatable read", "serializable"])
  func `never comes out of moves at the same moment`(_ isolation: String) async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(
        """
        insert into staffbook.departments (id, name) select 'd' || i, 'n'
          from generate_series(1, 3) i
        """
      )
      var movers: [SQLSession] = []
      for _ in 0..<4 { movers.append(try await SQLSession(conninfo)) }
      var moved = 0
      let count = rounds(20, thorough: 60)
      for _ in 0..<count {
        moved += try await Self.moveAtOnce(movers, isolation)
        #expect(try await Self.ringMembers(sql) == [])
        try await sql.run("update staffbook.departments set parent_id = null")
      }
      // Otherwise nothing was tried: one of each round goes through in any case.
      #expect(moved >= count)
    }
  }

  /// Each session moves one department; returns how many moves went through.
  private static func moveAtOnce(
    _ movers: [SQLSession],
    _ isolation: String
  ) async throws -> Int {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for mover in movers {
        group.addTask { try await move(mover, isolation) }
      }
      return try await group.reduce(0) { $1 ? $0 + 1 : $0 }
    }
  }

  /// Moves one department under another, by a snapshot from before the others' moves; false when
  /// that was refused, as it may be.
  private static func move(_ sql: SQLSession, _ isolation: String) async throws -> Bool {
    let child = Int.random(in: 1...3)
    let parent = (child + Int.random(in: 0...1)) % 3 + 1
    let refusal = try await sql.refusal(
      of: """
        begin isolation level \(isolation);
        select count(*) from staffbook.departments;
        select pg_sleep(0.003);
        update staffbook.departments set parent_id = 'd\(parent)' where id = 'd\(child)';
        commit;
        """
    )
    guard let refusal else { return true }
    #expect(["SB001", "40001"].contains(refusal.sqlstate?.rawValue), "\(refusal)")
    try await sql.run("rollback")
    return false
  }

  /// Departments from which no way up leads to a root.
  private static func ringMembers(_ sql: SQLSession) async throws -> [[String]] {
    try await sql.rows(
      """
      with recursive reached(id) as (
        select id from staffbook.departments where parent_id is null
        union select d.id from staffbook.departments d join reached r on d.parent_id = r.id)
      select id from staffbook.departments except select id from reached
      """
    )
  }
}
