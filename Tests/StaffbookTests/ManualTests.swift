import SystemPackage
import TestSupport
import Testing

/// The folder of the project.
func projectFolder() -> FilePath {
  FilePath(#filePath).removingLastComponent().removingLastComponent().removingLastComponent()
}

@Suite("The manual")
struct ManualTests {
  @Test func `has a page for each command with all its options, and no others`() async throws {
    try await withManual { manual in
      let commands = try await CommandHelp.program().all
      var expected: [String: [String]] = [:]
      for command in commands {
        expected[command.path.joined(separator: "-") + ".1"] =
          command.shownArguments.flatMap(\.options).sorted()
      }
      let folder = manual.appending("man1")
      for (page, options) in expected {
        let text = try BadInputTests.text(of: folder.appending(page))
        #expect(Self.options(in: text).sorted() == options, "\(page)")
      }
      #expect(try Set(folderEntries(folder)) == Set(expected.keys))
      #expect(
        try Set(folderEntries(manual.appending("man5")))
          == ["staffbook-config.5", "staffbook-import.5"]
      )
      #expect(try folderEntries(manual.appending("man7")) == ["staffbook-query.7"])
    }
  }

  @Test func `is read without warnings, and every page that it refers to exists`() async throws {
    try await withManual { manual in
      var pages: [FilePath] = []
      for section in try folderEntries(manual).sorted() {
        let folder = manual.appending(section)
        pages += try folderEntries(folder).sorted().map { folder.appending($0) }
      }
      let paths = pages.map(\.string)
      let mandoc = try await runProgram("mandoc", ["-T", "lint", "-W", "warning"] + paths)
      #expect(mandoc.stdout + mandoc.stderr == "")
      let groff = try await runProgram("groff", ["-ww", "-man", "-k", "-T", "utf8"] + paths)
      #expect(groff.stderr == "")

      let names = Set(pages.compactMap { $0.lastComponent?.string })
      for page in pages {
        let text = try BadInputTests.text(of: page).replacing("\\-", with: "-")
        for reference in text.matches(of: /\\fB(staffbook[a-z-]*)\\fP\(([1-8])\)/) {
          let name = "\(reference.1).\(reference.2)"
          #expect(names.contains(name), "\(page.lastComponent?.string ?? "") refers to \(name)")
        }
      }
    }
  }

  /// The options that stand at the beginning of a paragraph.
  private static func options(in page: String) -> [String] {
    let lines = page.replacing("\\-", with: "-").split(separator: "\n")
    return zip(lines, lines.dropFirst()).filter { $0.0 == ".TP" && $0.1.hasPrefix("\\fB-") }
      .flatMap { $0.1.matches(of: /\\fB(-[^\\]*)\\fP/).map { String($0.1) } }
  }

  private func withManual(_ body: (FilePath) async throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
      let outcome = try await runProgram(
        projectFolder().appending("scripts/manual"),
        ["--program", try Book.program(), folder.string]
      )
      try #require(outcome.status == 0, "\(outcome)")
      try await body(folder)
    }
  }
}
