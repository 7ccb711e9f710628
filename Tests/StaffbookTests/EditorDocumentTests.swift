import DirectoryModel
import LibPQ
import Platform
import SystemPackage
import TestSupport
import Testing

/// Records edited as a text, with a script in place of an editor.
@Suite("Editing in an editor")
struct EditorDocumentTests {
  private func withCompany(_ body: (Book) async throws -> Void) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
        try await book.lines("field", "add", "mobile", "languages", "manager")
        try await body(book)
      }
    }
  }

  /// Runs `edit` with a shell script as the editor, in which `$1` is the file.
  private func edit(
    _ book: Book,
    _ script: String,
    _ arguments: String...
  ) async throws -> ProgramOutcome {
    try await edit(book, script, arguments)
  }

  private func edit(
    _ book: Book,
    _ script: String,
    _ arguments: [String]
  ) async throws -> ProgramOutcome {
    let editor = book.home.appending("editor.sh")
    try write("set -e\n" + script + "\n", to: editor)
    var edited = book
    edited.environment["VISUAL"] = "sh '\(editor.string)'"
    return try await edited.run(["edit"] + arguments)
  }

  private func keptFiles(_ book: Book) async throws -> [String] {
    let found = try await runProgram(
      "/bin/sh",
      ["-c", "find \"$0/state\" -path '*edit-*' -printf '%m %y %f\\n' | sort", book.home.string],
      environment: book.variables
    )
    return found.stdout.split(separator: "\n").map { String($0) }
  }

  @Test func `closing unchanged does nothing, whatever is opened`() async throws {
    try await withCompany { book in
      let before = try book.contents()
      for arguments in [
        ["u2"], ["Optics"], ["Mirrors", "--people"], ["Lumen", "--tree"], ["--tree"],
      ] {
        var quiet = book
        quiet.environment["EDITOR"] = "true"
        let outcome = try await quiet.run(["edit"] + arguments)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.stderr == "staffbook: there is nothing to change\n", "\(outcome)")
      }
      #expect(try book.contents() == before)
      #expect(try await keptFiles(book).isEmpty)
    }
  }

  @Test func `a character that is composed differently is a change`() async throws {
    try await withCompany { book in
      try book.script("update staffbook.users set name = U&'Ade\\0301le' where id = 'u2'")
      let outcome = try await edit(
        book,
        #"sed -i "s/^name:.*/name: $(printf 'Ad\303\251le')/" "$1""#,
        "u2",
        "--yes"
      )
      #expect(outcome.status == 0, "\(outcome)")
      var connection = try PGConnection(conninfo: book.conninfo)
      let name = try connection.execute("select name from staffbook.users where id = 'u2'")
      #expect(ItemText(name.text(row: 0, column: 0) ?? "") == ItemText("Ad\u{E9}le"))
      #expect(try await keptFiles(book).isEmpty)
    }
  }

  @Test func `a person is edited as YAML`() async throws {
    try await withCompany { book in
      let script = """
        [ "$(stat -c %a "$1")" = 600 ] && [ "$(stat -c %a "$(dirname "$1")")" = 700 ]
        sed -i -e 's/^phone:.*/phone: "+1 7"/' -e 's/^languages:.*/languages:\\n  - de\\n  - "a;b"/' \\
          -e 's/^manager:.*/manager: Ada Lund/' -e 's/title: Adviser/title: "Say: #1"/' \\
          -e 's/^name:.*/name: "\\\\u0141uk"/' "$1"
        """
      let asked = try await edit(book, script, "u2")
      #expect(asked.status == 75, "\(asked)")
      #expect(
        asked.stderr.reads(
          "staffbook: your text was saved in …",
          "staffbook: continue with: staffbook edit --resume …",
          "staffbook: confirmation required, but standard input is not a terminal",
          "staffbook: nothing was changed; to confirm in advance, repeat the command with --yes"
        ),
        "\(asked)"
      )
      #expect(try await keptFiles(book).count == 3)
      let done = try await edit(book, script, "u2", "--yes")
      #expect(done.status == 0, "\(done)")
      #expect(
        done.stdout == """
          ~ Łuk (u2); name "Łukasz Żak" is now "Łuk"; phone "+1 555 0101" is now "+1 7"; \
          manager "" is now "u1"; languages "" is now "de;a\\;b"; title in Optics "Adviser" is now \
          "Say: #1"

          """
      )
      // What was written is read again as it was written.
      let again = try await edit(
        book,
        "cp \"$1\" \(book.home.string)/seen; echo >> \"$1\"",
        "u2",
        "-y"
      )
      #expect(again.stderr.reads("staffbook: there is nothing to change"), "\(again)")
    }
  }

  @Test func `mistakes are marked, and nothing that was written is lost`() async throws {
    try await withCompany { book in
      let before = try book.contents()
      let script = """
        if grep -q '^# ! ' "$1"; then
          cp "$1" \(book.home.string)/marked
          sed -i -e 's/^mobile:.*/mobile: "+44 1"/' -e '/^colour/d' "$1"
        else
          sed -i -e 's/^mobile:.*/mobile: none/' -e 's/^name:.*/name: Kept/' "$1"
          echo 'colour: red' >> "$1"
        fi
        """
      let done = try await edit(book, script, "u1", "-y")
      #expect(done.status == 0, "\(done)")
      #expect(
        done.stderr.reads(
          "staffbook: line 10: mobile: \"none\" is not a phone number: it has no digit",
          "staffbook: line 23: there is no field colour",
          "staffbook: 1 person changed"
        ),
        "\(done)"
      )
      #expect(
        try book.query("select name, fields::text from staffbook.users where id = 'u1'")
          == [["Kept", #"{"mobile": "+44 1"}"#]]
      )
      #expect(try book.contents() != before)
      let marked = try BadInputTests.text(of: book.home.appending("marked"))
      let lines = marked.split(separator: "\n").map(String.init)
      for (index, line) in lines.enumerated() where line.hasPrefix("# ! ") {
        #expect(["mobile: none", "colour: red"].contains(lines[index + 1]), "\(marked)")
      }
      // Left as they are, they end it; the text is kept for no one else to read.
      let broken = "grep -q '^# ! ' \"$1\" || echo ': [' >> \"$1\""
      let ended = try await edit(book, broken, "u1", "-y")
      #expect(ended.status == 65, "\(ended)")
      let kept = try await keptFiles(book).map { String($0.prefix(5)) }
      #expect(kept == ["600 f", "600 f", "700 d"])
      let failed = try await edit(book, "exit 3", "u1")
      #expect(
        failed.status == 75
          && failed.stderr.reads(
            "staffbook: cannot edit: the editor (sh '…') ended with exit status 3",
            "staffbook: nothing was changed"
          ),
        "\(failed)"
      )
    }
  }

  @Test func `what another user changed meanwhile is merged, or told with both values`()
    async throws
  {
    try await withCompany { book in
      let psql = "psql -qAt \"$STAFFBOOK_DATABASE_URL\" -c"
      let merged = try await edit(
        book,
        """
        \(psql) "update staffbook.users set email = 'theirs@x.example' where id = 'u3'"
        sed -i 's/^phone:.*/phone: 7/' "$1"
        """,
        "u3",
        "-y"
      )
      #expect(
        merged.status == 0
          && merged.stderr.reads(
            "staffbook: Émile Noé was also changed by another user; both edits are kept",
            "staffbook: 1 person changed"
          ),
        "\(merged)"
      )
      #expect(
        try book.query("select email, phone from staffbook.users where id = 'u3'")
          == [["theirs@x.example", "7"]]
      )
      let told = try await edit(
        book,
        """
        grep -q '^# ! ' "$1" && { sed -i '/^# ! /d' "$1"; exit; }
        \(psql) "update staffbook.users set phone = '8' where id = 'u3'"
        sed -i 's/^phone:.*/phone: 9/' "$1"
        """,
        "u3",
        "-y"
      )
      #expect(told.status == 0, "\(told)")
      #expect(
        told.stderr.reads(
          "staffbook: line 7: it was changed in the meantime: Émile Noé (u3): phone is now \"8\", not \"7\"; postgres changed it at …; save again to keep this text",
          "staffbook: Émile Noé was also changed by another user; both edits are kept",
          "staffbook: 1 person changed"
        ),
        "\(told)"
      )
      #expect(told.stdout.reads("~ Émile Noé (u3); phone \"8\" is now \"9\""), "\(told)")
    }
  }

  @Test func `the people of a department are edited as a table`() async throws {
    try await withCompany { book in
      try book.script("update staffbook.users set name = 'a|b\\c' where id = 'u3'")
      let done = try await edit(
        book,
        """
        sed -i -e 's/Polisher/Chief/' "$1"
        echo '   | Neu Person | Head | yes | neu@x.example' >> "$1"
        echo 'u1 | Ada Lund | Guest' >> "$1"
        """,
        "Mirrors",
        "--people",
        "--yes"
      )
      #expect(done.status == 0, "\(done)")
      #expect(
        done.stdout.reads(
          "+ Neu Person (neu.person) in Mirrors",
          "~ Łukasz Żak (u2); title in Mirrors \"Polisher\" is now \"Chief\"",
          "~ Ada Lund (u1); also in Mirrors"
        ),
        "\(done)"
      )
      #expect(
        try await book.lines("staff", "Mirrors", "--columns", "id,title,email").count == 4
      )
      let gone = try await edit(
        book,
        "sed -i -e '/^u2/d' -e '/^u3/d' \"$1\"",
        "mir",
        "--people",
        "-y"
      )
      #expect(
        gone.stdout.reads("> Łukasz Żak (u2) from Mirrors to Optics", "- a|b\\c (u3) in Mirrors"),
        "\(gone)"
      )
    }
  }

  @Test func `a tree is edited as an outline`() async throws {
    try await withCompany { book in
      let done = try await edit(
        book,
        """
        sed -i -e '/^    - /d' -e '/\\[vac\\]/d' -e 's/^  Optics/  Optics \\\\[2\\\\]/' -e '/\\[u3\\]/d' \\
          -e 's/^    Mirrors/  Mirrors/' -e 's/^      - /    - /' "$1"
        printf '  Lab\\n    - Neu\\n    Inner\\n      - Émile Noé  [u3]\\n' >> "$1"
        """,
        "lum",
        "--tree",
        "--yes"
      )
      #expect(done.status == 0, "\(done)")
      #expect(
        done.stdout.reads(
          "+ department Lab (lab) under Lumen",
          "+ department Inner (inner) under Lab",
          "~ department Optics [2] (opt); name \"Optics\" is now \"Optics [2]\"",
          "> department Mirrors (mir) from Optics [2] to Lumen; order \"0\" is now \"11\"",
          "- department Vacant (vac) under Lumen",
          "+ Neu (neu) in Lab",
          "~ Łukasz Żak (u2); no longer in Optics [2]",
          "> Émile Noé (u3) from Mirrors to Inner"
        ),
        "\(done.stdout)"
      )
      for (script, said) in [
        ("echo '- Nobody' >> \"$1\"", "a person is in a department"),
        ("echo '  Twice  [opt]' >> \"$1\"", "opt is already on line 6"),
        (
          "echo '  Foreign  [xyz]' >> \"$1\"",
          "the id xyz is not in this outline; leave it out for something new"
        ),
        ("echo 'Above' >> \"$1\"", "everything here is below lum"),
      ] {
        let wrong = try await edit(
          book,
          "grep -q '^# ! ' \"$1\" || \(script)",
          "lum",
          "--tree",
          "-y"
        )
        #expect(
          wrong.status == 65
            && wrong.stderr.reads(
              "staffbook: line 14: \(said)",
              "staffbook: your text was saved in …",
              "staffbook: continue with: staffbook edit --resume …",
              "staffbook: cannot edit lum: the text still contains errors"
            ),
          "\(wrong)"
        )
      }
    }
  }

  @Test func `the outline of 67,000 lines is opened, edited and applied`() async throws {
    try await withBook { book in
      let folder = try TestData.directory(named: "cn-divisions")
      try await book.lines("import", folder.string)
      let start = ContinuousClock.now
      let done = try await edit(
        book,
        """
        cp "$1" \(book.home.string)/outline
        n=$(grep -n '^ *- ' "$1" | tail -n 1 | cut -d: -f1)
        sed -i "${n}s/  \\[/ X  [/" "$1"
        """,
        "--tree",
        "--yes"
      )
      #expect(done.status == 0, "\(done)")
      #expect(done.stdout.split(separator: "\n").count == 1, "\(done)")
      #expect(done.stderr.reads("staffbook: 1 person changed"), "\(done)")
      let outline = try BadInputTests.text(of: book.home.appending("outline"))
      #expect(outline.utf8.count { $0 == UInt8(ascii: "\n") } > 67_000)
      print("an outline of 67,000 lines was edited in \(ContinuousClock.now - start)")
    }
  }

  @Test func `an empty text changes nothing, and a missing one is not mentioned`() async throws {
    try await withCompany { book in
      for target in [["u1"], ["mir", "--people"], ["lum", "--tree"], ["--tree"]] {
        let empty = try await edit(book, "sed -i '/^ *[^# ]/d' \"$1\"", target + ["-y"])
        #expect(empty.status == 0, "\(empty)")
        #expect(
          empty.stderr.reads(
            "staffbook: the text is empty; nothing was changed",
            "staffbook: there is nothing to change"
          ),
          "\(empty)"
        )
      }
      let gone = try await edit(book, "rm \"$1\"", "u1")
      #expect(gone.status == 74 && !gone.stderr.contains("your text"), "\(gone)")
      #expect(try await keptFiles(book).isEmpty)
    }
  }

  @Test func `without an editor of one's own it needs a terminal`() async throws {
    try await withCompany { book in
      let outcome = try await book.run("edit", "u1")
      #expect(outcome.status == 75, "\(outcome)")
      #expect(
        outcome.stderr.reads(
          "staffbook: cannot edit: the editor (vi) requires a terminal",
          "staffbook: nothing was changed; run it on a terminal, or name an editor in VISUAL or EDITOR"
        ),
        "\(outcome)"
      )
      #expect(outcome.stdout.isEmpty)
      #expect(try await keptFiles(book).isEmpty)
    }
  }

  @Test(arguments: [("n", "+1 555 0100"), ("y", "5")])
  func `a terminal is asked`(_ answer: String, _ phone: String) async throws {
    try await withTerminal { book in
      try writeSmallCompany(to: book.home)
      try await book.lines("import", book.home.string)
      let editor = book.home.appending("editor.sh")
      try write("sed -i 's/^phone:.*/phone: 5/' \"$1\"\n", to: editor)
      book.environment["EDITOR"] = "sh \(editor.string)"
    } _: { terminal, book in
      try await terminal.start("staffbook edit u1; echo status $?; sleep 1000")
      try await terminal.wait(for: "do this? [y/N]")
      try await terminal.type(answer, "Enter")
      try await terminal.wait(for: "\nstatus ")
      #expect(try book.query("select phone from staffbook.users where id = 'u1'") == [[phone]])
    }
  }
}
