import LibPQ
import Serving
import TestSupport
import Testing

@Suite("Questions about history")
struct HistoryRouteTests {
  /// Longer than any test waits.
  private static let hour = Duration.seconds(3_600)

  /// Makes every question about history take an hour.
  private static let sleep = """
    create or replace function staffbook.may_read_history(reader name default current_user)
      returns boolean language plpgsql as
      'begin perform pg_sleep(3600); return true; end'
    """

  /// How many questions are asked in the database.
  private func asked(_ company: ServedCompany) throws -> Int {
    var connection = try PGConnection(conninfo: company.conninfo)
    let found = try connection.execute(
      """
      select count(*) from pg_stat_activity
        where datname = current_database() and wait_event = 'PgSleep'
      """
    )
    return found.int(row: 0, column: 0) ?? 0
  }

  @Test func `end in the database when their clients have gone`() async throws {
    try await ServedCompany.with { company in
      try company.run(Self.sleep)
      try await company.serve(longestAnswer: Self.hour) { (server) async throws in
        // The client keeps its connection for several questions, and then leaves in the middle of one.
        var client: TestClient? = try server.client()
        #expect(
          try await client?.ask("/api/v1/people/ada", headers: ["Remote-User: ada"]).status == 200
        )
        try await client?.send(
          "GET /api/v1/people/ada/history HTTP/1.1\r\nHost: localhost\r\nRemote-User: ada\r\n\r\n"
            .utf8
        )
        try await wait(until: "the question is asked") { try asked(company) == 1 }
        client = nil
        try await wait(until: "it has ended") { try asked(company) == 0 }
      }
    }
  }

  @Test func `end after a while in any case`() async throws {
    try await ServedCompany.with { company in
      try company.run(Self.sleep)
      try await company.serve(longestAnswer: .seconds(1)) { (server) async throws in
        let answer = try await server.ask("/api/v1/people/ada/history")
        #expect(answer.status == 503 && answer.header("retry-after") == "60", "\(answer.text)")
        try await wait(until: "it has ended") { try asked(company) == 0 }
      }
    }
  }

  @Test func `are few at a time, and keep nothing else waiting`() async throws {
    try await ServedCompany.with { company in
      try company.run(Self.sleep)
      try await company.serve(longestAnswer: Self.hour) { (server) async throws in
        var clients: [TestClient] = []
        // Two of each are asked in the database, and those of the third viewer wait in line.
        for who in ["ada", "ada", "bo", "bo", "eve", "eve"] {
          let client = try server.client()
          try await client.send(
            "GET /api/v1/people/ada/history HTTP/1.1\r\nHost: localhost\r\nRemote-User: \(who)\r\n\r\n"
              .utf8
          )
          clients.append(client)
        }
        try await wait(until: "as many are asked as may be") { try asked(company) == 4 }
        try await wait(until: "no more of a viewer are") {
          let answer = try await server.ask("/api/v1/people/ada/history", as: "ada")
          return answer.status == 429 && answer.header("retry-after") == "1"
        }
        // What security stands on goes on: a sync brings a new rule.
        try company.run(
          """
          insert into staffbook.visibility_rules (sort_order, effect, target, target_id, viewer)
            values (-1, 'hide', 'person', 'bo', 'everybody')
          """
        )
        try await wait(until: "the rule counts") {
          try await server.ask("/api/v1/people/bo", as: "eve").status == 404
        }
        #expect(try asked(company) == 4)
        clients = []
        try await wait(until: "all have ended") { try asked(company) == 0 }
      }
    }
  }

  @Test func `tell of a large transaction what it did to whom they are about`() async throws {
    try await ServedCompany.with { company in
      try company.run(
        """
        begin;
        select set_config('staffbook.reason', 'everybody at once', true);
        insert into staffbook.users (id, name, email, primary_department_id)
          select 'u' || n, 'Person ' || n, '', 'lamps' from generate_series(1, 1500) n;
        insert into staffbook.memberships (user_id, department_id)
          select 'u' || n, 'lamps' from generate_series(1, 1500) n;
        update staffbook.users set email = 'bo@lumen.example' where id = 'bo';
        commit
        """
      )
      try await company.serve { (server) async throws in
        let person = try await server.ask("/api/v1/people/bo/history?limit=1", as: "eve").text
        #expect(person.contains("bo@lumen.example"))
        #expect(!person.contains("everybody at once") && !person.contains("Person"))
        let department = try await server.ask(
          "/api/v1/departments/lamps/history?limit=1",
          as: "eve"
        )
        #expect(department.text.contains("Person 1\""))
        let elsewhere = try await server.ask("/api/v1/departments/a%2Fb%25/history", as: "eve")
        #expect(!elsewhere.text.contains("Person 1\""))
      }
    }
  }

  @Test func `do not tell what is hidden from what never was`() async throws {
    try await ServedCompany.with { company in
      try await company.serve { (server) async throws in
        for kind in ["people/cy", "departments/d"] {
          let hidden = try await server.ask("/api/v1/\(kind)\(ServedCompany.mark)/history")
          let never = try await server.ask("/api/v1/\(kind)Nobody/history")
          #expect(hidden.status == 404)
          #expect(
            hidden.text.replacing(ServedCompany.mark, with: "Nobody") == never.text
          )
        }
        // A person's id is not a department's.
        #expect(try await server.ask("/api/v1/departments/ada/history").status == 404)
      }
    }
  }
}
