import SystemPackage
import TestSupport
import Testing

/// A program on a terminal that can do nothing, and all that it wrote there, byte for byte.
private struct Listener {
  let terminal: RealTerminal
  let file: FilePath

  /// Starts a command whose output from its beginning on is heard.
  init(_ terminal: RealTerminal, _ book: Book, _ command: String) async throws {
    self.terminal = terminal
    file = book.home.appending("heard")
    try await terminal.start("read begin; export TERM=dumb; \(command); echo status $?; sleep 1000")
    try await terminal.tmux("pipe-pane", "-o", "cat > '\(file)'")
    try await terminal.type("Enter")
  }

  var heard: String {
    get throws { String(decoding: (try? bytes(of: file)) ?? [], as: UTF8.self) }
  }

  /// Waits until lines were said after the first so many bytes, and gives what was said there.
  @discardableResult
  func hear(_ texts: String..., after place: Int = 0) async throws -> String {
    var said = ""
    try await wait(until: "\(texts) is said", seen: { said }) {
      said = String(decoding: Array(try heard.utf8.dropFirst(place)), as: UTF8.self)
      return texts.allSatisfy { said.contains($0) }
    }
    return said
  }

  /// Presses a key and waits for what is said then.
  @discardableResult
  func press(_ key: String, _ texts: String...) async throws -> String {
    let place = try heard.utf8.count
    try await terminal.type(key)
    var said = ""
    try await wait(until: "\(key) says \(texts)", seen: { said }) {
      said = String(decoding: Array(try heard.utf8.dropFirst(place)), as: UTF8.self)
      return !said.isEmpty && texts.allSatisfy { said.contains($0) }
    }
    return said
  }
}

@Suite("The browser for screen readers")
struct PlainInterfaceTests {
  private func withListener(
    _ command: String,
    _ body: (Listener, Book) async throws -> Void
  ) async throws {
    try await withTerminal { book in
      try write(
        "id,parent_id,name\nroot,,Lumen\nlamps,root,Lamps\nposts,root,Posts\n",
        to: book.home.appending("departments.csv")
      )
      try write(
        """
        id,name,department_id,title,email,phone
        ann,Ann Ash,lamps,Lamp maker,ann@x.example,+1 555 0100
        bo,Bo Berg,lamps,Chief,bo@x.example,
        zw,张伟,posts,Bell founder,zw@x.example,+86 555 0101

        """,
        to: book.home.appending("users.csv")
      )
      try await book.lines("field", "add", "mobile", "--no-sync")
      try await book.lines("import", "\(book.home)/departments.csv", "\(book.home)/users.csv")
      try await book.lines("set", "bo", "lead=yes", "mobile=+1 555 0199")
    } _: { terminal, book in
      try await body(Listener(terminal, book, command), book)
    }
  }

  /// Lines and nothing else: no escape, no backspace, no carriage return within a line.
  private func expectLines(_ heard: String) {
    let bytes = Array(heard.utf8)
    for (index, byte) in bytes.enumerated() {
      let isReturn = byte == 0x0D && bytes.dropFirst(index + 1).first == 0x0A
      #expect(byte == 0x0A || isReturn || byte >= 0x20 && byte != 0x7F, "\(byte) at \(index)")
    }
  }

