import DirectoryModel
import Platform
import Serving
import SiteSettings
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("Connections")
struct ConnectionTests {
  @Test func `carry one request after the other, and several at once`() async throws {
    try await ServedCompany.with { company in
      try await company.serve { (server) async throws in
        let client = try server.client()
        for _ in 0..<3 {
          #expect(try await client.ask("/api/v1", headers: ["Remote-User: ada"]).status == 200)
        }
        let head = try await client.ask(
          "/api/v1/people",
          method: "HEAD",
          headers: ["Remote-User: ada"]
        )
        #expect((head.status, head.body.count) == (200, 0))
        let file = "/api/v1/export?format=csv&q=ada"
        #expect(
          try await client.ask(file, method: "HEAD", headers: ["Remote-User: ada"]).status == 405
        )
        let request = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"
        try await client.send((request + request + request).utf8)
        for _ in 0..<3 { #expect(try await client.answer().text == "ok\n") }
        let absolute = try await client.ask(
          "http://localhost/api/v1",
          headers: ["Remote-User: ada"]
        )
        #expect(absolute.status == 200)
      }
    }
  }

  @Test func `that are slow, broken off or nonsense hold up no others`() async throws {
    try await ServedCompany.with { company in
      try await company.serve { (server) async throws in
        var open: [TestClient] = []
        for start in [
          "", "GET", "GET /api/v1 HTTP/1.1\r\n", "GET /api/v1 HTTP/1.1\r\nHost: localhost\r\nX: ",
          "POST /api/v1/open-sets HTTP/1.1\r\nHost: localhost\r\nRemote-User: ada\r\nContent-Length: 9\r\n\r\n{",
          "POST /api/v1/open-sets HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffff\r\n",
        ] {
          for ends in [false, true] {
            let client = try server.client()
            try await client.send(start.utf8)
            if ends { client.finishSending() } else { open.append(client) }
          }
        }
        #expect(try await server.ask("/api/v1").status == 200)
        for nonsense in [
          "\u{16}\u{3}\u{1}\u{2}\0\u{1}", "GET / HTTP/9.9\r\n\r\n", "GET  /\r\n\r\n",
          "\r\n\r\n\r\n",
          "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
          "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
          "GET /" + String(repeating: "x", count: 100_000) + " HTTP/1.1\r\nHost: a\r\n\r\n",
          "GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: 100_000) + "\r\n\r\n",
          "GET / HTTP/1.1\r\n" + String(repeating: "X: y\r\n", count: 10_000) + "\r\n",
        ] {
          let client = try server.client()
          // It may be refused before all is sent.
          try? await client.send(nonsense.utf8)
          client.finishSending()
          #expect(try await client.isEnded())
        }
        #expect(try await server.ask("/api/v1").status == 200)
        withExtendedLifetime(open) {}
      }
    }
  }

  @Test func `that are silent within a content are answered after a while`() async throws {
    try await ServedCompany.with { company in
      try await company.serve(longestContent: .zero) { (server) async throws in
        let client = try server.client()
        try await client.send(
          """
          POST /api/v1/open-sets HTTP/1.1\r
          Host: localhost\r
          Remote-User: ada\r
          Content-Length: 9\r
          \r
          {
          """.utf8
        )
        #expect(try await client.answer().status == 408)
      }
    }
  }

  @Test func `that read nothing do not keep others from exports`() async throws {
    try await ServedCompany.with { company in
      try company.run(
        """
        begin;
        insert into staffbook.users (id, name, email, primary_department_id)
          select 'u' || n, repeat('Name ', 100) || n, '', 'lamps' from generate_series(1, 20000) n;
        insert into staffbook.memberships (user_id, department_id)
          select 'u' || n, 'lamps' from generate_series(1, 20000) n;
        commit
        """
      )
      try await company.serve { (server) async throws in
        let request =
          "GET /api/v1/export?format=json HTTP/1.1\r\nHost: localhost\r\nRemote-User: ada\r\n\r\n"
        var idle: [TestClient] = []
        for _ in 0..<2 {
          let client = try server.client()
          try await client.send(request.utf8)
          #expect(try await client.answer(withContent: false).status == 200)
          idle.append(client)
        }
        #expect(try await server.ask("/api/v1/export?format=csv").status == 429)
        #expect(try await server.ask("/api/v1/export?format=csv", as: "bo").status == 200)
        #expect(try await server.ask("/api/v1/search?q=name&limit=200").status == 200)
        // Their end makes room again.
        idle = []
        try await wait(until: "there is room") {
          try await server.ask("/api/v1/export?format=csv").status == 200
        }
      }
    }
  }

