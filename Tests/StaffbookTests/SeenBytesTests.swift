import Platform
import SystemPackage
import TestSupport
import Testing

/// The commands under `--as`, beside those of a directory that holds nothing but what is shown.
@Suite("What a viewer is shown")
struct SeenBytesTests {
  private static let formats = [
    "csv", "tsv", "json", "jsonl", "plain", "xlsx", "vcard", "ldif", "text", "markdown", "html",
    "mermaid", "dot",
  ]

  private static let reading =
    [
      ["tree"], ["tree", "--all"], ["tree", "--all", "--json"], ["tree", "--all", "--plain"],
      ["tree", "--all", "--columns", "id,name,title,email,phone,salary"],
      ["tree", "Optics", "--all"],
      ["tree", "Mirrors"], ["tree", "--filter", "zak"], ["tree", "--filter", "noe"],
      ["staff", "Optics"], ["staff", "Optics", "--json"], ["staff", "Lumen"], ["staff", "Mirrors"],
      ["staff", "id:mir"], ["show", "id:u2"], ["show", "id:u2", "--json"], ["show", "id:u3"],
      ["show", "Émile Noé"], ["show", "emil"], ["show", "Optics"], ["show", "id:mir"],
      ["show", "Mirors"], ["show", "lukasz@lumen.example"], ["search", "u"], ["search", "zak"],
      ["search", "noe"], ["search", "noee"], ["search", "mirrors"], ["search", "grinder"],
      ["search", "polisher"], ["search", "4711"], ["search", "in:mir", "u"],
      ["search", "in:Optics", "lukasz", "--json"], ["search", "has:salary"],
      ["search", "salary:4711"],
      ["search", "title:Polisher"], ["search", "manager:u3"], ["search", "reports:u3"],
      ["export", "--all", "--people", "--format", "csv"],
      ["export", "Mirrors", "--all", "--format", "csv"],
      ["export", "--filter", "noe", "--format", "csv"],
    ] + formats.map { ["export", "--all", "--format", $0] }

  /// People and departments; `isWhole` for all of them, otherwise those that the lobby sees.
  private func fill(_ book: Book, isWhole: Bool) async throws {
    try await withTemporaryDirectory { folder in
      try writeCompany(
        departments: "lum,,Lumen,Makers of light,0\nopt,lum,Optics,,1\n"
          + (isWhole ? "mir,opt,Mirrors,,0\n" : "") + "vac,lum,Vacant,,2\n",
        users: "u1,lum,Ada Lund,Head,ada@lumen.example,+1 555 0100,0\n"
          + (isWhole
            ? "u2,mir,Łukasz Żak,Polisher,lukasz@lumen.example,+1 555 0101,0\n"
              + "u3,mir,Émile Noé,Grinder,,,0\n"
            : "u2,opt,Łukasz Żak,Adviser,lukasz@lumen.example,+1 555 0101,0\n"),
        memberships: isWhole ? "u2,opt,Adviser,0\n" : "",
        to: folder
      )
      try await book.lines("field", "add", "manager")
      if isWhole { try await book.lines("field", "add", "salary", "--visible", "nobody") }
      try await book.lines("import", folder.string)
    }
    guard isWhole else { return }
    try await book.lines("set", "u1", "salary=4711", "manager=u3", "-m", "as Émile wants")
    try await book.lines("set", "u3", "title=Grinder of 4711")
    for rule in ["show everything to device lobby", "hide department mir from device lobby"] {
      try await book.lines("visibility", "add", "--yes", rule)
    }
  }

  @Test func `is byte by byte what a directory of only that shows`() async throws {
    try await withBook { whole in
      try await fill(whole, isWhole: true)
      try await withBook { seen in
        try await fill(seen, isWhole: false)
        for arguments in Self.reading {
          let own = try await whole.run(arguments + ["--as", "device:lobby"])
          let other = try await seen.run(arguments)
          #expect(own.status == other.status, "\(arguments): \(own) \(other)")
          #expect(own.stdoutBytes == other.stdoutBytes, "\(arguments): \(own) \(other)")
          // What is advised is for the same viewer.
          let advised = own.stderr.replacing(" --as device:lobby", with: "")
          #expect(advised.utf8.elementsEqual(other.stderr.utf8), "\(arguments): \(own) \(other)")
        }
        for typed in [
          ["show", "É"], ["show", "z"], ["tree", "M"], ["search", "in:"], ["tree", ""],
        ] {
          let words = typed.dropLast() + ["--as", "device:lobby"]
          let own = try await whole.run(["---complete", "fish", typed[1]] + words)
          let other = try await seen.run(["---complete", "fish", typed[1]] + typed.dropLast())
          #expect(own.stdoutBytes == other.stdoutBytes, "\(typed): \(own) \(other)")
        }
      }
    }
  }

  @Test func `is nothing else in history either`() async throws {
    try await withBook { book in
      try await fill(book, isWhole: true)
      try await book.lines("remove", "u3", "--yes", "-m", "Émile left")
      let first = try book.value("select min(number)::text from staffbook.transactions")
      var commands = [
        ["log"], ["log", "-p"], ["log", "-p", "--json"], ["log", "id:u3"], ["log", "id:u2", "-p"],
        ["log", "id:mir"], ["log", "id:opt", "-p"], ["blame", "id:u3"], ["blame", "id:u2"],
        ["blame", "id:u1"], ["blame", "id:mir"], ["diff", first], ["diff", first, "--json"],
        ["diff", first, "--csv"], ["diff", first, "--html"], ["search", "--left", "noe"],
        ["search", "--left", "u3", "--json"],
      ]
      commands += Self.reading.map { $0 + ["--as-of", first] }
      for arguments in commands {
        let outcome = try await book.run(arguments + ["--as", "device:lobby"])
        // What was typed comes back in errors.
        let typed = arguments.joined(separator: " ")
        for mark in ["Émile", "Noé", "Grinder", "Polisher", "Mirrors", "4711", "(u3)", "(mir)"]
        where !typed.contains(mark) {
          #expect(!outcome.stdout.contains(mark), "\(arguments), \(mark): \(outcome)")
          #expect(!outcome.stderr.contains(mark), "\(arguments), \(mark): \(outcome)")
        }
      }
      #expect(try await book.lines("log", "-p").contains("  - Émile Noé (u3) in Mirrors"))
    }
  }

  @Test(arguments: ["browse", "pick"])
  func `is all that the browser reads out`(_ command: String) async throws {
    try await withTerminal { book in
      try await fill(book, isWhole: true)
    } _: { terminal, _ in
      try await terminal.start(
        "staffbook \(command) --plain-ui --as device:lobby; echo status $?; sleep 1000"
      )
      try await terminal.wait(for: "As the device lobby: Lumen")
      try await terminal.type("Down", "Right", "Down")
      try await terminal.wait(for: "As the device lobby: Łukasz Żak, Adviser, level 3")
      try await terminal.type("Down")
      try await terminal.wait(for: "As the device lobby: Vacant")
      let screen = try await terminal.screen()
      #expect(!screen.contains("Mirrors") && !screen.contains("Noé"), "\(screen)")
    }
  }
}
