import Platform
import SystemPackage
import TestSupport
import Testing

@Suite("Versions")
struct VersionTests {
  private func git(_ folder: FilePath, _ arguments: String...) async throws -> ProgramOutcome {
    try await runProgram(
      "git",
      [
        "-c", "safe.directory=*", "-c", "user.name=a", "-c", "user.email=a@x.example", "-C",
        folder.string,
      ]
        + arguments
    )
  }

  @Test func `are a number, and the commit that the program was built from`() async throws {
    let said = try await runProgram(FilePath(try Book.program()), ["--version"]).stdout
    let number = try #require(said.split { $0 == " " || $0 == "\n" }.first)
    #expect(
      number.split(separator: ".").count == 3 && number.allSatisfy { $0.isNumber || $0 == "." }
    )
    let folder = projectFolder()
    let head = try await git(folder, "rev-parse", "HEAD")
    let log = folder.appending(".git/logs/HEAD")
    let isCheckout = head.status == 0 && access(log.string, F_OK) == 0
    #expect(said == (isCheckout ? "\(number) (commit \(head.stdout.prefix(12)))\n" : "\(number)\n"))
  }

  @Test func `of packages count up from commit to commit, in whatever order commits are named`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let program = folder.appending("program")
      try makeFolder(folder.appending("scripts"))
      let script = folder.appending("scripts/package")
      let copied = try await runProgram(
        "cp",
        [projectFolder().appending("scripts/package").string, script.string]
      )
      try #require(copied.status == 0, "\(copied)")
      func version(_ said: String) async throws -> ProgramOutcome {
        try write("#!/bin/sh\necho '\(said)'\n", to: program)
        #expect(chmod(program.string, 0o755) == 0)
        return try await runProgram(
          script,
          ["--show-version", "--program", program.string],
          environment: ["PATH": environmentValue("PATH") ?? "", "HOME": folder.string]
        )
      }
      // An archive of the sources has no git.
      #expect(try await version("0.2.0").stdout == "0.2.0\n")
      try #require(try await git(folder, "init", "-q").status == 0)
      var versions = ["0.2.0"]
      for count in 1...11 {
        try #require(
          try await git(folder, "commit", "-qm", "\(count)", "--allow-empty").status == 0
        )
        let commit = try await git(folder, "rev-parse", "HEAD").stdout.prefix(12)
        let outcome = try await version("0.2.0 (commit \(commit))")
        #expect(outcome.stdout == "0.2.0+git\(count).\(commit.prefix(7))\n", "\(outcome)")
        versions.append(String(outcome.stdout.dropLast()))
      }
      versions.append("0.3.0")
      for (older, newer) in zip(versions, versions.dropFirst()) {
        let order = try await runProgram("dpkg", ["--compare-versions", older, "lt", newer])
        #expect(order.status == 0, "\(older), \(newer)")
      }
      let foreign = try await version("0.2.0 (commit 0123456789ab)")
      #expect(
        foreign.status == 66
          && foreign.stderr.reads(
            "package: cannot count the commits up to …ab, the program's: it is not one of …; use --version"
          ),
        "\(foreign)"
      )
    }
  }
}
