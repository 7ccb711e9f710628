import SystemPackage
import TestSupport
import Testing

@Suite("Completion of command lines")
struct CompletionTests {
  /// What the program offers a shell that quotes words itself, without the notes.
  private func words(_ book: Book, _ words: String...) async throws -> [String] {
    let outcome = try await book.run(["---complete", "fish", words.last ?? ""] + words.dropLast())
    #expect(outcome.status == 0 && outcome.stderrBytes.isEmpty, "\(outcome)")
    return outcome.stdout.split(separator: "\n").dropFirst()
      .map { String($0.prefix { $0 != "\t" }) }
  }

  /// What bash is given for the end of a line.
  private func bash(_ book: Book, _ line: String, _ replaced: String) async throws -> [String] {
    let outcome = try await book.run("---complete", "bash", line, replaced)
    #expect(outcome.status == 0 && outcome.stderrBytes.isEmpty, "\(outcome)")
    return outcome.stdout.split(separator: "\n").map(String.init)
  }

  private func withCompany(_ body: (Book) async throws -> Void) async throws {
    try await withBook { book in
      let folder = book.home.appending("company")
      try makeFolder(folder)
      try writeCompany(
        departments: """
          lum,,Lumen,,0
          opt,lum,Optics,,0
          st1,opt,Storage,,0
          st2,lum,Storage,,0
          bell,lum,"Be\u{7}ll",,0
          opq,lum,id:strange,,0
          dash,lum,-dashed,,0

          """,
        users: """
          u1,opt,Ada Lund,Head,,,0
          u2,opt,张伟,Polisher,,,0
          u3,st1,Émile Noé,,,,0
          u4,st1,Ben Ash,,,,0
          u5,st2,Ben Ash,,,,0

          """,
        to: folder
      )
      try await book.lines("field", "add", "mobile", "manager")
      try await book.lines("import", folder.string)
      try await body(book)
    }
  }

  @Test func `offers only what the viewer sees whom the line names`() async throws {
    try await withCompany { book async throws in
      try await book.lines("visibility", "add", "--yes", "hide department opt from person u4")
      try await book.lines("visibility", "add", "--yes", "hide mobile of everything from person u4")
      for viewer in [["--as", "u4"], ["--as=u4"], ["--as", "id:u4"]] {
        let outcome = try await book.run(["---complete", "fish", "Ada", "show"] + viewer)
        #expect(outcome.stdout == "words\n", "\(viewer): \(outcome)")
        let names = try await book.run(
          ["---complete", "fish", "mob", "tree"] + viewer + ["--columns"]
        )
        #expect(names.stdout == "words\n", "\(viewer): \(names)")
      }
      #expect(try await words(book, "show", "--as", "u5", "Ada") == ["Ada Lund"])
      // Whose eyes it is to be is chosen among all.
      #expect(try await words(book, "show", "--as", "Ada") == ["Ada Lund"])
      #expect(try await words(book, "show", "--as", "nobody there", "Ada").isEmpty)
      #expect(try await bash(book, "staffbook show --as u4 Ada", "Ada") == ["words"])
    }
  }

  @Test func `offers commands, options and the values of options`() async throws {
    try await withCompany { book async throws in
      #expect(try await words(book, "tr") == ["tree"])
      #expect(try await words(book, "db", "st") == ["start", "stop", "status"])
      #expect(try await words(book, "tree", "--de") == ["--depth", "--departments"])
      #expect(try await words(book, "tree", "--departments", "--de") == ["--depth"])
      #expect(try await words(book, "export", "--format", "ma") == ["markdown"])
      #expect(try await words(book, "export", "--format=ma") == ["--format=markdown"])
      #expect(try await words(book, "tree", "--columns", "name,mo") == ["name,mobile"])
      #expect(try await words(book, "tree", "--", "--de").isEmpty)
      #expect(try await bash(book, "staffbook import ", "") == ["files"])
      #expect(try await bash(book, "staffbook sample ", "") == ["folders"])
    }
  }

  @Test func `offers departments and people as they can be named`() async throws {
    try await withCompany { book in
      #expect(try await words(book, "tree", "opt") == ["Optics"])
      #expect(try await words(book, "tree", "id:o") == ["id:opt", "id:opq"])
      #expect(try await words(book, "tree", "Lumen/o") == ["Lumen/Optics"])
      #expect(try await words(book, "tree", "stor") == ["st1", "st2"])
      #expect(try await words(book, "tree", "be") == ["bell"])
      #expect(try await words(book, "tree", "id:str").isEmpty)
      #expect(try await words(book, "tree", "opq") == ["opq"])
      #expect(try await words(book, "show", "emi") == ["Émile Noé"])
      #expect(try await words(book, "show", "lund") == ["Ada Lund"])
      #expect(try await words(book, "show", "zw") == ["张伟"])
      #expect(try await words(book, "show", "ben").sorted() == ["u4", "u5"])
      #expect(try await words(book, "tree", "ada").isEmpty)
      #expect(try await words(book, "set", "u1", "mo") == ["mobile="])
      #expect(try await words(book, "set", "u1", "manager=u") != [])
      #expect(try await words(book, "set", "u1", "title@opt") == ["title@Optics="])
      #expect(try await words(book, "search", "in:opt") == ["in:Optics"])
      // Each of them is understood.
      for name in ["st1", "bell", "opq", "Lumen/Optics", "id:opq"] {
        try await book.lines("tree", name)
      }
    }
  }

