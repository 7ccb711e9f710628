import DirectoryModel
import DirectoryStore
import LibPQ
import TestSupport
import Testing

@Suite("Reading what changed")
struct ReadTests {
  @Test func `brings every kind of change and nothing else`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      let repository = DirectoryRepository(conninfo: conninfo)
      var state = DirectoryState()
      #expect(try await repository.update(&state) == .firstSync)
      for statement in [
        "update staffbook.users set name = 'Ngaire Holm-Ito' where id = 'u1'",
        "update staffbook.departments set parent_id = 'a', sort_order = 4 where id = 'c'",
        "delete from staffbook.memberships where user_id = 'u3' and department_id = 'a'",
        "delete from staffbook.users where id = 'u2'",
        "update staffbook.users set id = 'U1' where id = 'u1'",
        "update staffbook.departments set id = 'A' where id = 'a'",
        """
        begin; delete from staffbook.users where id = 'u3';
        insert into staffbook.users (id, name, primary_department_id) values ('u3', 'Neu', 'b');
        insert into staffbook.memberships (user_id, department_id) values ('u3', 'b'); commit
        """,
        "delete from staffbook.departments where id = 'c'",
      ] {
        try await sql.run(statement)
        let read = try await repository.read(since: state.watermark)
        guard case .changes(let changes, _, _) = read else {
          Issue.record("everything was read after: \(statement)")
          return
        }
        #expect(!changes.isEmpty, "\(statement)")
        state.apply(read)
        #expect(state.rows.difference(from: try await truth(conninfo)) == nil, "\(statement)")
      }
      let read = try await repository.read(since: state.watermark)
      guard case .changes(let changes, _, nil) = read else {
        Issue.record("\(read)")
        return
      }
      #expect(changes.isEmpty)
    }
  }

  @Test func `goes by a range when many transactions are new`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      let repository = DirectoryRepository(conninfo: conninfo)
      var state = DirectoryState()
      try await repository.update(&state)
      // One that stays open keeps the others from settling.
      let open = try await SQLSession(conninfo)
      try await open.run("begin; update staffbook.users set phone = '1' where id = 'u1'")
      for round in 0..<3 {
        for number in 0..<150 {
          try await sql.run(
            "insert into staffbook.departments (id, name) values ('\(round)-\(number)', 'n')"
          )
          if number % 10 == 9 {
            try await sql.run("delete from staffbook.departments where id = '\(round)-\(number)'")
          }
        }
        if round != 1 {
          #expect(try await repository.update(&state) == nil)
          #expect(state.rows.difference(from: try await truth(conninfo)) == nil)
        }
      }
      try await open.run("commit")
      #expect(try await repository.update(&state) == nil)
      #expect(state.rows.difference(from: try await truth(conninfo)) == nil)
    }
  }

  @Test func `brings a slice that agrees with the rows held, or tells that it does not`()
    async throws
  {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      try await sql.run(
        """
        begin;
        insert into staffbook.users (id, name, primary_department_id, email)
          select 'é' || i, 'n' || i, 'b', repeat('x', i % 40) from generate_series(1, 300) i;
        insert into staffbook.memberships (user_id, department_id, title, sort_order)
          select 'é' || i, 'b', 't' || i, -i from generate_series(1, 300) i;
        commit;
        """
      )
      let repository = DirectoryRepository(conninfo: conninfo)
      var state = DirectoryState()
      try await repository.update(&state)
      for kind in RecordKind.allCases {
        for (first, rows) in [
          ("", 1), ("", 10_000), ("u2", 2), ("u", 3), ("é2", 50), ("zz", 1_000),
        ] {
          let request = SliceRequest(kind: kind, first: first, rows: rows)
          let slice = try await slice(repository, state, request)
          #expect(state.digest(of: slice) == slice.digest, "\(request)")
          #expect(slice.first == first)
          #expect(slice.digest.count >= rows || slice.last == nil)
        }
      }
      try await sql.run("alter table staffbook.users disable trigger all")
      try await sql.run("update staffbook.users set phone = '7' where id = 'é150'")
      try await sql.run("alter table staffbook.users enable trigger all")
      try await sql.mendTriggers()
      let watermark = try await repository.load().source.watermark
      let read = try await repository.read(
        since: watermark,
        slice: SliceRequest(kind: .user, first: "é15", rows: 10)
      )
      guard case .changes(_, _, let slice?) = read else {
        Issue.record("\(read)")
        return
      }
      #expect(state.digest(of: slice) != slice.digest)
    }
  }

  private func slice(
    _ repository: DirectoryRepository,
    _ state: DirectoryState,
    _ request: SliceRequest
  ) async throws -> SourceSlice {
    let read = try await repository.read(since: state.watermark, slice: request)
    guard case .changes(_, _, let slice) = read else {
      throw TestSetupError("everything was read")
    }
    return try #require(slice)
  }

  @Test func `narrows a difference down to its rows`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      let repository = DirectoryRepository(conninfo: conninfo)
      var state = DirectoryState()
      try await repository.update(&state)
      try await sql.run("update staffbook.users set phone = '7' where id = 'u2'")
      let before = state
      let verification = try await repository.verify(since: state.watermark) { read, digests in
        var state = before
        state.apply(read)
        return digests.differences(from: state.digests)
      }
      #expect(verification.digests?.differences(from: before.digests).count == 1)
      #expect(verification.rows.users.count == 0)
      // A reader that missed the change finds its row.
      let found = try await repository.verify(since: state.watermark) { _, digests in
        digests.differences(from: before.digests)
      }
      #expect((0..<found.rows.users.count).map { found.rows.users.ids[$0] } == ["u2"])
      #expect(found.rows.departments.count + found.rows.memberships.count == 0)
    }
  }
}
