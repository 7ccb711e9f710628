import Platform
import SystemPackage
import TestSupport
import Testing

/// An editor as it comes, and how one works with it at a terminal.
///
/// Each step waits for what the one before it shows: what is typed earlier may be lost, or reach another
/// program.
enum UsualEditor: String, CaseIterable, Sendable {
  case vim
  case vimTiny = "vim.tiny"
  case nvi
  case nano

  /// Those that can end with a failure, and write what is not saved beside the file.
  static let vims: [UsualEditor] = [.vim, .vimTiny]
  /// Those that can be suspended without being set up for it.
  static let vis: [UsualEditor] = [.vim, .vimTiny, .nvi]

  /// Waits until it shows a line that begins so, and takes keys.
  func opens(_ line: String, _ terminal: RealTerminal) async throws {
    try await terminal.wait(until: "\(rawValue) shows “\(line)”") { screen in
      screen.split(separator: "\n").contains { $0.hasPrefix(line) } && isReady(screen)
    }
  }

  private func isReady(_ screen: String) -> Bool {
    switch self {
    case .vim, .vimTiny: screen.contains("user.yaml\" ") || screen.contains(" All\n")
    case .nvi: screen.contains("user.yaml: ")
    case .nano: screen.contains("^X Exit")
    }
  }

  /// Gives a field another value.
  func set(_ field: String, _ value: String, _ terminal: RealTerminal) async throws {
    if self != .nano {
      try await command("%s/^\(field):.*/\(field): \(value)/", terminal)
    } else {
      let lines = try await terminal.screen().split(
        separator: "\n",
        omittingEmptySubsequences: false
      )
      let row = try #require(lines.firstIndex { $0.hasPrefix("\(field):") }, "\(lines)")
      let old = String(lines[row])
      try await terminal.type("M-g")
      try await terminal.wait(for: "Enter line number")
      // Its title has the row above the first line.
      try await terminal.enter("\(row),1")
      try await terminal.wait(for: ": \(row),1")
      try await terminal.type("Enter")
      try await terminal.wait(until: "the prompt has disappeared") {
        !$0.contains("Enter line number")
      }
      try await terminal.type("C-k")
      try await terminal.wait(until: "“\(old)” has disappeared") { !$0.contains("\n\(old)\n") }
      try await terminal.enter("\(field): \(value)")
      try await terminal.wait(for: "\(field): \(value)")
      try await terminal.type("Enter")
    }
    try await terminal.wait(for: "\n\(field): \(value)\n")
  }

  /// Writes the file.
  func save(_ terminal: RealTerminal) async throws {
    switch self {
    case .vim, .vimTiny:
      try await command("w", terminal)
      try await terminal.wait(for: " written")
    case .nvi:
      try await command("w", terminal)
      try await terminal.wait(for: " characters")
    case .nano:
      try await terminal.type("C-o")
      try await terminal.wait(for: "File Name to Write")
      try await terminal.type("Enter")
      try await terminal.wait(for: "[ Wrote ")
    }
  }

  func saveAndLeave(_ terminal: RealTerminal) async throws {
    guard self == .nano else { return try await command("wq", terminal) }
    try await save(terminal)
    try await terminal.type("C-x")
  }

  func leaveWithoutSaving(_ terminal: RealTerminal) async throws {
    guard self == .nano else { return try await command("q!", terminal) }
    try await terminal.type("C-x")
    try await terminal.wait(for: "Save modified buffer")
    try await terminal.type("n")
  }

  /// Interrupts it, which is not to end it.
  func interrupt(_ terminal: RealTerminal) async throws {
    try await terminal.type("C-c")
    switch self {
    case .vim, .vimTiny: try await terminal.wait(for: "Type  :qa")
    case .nvi:
      // It shows nothing of it, and discards with it what is typed before it has seen it: a colon was lost
      // in a busy run. C-g says where it is, and may be typed again and again.
      try await wait(until: "nvi has seen the interrupt") {
        try await terminal.type("C-g")
        return try await terminal.screen().contains("line 1 of")
      }
    case .nano: try await terminal.wait(for: "[ line ")
    }
  }

