import SystemPackage
import TestSupport
import Testing

@Suite("Commands of the documentation", .sampleHome)
struct DocumentedCommandTests {
  /// Each has a server, and a machine has few processors.
  private static let places = Turnstile(capacity: 3)

  @Test(arguments: try DocumentationPage.all())
  func `do what the page says`(page: DocumentationPage) async throws {
    await Self.places.enter()
    let outcome = await Result { try await run(page) }
    await Self.places.leave()
    for fault in try outcome.get() { Issue.record("\(fault)") }
  }

  private func run(_ page: DocumentationPage) async throws -> [String] {
    try await withTemporaryDirectory { folder in
      let sample = try #require(SampleHome.current)
      return try await DocumentationRun(page: page, folder: folder).faults(sample: sample)
    }
  }

  @Test func `are not believed when the page shows something else`() async throws {
    let page = DocumentationPage(
      path: "wrong.md",
      text: """
        ```console
        $ staffbook search lukasz --json
        {"kind":"user","id":"lukasz.zajac",…}
        $ staffbook staff "Fog Signals" --plain | wc -l
        9
        $ staffbook show nobody.at.all
        ```
        ```sh
        staffbook tree \\
          --depth none
        ```
        """
    )
    let faults = try await run(page)
    #expect(faults.count == 3, "\(faults)")
    #expect(faults.first?.hasPrefix("wrong.md:4: $ staffbook staff") == true)
    #expect(faults.dropFirst().first?.hasPrefix("wrong.md:6: $ staffbook show") == true)
    #expect(faults.last?.hasPrefix("wrong.md:9: staffbook tree") == true)
  }
}

extension Result where Failure == any Error {
  fileprivate init(catching body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}

/// A home with the sample company in its private server, which is stopped.
///
/// Pages start from copies. Its history began long ago, so that they may look back.
private struct SampleHome: SuiteTrait, TestScoping {
  @TaskLocal static var current: FilePath?

  func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let script = """
        chmod 755 "$HOME"
        "$1" sample --load
        "$1" db shell -- -X -q -v ON_ERROR_STOP=1 -c "
          update staffbook.history set began = '2020-01-01';
          update staffbook.transactions set began = '2020-01-01', at = '2020-01-01'"
        "$1" tree
        "$1" db stop
        """
      let home = folder.appending("book")
      let outcome = try await runProgram(
        "bash",
        ["-euc", script, "sample", try Book.program()],
        environment: [
          "PATH": environmentValue("PATH") ?? "/usr/bin:/bin", "HOME": folder.string,
          "STAFFBOOK_HOME": home.string, "LC_ALL": "C.UTF-8",
        ]
      )
      guard outcome.status == 0 else { throw TestSetupError("the sample company: \(outcome)") }
      try await Self.$current.withValue(home) { try await function() }
    }
  }
}

extension Trait where Self == SampleHome {
  fileprivate static var sampleHome: Self { SampleHome() }
}
