import LibPQ
import Platform
import Seeds
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// What happens to a text that is being edited while others write, and when the line or the program dies.
@Suite("Editing in an editor while others write")
struct EditorMeanwhileTests {
  private func withCompany(_ body: (Book) async throws -> Void) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
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
    try await editing(book, script).run(["edit"] + arguments + ["-y"])
  }

  private func editing(_ book: Book, _ script: String) throws -> Book {
    let editor = book.home.appending("editor.sh")
    try write("set -e\n" + script + "\n", to: editor)
    var edited = book
    edited.environment["VISUAL"] = "sh '\(editor.string)'"
    return edited
  }

  /// The editor, in whose first round another user writes.
  private func meanwhile(_ sql: String, _ script: String) -> String {
    """
    grep -q '^# ! ' "$1" && { sed -i '/^# ! /d' "$1"; exit; }
    psql -qAt "$STAFFBOOK_DATABASE_URL" >/dev/null <<'END'
    begin; select set_config('staffbook.actor', 'Bo Ek', true); \(sql); commit
    END
    \(script)
    """
  }

  @Test func `it is said who changed what, and when`() async throws {
    try await withCompany { book in
      let record = try await edit(
        book,
        meanwhile(
          "update staffbook.users set phone = '8' where id = 'u3'",
          "sed -i 's/^phone:.*/phone: 9/' \"$1\""
        ),
        "u3"
      )
      #expect(record.status == 0, "\(record)")
      #expect(
        record.stderr.reads(
          "staffbook: line …: it was changed in the meantime: Émile Noé (u3): phone is now \"8\", not \"\"; Bo Ek changed it at 20…; save again to keep this text",
          "staffbook: Émile Noé was also changed by another user; both edits are kept",
          "staffbook: 1 person changed"
        ),
        "\(record)"
      )
      let people = try await edit(
        book,
        meanwhile(
          "update staffbook.memberships set title = 'Chief' where user_id = 'u3'",
          "sed -i 's/Grinder/Head/' \"$1\""
        ),
        "mir",
        "--people"
      )
      #expect(people.status == 0, "\(people)")
      #expect(
        people.stderr.reads(
          "staffbook: line …: it was changed in the meantime: Émile Noé (u3): title in mir is now \"Chief\", not \"Grinder\"; Bo Ek changed it at 20…; save again to keep this text",
          "staffbook: 1 person changed"
        ),
        "\(people)"
      )
      let tree = try await edit(
        book,
        meanwhile(
          "update staffbook.departments set parent_id = 'vac', name = 'Glass' where id = 'mir'",
          """
          sed -i -e '/\\[mir\\]/d' -e '/^      - /d' "$1"
          printf '  Lenses  [mir]\\n    - Łukasz Żak  [u2]\\n    - Émile Noé  [u3]\\n' >> "$1"
          """
        ),
        "--tree"
      )
      #expect(tree.status == 0, "\(tree)")
      #expect(
        tree.stderr.reads(
          "staffbook: line …: it was changed in the meantime: department Glass (mir): name is now \"Glass\", not \"Mirrors\"; Bo Ek changed it at 20…; save again to keep this text",
          "staffbook: line …: it was changed in the meantime: department Glass (mir): the department is now \"vac\", not \"opt\"; Bo Ek changed it at 20…; save again to keep this text",
          "staffbook: 1 person changed; 1 department moved"
        ),
        "\(tree)"
      )
      #expect(
        try book.query("select parent_id, name from staffbook.departments where id = 'mir'")
          == [["lum", "Lenses"]]
      )
    }
  }

  @Test func `what was removed meanwhile stays removed, and the text is kept`() async throws {
    try await withCompany { book in
      for target in [["u3"], ["mir", "--people"], ["--tree"]] {
        let edited = try editing(
          book,
          meanwhile(
            "delete from staffbook.users where id = 'u3'",
            "sed -i 's/Émile Noé/Émile/' \"$1\""
          )
        )
        let outcome = try await edited.run(["edit"] + target + ["-y"])
        #expect(outcome.status == 65, "\(outcome)")
        #expect(
          outcome.stderr.reads(
            "staffbook: line …: Émile… (u3) no longer exists; Bo Ek removed it at 20…",
            "staffbook: your text was saved in …",
            "staffbook: continue with: staffbook edit --resume …",
            "staffbook: cannot edit …: the text still contains errors"
          ),
          "\(outcome)"
        )
        try await book.lines("restore", "id:u3")
      }
    }
  }

  @Test func `no author is named where history has not seen it, or may not be read`() async throws {
    try await withCompany { book in
      let unseen = try await edit(
        book,
        meanwhile(
          """
          alter table staffbook.users disable trigger all;
          update staffbook.users set phone = '8' where id = 'u3';
          alter table staffbook.users enable trigger all
          """,
          "sed -i 's/^phone:.*/phone: 9/' \"$1\""
        ),
        "u3"
      )
      #expect(
        unseen.stderr.reads(
          "staffbook: line …: it was changed in the meantime: Émile Noé (u3): phone is now \"8\", not \"\"; save again to keep this text",
          "…"
        ),
        "\(unseen)"
      )
      let role = "edit_unread_\(getpid())"
      try book.script(
        """
        create role \(role) in role staffbook_editor;
        revoke select on staffbook.changes, staffbook.transactions from staffbook_editor
        """
      )
      defer { try? book.script("drop owned by \(role); drop role \(role)") }
      var editor = book
      editor.environment["STAFFBOOK_DATABASE_URL"] = book.conninfo + " options=-crole=\(role)"
      let unread = try await edit(
        editor,
        meanwhile(
          "update staffbook.users set phone = '10' where id = 'u3'",
          "sed -i 's/^phone:.*/phone: 11/' \"$1\""
        ),
        "u3"
      )
      #expect(unread.status == 0, "\(unread)")
      #expect(
        unread.stderr.reads(
          "…",
          "staffbook: line …: it was changed in the meantime: Émile Noé (u3): phone is now \"10\", not \"9\"; save again to keep this text",
          "…"
        ),
        "\(unread)"
      )
    }
  }

  @Test func `the server may be restarted or stopped while the editor is open`() async throws {
    try await withCompany { book in
      let others = """
        select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()
        """
      let again = try await edit(
        book,
        meanwhile(others, "sed -i 's/^phone:.*/phone: 9/' \"$1\""),
        "u3"
      )
      #expect(again.status == 0, "\(again)")
      #expect(try book.query("select phone from staffbook.users where id = 'u3'") == [["9"]])
    }
  }

  @Test func `people whose fields name a removed person are in the plan`() async throws {
    try await withCompany { book in
      try await book.lines("field", "add", "manager")
      try await book.lines("set", "u1", "manager=u3")
      for target in [["mir", "--people"], ["lum", "--tree"]] {
        let edited = try editing(book, "sed -i '/Émile/d' \"$1\"")
        let outcome = try await edited.run(["edit"] + target + ["-y", "-n"])
        #expect(
          outcome.stdout.reads(
            "~ Ada Lund (u1); manager \"u3\" is now \"\"",
            "- Émile Noé (u3) in Mirrors"
          ),
          "\(outcome)"
        )
      }
    }
  }

  @Test func `many new lines are many records and few statements`() async throws {
    try await withCompany { book in
      let sent = Mutex(0)
      try await withTemporaryDirectory { folder in
        let relay = try SocketRelay(in: folder, to: book.conninfo) { speaker, _, _ in
          if speaker == .client { sent.withLock { $0 += 1 } }
          return .pass
        }
        defer { relay.stop() }
        var relayed = book
        relayed.environment["STAFFBOOK_DATABASE_URL"] = relay.conninfo.pairs
        let lines = "seq 2000 | sed -e 's/.*/    - Nr &/' -e 's/Nr .*[05]$/Same/'"
        let tree = try await edit(relayed, "{ echo '  Lab'; \(lines); } >> \"$1\"", "lum", "--tree")
        #expect(tree.status == 0, "\(tree.stderr)")
        #expect(
          tree.stderr.reads("staffbook: 2000 people added; 1 department added"),
          "\(tree.stderr)"
        )
        let cells = "seq 2000 | sed -e 's/.*/ | Nr & | Head/'"
        let people = try await edit(relayed, "\(cells) >> \"$1\"", "mir", "--people")
        #expect(people.stderr.reads("staffbook: 2000 people added"), "\(people.stderr)")
      }
      #expect(
        try book.query(
          """
          select count(*), count(distinct u.id), min(u.id), max(substr(u.id, 5)::int)
            from staffbook.users u where u.name = 'Same' and u.id <> 'same'
          """
        ) == [["399", "399", "same10", "400"]]
      )
      #expect(try book.query("select id from staffbook.users where id = 'same'") == [["same"]])
      print("4,000 new records took \(sent.withLock { $0 }) messages")
      #expect(sent.withLock { $0 } < 400)
    }
  }

  // MARK: - Cut and killed

  /// What the tables hold, without the marks of transactions.
  private static let everything = """
    select md5(string_agg(line, E'\\n' order by line)) from (
      select concat_ws('|', 'd', id, parent_id, name, description, sort_order, fields) as line
        from staffbook.departments
      union all select concat_ws('|', 'u', id, primary_department_id, name, email, phone, fields)
        from staffbook.users
      union all select concat_ws('|', 'm', user_id, department_id, title, sort_order, leads)
        from staffbook.memberships) l
    """

  /// A root with 40 departments, whose people and departments were all changed in one transaction;
  /// the user who was in all of them and was removed; and a script that gives every line of the
  /// outline another name.
  private func withLargeCompany(_ body: (Book, _ root: String) async throws -> Void) async throws {
    try await withBook { book in
      let sample = try await book.run(
        ["sample", "--load", "--no-fields", "--people", "400", "--departments", "40"]
      )
      #expect(sample.status == 0, "\(sample)")
      let root = try book.query("select id from staffbook.departments where parent_id is null")
      for change in [
        "update staffbook.users set phone = '7'; update staffbook.departments set description = 'x'",
        """
        insert into staffbook.users (id, name, primary_department_id)
          select 'gone', 'Gone', id from staffbook.departments limit 1;
        insert into staffbook.memberships (user_id, department_id)
          select 'gone', id from staffbook.departments on conflict do nothing
        """, "delete from staffbook.users where id = 'gone'",
      ] {
        try book.script("begin; \(change); commit")
      }
      try await body(
        try editing(book, "sed -i 's/  \\[/ X&/' \"$1\""),
        #require(root.first?.first)
      )
    }
  }

  private struct LargeEdit {
    var arguments: [String]
    /// What is said when it is done.
    var said: String
    var isText: Bool { arguments[0] == "edit" }
  }

  /// What is moved is the department below the root that contains the most.
  private func largeEdits(_ book: Book, _ root: String) throws -> [LargeEdit] {
    let child = try book.value(
      """
      with recursive below(top, id) as (
        select id, id from staffbook.departments where parent_id = '\(root)'
        union all
        select b.top, d.id from below b join staffbook.departments d on d.parent_id = b.id)
      select top from below group by top order by count(*) desc, top limit 1
      """
    )
    let change = try book.value(
      "select max(number) from staffbook.transactions where counts -> 'user' -> 1 = '400'"
    )
    return [
      LargeEdit(arguments: ["edit", "--tree", "--yes"], said: "400 people changed"),
      LargeEdit(arguments: ["remove", "id:\(root)", "-r", "--yes"], said: "400 people removed"),
      LargeEdit(arguments: ["move", "id:\(child)", "--top"], said: "1 department moved"),
      LargeEdit(arguments: ["undo", change, "--yes"], said: "400 people changed"),
      LargeEdit(arguments: ["restore", "id:gone"], said: "1 person added"),
    ]
  }

  /// Takes the last transaction back.
  private func takeBack(_ book: Book, to before: [[String]]) async throws {
    let number = try book.value("select max(number) from staffbook.transactions")
    try await book.lines("undo", number, "--yes")
    #expect(try book.query(Self.everything) == before, "taken back")
  }

  @Test func `cut at any message, all is done or nothing, and what is said is true`() async throws {
    try await withLargeCompany { book, root in
      let before = try book.query(Self.everything)
      for edit in try largeEdits(book, root) {
        var (cuts, done) = (0, 0)
        var after: [[String]]?
        let step = rounds(3, thorough: 1)
        for message in stride(from: .random(in: 1...step), to: 1_000, by: step) {
          // What comes before the transaction that writes only reads.
          let left = Mutex<Int?>(nil)
          let outcome = try await withTemporaryDirectory { folder in
            let relay = try SocketRelay(in: folder, to: book.conninfo) { speaker, bytes, _ in
              guard speaker == .client else { return .pass }
              let begins = bytes.contains(Array("read committed read write".utf8))
              return left.withLock { left in
                if begins, left == nil { left = message }
                guard let count = left else { return .pass }
                left = count - 1
                return count == 1 ? .cut : .pass
              }
            }
            defer { relay.stop() }
            var relayed = book
            relayed.environment["STAFFBOOK_DATABASE_URL"] = relay.conninfo.pairs
            return try await relayed.run(edit.arguments + ["--no-sync"])
          }
          let isCut = left.withLock { $0 ?? 1 } <= 0
          let state = try book.query(Self.everything)
          let isDone = state != before
          if isCut { cuts += 1 }
          let said = outcome.stderr
          #expect(outcome.status == (isDone ? 0 : 69) || !isCut, "\(message): \(outcome)")
          #expect(said.contains(edit.said) == isDone, "\(message): \(said)")
          if isDone {
            done += 1
            #expect(state == after ?? state, "\(message): the whole of it")
            after = state
            try await takeBack(book, to: before)
          } else {
            #expect(!edit.isText || said.contains("your text was saved in ") || !isCut, "\(said)")
          }
          if !isCut { break }
        }
        print("\(edit.arguments[0]): cut at \(cuts) messages; done in \(done) of them")
        #expect(cuts > 10 / step && done > 0)
      }
    }
  }

  @Test func `killed at any moment, all is done or nothing`() async throws {
    try await withLargeCompany { book, root in
      let program = try Book.program()
      let before = try book.query(Self.everything)
      for edit in try largeEdits(book, root) {
        let start = ContinuousClock.now
        #expect(try await book.run(edit.arguments).status == 0)
        let length = ContinuousClock.now - start
        let after = try book.query(Self.everything)
        try await takeBack(book, to: before)
        var done = 0
        let kills = rounds(5, thorough: 15)
        for round in 0..<kills {
          try await withProgram(
            "/bin/sh",
            ["-c", "exec \"$0\" \"$@\" >/dev/null 2>&1", program] + edit.arguments,
            environment: book.variables
          ) { process in
            try await Task.sleep(for: length * (round + 1) / (kills + 1))
            kill(process, SIGKILL)
          }
          try await wait(until: "the server has noticed") {
            try book.query(
              """
              select count(*) from pg_stat_activity
                where datname = current_database() and pid <> pg_backend_pid()
              """
            ) == [["0"]]
          }
          let state = try book.query(Self.everything)
          guard state != before else { continue }
          done += 1
          #expect(state == after, "round \(round): the whole of it")
          try await takeBack(book, to: before)
        }
        print("\(edit.arguments[0]): \(done) of \(kills) were killed after they had been done")
      }
      #expect(try await book.run("doctor", "--verify").status == 0)
    }
  }
}