  /// Gives vi a command.
  func command(_ command: String, _ terminal: RealTerminal) async throws {
    try await terminal.enter(":")
    try await terminal.wait(until: "\(rawValue) takes a command") { Self.lastLine($0) == ":" }
    try await terminal.enter(command)
    try await terminal.wait(until: "\(rawValue) shows “:\(command)”") {
      Self.lastLine($0) == ":\(command)"
    }
    try await terminal.type("Enter")
  }

  private static func lastLine(_ screen: String) -> Substring {
    screen.split(separator: "\n").last ?? ""
  }
}

/// Records edited as a text by the user who sits at a terminal.
@Suite("Editing on a real terminal")
struct EditorTerminalTests {
  private func withTerminal(
    _ editor: UsualEditor,
    _ body: (RealTerminal, Book) async throws -> Void
  ) async throws {
    try await StaffbookTests.withTerminal { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
      }
      try await book.lines("field", "add", "mobile")
      // Nothing of anyone who runs the tests: neither an editor nor its settings.
      book.environment["VISUAL"] = editor.rawValue
    } _: { terminal, book in
      try await body(terminal, book)
    }
  }

  private func value(_ column: String, _ book: Book) throws -> String {
    let rows = try book.query("select \(column) from staffbook.users where id = 'u1'")
    return try #require(rows.first?.first)
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

  /// The settings of the terminal, which a shell wrote to a file of this name.
  private func settings(_ name: String, _ book: Book) async throws -> String {
    try await wait(until: "the terminal's settings are written") {
      !((try? BadInputTests.text(of: book.home.appending(name))) ?? "").isEmpty
    }
    return try BadInputTests.text(of: book.home.appending(name))
  }

  @Test(arguments: UsualEditor.allCases)
  func `a mistake comes back marked, and what is right is shown, agreed to and made`(
    _ editor: UsualEditor
  ) async throws {
    try await withTerminal(editor) { terminal, book in
      try await terminal.start(
        // A group of its own, as from a shell of one's own: an interrupt is not for the script.
        "set -m; stty -a > '\(book.home)/before'; staffbook edit u1; echo status $?; "
          + "stty -a > '\(book.home)/new'; mv '\(book.home)/new' '\(book.home)/after'; sleep 1000",
        columns: 100,
        rows: 50
      )
      try await editor.opens("# Ada Lund (u1)", terminal)
      // An interrupt is the editor's.
      try await editor.interrupt(terminal)
      try await editor.set("mobile", "nonsense", terminal)
      try await editor.saveAndLeave(terminal)
      try await editor.opens("# ! mobile: \"nonsense\" is not a phone number", terminal)
      #expect(try await terminal.screen().contains("mobile: nonsense"))
      try await editor.set("mobile", "+44 20 1", terminal)
      try await editor.saveAndLeave(terminal)
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
      #expect(try await settings("before", book) == settings("after", book))
      #expect(try await keptFiles(book).isEmpty)
    }
  }

  @Test(arguments: UsualEditor.allCases)
  func `closing it without saving does nothing`(_ editor: UsualEditor) async throws {
    try await withTerminal(editor) { terminal, book in
      try await terminal.start(
        "staffbook edit u1; echo status $?; sleep 1000",
        columns: 100,
        rows: 50
      )
      try await editor.opens("# Ada Lund (u1)", terminal)
      try await editor.set("phone", "7", terminal)
      try await editor.leaveWithoutSaving(terminal)
      try await terminal.wait(for: "status 0")
      let screen = try await terminal.screen()
      #expect(screen.contains("there is nothing to change"), "\(screen)")
      #expect(try value("phone", book) == "+1 555 0100")
    }
  }

  @Test(arguments: UsualEditor.vims)
  func `an editor that fails ends it`(_ editor: UsualEditor) async throws {
    try await withTerminal(editor) { terminal, book in
      // The next editor waits for a key: else it would hide at once what the one before left.
      try await terminal.start(
        """
        for how in abort keep; do staffbook edit u1; echo "$how: status $?"; read line; done
        sleep 1000
        """,
        columns: 100,
        rows: 50
      )
      try await editor.opens("# Ada Lund (u1)", terminal)
      try await editor.command("cq", terminal)
      try await terminal.wait(for: "abort: status 75")
      #expect(try await keptFiles(book).isEmpty)
      try await terminal.type("Enter")
      try await editor.opens("# Ada Lund (u1)", terminal)
      #expect(try await keptFiles(book).count { $0.hasSuffix("/user.yaml") } == 1)
      try await editor.set("phone", "8", terminal)
      try await editor.save(terminal)
      try await editor.command("cq", terminal)
      try await terminal.wait(for: "keep: status 75")
      let screen = try await terminal.screen()
      #expect(
        screen.contains("the editor (\(editor.rawValue)) ended with exit status 1"),
        "\(screen)"
      )
      #expect(
        screen.split(separator: "\n").count { $0.hasPrefix("staffbook: your text was saved in ") }
          == 1
      )
      let kept = try await keptFiles(book)
      // The text, and what it began with.
      #expect(kept.count == 2, "\(kept)")
      let file = try #require(kept.first { $0.hasSuffix("/user.yaml") })
      #expect(try BadInputTests.text(of: FilePath(file)).contains("phone: 8"))
      #expect(try value("phone", book) == "+1 555 0100")
    }
  }

  @Test(arguments: UsualEditor.vis)
  func `it can be suspended and taken up again`(_ editor: UsualEditor) async throws {
    try await withTerminal(editor) { terminal, book in
      try await terminal.start(
        "set -m; staffbook edit u1; echo suspended; read line; fg; echo status $?; sleep 1000",
        columns: 100,
        rows: 50
      )
      try await editor.opens("# Ada Lund (u1)", terminal)
      try await editor.set("phone", "7", terminal)
      try await terminal.type("C-z")
      try await terminal.wait(for: "suspended\n")
      try await terminal.type("Enter")
      try await terminal.wait(for: "\nphone: 7\n")
      try await editor.saveAndLeave(terminal)
      try await terminal.wait(for: "do this? [y/N]")
      try await terminal.type("y", "Enter")
      try await terminal.wait(for: "status 0")
      #expect(try value("phone", book) == "7")
    }
  }

  @Test(arguments: UsualEditor.allCases)
  func `a signal ends the editor first, and the terminal is as it was`(_ editor: UsualEditor)
    async throws
  {
    try await withTerminal(editor) { terminal, book in
      try await terminal.start(
        "stty -a > '\(book.home)/before'; sh -c 'echo $$ > \(book.home)/pid; exec \(try Book.program()) edit u1';"
          + " echo status $?; stty -a > '\(book.home)/new'; mv '\(book.home)/new' '\(book.home)/after'; sleep 1000",
        columns: 100,
        rows: 50
      )
      try await editor.opens("# Ada Lund (u1)", terminal)
      try await editor.set("phone", "saved", terminal)
      try await editor.save(terminal)
      let process = try BadInputTests.text(of: book.home.appending("pid"))
      kill(try #require(pid_t(process.prefix { $0.isNumber })), SIGTERM)
      try await terminal.wait(for: "status 143")
      let screen = try await terminal.screen()
      #expect(
        screen.contains("interrupted: nothing was changed; your text was saved in "),
        "\(screen)"
      )
      #expect(!screen.contains("ended by signal"), "\(screen)")
      #expect(try await settings("after", book) == settings("before", book))
      let kept = try await keptFiles(book)
      let file = try #require(kept.first { $0.hasSuffix("/user.yaml") })
      #expect(try BadInputTests.text(of: FilePath(file)).contains("phone: saved"))
    }
  }

  @Test(arguments: UsualEditor.vims)
  func `a hangup loses nothing of what was typed`(_ editor: UsualEditor) async throws {
    try await withTerminal(editor) { terminal, book in
      let said = book.home.appending("said")
      try await terminal.start("staffbook edit u1 2>'\(said)'", columns: 100, rows: 50)
      try await editor.opens("# Ada Lund (u1)", terminal)
      try await editor.set("phone", "saved", terminal)
      try await editor.save(terminal)
      // vi writes it beside the file when it is hung up.
      try await editor.set("email", "unsaved@x.example", terminal)
      // The terminal is closed under them.
      try await terminal.tmux("respawn-pane", "-k", "sleep 1000")
      try await wait(until: "the program has ended") {
        // Whichever is heard of first: the program's own hangup, or that vi died of it.
        ((try? BadInputTests.text(of: said)) ?? "").contains("your text was saved in ")
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
