import Administration
import DirectoryModel
import LiveDirectory
import Platform
import Serving
import SystemPackage
import TestSupport
import Testing

extension TestServer {
  /// Opens a stream, once the server knows which state it has: a sync writes that after the state.
  fileprivate func stream(
    _ path: String = "/api/v1/events",
    as user: String = "ada",
    after id: String? = nil
  )
    async throws -> TestClient
  {
    try await wait(until: "the state has a position") {
      try await ask("/api/v1", as: user).header("staffbook-state") != nil
    }
    let client = try client()
    let last = id.map { "Last-Event-ID: \($0)\r\n" } ?? ""
    try await client.send(
      "GET \(path) HTTP/1.1\r\nHost: localhost\r\nRemote-User: \(user)\r\n\(last)\r\n".utf8
    )
    return client
  }
}

extension TestServer {
  /// How many streams are open, as the metrics say it.
  fileprivate func streams() async throws -> String {
    let lines = try await ask("/metrics").text.split(separator: "\n")
    return lines.first { $0.hasPrefix("staffbookd_streams") }.map(String.init) ?? ""
  }
}

@Suite("Live changes")
struct EventTests {
  @Test func `tell how the rows of an open set changed`() async throws {
    try await ServedCompany.with { company in
      try await company.serve { (server) async throws in
        let set = try await server.openSet("{\"base\":\"all\"}")
        let stream = try await server.stream("/api/v1/events?set=\(set)")
        let first = try await stream.event()
        #expect(first.name == "state" && first.data.contains("\"count\":6"))
        try company.run("update staffbook.users set name = 'Aaa' where id = 'bo'")
        var event = try await stream.event()
        while event.name == "changes" { event = try await stream.event() }
        #expect(event.name == "rows")
        // Bo goes before Ada, and looks different.
        #expect(event.data.contains("\"moved\":[{") && event.data.contains("\"count\":6"))
        let closed = try await server.openSet("{\"base\":\"none\"}")
        #expect(
          try await server.ask("/api/v1/open-sets/\(closed)/rows").text
            .hasPrefix(#"{"count":1,"from":0,"rows":["#)
        )
      }
    }
  }

