import SystemPackage
import TestSupport
import Testing

/// What `scripts/test` tells of a run, from the events of one that never was.
@Suite("The report of a test run")
struct TestReportTests {
  private struct Report {
    var outcome: ProgramOutcome
    var log: String
  }

  /// Lets a shell's command stand for the tests: its `$1` is the file that gets the events.
  ///
  /// How far the run is, it tells each `interval` in seconds: by itself never, however busy the machine.
  private func report(
    _ command: String,
    _ events: [String],
    measures: [String] = [],
    serverLog: String? = nil,
    interval: String = "inf",
    phase: String? = nil
  ) async throws -> Report {
    try await withTemporaryDirectory { folder in
      let given = folder.appending("given")
      try write(events.joined(separator: "\n") + "\n", to: given)
      let measured = folder.appending("measured")
      try write(measures.map { $0 + "\n" }.joined(), to: measured)
      var environment = [
        "PATH": environmentValue("PATH") ?? "/usr/bin:/bin", "STAFFBOOK_TEST_INTERVAL": interval,
      ]
      environment["STAFFBOOK_PHASE"] = phase
      if let serverLog {
        let path = folder.appending("postgres.log")
        try write(serverLog, to: path)
        environment["STAFFBOOK_TEST_SERVER_LOG"] = path.string
      }
      let tests = "cat \"$3\" >\"$STAFFBOOK_TEST_MEASURES\"; cat \"$2\" >\"$1\"; \(command)"
      let script = "\(try repository())/Tests/TestReport/report.py"
      let (log, path) = (folder.appending("log"), folder.appending("events"))
      let outcome = try await runProgram(
        "/usr/bin/python3",
        [script, log.string, path.string, "yes", "scripts/test --sanitize thread", "--"]
          + ["/bin/sh", "-c", tests, "sh", path.string, given.string, measured.string],
        environment: environment
      )
      return Report(outcome: outcome, log: try BadInputTests.text(of: log))
    }
  }

