import FoundationEssentials
import Platform
import SystemPackage
import TestSupport

/// Runs the commands of a page, in one shell and one after the other, as a reader would.
///
/// The shell is in a folder that is empty but for `.build/demo`, where `scripts/demo` puts the sample
/// company and which is `STAFFBOOK_HOME`; in the reader's home, Staffbook's folders are links to it.
/// A name `db.example` is a server of the page's own, which trusts everybody; its superuser is
/// `postgres`.
struct DocumentationRun {
  let page: DocumentationPage
  /// Holds everything of this run; other accounts may pass, since root's server has one.
  let folder: FilePath

  /// What is done with one block or one line of it.
  private enum Step {
    case run(text: String, line: Int)
    case compare(command: String, line: Int, shown: [String])
    case write(text: String, file: String, line: Int)
    case query(text: String, line: Int)
  }

  /// Runs the page.
  ///
  /// - Parameter sample: A `STAFFBOOK_HOME` to start from, with its server stopped.
  /// - Returns: What was not as the page says, each with page and line.
  /// - Throws: What stands in the way of running it at all.
  func faults(sample: FilePath) async throws -> [String] {
    let steps = page.blocks.flatMap(Self.steps)
    guard !steps.isEmpty else { return [] }
    try await prepare(sample: sample)
    guard page.blocks.contains(where: { $0.lines.contains { $0.contains("db.example") } }) else {
      return try await faults(of: steps, server: nil)
    }
    let cluster = try await PostgresCluster.make()
    return try await faults(of: steps, server: cluster.folder)
  }

  private func prepare(sample: FilePath) async throws {
    let script = """
      cd "$1" && chmod 755 . && mkdir -p desk/.build steps bin home/.local home/.config home/.cache
      cp -a "$2" desk/.build/demo
      (cd desk/.build/demo && mkdir -p -m 700 data cache state config)
      mkdir home/.local/share home/.local/state && ln -s "$3" bin/staffbook
      ln -s "$1/desk/.build/demo/data" home/.local/share/staffbook
      ln -s "$1/desk/.build/demo/state" home/.local/state/staffbook
      ln -s "$1/desk/.build/demo/cache" home/.cache/staffbook
      ln -s "$1/desk/.build/demo/config" home/.config/staffbook
      """
    let outcome = try await runProgram(
      "bash",
      ["-euc", script, "prepare", folder.string, sample.string, try Book.program()]
    )
    guard outcome.status == 0 else { throw TestSetupError("\(page.path): \(outcome)") }
  }

  private func faults(of steps: [Step], server: FilePath?) async throws -> [String] {
    var driver = """
      set -Eeuo pipefail
      trap 'echo "$LINENO: $BASH_COMMAND" >../failed' ERR
      trap 'for job in $(jobs -p); do kill "$job" || true; done' EXIT

      """
    for (index, step) in steps.enumerated() {
      let file = "../steps/\(index)"
      try write(content(of: step, server: server), to: folder.appending("steps/\(index)"))
      driver += Self.call(of: step, file: file)
    }
    try write(driver, to: folder.appending("driver"))
    let outcome = try await runProgram(
      "timeout",
      ["300", "bash", "-c", "exec bash ../driver >../output 2>&1"],
      environment: environment,
      workingDirectory: folder.appending("desk")
    )
    // What the page configured need not be the private server.
    let stopped = try await runProgram(
      "bash",
      ["-c", "rm -f $STAFFBOOK_HOME/config/config.yaml; exec staffbook db stop"],
      environment: environment
    )
    return try differences(of: steps, server: server)
      + failure(outcome) + (stopped.status == 0 ? [] : ["\(page.path): db stop: \(stopped)"])
  }

  private var environment: [String: String] {
    [
      "PATH": folder.appending("bin").string + ":" + (environmentValue("PATH") ?? "/usr/bin:/bin"),
      "HOME": folder.appending("home").string,
      "STAFFBOOK_HOME": folder.appending("desk/.build/demo").string,
      "LC_ALL": "C.UTF-8", "TERM": "dumb", "TZ": "UTC", "USER": "reader",
      "TMPDIR": environmentValue("TMPDIR") ?? "/tmp",
    ]
  }

