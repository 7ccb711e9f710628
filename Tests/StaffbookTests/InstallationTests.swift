import SystemPackage
import TestSupport
import Testing

@Suite("An installation below a folder")
struct InstallationTests {
  private func install(_ prefix: FilePath, _ further: String...) async throws -> ProgramOutcome {
    let outcome = try await runProgram(
      projectFolder().appending("scripts/install"),
      ["--prefix", prefix.string] + further
    )
    #expect(outcome.status == 0, "\(outcome)")
    return outcome
  }

  /// All files below a folder, relative to it.
  private func files(below folder: FilePath) async throws -> [String] {
    let found = try await runProgram(
      "find",
      [folder.string, "-type", "f", "-printf", "%P\\n"]
    )
    return found.stdout.split(separator: "\n").map(String.init).sorted()
  }

  @Test func `works where it lies, knows its files, and takes them away again`() async throws {
    try await withTemporaryDirectory { home in
      let prefix = home.appending("my programs")
      try makeFolder(prefix)
      try write("mine", to: prefix.appending("mine"))
      let program = try Book.program()
      _ = try await install(prefix, "--program", program)

      let installed = try await files(below: prefix)
      for file in [
        "bin/staffbook", "share/man/man1/staffbook-tree.1.gz",
        "share/man/man7/staffbook-query.7.gz",
        "share/bash-completion/completions/staffbook", "share/zsh/site-functions/_staffbook",
        "share/fish/vendor_completions.d/staffbook.fish", "share/doc/staffbook/LICENSE",
        "share/doc/staffbook/install.md",
      ] {
        #expect(installed.contains(file), "\(file)")
      }
      let list = prefix.appending("share/staffbook/installed")
      let listed = try BadInputTests.text(of: list).split(separator: "\n").map(String.init)
      #expect(installed == (listed + ["mine"]).sorted())
      let version = try await runProgram(prefix.appending("bin/staffbook"), ["--version"])
      #expect(version.status == 0, "\(version)")

      // What an older one had and this one has not goes; what is not ours stays.
      try write("old", to: prefix.appending("share/doc/staffbook/old.md"))
      let older = (listed + ["share/doc/staffbook/old.md", "../escape"]).joined(separator: "\n")
      try write(older + "\n", to: list)
      try write("theirs", to: home.appending("escape"))
      _ = try await install(prefix, "--program", program)
      #expect(try await files(below: prefix) == installed)
      #expect(try folderEntries(home).contains("escape"))

      let removal = try await install(prefix, "--uninstall")
      #expect(
        removal.stdout.reads(
          "…",
          "The data of users was left: private servers in ~/.local/share/staffbook (root's may be in",
          "…"
        ),
        "\(removal)"
      )
      #expect(try await files(below: prefix) == ["mine"])
      #expect(try folderEntries(prefix) == ["mine"])
    }
  }

  @Test func `of which there is none is not removed`() async throws {
    try await withTemporaryDirectory { prefix in
      let outcome = try await runProgram(
        projectFolder().appending("scripts/install"),
        ["--prefix", prefix.string, "--uninstall"]
      )
      #expect(outcome.status == 66, "\(outcome)")
    }
  }
}