  private func repository() throws -> FilePath {
    FilePath(#filePath).removingLastComponent().removingLastComponent().removingLastComponent()
  }

  private func test(_ name: String) -> String {
    #"{"kind":"test","payload":{"kind":"function","id":"\#(id(name))"}}"#
  }

  private func id(_ name: String) -> String { "M.SomeTests/\(name)/File.swift:1:2" }

  private func event(
    _ kind: String,
    _ name: String,
    _ more: String = "",
    at seconds: Int = 1
  ) -> String {
    #"{"kind":"event","payload":{"kind":"\#(kind)","testID":"\#(id(name))","#
      + #""instant":{"absolute":\#(seconds)},"messages":[]\#(more)}}"#
  }

  private func end(_ name: String, _ symbol: String, at seconds: Int = 1) -> String {
    event("testEnded", name, at: seconds).replacing(
      "[]",
      with: #"[{"symbol":"\#(symbol)","text":"it ended"}]"#
    )
  }

  private var allEnded: String {
    event("runEnded", "").replacing("[]", with: #"[{"symbol":"fail","text":"All."}]"#)
  }

  @Test func `tells what failed and how to run that alone, and has a line for each test`()
    async throws
  {
    let (good, bad) = ("good()", "`fails (a+b)?`(_:)")
    let issue = event(
      "issueRecorded",
      bad,
      #","_testCase":{"displayName":"a\nb\u001b[2J"},"#
        + #""issue":{"sourceLocation":{"fileID":"M/File.swift","line":7}}"#
    ).replacing(
      "[]",
      with: #"[{"symbol":"fail","text":"not so"},{"symbol":"details","text":"1\n2"}]"#
    )
    let arguments = (0..<50).flatMap { _ in
      [event("testCaseStarted", bad), event("testCaseEnded", bad)]
    }
    let found = try await report(
      "echo said; exit 1",
      [test(good), test(bad), event("testStarted", good), event("testStarted", bad)]
        + arguments + [issue, end(good, "pass"), end(bad, "fail")]
        + [allEnded]
    )
    #expect(found.outcome.status == 1)
    #expect(
      found.outcome.stdout == #"""
        ✘ M.SomeTests/`fails (a+b)?`(_:) with a\nb\x1b[2J at M/File.swift:7
            not so
            1
            2
        All.
        test: this test failed; to run one alone:
          scripts/test --sanitize thread --filter 'M.SomeTests/`fails \(a\+b\)\?`'

        """#
    )
    // The tests' own lines come between.
    #expect(
      Set(found.log.split(separator: "\n").prefix(3)) == [
        "said", "✔ M.SomeTests/good()",
        "✘ M.SomeTests/`fails (a+b)?`(_:) (0.0 s, 50 arguments)",
      ]
    )
  }

  @Test func `tells of a crash what had begun and not ended, and how many never began`()
    async throws
  {
    let names = ["one()", "two()", "three()", "four()"]
    let found = try await report(
      "echo 'Swift/Array.swift:1: Fatal error: Index out of range'; kill -KILL $$",
      names.map(test) + [event("testStarted", "one()"), end("one()", "pass")]
        + [event("testStarted", "two()"), "{\"kind\":\"ev"]
    )
    #expect(found.outcome.status == 128 + 9)
    #expect(
      found.outcome.stdout == #"""
        test: the test process was ended by signal 9 after 1 of 4 tests
        test: 2 tests never began
        test: 1 test had begun and not ended; to run one alone:
          scripts/test --sanitize thread --filter 'M.SomeTests/two\(\)'

        """#
    )
  }

  @Test func `tells how far it is where there is no terminal`() async throws {
    let ended = [test("one()"), test("two()"), event("testStarted", "one()"), end("one()", "fail")]
    let found = try await report("true", ended, interval: "0")
    let lines = found.outcome.stdout.split(separator: "\n").map(String.init)
    #expect(lines.contains { $0.reads("1 of 2 tests, 1 failed, 0:…") }, "\(found.outcome)")
  }

  @Test func `names the phase of a longer run where it tells how far it is`() async throws {
    let ended = [test("one()"), event("testStarted", "one()"), end("one()", "pass")]
    let found = try await report("true", ended, interval: "0", phase: "plain tests (3 of 6)")
    let lines = found.outcome.stdout.split(separator: "\n").map(String.init)
    #expect(
      lines.contains { $0.reads("plain tests (3 of 6): 1 of 1 test, 0:…") },
      "\(found.outcome)"
    )
  }

  @Test func `gives the time of a test without its waiting for a turn`() async throws {
    let (own, cases, unknown) = ("own()", "cases(_:)", "unknown()")
    let names = [own, cases, unknown]
    let found = try await report(
      "true",
      names.map(test) + names.map { event("testStarted", $0, at: 1) } + [
        event("testCaseStarted", cases, at: 10), event("testCaseStarted", cases, at: 11),
        event("testCaseEnded", cases, at: 713), event("testCaseEnded", cases, at: 714),
      ] + names.map { end($0, "pass", at: 901) },
      measures: [
        "waited 700.5 \(id(own))", "used 2 \(id(own))", "used 0.5 \(id(own))",
        "waited 700 \(id(cases))", "waited 700.5 \(id(cases))", "used 9 \(id(cases))",
      ]
    )
    #expect(
      found.log == """
        ✔ M.SomeTests/own() (2.5 s, waited 700.5 s)
        ✔ M.SomeTests/cases(_:) (5.5 s, waited 1400.5 s, 2 arguments)
        ✔ M.SomeTests/unknown()

        """
    )
  }

  @Test(arguments: [39, 40])
  func `names the slowest of many tests, before what failed`(count: Int) async throws {
    let names = (1...count).map { "number\($0)()" }
    let found = try await report(
      "exit 1",
      names.map(test) + names.map { event("testStarted", $0) }
        + names.map { end($0, $0 == "number7()" ? "fail" : "pass") } + [allEnded],
      measures: zip(1..., names).map { "used \($0) \(id($1))" }
    )
    let slowest = (21...40).reversed().map { "    \($0).0 s  M.SomeTests/number\($0)()\n" }
    let failed = #"""
      test: this test failed; to run one alone:
        scripts/test --sanitize thread --filter 'M.SomeTests/number7\(\)'

      """#
    let title = "All.\ntest: the slowest of the 40 timed tests, without their waiting for a turn:\n"
    #expect(found.outcome.stdout == (count < 40 ? "All.\n" : title + slowest.joined()) + failed)
  }

  @Test func `counts what the tests started`() async throws {
    let programs = (1...13).flatMap { number in
      (0..<number).map { _ in "program 1 \(number == 2 ? "initdb" : "program\(number)")" }
    }
    let found = try await report(
      "true",
      [test("one()"), event("testStarted", "one()"), end("one()", "pass")],
      measures: programs + ["database 1 copied", "database 1 empty", "database 1 copied"],
      serverLog: """
        LOG:  connection received: host=[local]
        LOG:  connection authorized: user=postgres
        LOG:  connection received: host=[local]

        """
    )
    let counts = (3...13).reversed().map { "program\($0) \($0) times" }.joined(separator: ", ")
    #expect(
      found.outcome.stdout == """
        test: started \(counts), initdb 2 times, other programs 1 time; \
        created 3 databases, 2 of them copied; initialised 2 clusters; \
        opened 2 connections to the test server

        """
    )
  }

  @Test func `gets what a test uses under the name that its events have`() async throws {
    let path = FilePath(try #require(environmentValue("STAFFBOOK_TEST_MEASURES")))
    let name = "gets what a test uses under the name that its events have"
    let place = "TestReportTests/`\(name)`()/TestReportTests.swift:"
    func uses() throws -> Int {
      try BadInputTests.text(of: path).split(separator: "\n").count {
        $0.hasPrefix("used ") && $0.contains(place)
      }
    }
    let before = try uses()
    try await withTemporaryDirectory { _ in
      // The program's time is part of the folder's.
      let outcome = try await runProgram("true")
      #expect(outcome.status == 0)
      let meanwhile = try uses()
      #expect(meanwhile == before)
    }
    let after = try uses()
    #expect(after == before + 1)
  }
}