  @Test func `gives bash the rest of a word with its quotes`() async throws {
    try await withCompany { book async throws in
      #expect(try await bash(book, "staffbook show Ada", "Ada") == ["words", "Ada\\ Lund"])
      #expect(try await bash(book, "staffbook show Ada\\ L", "Ada\\ L") == ["words", "Ada\\ Lund"])
      #expect(try await bash(book, "staffbook show \"Ada L", "Ada L") == ["words", "Ada Lund"])
      #expect(try await bash(book, "staffbook tree id:st1", "st1") == ["words", "st1"])
      let title = try await bash(book, "staffbook set u1 title@opt", "opt")
      #expect(title == ["beginnings", "Optics="])
      #expect(try await bash(book, "staffbook tree stor", "stor").first == "choices")
    }
  }

  @Test func `says and makes nothing without a snapshot`() async throws {
    try await withTemporaryDirectory { home in
      let book = Book(home: home, conninfo: "")
      for line in [["show", "a"], ["tree", ""], ["set", "x", "m"], ["nonsense", "x"], ["tree"]] {
        let arguments = ["---complete", "fish", line.last ?? ""] + line.dropLast()
        let outcome = try await book.run(arguments)
        #expect(outcome.status == 0 && outcome.stderrBytes.isEmpty, "\(line): \(outcome)")
      }
      #expect(try folderEntries(home).isEmpty)
    }
  }

  /// What the help calls values that no one can guess, or that the program does not know.
  private static let free: Set<String> = [
    "columns", "id", "key=template", "level", "n", "new-name", "period", "people", "reason", "seed",
    "sign", "text", "time", "url", "when", "place", "places", "rule", "from", "to", "transactions",
    "arguments", "name", "number", "field",
  ]
  /// What `CompletionValues` answers.
  private static let answered: Set<String> = [
    "department", "departments", "in", "who", "query", "field=value", "names", "file", "paths",
    "folder", "viewer", "holder", "double",
  ]

  @Test func `knows what each argument takes`() async throws {
    for command in try await CommandHelp.program().all {
      for argument in command.shownArguments
      where argument.kind != "flag" && argument.allValues == nil {
        let name = argument.valueName ?? ""
        #expect(
          Self.free.contains(name) || Self.answered.contains(name),
          "\(command.path.joined(separator: " ")) takes \(name)"
        )
      }
    }
  }

  /// A name with everything in it that means something to a shell.
  private static let hostileName =
    "zz $(touch pwned) `touch pwned` \"q\" 'r' ;&|<>(){}[]*?~#%^=! $HOME \\n"

  @Test(arguments: ["bash --norc --noprofile", "zsh -f", "fish --no-config"])
  func `completes hostile names in a real shell`(_ shell: String) async throws {
    try await withTerminal { book in
      let folder = book.home.appending("company")
      try makeFolder(folder)
      let name = Self.hostileName.replacing("\"", with: "\"\"")
      try writeCompany(departments: "zz,,\"\(name)\",,0\n", users: "", to: folder)
      try await book.lines("import", folder.string)
    } _: { terminal, book in
      let kind = String(shell.prefix { $0 != " " })
      let bin = book.home.appending("bin")
      try makeFolder(bin)
      let linking = try await runProgram(
        "ln",
        ["-s", try Book.program(), bin.appending("staffbook").string]
      )
      #expect(linking.status == 0, "\(linking)")
      let script = try await book.run("--generate-completion-script", kind)
      let completion = book.home.appending("_staffbook")
      try write(bytes: script.stdoutBytes, to: completion)
      let preparation =
        kind == "zsh" ? "autoload -Uz compinit; compinit -D -u; . \(completion)" : ". \(completion)"
      try await terminal.start(
        "cd \(book.home); export PATH=\(bin):$PATH PS1='> '; exec \(shell)",
        columns: 150
      )
      try await terminal.enter("\(preparation); echo rea''dy")
      try await terminal.type("Enter")
      try await terminal.wait(for: "\nready")
      try await terminal.enter("staffbook tree zz")
      try await terminal.type("Tab")
      try await terminal.wait(for: "touch")
      try await terminal.enter("--json > found")
      try await terminal.type("Enter")
      try await terminal.enter("echo do''ne")
      try await terminal.type("Enter")
      try await terminal.wait(for: "\ndone")
      let found = try BadInputTests.text(of: book.home.appending("found"))
      let screen = try await terminal.screen()
      #expect(found.contains("\"id\":\"zz\""), "\(screen)")
      #expect(try !folderEntries(book.home).contains("pwned"))
    }
  }
}
