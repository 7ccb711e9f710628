import DirectoryModel
import FoundationEssentials
import Seeds
import Serving
import SiteSettings
import SystemPackage
import TestSupport
import Testing

private struct Page: Decodable {
  struct Row: Decodable { var id: String }
  var rows: [Row]
  var next: String?
}

extension TestServer {
  fileprivate func page(_ path: String, _ cursor: String?, limit: Int) async throws -> Page {
    let cursor = cursor.map { "&cursor=\($0)" } ?? ""
    let answer = try await ask("\(path)?limit=\(limit)\(cursor)")
    guard answer.status == 200 else { throw TestSetupError("\(answer.status): \(answer.text)") }
    return try JSONDecoder().decode(Page.self, from: Data(answer.body))
  }
}

@Suite("States of a served directory")
struct StateTests {
  @Test func `make one list of their pages, however it is cut`() async throws {
    try await ServedCompany.with { company in
      try company.addPeople(57)
      try await company.serve { (server) async throws in
        for path in ["/api/v1/people", "/api/v1/departments", "/api/v1/departments/lamps/children"]
        {
          let whole = try await server.page(path, nil, limit: 1_000).rows.map(\.id)
          for limit in [1, 7, whole.count, whole.count + 1] {
            var (ids, cursor): ([String], String?) = ([], nil)
            repeat {
              let page = try await server.page(path, cursor, limit: limit)
              #expect(page.rows.count <= limit)
              ids += page.rows.map(\.id)
              cursor = page.next
            } while cursor != nil
            #expect(ids == whole, "\(path) by \(limit)")
          }
        }
      }
    }
  }

