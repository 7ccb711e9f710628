import Platform
import SystemPackage
import TestSupport
import Testing

private func withTerminal(_ body: (RealTerminal, Book) async throws -> Void) async throws {
  try await withTerminal { book in
    try write(
      """
      id,parent_id,name
      root,,Lumen
      lamps,root,Lamps
      posts,root,Posts

      """,
      to: book.home.appending("departments.csv")
    )
    try write(
      """
      id,name,department_id,title,email
      ann,Ann Ash,lamps,Lamp maker,ann@x.example
      zw,张伟,posts,Bell founder,zw@x.example

      """,
      to: book.home.appending("users.csv")
    )
    try await book.lines("import", "\(book.home)/departments.csv", "\(book.home)/users.csv")
  } _: { terminal, book in
    try await body(terminal, book)
  }
}

@Suite("Browsing on a real terminal")
struct BrowseTests {
  @Test func `opens, moves, expands, searches, follows an import, and gives the terminal back`()
    async throws
  {
    try await withTerminal { terminal, book in
      try await terminal.start("staffbook; echo status $?; sleep 1000")
      try await terminal.wait(for: "› ▾ Lumen (2)")
      try await terminal.type("Down", "Right")
      try await terminal.wait(for: "│  └─ Ann Ash · Lamp maker")
      try await terminal.type("/", "z", "w")
      try await terminal.wait(for: "张伟 · Bell founder")
      try await terminal.wait(for: "1 match")
      try await terminal.type("Escape")
      try await terminal.wait(for: "› ├─ ▾ Lamps (1)")
      // Another program writes: the tree follows in place.
      try write("id,name,department_id\nbo,Bo Berg,lamps\n", to: book.home.appending("more.csv"))
      try await book.lines("import", "\(book.home)/more.csv")
      try await terminal.wait(for: "Bo Berg")
      try await terminal.wait(for: "› ├─ ▾ Lamps (2)")
      // What others open meanwhile stays open.
      try await book.lines("expand", "id:posts")
      try await terminal.tmux("resize-window", "-x", "40", "-y", "8")
      try await terminal.wait(for: "› ├─ ▾ Lamps (2)")
      try await terminal.type("q")
      try await terminal.wait(for: "status 0")
      let tree = try await book.lines("tree")
      #expect(
        tree.contains { $0.reads("│  ├─ Ann Ash · Lamp maker") }
          && tree.contains { $0.reads("   └─ 张伟 · Bell founder") }
      )
    }
  }

  @Test func `a signal and a crash give the terminal back`() async throws {
    for (signal, status) in [
      ("TERM", "status 0"), ("HUP", "status 0"), ("SEGV", "status 139"), ("QUIT", "status 131"),
    ] {
      try await withTerminal { terminal, book in
        try await terminal.start(
          "echo $$ > '\(book.home)/shell'; staffbook browse; echo status $?; sleep 1000"
        )
        try await terminal.wait(for: "▾ Lumen")
        #expect(try await terminal.isOnOtherScreen)
        let outcome = try await runProgram(
          "/bin/sh",
          ["-c", "pkill -\(signal) -P $(cat '\(book.home)/shell') staffbook"],
          environment: ["PATH": "/usr/bin:/bin"]
        )
        #expect(outcome.status == 0, "\(outcome)")
        try await terminal.wait(for: status)
        #expect(try await !terminal.isOnOtherScreen, "\(signal)")
        // Lines end at the left again, which they do not on a raw terminal.
        #expect(
          try await terminal.screen().split(separator: "\n").contains { $0.hasPrefix("status") }
        )
      }
    }
  }

  @Test func `a chooser prints what is chosen to a pipe`() async throws {
    try await withTerminal { terminal, book in
      let result = book.home.appending("chosen")
      try await terminal.start(
        "staffbook pick --email zw > '\(result)'; echo status $?; sleep 1000"
      )
      try await terminal.wait(for: "1 match")
      try await terminal.type("Enter")
      try await terminal.wait(for: "status 0")
      #expect(try text(of: result) == "zw@x.example\n")
    }
  }

  @Test func `a chooser that is left chooses nothing`() async throws {
    try await withTerminal { terminal, book in
      let result = book.home.appending("chosen")
      try await terminal.start("staffbook pick > '\(result)'; echo status $?; sleep 1000")
      try await terminal.wait(for: "Enter: choose  Tab: mark  Ctrl-k: keys  Esc: cancel")
      try await terminal.type("q", "Escape")
      try await terminal.wait(for: "staffbook: nothing was chosen")
      try await terminal.wait(for: "status 1")
      #expect(try text(of: result).isEmpty)
    }
  }

  @Test func `keys come from the configuration, and a wrong one is told with its line`()
    async throws
  {
    try await withTerminal { terminal, book in
      let folder = book.home.appending("config")
      try makeFolder(folder)
      try write(
        "keys:\n  down: x\n  quit: Hyper-q\n  dance: d\n",
        to: folder.appending("config.yaml")
      )
      try await terminal.start("staffbook browse; echo status $?; sleep 1000", columns: 200)
      try await terminal.wait(for: "config.yaml:3: there is no key Hyper-q.")
      try await terminal.type("x")
      try await terminal.wait(for: "› ├─ ▸ Lamps")
      try await terminal.type("q")
      try await terminal.wait(for: "status 0")
    }
  }

  @Test
  func `mail is given an address and no more, and what its program says stays off the screen`()
    async throws
  {
    try await withTerminal { terminal, book in
      let folder = book.home.appending("programs")
      try makeFolder(folder)
      let opener = folder.appending("xdg-open")
      try write(
        """
        #!/bin/sh
        printf '%s\\n' "$#" "$1" >'\(book.home)/opened'
        printf 'cannot open \\033]2;stolen\\007 INTRUDER %s\\n' "$1" >&2
        exit 4

        """,
        to: opener
      )
      #expect(opener.withPlatformString { chmod($0, 0o755) } == 0)
      try await book.lines("set", "ann", "email=ann?bcc=eve&attach=\u{1B}[31m@x.example")
      try await book.lines("set", "zw", "email=z w?bcc=eve&attach=/etc/passwd@x.example")
      try await terminal.start(
        "export PATH='\(folder)':\"$PATH\"; staffbook browse; echo status $?; sleep 1000",
        columns: 120
      )
      try await terminal.wait(for: "▾ Lumen (2)")
      try await terminal.type("/", "a", "n", "n")
      try await terminal.wait(for: "1 match")
      try await terminal.type("Enter", "m")
      try await terminal.wait(for: "no usable email address")
      try await terminal.type("Escape")
      try await terminal.wait(for: "Posts (1)")
      try await terminal.type("/", "z", "w")
      try await terminal.wait(for: "张伟")
      try await terminal.type("Enter", "m")
      try await terminal.wait(for: "No mail program could be opened; address copied.")
      #expect(
        try text(of: book.home.appending("opened"))
          == "1\nmailto:z%20w%3Fbcc%3Deve%26attach%3D%2Fetc%2Fpasswd@x.example\n"
      )
      try await terminal.type("q")
      try await terminal.wait(for: "status 0")
      #expect(try await !terminal.screen().contains("INTRUDER"))
      #expect(try await terminal.tmux("display", "-p", "#{pane_title}") != "stolen\n")
    }
  }

  @Test func `a card says of a value who set it, when and why`() async throws {
    try await withTerminal { terminal, book in
      try await book.lines("set", "ann", "title=Chief", "-m", "she leads now")
      try await terminal.start("staffbook browse; echo status $?; sleep 1000", columns: 120)
      try await terminal.wait(for: "› ▾ Lumen (2)")
      try await terminal.type("Down", "Right", "Down", "Enter")
      try await terminal.wait(for: "Departments:")
      try await terminal.type("i", "Up", "b")
      try await terminal.wait(for: "transaction 2 by ")
      let screen = try await terminal.screen()
      #expect(screen.contains("she leads"), "\(screen)")
      try await terminal.type("Escape", "Home", "q")
      try await terminal.wait(for: "status 0")
    }
  }

  @Test func `a terminal is warned of a snapshot that is older than the configuration wants`()
    async throws
  {
    try await withTerminal { terminal, book in
      let folder = book.home.appending("config")
      try makeFolder(folder)
      try write("max_age: 1 second\n", to: folder.appending("config.yaml"))
      try await Task.sleep(for: .seconds(3))
      #expect(try await !book.run("tree").stderr.contains("old"))
      try await terminal.start(
        "staffbook tree; echo tree $?; read line; staffbook browse; echo status $?; sleep 1000",
        columns: 120
      )
      try await terminal.wait(for: "tree 0")
      let screen = try await terminal.screen()
      #expect(screen.contains("warning: the snapshot is "), "\(screen)")
      #expect(screen.contains("seconds old; update it with: staffbook sync"), "\(screen)")
      try await terminal.type("Enter")
      try await terminal.wait(for: "The snapshot is ")
      try await terminal.type("q")
      try await terminal.wait(for: "status 0")
      // What is not an age is named, and nothing else.
      try write("max_age: soon\n", to: folder.appending("config.yaml"))
      let outcome = try await book.run("tree")
      #expect(
        outcome.status == 0
          && outcome.stderr.reads(
            "staffbook: warning: …:1: max_age: soon is not an age; give a number of seconds, minutes, hours, days or weeks, such as 12 hours"
          ),
        "\(outcome)"
      )
    }
  }

  @Test func `where ambiguous characters are wide no sign is one of them`() async throws {
    try await withTerminal { terminal, _ in
      try await terminal.start("staffbook browse --ambiguous-width 2; echo status $?; sleep 1000")
      try await terminal.wait(for: "> v Lumen (2)")
      try await terminal.type("q")
      try await terminal.wait(for: "status 0")
    }
  }

  @Test func `any key goes back from a command's output, which does not stay`() async throws {
    try await withTerminal { terminal, book in
      try await terminal.start(
        "echo $$ > '\(book.home)/shell'; staffbook browse; echo status $?; sleep 1000"
      )
      try await terminal.wait(for: "› ▾ Lumen (2)")
      for key in ["q", "Escape", "C-c", "Enter", "Up"] {
        try await terminal.type("u")
        try await terminal.wait(for: "Press any key to go back.")
        try await terminal.type(key)
        try await terminal.wait(for: "› ▾ Lumen (2)")
      }
      try await terminal.type("u")
      try await terminal.wait(for: "Press any key to go back.")
      _ = try await runProgram(
        "/bin/sh",
        ["-c", "pkill -TERM -P $(cat '\(book.home)/shell') staffbook"],
        environment: ["PATH": "/usr/bin:/bin"]
      )
      try await terminal.wait(for: "status 0")
      let screen = try await terminal.screen()
      #expect(!screen.contains("transaction") && !screen.contains("Press"), "\(screen)")
    }
  }

  @Test func `marked people are exported, and no others`() async throws {
    try await withTerminal { terminal, book in
      try await terminal.start("staffbook browse; echo status $?; sleep 1000")
      try await terminal.wait(for: "› ▾ Lumen (2)")
      try await terminal.type("=")
      try await terminal.wait(for: "张伟")
      try await terminal.type("End", "Tab", "e")
      try await terminal.wait(for: "Export to file:")
      try await terminal.enter("\(book.home)/marked.csv")
      try await terminal.type("Enter")
      try await terminal.wait(for: "wrote 1 row to")
      try await terminal.type("q")
      try await terminal.wait(for: "1 marked")
      let lines = try text(of: book.home.appending("marked.csv")).split(whereSeparator: \.isNewline)
      #expect(lines.count == 2 && lines[1].contains("zw@x.example"), "\(lines)")
    }
  }

  @Test func `colours are the terminal's own, and are turned off by a setting`() async throws {
    try await withTerminal { terminal, book in
      let folder = book.home.appending("config")
      try makeFolder(folder)
      try await terminal.start("staffbook browse; staffbook browse; sleep 1000")
      try await terminal.wait(for: "› ▾ Lumen (2)")
      #expect(try await terminal.tmux("capture-pane", "-e", "-p").contains("\u{1B}[36m"))
      try write("color: never\n", to: folder.appending("config.yaml"))
      try await terminal.type("Down", "q")
      try await terminal.wait(for: "› ├─ ▸ Lamps")
      try await terminal.wait(until: "there is no colour") { _ in
        let screen = try await terminal.tmux("capture-pane", "-e", "-p")
        return screen.contains("› ├─ ▸ Lamps") && !screen.contains("\u{1B}[36m")
      }
    }
  }

  @Test(arguments: ["", " --plain-ui"])
  func `as another viewer it says which, and saves no view`(_ option: String)
    async throws
  {
    try await withTerminal { terminal, book in
      let before = try await book.lines("tree")
      try await terminal.start("staffbook browse --as ann\(option); echo status $?; sleep 1000")
      try await terminal.wait(for: "As Ann Ash: ")
      try await terminal.type("Down", "Right")
      try await terminal.wait(for: option.isEmpty ? "As Ann Ash: " : "As Ann Ash: Lamps")
      try await terminal.type("q")
      try await terminal.wait(for: "status 0")
      #expect(try await book.lines("tree") == before)
    }
  }

  @Test func `without a terminal there is help, or a usage error`() async throws {
    try await withBook { book in
      let help = try await book.run()
      #expect(help.stdout.reads("…", "USAGE: staffbook <subcommand>", "…"))
      for command in ["browse", "pick"] {
        let outcome = try await book.run(command)
        #expect(outcome.status == 64, "\(outcome)")
        #expect(
          outcome.stderr.reads(
            "staffbook: the browser requires a terminal",
            "staffbook: use staffbook tree"
          ),
          "\(outcome)"
        )
      }
    }
  }

  private func text(of path: FilePath) throws -> String {
    let file = try FileDescriptor.open(path, .readOnly)
    defer { try? file.close() }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}
