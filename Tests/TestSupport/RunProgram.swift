import Platform
import Subprocess
import SystemPackage

/// What a program left behind.
package struct ProgramOutcome: Sendable, CustomStringConvertible {
  /// The exit status; 128 and the signal's number when a signal ended it, as a shell says it.
  package let status: Int32
  package let stdoutBytes: [UInt8]
  package let stderrBytes: [UInt8]

  package var stdout: String { String(decoding: stdoutBytes, as: UTF8.self) }
  package var stderr: String { String(decoding: stderrBytes, as: UTF8.self) }

  package var description: String { "exit \(status)\nstdout: \(stdout)\nstderr: \(stderr)" }
}

/// An account that a program can be run as; only root may.
package struct TestAccount: Sendable {
  package let userID: UInt32
  package let groupID: UInt32

  package init(userID: UInt32, groupID: UInt32) {
    self.userID = userID
    self.groupID = groupID
  }
}

/// Runs a program to its end and gathers what it writes (each stream up to 1 GiB).
///
/// - Parameters:
///   - path: The program; a bare name is looked up on `PATH`.
///   - arguments: Its arguments, without its own name.
///   - environment: All its variables; `nil` passes on the test's own.
///   - stdin: What it reads; nothing is an empty input.
///   - workingDirectory: Where it runs; `nil` is where the test runs.
///   - account: Whom it runs as, without further groups; `nil` is the test's own account.
/// - Returns: How it ended and what it wrote.
/// - Throws: When it cannot be started.
package func runProgram(
  _ path: FilePath,
  _ arguments: [String] = [],
  environment: [String: String]? = nil,
  stdin: [UInt8] = [],
  workingDirectory: FilePath? = nil,
  as account: TestAccount? = nil
) async throws -> ProgramOutcome {
  let span = TestMeasures.Span()
  defer { span.end() }
  TestMeasures.countProgram(path)
  // Not Subprocess' own switch of accounts: between fork and exec, glibc's setgroups may wait for
  // ever for a thread that only the parent has.
  let switching = account.map {
    ["--reuid=\($0.userID)", "--regid=\($0.groupID)", "--clear-groups", "--", path.string]
  }
  let program = switching == nil ? path : "setpriv"
  let limit = 1 << 30
  let result = try await naming(program) {
    try await run(
      executable(program),
      arguments: Arguments((switching ?? []) + arguments),
      environment: subprocessEnvironment(environment),
      workingDirectory: workingDirectory,
      input: .array(stdin),
      output: .bytes(limit: limit),
      error: .bytes(limit: limit)
    )
  }
  let status =
    switch result.terminationStatus {
    case .exited(let code): code
    case .signaled(let signal): 128 + signal
    }
  return ProgramOutcome(
    status: status,
    stdoutBytes: result.standardOutput,
    stderrBytes: result.standardError
  )
}

/// Runs a program beside `body`, which may end it, and waits until it has ended; what it writes is
/// thrown away.
///
/// - Parameters:
///   - path: The program; a bare name is looked up on `PATH`.
///   - arguments: Its arguments, without its own name.
///   - environment: All its variables.
///   - body: Gets the process id.
/// - Throws: What `body` throws, or why the program cannot be started.
package func withProgram(
  _ path: FilePath,
  _ arguments: [String],
  environment: [String: String],
  _ body: (pid_t) async throws -> Void
) async throws {
  let span = TestMeasures.Span()
  defer { span.end() }
  TestMeasures.countProgram(path)
  _ = try await naming(path) {
    try await run(
      executable(path),
      arguments: Arguments(arguments),
      environment: subprocessEnvironment(environment),
      input: .none,
      output: .discarded,
      error: .discarded
    ) { execution in
      try await body(execution.processIdentifier.value)
    }
  }
}

private func executable(_ path: FilePath) -> Executable {
  path.components.count == 1 && !path.isAbsolute ? .name(path.string) : .path(path)
}

/// Says how to get a program that is missing.
private func naming<R>(_ program: FilePath, _ start: () async throws -> R) async throws -> R {
  do {
    return try await start()
  } catch let error as SubprocessError where error.code == .executableNotFound {
    throw TestSetupError(
      """
      this test requires \(program), which was not found; scripts/setup --testing installs what tests run, \
      and scripts/setup --server-tests what those of the server run
      """
    )
  }
}

private func subprocessEnvironment(_ variables: [String: String]?) -> Environment {
  guard let variables else { return .inherit }
  return .custom(variables.map { Array("\($0.key)=\($0.value)".utf8) + [0] })
}