  /// A person who stays is on exactly one page, whatever is added and removed meanwhile.
  @Test(arguments: newSeeds(8))
  func `may be replaced between pages`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    try await ServedCompany.with { company in
      try company.addPeople(60)
      try await company.serve { (server) async throws in
        for path in ["/api/v1/people", "/api/v1/departments/lamps/children"] {
          let before = try await server.page(path, nil, limit: 1_000).rows.map(\.id)
          var (ids, cursor, touched): ([String], String?, Set<String>) = ([], nil, [])
          repeat {
            let page = try await server.page(path, cursor, limit: 9)
            ids += page.rows.map(\.id)
            cursor = page.next
            guard cursor != nil else { break }
            // The last of the page is the one by which the next is found.
            let last = ids[ids.count - 1]
            let others = before.filter { $0.hasPrefix("u") }.shuffled(using: &generator).prefix(4)
            let (removed, renamed) = ([last] + others.prefix(2), others.suffix(2))
            touched.formUnion(removed + renamed)
            let new = "n\(UInt32.random(in: 0...UInt32.max, using: &generator))"
            touched.insert(new)
            let tag = try await server.ask("/api/v1/people").header("etag")
            try company.run(
              """
              begin;
              delete from staffbook.users where id = any('{\(removed.joined(separator: ","))}') and id like 'u%';
              update staffbook.users set name = reverse(name) where id = any('{\(renamed.joined(separator: ","))}');
              insert into staffbook.users (id, name, email, primary_department_id)
                values ('\(new)', 'Name \(new)', '', 'lamps');
              insert into staffbook.memberships (user_id, department_id) values ('\(new)', 'lamps');
              commit
              """
            )
            try await wait(until: "the state is replaced") {
              try await server.ask("/api/v1/people").header("etag") != tag
            }
          } while true
          let stayed = before.filter { !touched.contains($0) }
          #expect(ids.filter { !touched.contains($0) } == stayed, "\(path), seed \(seed)")
        }
      }
    }
  }

  @Test func `answer and are named as before where what changed is hidden`() async throws {
    try await ServedCompany.with { company in
      try company.addPeople(3)
      try await company.serve { (server) async throws in
        let mark = ServedCompany.mark
        func state() async throws -> String? {
          try await server.ask("/api/v1", as: "eve").header("staffbook-state")
        }
        func answers() async throws -> [String: Answer] {
          let set = try await server.openSet(#"{"base":"all"}"#, ["Remote-User: eve"])
          var answers: [String: Answer] = [:]
          for path in [
            "people", "people?limit=1", "departments", "departments?limit=1", "roots",
            "departments/lamps/children?limit=2", "departments/acme/staff?recursive=true&limit=2",
            "search?q=lund", "suggestions?q=l", "places?kind=user&id=bo", "people/ada",
            "departments/acme", "open-sets/\(set)/rows",
            "open-sets/\(set)/row?kind=user&id=ada",
          ] {
            var answer = try await server.ask("/api/v1/\(path)", as: "eve")
            #expect(answer.status == 200 && answer.header("etag") != nil, "\(path)")
            answer.headers.removeAll { ["date", "staffbook-state"].contains($0.name) }
            answers[path] = answer
          }
          return answers
        }
        try await wait(until: "the state has a position") { try await state() != nil }
        let before = try await answers()
        for sql in [
          "update staffbook.users set phone = '49302' where id = 'ada'",
          "update staffbook.departments set name = 'Other \(mark)' where id = 'd\(mark)'",
          """
          begin;
          insert into staffbook.users (id, name, primary_department_id)
            values ('aa\(mark)', 'Aa \(mark)', 'd\(mark)');
          insert into staffbook.memberships (user_id, department_id)
            values ('aa\(mark)', 'd\(mark)');
          commit
          """,
          """
          insert into staffbook.fields (of, name, kind, label, visible)
            values ('user', 'salary', 'text', 'Salary', 'nobody')
          """,
          #"update staffbook.users set fields = '{"salary": "9"}' where id = 'bo'"#,
          "delete from staffbook.users where id = 'cy\(mark)'",
        ] {
          let former = try await state()
          try company.run(sql)
          try await wait(until: "the state is another") {
            let now = try await state()
            return now != nil && now != former
          }
          for (path, answer) in try await answers() {
            #expect(answer == before[path], "\(path) after \(sql)")
          }
        }
      }
    }
  }

  @Test func `never go back for a client of two nodes`() async throws {
    try await ServedCompany.with { company in
      let (one, other) = (try ScratchFolder(), try ScratchFolder())
      try await company.serve(home: one) { (ahead) async throws in
        try await company.serve(home: other) { (behind) async throws in
          try company.run("update staffbook.users set name = 'Ada First' where id = 'ada'")
          let seen = try await company.state(of: ahead, with: "First")
          // The other one waits for it where it has to, and declines where it takes too long.
          var answer: Answer?
          try await wait(until: "the other node has it") {
            let began = ContinuousClock.now
            answer = try await behind.ask(
              "/api/v1/people/ada",
              headers: ["Staffbook-State: \(seen)"]
            )
            guard answer?.status == 503 else { return true }
            #expect(ContinuousClock.now - began >= .seconds(2))
            return false
          }
          #expect(answer?.status == 200 && answer?.text.contains("First") == true)
        }
      }
      // A node that cannot reach the database any more declines.
      try await company.serve(home: other) { (behind) async throws in
        let old = try await company.state(of: behind, with: "First")
        try company.run("update staffbook.users set name = 'Ada Second' where id = 'ada'")
        let new = try await company.state(of: behind, with: "Second")
        #expect(old != new)
        let parts = new.split(separator: ".")
        let newest = try #require(parts.last.flatMap { UInt64($0, radix: 36) })
        let later = new + "." + String(newest + 1_000_000, radix: 36)
        for (state, status) in [
          (old, 200), (new, 200), (later, 503),
          ("x." + parts.dropFirst().joined(separator: "."), 410),
          ("", 400), (".", 400), ("a.é", 400), (String(repeating: "a.1", count: 9_000), 400),
        ] {
          let answer = try await behind.ask(
            "/api/v1/people/ada",
            headers: ["Staffbook-State: \(state)"]
          )
          #expect(answer.status == status, "\(state): \(answer.text)")
        }
      }
    }
  }

  @Test func `are replaced again and again without a wrong answer`() async throws {
    try await ServedCompany.with { company in
      try company.addPeople(200)
      try await company.serve { (server) async throws in
        let rounds = rounds(30, thorough: 300)
        try await withThrowingTaskGroup(of: Int.self) { group in
          for reader in 0..<4 {
            group.addTask {
              let client = try server.client()
              var (count, last) = (0, 0)
              while last < rounds {
                let user = reader % 2 == 0 ? "ada" : "bo"
                let answer = try await client.ask(
                  "/api/v1/people/u1",
                  headers: ["Remote-User: \(user)"]
                )
                let round = answer.text.firstMatch(of: /Round (\d+)/).flatMap { Int($0.1) }
                #expect(answer.status == 200 && (round ?? 0) >= last)
                last = round ?? last
                let rows = try await client.ask(
                  "/api/v1/people?limit=500",
                  headers: ["Remote-User: \(user)"]
                )
                #expect(rows.text.matches(of: /"id":"u\d+"/).count == 200)
                count += 2
              }
              return count
            }
          }
          for round in 1...rounds {
            try company.run("update staffbook.users set name = 'Round \(round)' where id = 'u1'")
            try await Task.sleep(for: .milliseconds(5))
          }
          for try await count in group { #expect(count > 0) }
        }
      }
    }
  }

  /// Dropping it would lock each table after another, and once met a sync that did the same: a deadlock.
  private var moveSchema: String { "alter schema staffbook rename to elsewhere" }

  @Test func `answer on while the database is away, and say their age`() async throws {
    try await ServedCompany.with { company in
      try await company.serve { (server) async throws in
        try company.run(moveSchema)
        try await wait(until: "the failure is known") {
          try await server.ask("/metrics").text.contains("database_failing 1")
        }
        let answer = try await server.ask("/api/v1")
        #expect(answer.status == 200 && answer.text.contains("secondsBehind"))
        #expect(try await server.ask("/api/v1/search?q=lund").text.contains("\"ada\""))
        #expect(try await server.ask("/readyz").status == 200)
        #expect(try await server.ask("/api/v1/people/ada/history").status >= 500)
      }
    }
    try await ServedCompany.with { company in
      try await company.serve({ $0.lag = 0 }) { (server) async throws in
        try company.run(moveSchema)
        try await wait(until: "it is too old") { try await server.ask("/readyz").status == 503 }
        #expect(try await server.ask("/livez").status == 200)
      }
    }
  }
}

extension ServedCompany {
  /// Adds people of whom each is a row below lamps.
  func addPeople(_ count: Int) throws {
    try run(
      """
      begin;
      insert into staffbook.users (id, name, email, primary_department_id)
        select 'u' || n, 'Person ' || md5(n::text), '', 'lamps' from generate_series(1, \(count)) n;
      insert into staffbook.memberships (user_id, department_id, sort_order)
        select 'u' || n, 'lamps', n % 3 from generate_series(1, \(count)) n;
      commit
      """
    )
  }

  /// The state in which a node shows a person under a name.
  fileprivate func state(of server: TestServer, with name: String) async throws -> String {
    var state: String?
    try await wait(until: "the node has it") {
      let answer = try await server.ask("/api/v1/people/ada")
      state = answer.header("staffbook-state")
      return answer.text.contains(name) && state != nil
    }
    return state ?? ""
  }
}
