import Platform
import SystemPackage
import TestSupport
import Testing

/// Records edited as a text by somebody who sits at a terminal, in vi.
@Suite("Editing in vi on a real terminal")
struct EditorTerminalTests {
  private func withTerminal(_ body: (RealTerminal, Book) async throws -> Void) async throws {
    try await StaffbookTests.withTerminal { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
      }
      try await book.lines("field", "add", "mobile")
      // Nothing of whoever runs the tests: neither an editor nor its settings.
      book.environment["VISUAL"] = "vi"
    } _: { terminal, book in
      try await body(terminal, book)
    }
  }

  /// Types into vi until something is on the screen: what is typed soon after vi has started is
  /// sometimes lost.
  private func type(
    _ keys: String...,
    until text: String,
    into terminal: RealTerminal
  ) async throws {
    for _ in 0..<4 {
      for key in keys { try await terminal.type(key) }
      for _ in 0..<150 {
        if try await terminal.screen().contains(text) { return }
        try await Task.sleep(for: .milliseconds(100))
      }
    }
    Issue.record("“\(text)” did not come: \(try await terminal.screen())")
  }

  private func value(_ column: String, _ book: Book) throws -> String {
    try book.query("select \(column) from staffbook.users where id = 'u1'")[0][0]
  }

  /// The files that edits left behind.
  private func keptFiles(_ book: Book) async throws -> [String] {
    let found = try await runProgram(
      "/bin/sh",
      ["-c", "find \"$0/state\" -path '*/edit-*/*' -type f", book.home.string],
      environment: book.variables
    )
    return found.stdout.split(separator: "\n").map { String($0) }
  }

  @Test func `a mistake comes back marked, and what is right is shown, agreed to and made`()
    async throws
  {
    try await withTerminal { terminal, book in
      try await terminal.start(
        "stty -a > '\(book.home)/before'; staffbook edit u1; echo status $?; "
          + "stty -a > '\(book.home)/after'; sleep 1000",
        columns: 100,
        rows: 50
      )
      try await terminal.wait(for: "# Ada Lund (u1)")
      // An interrupt is vi's, which forgets what was typed before it noticed.
      try await type("C-c", until: "Type  :qa", into: terminal)
      try await terminal.type(":%s/^mobile:.*/mobile: nonsense/", "Enter", ":wq", "Enter")
      try await terminal.wait(for: "# ! mobile: \"nonsense\" is not a phone number")
      #expect(try await terminal.screen().contains("mobile: nonsense"))
      try await terminal.type(":%s/^mobile:.*/mobile: +44 20 1/", "Enter", ":wq", "Enter")
      try await terminal.wait(for: "do this? [y/N]")
      #expect(
        try await terminal.screen().contains(#"~ Ada Lund (u1); mobile "" is now "+44 20 1""#)
      )
      #expect(try value("fields::text", book) == "{}")
      try await terminal.type("y", "Enter")
      try await terminal.wait(for: "status 0")
      #expect(try value("fields::text", book) == #"{"mobile": "+44 20 1"}"#)
      try await terminal.wait(for: "1 person changed")
      #expect(try await !terminal.isOnOtherScreen)
      #expect(
        try BadInputTests.text(of: book.home.appending("before"))
          == BadInputTests.text(of: book.home.appending("after"))
      )
      #expect(try await keptFiles(book).isEmpty)
    }
  }

  @Test func `closing it without saving does nothing, and an editor that fails ends it`()
    async throws
  {
    try await withTerminal { terminal, book in
      try await terminal.start(
        """
        for how in quit abort keep; do staffbook edit u1; echo "$how: status $?"; done
        sleep 1000
        """,
        columns: 100,
        rows: 50
      )
      try await terminal.wait(for: "# Ada Lund (u1)")
      try await type(
        ":%s/^phone:.*/phone: 7/",
        "Enter",
        ":q!",
        "Enter",
        until: "quit: status 0",
        into: terminal
      )
      try await terminal.wait(for: "# Ada Lund (u1)")
      try await type(":cq", "Enter", until: "abort: status 75", into: terminal)
      try await terminal.wait(for: "# Ada Lund (u1)")
      #expect(try await keptFiles(book).count { $0.hasSuffix("/user.yaml") } == 1)
      try await type(
        ":%s/^phone:.*/phone: 8/",
        "Enter",
        ":w",
        "Enter",
        ":cq",
        "Enter",
        until: "keep: status 75",
        into: terminal
      )
      let screen = try await terminal.screen()
      #expect(screen.contains("there is nothing to change"), "\(screen)")
      #expect(screen.contains("the editor (vi) ended with exit status 1"), "\(screen)")
      #expect(screen.split(separator: "\n").count { $0.contains("what you wrote is in") } == 1)
      let kept = try await keptFiles(book)
      #expect(kept.count == 1, "\(kept)")
      #expect(try BadInputTests.text(of: FilePath(kept[0])).contains("phone: 8"))
      #expect(try value("phone", book) == "+1 555 0100")
    }
  }

  @Test func `it can be suspended and taken up again`() async throws {
    try await withTerminal { terminal, book in
      try await terminal.start(
        "set -m; staffbook edit u1; echo suspended; read line; fg; echo status $?; sleep 1000",
        columns: 100,
        rows: 50
      )
      try await terminal.wait(for: "# Ada Lund (u1)")
      try await type(":%s/^phone:.*/phone: 7/", "Enter", "C-z", until: "suspended", into: terminal)
      try await terminal.type("Enter")
      try await terminal.wait(for: "phone: 7")
      try await terminal.type(":wq", "Enter")
      try await terminal.wait(for: "do this? [y/N]")
      try await terminal.type("y", "Enter")
      try await terminal.wait(for: "status 0")
      #expect(try value("phone", book) == "7")
    }
  }

  @Test func `a signal ends the editor first, and the terminal is as it was`() async throws {
    try await withTerminal { terminal, book in
      try await terminal.start(
        "stty -a > '\(book.home)/before'; sh -c 'echo $$ > \(book.home)/pid; exec \(try Book.program()) edit u1';"
          + " echo status $?; stty -a > '\(book.home)/after'; sleep 1000",
        columns: 100,
        rows: 50
      )
      try await terminal.wait(for: "# Ada Lund (u1)")
      try await type(
        ":%s/^phone:.*/phone: saved/",
        "Enter",
        ":w",
        "Enter",
        until: "written",
        into: terminal
      )
      let process = try BadInputTests.text(of: book.home.appending("pid"))
      kill(try #require(pid_t(process.prefix { $0.isNumber })), SIGTERM)
      try await terminal.wait(for: "status 143")
      let screen = try await terminal.screen()
      #expect(
        screen.contains("interrupted: nothing was changed; what you wrote is in "),
        "\(screen)"
      )
      #expect(!screen.contains("ended by signal"), "\(screen)")
      try await wait(until: "the terminal's settings are written") {
        !((try? BadInputTests.text(of: book.home.appending("after"))) ?? "").isEmpty
      }
      #expect(
        try BadInputTests.text(of: book.home.appending("after"))
          == BadInputTests.text(of: book.home.appending("before"))
      )
      let kept = try await keptFiles(book)
      let file = try #require(kept.first { $0.hasSuffix("/user.yaml") })
      #expect(try BadInputTests.text(of: FilePath(file)).contains("phone: saved"))
    }
  }

  @Test func `a hangup loses nothing of what was typed`() async throws {
    try await withTerminal { terminal, book in
      let said = book.home.appending("said")
      try await terminal.start("staffbook edit u1 2>'\(said)'", columns: 100, rows: 50)
      try await terminal.wait(for: "# Ada Lund (u1)")
      try await type(
        ":%s/^phone:.*/phone: saved/",
        "Enter",
        ":w",
        "Enter",
        until: "written",
        into: terminal
      )
      // vi writes it beside the file when it is hung up.
      try await terminal.type(":%s/^email:.*/email: unsaved@x.example/", "Enter")
      try await terminal.wait(for: "\nemail: unsaved@x.example\n")
      // The terminal is closed under them.
      try await terminal.tmux("respawn-pane", "-k", "sleep 1000")
      try await wait(until: "the program has ended") {
        // Whichever is heard of first: the program's own hangup, or that vi died of it.
        ((try? BadInputTests.text(of: said)) ?? "").contains("what you wrote is in ")
      }
      let text = try BadInputTests.text(of: said)
      let kept = try await keptFiles(book)
      let file = try #require(kept.first { $0.hasSuffix("/user.yaml") })
      #expect(text.contains(file))
      #expect(try BadInputTests.text(of: FilePath(file)).contains("phone: saved"))
      #expect(kept.contains { $0.hasSuffix(".user.yaml.swp") }, "\(kept)")
      #expect(try value("phone", book) == "+1 555 0100")
    }
  }
}
