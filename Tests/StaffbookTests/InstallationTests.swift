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
        "share/doc/staffbook/docs/install.md",
      ] {
        #expect(installed.contains(file), "\(file)")
      }
      try expectLinks(below: prefix.appending("share/doc/staffbook"), installed)
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

  /// Whether every link of the installed pages leads to an installed file.
  private func expectLinks(below folder: FilePath, _ installed: [String]) throws {
    let pages = installed.filter { $0.hasPrefix("share/doc/") && $0.hasSuffix(".md") }
    #expect(pages.count > 20)
    for page in pages.map({ FilePath(String($0.dropFirst("share/doc/staffbook/".count))) }) {
      let text = try BadInputTests.text(of: folder.appending(page.components))
      for part in text.split(separator: "](").dropFirst() {
        let link = part.prefix { $0 != ")" && $0 != "#" && $0 != "\n" }
        guard !link.isEmpty, !link.hasPrefix("http"), part.contains(")") else { continue }
        let target = folder.appending(page.removingLastComponent().components)
          .appending(FilePath(String(link)).components).lexicallyNormalized()
        #expect((try? target.stat()) != nil, "\(page): \(link)")
      }
    }
  }

  @Test func `scripts say which Swift they need before they install anything`() async throws {
    try await withTemporaryDirectory { folder in
      for arguments in [["--swift"], []] {
        let outcome = try await runProgram(
          "/bin/bash",
          [projectFolder().appending("scripts/setup").string] + arguments,
          environment: ["PATH": folder.string]
        )
        #expect(outcome.status == 1)
        #expect(
          outcome.stderr.reads(
            "setup: Swift … or newer is required, and none was found: see https://…",
            ""
          ),
          "\(outcome)"
        )
      }
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