  @Test func `come through a Unix socket that no other process has`() async throws {
    try await ServedCompany.with { company in
      let path = company.scratch.path.appending("socket").string
      try await company.serve({ $0.listeners = [.socket(path)] }) { (server) async throws in
        #expect(try await server.ask("/api/v1").status == 200)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o660)
        await #expect(throws: (any Error).self) {
          try await company.serve({ $0.listeners = [.socket(path)] }) { _ in }
        }
        #expect(try await server.ask("/api/v1").status == 200)
      }
      // What a server left behind that died is no obstacle.
      try await company.serve({ $0.listeners = [.socket(path)] }) { (server) async throws in
        #expect(try await server.ask("/livez").status == 200)
      }
    }
  }

  /// What became of servers that started at once.
  private final class Starts: Sendable {
    let counts = Mutex((serving: 0, refused: 0))
  }

  @Test func `come through a Unix socket that one of the servers has that start at once`()
    async throws
  {
    try await ServedCompany.with { company in
      let path = company.scratch.path.appending("socket").string
      let starts = Starts()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          let home = try ScratchFolder()
          group.addTask {
            do {
              try await company.serve(home: home, { $0.listeners = [.socket(path)] }) {
                (server) async throws in
                starts.counts.withLock { $0.serving += 1 }
                try await wait(until: "all servers have started or were refused") {
                  starts.counts.withLock { $0.serving + $0.refused == 4 }
                }
                let answer = try await server.ask("/livez")
                #expect(answer.status == 200)
              }
            } catch is DirectoryError {
              starts.counts.withLock { $0.refused += 1 }
            }
          }
        }
        try await group.waitForAll()
      }
      let (serving, refused) = starts.counts.withLock { $0 }
      #expect(serving == 1 && refused == 3)
    }
  }

  @Test func `from a balancer tell where their clients are`() async throws {
    try await ServedCompany.with { company in
      try await company.serve({
        $0.proxyProtocolFrom = ["127.0.0.1"]
        $0.signIn?.from = ["192.0.2.7", "2001:db8::7"]
      }) { (server) async throws in
        func status(_ header: [UInt8]) async throws -> Int {
          let client = try server.client()
          for byte in header { try await client.send([byte]) }
          return try await client.ask("/api/v1", headers: ["Remote-User: ada"]).status
        }
        try await wait(until: "there is a directory") {
          try await status(Array("PROXY TCP4 192.0.2.7 192.0.2.1 5 6\r\n".utf8)) == 200
        }
        #expect(try await status(Array("PROXY TCP4 192.0.2.8 192.0.2.1 5 6\r\n".utf8)) == 403)
        #expect(try await status(Array("PROXY TCP6 2001:db8::7 2001:db8::1 5 6\r\n".utf8)) == 200)
        let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]
        let addresses: [UInt8] = [192, 0, 2, 7, 192, 0, 2, 1, 0, 5, 0, 6]
        #expect(try await status(signature + [0x21, 0x11, 0, 12] + addresses) == 200)
        #expect(try await status(signature + [0x20, 0x00, 0, 0]) == 403)
        for wrong in [Array("PROXY TCP4 x y 1 2\r\n".utf8), Array("GET / HTTP/1.1\r\n\r\n".utf8)] {
          let client = try server.client()
          try? await client.send(wrong)
          #expect(try await client.isEnded())
        }
      }
    }
  }

  @Test func `of one network of IPv6 share a limit, however their addresses are written`()
    async throws
  {
    try await ServedCompany.with { company in
      try await company.serve({ $0.proxyProtocolFrom = ["127.0.0.1"] }) { (server) async throws in
        /// What one more wrong token is answered.
        func status(from address: String) async throws -> Int {
          let client = try server.client()
          let (kind, own) =
            address.contains(":") ? ("TCP6", "2001:db8::f") : ("TCP4", "192.0.2.1")
          try await client.send("PROXY \(kind) \(address) \(own) 5 6\r\n".utf8)
          return try await client.ask("/api/v1", headers: ["Authorization: Bearer no"]).status
        }
        var statuses: [Int] = []
        for number in 1...15 {
          for address in ["2001:db8::\(number)", "2001:DB8:0:0:\(number)::1"] {
            statuses.append(try await status(from: address))
          }
        }
        #expect(statuses.first == 401 && statuses.last == 429)
        for number in 1...15 {
          for address in ["2001:db8:0:\(number)::1", "::ffff:192.0.2.\(number)"] {
            let found = try await status(from: address)
            #expect(found == 401, "\(address)")
          }
        }
        for _ in 0..<15 { _ = try await status(from: "::ffff:192.0.2.99") }
        let plain = try await status(from: "192.0.2.99")
        #expect(plain == 429)
      }
    }
  }

  @Test func `are ended by a request that others may read otherwise`() async throws {
    try await ServedCompany.with { company in
      try await company.serve { (server) async throws in
        for headers in [
          ["Host: localhost", "Host: localhost"], ["Host: localhost", "Host: evil.example"],
          ["Transfer-Encoding: xchunked"], ["Transfer-Encoding: gzip, chunked"],
          ["Transfer-Encoding: chunked, identity"],
        ] {
          let client = try server.client()
          let answer = try await client.ask("/api/v1", headers: headers + ["Remote-User: ada"])
          #expect(answer.status == 400, "\(headers)")
          await #expect(throws: TestSetupError.self, "\(headers)") {
            try await client.ask("/livez")
          }
        }
        for chunk in ["zz\r\n", "-1\r\n{", "1\r\n{}\r\n0\r\n\r\n"] {
          let client = try server.client()
          try await client.send(
            """
            POST /api/v1/open-sets HTTP/1.1\r
            Host: localhost\r
            Remote-User: ada\r
            Transfer-Encoding: chunked\r
            \r
            \(chunk)
            """.utf8
          )
          let answer = try await client.answer()
          #expect(answer.status == 400, "\(chunk.debugDescription)")
        }
        #expect(!server.log.text.contains("cannot answer"))
      }
    }
  }

  @Test func `of HTTP/1.0 end with their answer`() async throws {
    try await ServedCompany.with { company in
      try await company.serve { (server) async throws in
        for line in ["", "Connection: keep-alive\r\n"] {
          let client = try server.client()
          let request = "GET /livez HTTP/1.0\r\nHost: localhost\r\n\(line)\r\n"
          try await client.send((request + request).utf8)
          let answer = try await client.answer()
          #expect(answer.text == "ok\n")
          await #expect(throws: TestSetupError.self) { try await client.answer() }
        }
      }
    }
  }

  @Test func `are answered before the server stops`() async throws {
    try await ServedCompany.with { company in
      var idle: TestClient?
      var stream: TestClient?
      try await company.serve { (server) async throws in
        idle = try server.client()
        _ = try await idle?.ask("/livez")
        stream = try server.client()
        try await stream?.send(
          "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nRemote-User: ada\r\n\r\n".utf8
        )
        #expect(try await stream?.event().name == "state")
      }
      #expect(try await idle?.isEnded() == true)
      #expect(try await stream?.isEnded() == true)
    }
  }

  @Test func `that wait are taken as others end`() async throws {
    try await ServedCompany.with { company in
      try await company.serve(mostConnections: 2) { (server) async throws in
        var clients = try await twoAndOneThatWaits(server)
        clients.remove(at: 0)
        #expect(try await clients[1].ask("/livez").status == 200)
      }
    }
  }

  @Test func `that wait for others to end are ended with the server`() async throws {
    try await ServedCompany.with { company in
      var clients: [TestClient] = []
      try await company.serve(mostConnections: 2) { (server) async throws in
        clients = try await twoAndOneThatWaits(server)
      }
      for client in clients { #expect(try await client.isEnded()) }
    }
  }

  /// Of a server that answers two connections at once.
  private func twoAndOneThatWaits(_ server: TestServer) async throws -> [TestClient] {
    var clients: [TestClient] = []
    for _ in 0..<2 {
      clients.append(try server.client())
      _ = try await clients.last?.ask("/livez")
    }
    // The second was taken, so nothing but these two is open.
    clients.append(try server.client())
    try await wait(until: "the third is accepted") {
      let metrics = try await clients[0].ask("/metrics", headers: ["Remote-User: ada"])
      return metrics.text.contains("staffbookd_connections 3\n")
    }
    return clients
  }

  @Test func `are ended by a program that is told to stop`() async throws {
    try await ServedCompany.with { company in
      let path = company.scratch.path.appending("socket").string
      // It is beside the program of the commands.
      let program = try #require(environmentValue("STAFFBOOK_TEST_PROGRAM")) + "d"
      try await withProgram(
        FilePath(program),
        ["--listen", path],
        environment: [
          "STAFFBOOK_HOME": company.scratch.path.string, "STAFFBOOK_DATABASE_URL": company.conninfo,
        ]
      ) { process in
        try await wait(until: "the program is ready") {
          try await (try? TestClient(.socket(path)))?.ask("/readyz").status == 200
        }
        let client = try TestClient(.socket(path))
        #expect(try await client.ask("/livez").status == 200)
        #expect(kill(process, SIGTERM) == 0)
        #expect(try await client.isEnded())
      }
    }
  }

  @Test func `are logged without names`() async throws {
    try await ServedCompany.with { company in
      try await company.serve({ $0.accessLog = true }) { (server) async throws in
        _ = try await server.ask("/api/v1/people/ada?as_of=x")
        _ = try await server.ask("/api/v1/search?q=lund")
        _ = try await server.ask("/ada")
        _ = try await server.ask("/api/v1", method: "ADA")
        let text = server.log.text
        #expect(text.contains("/api/v1/people/{id}") && text.contains("/api/v1/search"))
        #expect(!text.lowercased().contains("ada") && !text.lowercased().contains("lund"))
      }
    }
  }
}
