import Platform
import SystemPackage

/// Runs `body` with a folder of its own (0700, under `TMPDIR`), removed with all it holds at the end.
package func withTemporaryDirectory<R>(
  isolation: isolated (any Actor)? = #isolation,
  _ body: (FilePath) async throws -> R
) async throws -> R {
  let span = TestMeasures.Span()
  defer { span.end() }
  let folder = try makeTemporaryDirectory()
  let outcome: Result<R, any Error>
  do {
    outcome = .success(try await body(folder))
  } catch {
    outcome = .failure(error)
  }
  // What was ended a moment ago may still write its last file.
  try await wait(until: "\(folder) is removed") {
    try await runProgram("rm", ["-rf", "--one-file-system", "--", folder.string]).status == 0
  }
  return try outcome.get()
}

/// Makes a folder of its own (0700, under `TMPDIR`).
func makeTemporaryDirectory() throws -> FilePath {
  let base = FilePath(environmentValue("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp")
  let template = strdup(base.appending("staffbook-XXXXXX").string)
  defer { free(template) }
  guard let template, mkdtemp(template) != nil else {
    throw TestSetupError("cannot make a folder in \(base): \(Errno(rawValue: errno))")
  }
  return FilePath(String(cString: template))
}