  @Test func `a person's number, a department's lead and every key are heard`() async throws {
    try await withListener("staffbook browse --plain-ui") { listener, _ in
      try await listener.hear("Lumen, level 1, expanded, 3 people", "? help")
      // Keys, each with what it does.
      let help = try await listener.press("?", "Quit.")
      let keys = [
        "Up", "Left", "PageDown", "Home", "Enter", "Space", "*", "Tab", "i", "p", "Esc", "=", "-",
        "/", "n", "N", "y", "m", "e", "E", "r", "u", "b", "?", "q", "Ctrl-z", "1 to 9",
      ]
      let lines = help.split(whereSeparator: \.isNewline)
      for key in keys {
        #expect(
          lines.contains { line in
            line.split { $0 == " " || $0 == "," }.starts(with: key.split(separator: " "))
              || line.contains(", \(key),") || line.contains(", \(key) ")
          },
          "\(key): \(help)"
        )
      }
      // A person's number.
      try await listener.press("/", "Search:")
      for letter in ["z", "w"] { try await listener.press(letter, "Search: ") }
      try await listener.hear("1 match", "张伟, Bell founder, level 3")
      try await listener.press("Enter")
      try await listener.press("i", "Phone:", "+86 555 0101", "Email:")
      try await listener.press("i", "Enter follow")
      try await listener.press("Escape")
      try await listener.press("Escape", "Lumen, level 1")
      // A department's lead.
      try await listener.press("Down", "Lamps, level 2, collapsed, 2 people", "Bo Berg")
      try await listener.press("Right", "expanded")
      let said = try await listener.press("q", "status 0")
      #expect(!said.contains("\u{1B}"))
      expectLines(try listener.heard)
    }
  }

  @Test func `every key that shows something says it`() async throws {
    try await withListener("staffbook browse --plain-ui") { listener, book in
      try await listener.hear("Lumen, level 1, expanded, 3 people")
      try await listener.press("Down", "Lamps, level 2, collapsed, 2 people")
      try await listener.press("Right", "Lamps, level 2, expanded, 2 people")
      try await listener.press("Right", "Ann Ash, Lamp maker, level 3")
      try await listener.press(
        "Tab",
        "Marked: Ann Ash",
        "1 marked",
        "Bo Berg, Chief, level 3, leads"
      )
      try await listener.press("Up", "Ann Ash, Lamp maker, level 3, marked")
      try await listener.press("Tab", "Unmarked: Ann Ash")
      try await listener.press("Left", "Lamps, level 2, expanded")
      try await listener.press("-", "Lumen, level 1, collapsed")
      try await listener.press("=", "Lumen, level 1, expanded")
      try await listener.press("2", "rows")
      try await listener.press("End", "Posts, level 2")
      try await listener.press("p", "Lumen")
      try await listener.press("Down", "Lamps")
      try await listener.press("Right", "expanded")
      try await listener.press("G", "Posts")
      try await listener.press("Up", "Bo Berg")
      try await listener.press(
        "y",
        "Copy: e email  p phone  n name  t path  i id  v vCard  1 mobile"
      )
      try await listener.press("1", "This terminal cannot copy: +1 555 0199")
      try await listener.press("y", "Copy:")
      try await listener.press("Escape", "Bo Berg")
      try await listener.press(
        "m",
        "No mail program could be opened. This terminal cannot copy: bo@x.example"
      )
      try await listener.press("n", "No search yet")
      try await listener.press("r", "Updating from the database")
      try await listener.hear("The directory is up to date.")
      try await listener.press("b", "transaction 2 by", "Press any key to go back.")
      try await listener.press("Escape", "Bo Berg, Chief")
      try await listener.press("u", "transaction 1", "Press any key to go back.")
      try await listener.press("q", "Bo Berg, Chief")
      try await listener.press("e", "Export to file:", "Enter: export")
      try await listener.press("x", "Export to file: x")
      try await listener.press("Escape", "Bo Berg")
      try await listener.press("q", "status 0")
      expectLines(try listener.heard)
    }
  }

  @Test func `moving, matches, links and the editor are heard`() async throws {
    try await withListener("EDITOR=true staffbook browse --plain-ui") { listener, _ in
      try await listener.hear("Lumen, level 1, expanded, 3 people")
      try await listener.press("Down", "Lamps, level 2, collapsed")
      try await listener.press("Space", "Lamps, level 2, expanded")
      try await listener.press("Space", "Lamps, level 2, collapsed")
      try await listener.press("*", "Lamps, level 2, expanded")
      try await listener.press("PageDown", "Posts, level 2")
      try await listener.press("PageUp", "Lumen, level 1")
      try await listener.press("End", "Posts, level 2")
      try await listener.press("Home", "Lumen, level 1")
      try await listener.press("/", "Search:")
      for letter in ["c", "h", "i", "e", "f"] { try await listener.press(letter, "Search: ") }
      try await listener.hear("1 match", "Bo Berg, Chief, level 3, leads")
      try await listener.press("Enter")
      try await listener.press("n", "There is no match below.")
      try await listener.press("N", "There is no match above.")
      try await listener.press("Escape", "Lumen, level 1")
      try await listener.press("Down", "Lamps, level 2")
      try await listener.press("Right", "Ann Ash")
      try await listener.press("Down", "Bo Berg")
      try await listener.press("Enter", "Mobile:", "+1 555 0199")
      try await listener.press("i", "Enter follow")
      try await listener.press("Enter", "Lamps, level 2")
      try await listener.press("Escape", "Bo Berg, Chief")
      try await listener.press("E", "there is nothing to change", "Press any key to go back.")
      try await listener.press("Enter", "Bo Berg, Chief")
      try await listener.press("Tab", "Marked: Bo Berg")
      try await listener.press("Escape")
      try await listener.press("C-c", "status 0")
      expectLines(try listener.heard)
    }
  }

  @Test func `a command that reads sees no more than the lines show`() async throws {
    try await withListener("staffbook browse --plain-ui --as ann") { listener, _ in
      try await listener.hear("Lumen, level 1")
      try await listener.press("u", "this is what Ann Ash sees", "Press any key to go back.")
      try await listener.press("Escape", "Lumen")
      try await listener.press("q", "status 0")
    }
  }

  @Test func `choosing is heard, and what is chosen is printed alone`() async throws {
    let command = "staffbook pick --plain-ui --json > \"$STAFFBOOK_HOME/chosen\""
    try await withListener(command) { listener, book in
      try await listener.hear("Search:    Enter: choose  Tab: mark  Ctrl-k: keys  Esc: cancel")
      try await listener.hear("Lumen, level 1")
      try await listener.press("Down", "Lamps")
      try await listener.press("Right", "expanded")
      try await listener.press("Down", "Ann Ash")
      try await listener.press("Tab", "Marked: Ann Ash")
      try await listener.press("C-o", "Bo Berg", "Lamps")
      try await listener.press("C-o", "Enter follow")
      try await listener.press("Escape", "Search:")
      try await listener.press("C-k", "Accept the marked rows, or the selected one.", "Ctrl-o")
      try await listener.press("Tab", "Marked: Bo Berg", "Posts")
      try await listener.press("Enter", "status 0")
      expectLines(try listener.heard)
      let chosen = String(decoding: try bytes(of: book.home.appending("chosen")), as: UTF8.self)
      let lines = chosen.split(separator: "\n").map(String.init)
      #expect(values(of: "id", in: lines) == ["ann", "bo"], "\(chosen)")
      #expect(lines.allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") }, "\(chosen)")
    }
  }
}
