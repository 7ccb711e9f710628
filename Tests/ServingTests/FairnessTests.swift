import Administration
import DirectoryModel
import DirectoryReading
import Dispatch
import FoundationEssentials
import LiveDirectory
import Synchronization
import TestSupport
import Testing

@testable import Serving

/// Holds threads until it is opened.
private final class Gate: Sendable {
  private let opening = DispatchSemaphore(value: 0)
  private let count = Mutex(0)

  /// How many have come to it.
  var arrived: Int { count.withLock { $0 } }

  func pass() {
    count.withLock { $0 += 1 }
    opening.wait()
  }

  func open(for count: Int) { for _ in 0..<count { opening.signal() } }
}

@Suite("Requests that take long")
struct FairnessTests {
  /// Calls `body` while no thread for requests is free, until it calls what it gets.
  private func withoutThreads(
    _ server: TestServer,
    _ body: (_ open: @Sendable () -> Void) async throws -> Void
  ) async throws {
    let threads = DirectoryService.threadCount
    let gate = Gate()
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { gate.open(for: threads) }
      for _ in 0..<threads {
        group.addTask { try await server.service.read { gate.pass() } }
      }
      try await wait(until: "no thread is free") { gate.arrived == threads }
      try await body { gate.open(for: threads) }
    }
  }

  @Test func `keep nobody from signing in`() async throws {
    try await ServedCompany.with { company in
      try await company.serve { (server) async throws in
        try await withoutThreads(server) { _ in
          // Only the directory tells that there is no such person.
          let answer = try await server.ask("/api/v1", as: "nobody")
          #expect(answer.status == 403)
        }
      }
    }
  }

  @Test func `do not begin once their client has gone`() async throws {
    try await ServedCompany.with { company in
      try await company.serve { (server) async throws in
        let began = Gate()
        began.open(for: 1)
        try await withoutThreads(server) { open in
          let waiting = Task { try await server.service.read { began.pass() } }
          waiting.cancel()
          open()
          await #expect(throws: CancellationError.self) { try await waiting.value }
        }
        #expect(began.arrived == 0)
      }
    }
  }

  @Test func `are few at a time of a viewer, and keep no other waiting`() async throws {
    try await ServedCompany.with { company in
      try await company.serve { (server) async throws in
        var permits: [Permit] = []
        for _ in 0..<RequestLimits.mostAnswersOfOne {
          permits.append(try await server.service.limits.answer(.person(UserID("ada"))))
        }
        let refused = try await server.ask("/api/v1/people")
        #expect(refused.status == 429 && refused.header("retry-after") == "1", "\(refused.text)")
        #expect(try await server.ask("/api/v1/people", as: "bo").status == 200)
        let stream = try server.client()
        try await stream.send(
          "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nRemote-User: ada\r\n\r\n".utf8
        )
        #expect(try await stream.event().name == "state")
        permits = []
        #expect(try await server.ask("/api/v1/people").status == 200)
      }
    }
  }

  @Test func `as exports are counted by viewer, and keep nobody from past times`() async throws {
    try await ServedCompany.with { company in
      try await company.serve { (server) async throws in
        let limits = server.service.limits
        func caller(_ id: String, token: Int) -> SignedCaller {
          SignedCaller(viewer: .person(UserID(id)), key: "token:\(token)")
        }
        var permits: [Permit] = []
        for token in 0..<RequestLimits.mostExportsOfOne {
          permits.append(try limits.export(caller("ada", token: token)))
        }
        #expect(throws: Problem.self) { try limits.export(caller("ada", token: 99)) }
        for number in permits.count..<RequestLimits.mostExports {
          permits.append(try limits.export(caller("u\(number)", token: number)))
        }
        #expect(try await server.ask("/api/v1/export?format=csv", as: "bo").status == 429)
        // It is no time, which is found out once it may be looked at.
        #expect(try await server.ask("/api/v1/people/bo?as_of=yesterdayish").status == 400)
        permits = []
        #expect(try await server.ask("/api/v1/export?format=csv", as: "bo").status == 200)
      }
    }
  }

  @Test func `as the opening of a tree end in time, and with their client`() async throws {
    try await ServedCompany.with { company in
      try await company.serve { (server) async throws in
        let session = server.service.session(SignedCaller(viewer: .everything, key: "test"))
        let found = try DirectoryOpener(session).directory(notBefore: nil)
        let directory = try #require(found).directory
        let json = #"{"base":"none","steps":[{"below":"acme"}]}"#
        let set = try JSONDecoder().decode(OpenSet.self, from: Data(json.utf8))
        let late = #expect(throws: Problem.self) { try set.outline(of: directory, before: .now) }
        #expect(late?.kind == .unavailable)
        let abandoned = Task {
          while !Task.isCancelled { await Task.yield() }
          return try set.outline(of: directory, before: .now + .seconds(3_600)).rowCount
        }
        abandoned.cancel()
        await #expect(throws: CancellationError.self) { try await abandoned.value }
        let count = try set.outline(of: directory, before: .now + .seconds(3_600)).rowCount
        #expect(count > 1)
      }
    }
  }

  @Test func `as comparisons tell a stream nothing after its token was removed`() async throws {
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
        try await wait(until: "the state has a position") {
          try await server.ask("/api/v1").header("staffbook-state") != nil
        }
        let stream = try server.client()
        try await stream.send(
          "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\(line)\r\n\r\n".utf8
        )
        #expect(try await stream.event().name == "state")
        let gate = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
          defer { gate.open(for: 1) }
          group.addTask { try await server.service.compare { gate.pass() } }
          try await wait(until: "nothing is compared") { gate.arrived == 1 }
          try company.run("update staffbook.users set name = 'Bo Later' where id = 'bo'")
          try await wait(until: "there is another state") {
            try await server.ask("/api/v1/people/bo").text.contains("Bo Later")
          }
          try await tokens.removeTokens([token.token.id])
          try await wait(until: "the token is refused") {
            try await server.ask("/api/v1", as: nil, headers: [line]).status == 401
          }
        }
        var names: [String] = []
        do {
          while true { names.append(try await stream.event().name) }
        } catch is TestSetupError {
          // The stream has ended.
        }
        #expect(names.allSatisfy { $0 == "changes" }, "\(names)")
      }
    }
  }
}
