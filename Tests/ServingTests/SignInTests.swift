import Serving
import SiteSettings
import SystemPackage
import TestSupport
import Testing

@Suite("Who is asking")
struct SignInTests {
  @Test func `is known by a key, and then by a cookie, without configuration`() async throws {
    try await ServedCompany.with { company in
      try await company.serve({ $0.signIn = nil }) { (server) async throws in
        let entrance = try #require(server.service.entrance)
        let entered = try await server.ask("/" + entrance, as: nil)
        #expect((entered.status, entered.header("location")) == (303, "/"))
        let cookie = try #require(entered.header("set-cookie"))
        let key = entrance.dropFirst("?key=".count)
        #expect(cookie == "staffbook=\(key); Path=/; HttpOnly; SameSite=Strict")
        let pair = String(cookie.prefix { $0 != ";" })
        let answer = try await server.ask("/api/v1", as: nil, headers: ["Cookie: \(pair)"])
        #expect(answer.text.contains("\"caller\":\"administrator\""))
        #expect(try await server.ask("/?key=wrong", as: nil).status == 401)
        #expect(
          try await server.ask("/api/v1", as: nil, headers: ["Cookie: \(pair)0"]).status == 401
        )
        // A proxy that is not configured is not believed.
        #expect(try await server.ask("/api/v1", as: "ada").status == 401)
      }
    }
  }

  @Test func `is the one person whom the proxy's header names`() async throws {
    try await ServedCompany.with { company in
      try company.run(
        """
        begin;
        insert into staffbook.users (id, name, email, primary_department_id) values
          ('di', 'Di', 'two@lumen.example', 'lamps'), ('ed', 'Ed', 'two@lumen.example', 'lamps');
        insert into staffbook.memberships (user_id, department_id) values ('di', 'lamps'), ('ed', 'lamps');
        commit
        """
      )
      try await company.serve({ $0.signIn?.match = .email }) { (server) async throws in
        func status(_ name: String) async throws -> Int {
          try await server.ask("/api/v1", as: name).status
        }
        let answer = try await server.ask("/api/v1", as: "ADA@lumen.example")
        #expect(answer.text.contains("\"caller\":\"person:ada\""))
        #expect(try await status("two@lumen.example") == 403)
        #expect(try await status("ada@lumen") == 403)
        #expect(try await status("Ada Lund") == 403)
        #expect(
          try await server.ask("/api/v1", as: "ada@lumen.example", headers: ["Remote-User: bo"])
            .status == 403
        )
      }
      try await company.serve({ $0.signIn?.from = ["192.0.2.1"] }) { (server) async throws in
        #expect(try await server.ask("/api/v1").status == 403)
      }
      let path = company.scratch.path.appending("socket").string
      try await company.serve({
        $0.signIn?.from = []
        $0.listeners = [.socket(path)]
      }) { (server) async throws in
        #expect(try await server.ask("/api/v1").status == 200)
      }
    }
  }

  @Test func `is who has exactly the address that the proxy's header names`() async throws {
    try await ServedCompany.with { company in
      try company.run(
        """
        begin;
        insert into staffbook.users (id, name, email, primary_department_id) values
          ('lukasz', 'Łukasz Zając', 'lukasz.zajac@fernlicht.example', 'lamps'),
          ('twin', 'Łukasz Zając', 'łukasz.zając@fernlicht.example', 'lamps'),
          ('zoe', 'Zoë', 'zoe@fernlícht.example', 'lamps'),
          ('di', 'Di', 'two@strasse.example', 'lamps'),
          ('ed', 'Ed', 'TWO@strasse.example', 'lamps'),
          ('flo', 'Flo', 'two@straße.example', 'lamps');
        insert into staffbook.memberships (user_id, department_id)
          select id, 'lamps' from staffbook.users where id in ('lukasz', 'twin', 'zoe', 'di', 'ed', 'flo');
        commit
        """
      )
      try await company.serve({ $0.signIn?.match = .email }) { (server) async throws in
        for (name, id) in [
          ("lukasz.zajac@fernlicht.example", "lukasz"),
          ("Lukasz.Zajac@Fernlicht.EXAMPLE", "lukasz"),
          ("łukasz.zając@fernlicht.example", "twin"), ("zoe@fernlícht.example", "zoe"),
          ("Zoe@FERNLÍCHT.example", "zoe"), ("zoe@xn--fernlcht-g2a.example", "zoe"),
          ("two@straße.example", "flo"), ("two@xn--strae-oqa.example", "flo"),
        ] {
          let answer = try await server.ask("/api/v1", as: name)
          #expect(answer.text.contains("\"caller\":\"person:\(id)\""), "\(name): \(answer.text)")
        }
        for name in [
          "two@strasse.example", "lukasz.zając@fernlicht.example", "lukasz.zajac@fernlícht.example",
          "ŁUKASZ.ZAJĄC@fernlicht.example", "lukasz.zajac@fernlıcht.example",
          "lukasz.zaja\u{AD}c@fernlicht.example", "lukasz.zajac@fern\u{AD}licht.example",
          "lukasz.zajaⓒ@fernlicht.example", "lukasz.zajac@fernlⓘcht.example",
        ] {
          let answer = try await server.ask("/api/v1", as: name)
          #expect(answer.status == 403, "\(name)")
        }
      }
    }
  }

  @Test func `is not another site that makes a browser ask`() async throws {
    try await ServedCompany.with { company in
      try await company.serve({ $0.hosts.formUnion(["book.example"]) }) { (server) async throws in
        func status(_ headers: String..., method: String = "GET") async throws -> Int {
          try await server.ask("/api/v1", method: method, headers: headers).status
        }
        #expect(try await status("Host: book.example:8440") == 200)
        #expect(try await status("Host: BOOK.example") == 200)
        #expect(try await status("Host: [::1]:8440") == 200)
        #expect(try await status("Host: evil.example") == 403)
        #expect(try await status("Host: book.example.evil.example") == 403)
        #expect(try await status("Host: ") == 403)
        for host in ["localhost:80@evil.example", "[::1]evil.example", "[::1]:80@evil.example"] {
          let found = try await status("Host: \(host)")
          #expect(found == 403, "\(host)")
        }
        #expect(try await status("Host: localhost", "Origin: http://localhost") == 200)
        #expect(try await status("Host: localhost", "Origin: http://localhost:1") == 403)
        #expect(try await status("Host: localhost", "Origin: HTTPS://LOCALHOST") == 200)
        #expect(try await status("Host: localhost", "Origin: ftp://localhost") == 403)
        #expect(try await status("Host: localhost", "Origin: null") == 403)
        #expect(try await status("Host: localhost", "Origin: http://localhost/") == 403)
        #expect(try await status("Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: cors") == 200)
        #expect(try await status("Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate") == 200)
        #expect(try await status("Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors") == 403)
        #expect(try await status("Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: cors") == 403)
        #expect(
          try await status("Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", method: "POST")
            == 403
        )
      }
    }
  }

  @Test func `does not take a node out by asking much without signing in`() async throws {
    try await ServedCompany.with { company in
      try await company.serve({ $0.requestsPerSecond = 1 }) { (server) async throws in
        func statuses(_ path: String) async throws -> Set<Int> {
          var statuses: Set<Int> = []
          for _ in 0..<20 { statuses.insert(try await server.ask(path, as: nil).status) }
          return statuses
        }
        for path in ["/livez", "/readyz"] {
          let found = try await statuses(path)
          #expect(found == [200], "\(path)")
        }
        for path in ["/openapi.json", "/metrics"] {
          // Nobody has asked for it yet, whatever else was asked for.
          let first = try await server.ask(path, as: nil)
          #expect(first.status == 200, "\(path)")
          let found = try await statuses(path)
          #expect(found.contains(429), "\(path)")
        }
      }
    }
  }

  @Test func `may ask only so much`() async throws {
    try await ServedCompany.with { company in
      try await company.serve({ ($0.requestsPerSecond, $0.exportsPerHour) = (1, 1) }) {
        (server) async throws in
        var statuses: [Int] = []
        for _ in 0..<20 { statuses.append(try await server.ask("/api/v1").status) }
        #expect(statuses.contains(429) && statuses[0] == 200)
        // Others are not slowed down by it.
        let other = try await server.ask("/api/v1/export?format=csv", as: "bo")
        #expect(other.status == 200)
        let second = try await server.ask("/api/v1/export?format=csv", as: "bo")
        #expect(second.status == 429)
        #expect(second.header("retry-after").flatMap { Int($0) } ?? 0 > 0)
      }
      try await company.serve { (server) async throws in
        func status() async throws -> Int {
          try await server.ask("/api/v1", as: nil, headers: ["Authorization: Bearer no"]).status
        }
        var statuses: [Int] = []
        for _ in 0..<15 { statuses.append(try await status()) }
        #expect(statuses.prefix(10) == [401, 401, 401, 401, 401, 401, 401, 401, 401, 401])
        #expect(statuses.last == 429)
        #expect(try await server.ask("/api/v1").status == 200)
      }
    }
  }
}