  /// The step's file; its lines have the numbers that they have in the page.
  private func content(of step: Step, server: FilePath?) -> String {
    let (text, line) =
      switch step {
      case .run(let text, let line), .query(let text, let line): (text, line)
      case .compare(let command, let line, _): (command, line)
      case .write(let text, _, _): (text, 1)
      }
    let padded = String(repeating: "\n", count: line - 1) + text + "\n"
    guard let server else { return padded }
    return padded.replacing("@db.example", with: "@" + Self.encoded(server))
      .replacing("db.example", with: server.string)
  }

  /// What a server's folder is in a URL.
  private static func encoded(_ server: FilePath) -> String {
    server.string.replacing("/", with: "%2F")
  }

  private static func call(of step: Step, file: String) -> String {
    switch step {
    case .run:
      "source \(file)\n"
    case .compare:
      "status=0; source \(file) >\(file).out 2>&1 || status=$?; echo $status >\(file).status\n"
    case .write(_, let name, _):
      "mkdir -p \"$(dirname \(name))\"; cp \(file) \(name)\n"
    case .query:
      "staffbook db shell -- -X -q -v ON_ERROR_STOP=1 -f \(file)\n"
    }
  }

  /// The outputs that are not as the page shows them, of the commands that ran.
  private func differences(of steps: [Step], server: FilePath?) throws -> [String] {
    try steps.enumerated().compactMap { index, step -> String? in
      guard case .compare(let command, let line, let shown) = step,
        let status = try? read("steps/\(index).status")
      else { return nil }
      var output = try read("steps/\(index).out")
      if let server {
        output = output.replacing(Self.encoded(server), with: "db.example")
          .replacing(server.string, with: "db.example")
      }
      // What is said on a busy machine alone.
      let written = output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        .filter { !$0.hasPrefix("staffbook: waiting for ") }
      let isExplained = shown.contains { $0 != "…" && !$0.isEmpty }
      if ShownOutput.matches(shown, written), status == "0\n" || isExplained { return nil }
      return """
        \(page.path):\(line): $ \(command)
        shown:
        \(shown.joined(separator: "\n"))
        written, with exit status \(status)\(output)
        """
    }
  }

  /// Where the shell ended before its time.
  private func failure(_ outcome: ProgramOutcome) throws -> [String] {
    guard outcome.status != 0 else { return [] }
    let place = (try? read("failed")) ?? "(exit status \(outcome.status))"
    let output = ((try? read("output")) ?? "").split(separator: "\n").suffix(12)
    return ["\(page.path):\(place)\(output.joined(separator: "\n"))"]
  }

  private func read(_ name: String) throws -> String {
    let path = folder.appending(name).string
    return String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
      .replacing("\r\n", with: "\n")
  }
}

extension DocumentationRun {
  private static func steps(of block: DocumentationBlock) -> [Step] {
    if let file = block.file {
      return [.write(text: block.lines.joined(separator: "\n"), file: file, line: block.start)]
    }
    switch (block.kind, block.info.count) {
    case ("sh", 1): return [.run(text: runnable(block.lines), line: block.start)]
    case ("sql", 1): return [.query(text: block.lines.joined(separator: "\n"), line: block.start)]
    case ("console", 1): return commands(of: block)
    default: return []
    }
  }

  /// Without what a checkout is needed for; .ci/run runs that.
  private static func runnable(_ lines: [String]) -> String {
    lines.map { $0.hasPrefix("scripts/") ? "" : $0 }.joined(separator: "\n")
  }

  private static func commands(of block: DocumentationBlock) -> [Step] {
    var steps: [Step] = []
    for (index, text) in block.lines.enumerated() {
      if text.hasPrefix("$ ") {
        let command = String(text.dropFirst(2))
        steps.append(.compare(command: command, line: block.start + index, shown: []))
      } else if case .compare(let command, let line, let shown)? = steps.popLast() {
        let goesOn = shown.isEmpty && text.hasPrefix("> ") && command.hasSuffix("\\")
        steps.append(
          goesOn
            ? .compare(command: "\(command)\n\(text.dropFirst(2))", line: line, shown: [])
            : .compare(command: command, line: line, shown: shown + [text])
        )
      }
    }
    return steps
  }
}
