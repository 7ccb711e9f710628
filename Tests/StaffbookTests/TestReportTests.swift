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
    interval: String = "inf"
  ) async throws -> Report {
    try await withTemporaryDirectory { folder in
      let given = folder.appending("given")
      try write(events.joined(separator: "\n") + "\n", to: given)
      let script = "\(try repository())/Tests/TestReport/report.py"
      let (log, path) = (folder.appending("log"), folder.appending("events"))
      let outcome = try await runProgram(
        "/usr/bin/python3",
        [script, log.string, path.string, "yes", "scripts/test --sanitize thread", "--"]
          + ["/bin/sh", "-c", "cat \"$2\" >\"$1\"; \(command)", "sh", path.string, given.string],
        environment: [
          "PATH": environmentValue("PATH") ?? "/usr/bin:/bin", "STAFFBOOK_TEST_INTERVAL": interval,
        ]
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

  private func event(_ kind: String, _ name: String, _ more: String = "") -> String {
    #"{"kind":"event","payload":{"kind":"\#(kind)","testID":"\#(id(name))","#
      + #""instant":{"absolute":1.5},"messages":[]\#(more)}}"#
  }

  private func end(_ name: String, _ symbol: String) -> String {
    event("testEnded", name).replacing("[]", with: #"[{"symbol":"\#(symbol)","text":"it ended"}]"#)
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
        + [event("runEnded", "").replacing("[]", with: #"[{"symbol":"fail","text":"All."}]"#)]
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
        "said", "✔ M.SomeTests/good() (0.0 s)",
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
}