  @Test func `do not tell when something hidden changed`() async throws {
    try await ServedCompany.with { company in
      try await company.serve { (server) async throws in
        let mark = ServedCompany.mark
        let set = try await server.openSet(#"{"base":"all"}"#, ["Remote-User: eve"])
        var streams: [TestClient] = []
        for path in ["/api/v1/events", "/api/v1/events?set=\(set)"] {
          let stream = try await server.stream(path, as: "eve")
          #expect(try await stream.event().name == "state")
          streams.append(stream)
        }
        for sql in [
          "update staffbook.users set phone = '49302' where id = 'ada'",
          "update staffbook.departments set name = 'Other \(mark)' where id = 'd\(mark)'",
        ] {
          let former = try await server.ask("/api/v1", as: "eve").header("staffbook-state")
          try company.run(sql)
          try await wait(until: "the state is another") {
            let now = try await server.ask("/api/v1", as: "eve").header("staffbook-state")
            return now != nil && now != former
          }
        }
        try company.run("update staffbook.users set name = 'Bo Seen' where id = 'bo'")
        for (stream, name) in zip(streams, ["state", "rows"]) {
          var event = try await stream.event()
          #expect(event.name == "changes" && event.data.contains("\"bo\""), "\(event)")
          while event.name == "changes" { event = try await stream.event() }
          #expect(event.name == name)
        }
      }
    }
  }

  @Test func `are reset where they cannot go on`() async throws {
    try await ServedCompany.with { company in
      try await company.serve { (server) async throws in
        let stream = try await server.stream()
        let id = try #require(try await stream.event().id)
        #expect(try await server.stream(after: id).event().name == "state")
        #expect(try await server.stream(after: "x.1").event().name == "reset")
        try company.run(
          "update staffbook.visibility_rules set fields = '{email}' where fields = '{phone}'"
        )
        var event = try await stream.event()
        while event.name == "changes" { event = try await stream.event() }
        #expect(event.name == "reset")
      }
    }
  }

  @Test func `go on at another node`() async throws {
    try await ServedCompany.with { company in
      let (one, other) = (try ScratchFolder(), try ScratchFolder())
      try await company.serve(home: one) { (first) async throws in
        try await company.serve(home: other) { (second) async throws in
          let stream = try await first.stream()
          let before = try #require(try await stream.event().id)
          #expect(try await second.stream(after: before).event().name == "state")
          for name in ["Bo One", "Bo Two"] {
            try company.run("update staffbook.users set name = '\(name)' where id = 'bo'")
            var event = try await stream.event()
            while event.name == "changes" { event = try await stream.event() }
            let id = try #require(event.id)
            // The other node may have to wait for it, and goes on from where the first one ended; where it
            // takes too long, it begins anew.
            try await wait(until: "the other node goes on") {
              let began = ContinuousClock.now
              let continued = try await second.stream(after: id).event()
              guard continued.name == "reset", continued.id != id else {
                #expect((continued.name, continued.id) == ("state", id))
                return true
              }
              #expect(ContinuousClock.now - began >= .seconds(2))
              return false
            }
            #expect(try await second.ask("/api/v1/people/bo").text.contains(name))
          }
          let late = try await second.stream(after: before).event()
          #expect(late.name == "reset" && late.id != before)
        }
      }
    }
  }

  @Test func `tell a state with its position`() async throws {
    try await ServedCompany.with { company in
      let other = try ScratchFolder()
      try await company.serve(home: other) { _ in }
      try await company.serve { (server) async throws in
        let stream = try await server.stream()
        let first = try await stream.event()
        // What a sync of another process does first; the server's own then does the rest.
        try company.run("update staffbook.users set name = 'Bo One' where id = 'bo'")
        var event = try await stream.event()
        while event.name == "changes" { event = try await stream.event() }
        #expect(event.id != nil && event.id != first.id)
        let file = Hub(Site(settings: try company.settings(other)) { _ in }).site.snapshots.path
        rename(file.string, server.service.hub.site.snapshots.path.string)
        // The state that the server's sync makes of it is the one that was told.
        try company.run("update staffbook.users set name = 'Bo Two' where id = 'bo'")
        event = try await stream.event()
        while event.name == "changes" { event = try await stream.event() }
        #expect(event.id != nil)
      }
    }
  }

  @Test func `end with what lets their client in`() async throws {
    try await ServedCompany.with { company in
      let tokens = TokenAdministration(try company.administrator())
      try await tokens.addDevice("lobby")
      func token(_ who: String) async throws -> (text: String, token: Token) {
        try await tokens.addToken(for: who, purpose: "test", scope: .read, expires: "1d")
      }
      let (own, device) = (try await token("ada"), try await token("device:lobby"))
      let persons = try await token("eve")
      try await company.serve { (server) async throws in
        var open: [TestClient] = []
        for line in [own, device, persons].map({ "Authorization: Bearer \($0.text)" })
          + ["Remote-User: bo", "Remote-User: ada"]
        {
          let client = try server.client()
          try await client.send(
            "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\(line)\r\n\r\n".utf8
          )
          _ = try await client.event()
          open.append(client)
        }
        #expect(try await server.streams() == "staffbookd_streams 5")
        try await tokens.removeTokens([own.token.id])
        _ = try await tokens.removeDevice("lobby")
        try company.run(
          """
          begin;
          delete from staffbook.memberships where user_id in ('bo', 'eve');
          delete from staffbook.users where id in ('bo', 'eve');
          commit
          """
        )
        try await wait(until: "all but one have ended") {
          try await server.streams() == "staffbookd_streams 1"
        }
        for client in open.dropLast() { #expect(try await client.isEnded()) }
      }
    }
  }

  @Test func `and answers are not for a person who is given the id`() async throws {
    try await ServedCompany.with { company in
      let tokens = TokenAdministration(try company.administrator())
      let token = try await tokens.addToken(
        for: "ada",
        purpose: "test",
        scope: .read,
        expires: "1d"
      )
      let line = "Authorization: Bearer \(token.text)"
      try await company.serve { (server) async throws in
        let stream = try server.client()
        try await stream.send(
          "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\(line)\r\n\r\n".utf8
        )
        _ = try await stream.event()
        #expect(try await server.ask("/api/v1/people/ada", as: nil, headers: [line]).status == 200)
        try company.run(
          """
          begin;
          delete from staffbook.memberships where user_id = 'ada';
          delete from staffbook.users where id = 'ada';
          insert into staffbook.users (id, name, primary_department_id) values ('ada', 'Other', 'lamps');
          insert into staffbook.memberships (user_id, department_id) values ('ada', 'lamps');
          commit
          """
        )
        // Whichever is older, the state or the tokens.
        try await wait(until: "the token is refused") {
          let answer = try await server.ask("/api/v1/people/ada", as: nil, headers: [line])
          #expect(!answer.text.contains("Other"), "\(answer.text)")
          return answer.status == 401
        }
        #expect(try await stream.isEnded())
        try await wait(until: "the other person is there") {
          try await server.ask("/api/v1/people/ada", as: "ada").text.contains("Other")
        }
      }
    }
  }

  @Test func `end with their client`() async throws {
    try await ServedCompany.with { company in
      try await company.serve { (server) async throws in
        var open: [TestClient] = []
        for _ in 0..<20 {
          open.append(try await server.stream())
          _ = try await open.last?.event()
        }
        #expect(try await server.streams() == "staffbookd_streams 20")
        let refused = try await server.ask("/api/v1/events")
        #expect(refused.status == 429)
        open = []
        try await wait(until: "the streams have ended") {
          try await server.streams() == "staffbookd_streams 0"
        }
      }
    }
  }
}
