import Platform
import Seeds
import SystemPackage
import TestSupport
import Testing

/// A source of three queries keeps no history; what its syncs find is written down in the data folder.
@Suite("The journal of a company's own tables")
struct JournalCommandTests {
  private static let tables = """
    create table unit (no text, above text, title text);
    insert into unit values ('lum', null, 'Lumen'), ('opt', 'lum', 'Optics'), ('mir', 'opt', 'Mirrors');
    create table person (no text, unit text, full_name text, mail text, role text);
    insert into person values ('u1', 'lum', 'Ada Lund', 'ada@lumen.example', 'Head'),
      ('u2', 'mir', 'Łukasz Żak', '', 'Polisher'), ('u3', 'mir', 'Émile Noé', '', 'Grinder');
    """

  private static let configuration = """
    source:
      departments: select no as id, above as parent_id, title as name, '' as description,
        0 as sort_order from unit
      users: select no as id, unit as department_id, full_name as name, mail as email,
        '' as phone from person
      memberships: select no as user_id, unit as department_id, role as title, 0 as sort_order
        from person

    """

  func withTables(_ body: (Book) async throws -> Void) async throws {
    try await withTestDatabase { conninfo in
      try await withTemporaryDirectory { home in
        let book = Book(home: home, conninfo: conninfo)
        try book.script(Self.tables)
        try makeFolder(home.appending("config"))
        try write(Self.configuration, to: home.appending("config").appending("config.yaml"))
        try await book.lines("sync")
        try await body(book)
      }
    }
  }

  private func change(_ book: Book, _ sql: String) async throws {
    try book.script(sql)
    try await book.lines("sync", "--accept-deletions")
  }

  private func journal(_ book: Book) throws -> FilePath {
    let folder = book.home.appending("data/journals")
    return folder.appending(
      try #require(try folderEntries(folder).first { $0.hasSuffix(".sqlite") })
    )
  }

  private func snapshot(_ book: Book) throws -> FilePath? {
    let cache = book.home.appending("cache")
    let folder = try folderEntries(cache).first { !$0.hasPrefix(".") }
    return folder.map { cache.appending($0).appending("directory.snapshot") }
  }

  @Test func `lets log, diff, blame and the past be seen, also with the database down`()
    async throws
  {
    try await withTables { book in
      try await change(book, "update person set mail = 'l@lumen.example' where no = 'u2'")
      try await change(
        book,
        """
        update person set unit = 'opt', role = 'Head' where no = 'u3';
        insert into person values ('u4', 'mir', 'Zoë Winter', '', '');
        delete from person where no = 'u1';
        """
      )
      try await book.lines("sync")
      let status = try journal(book).withPlatformString { path -> mode_t in
        var status = stat()
        stat(path, &status)
        return status.st_mode & 0o777
      }
      #expect(status == 0o600)
      try await book.withoutConnections {
        let log = try await book.lines("log", "-p")
        #expect(
          log.filter { $0.hasPrefix("transaction ") } == [
            "transaction 3", "transaction 2", "transaction 1",
          ],
          "\(log)"
        )
        #expect(log.contains("Author: unknown"))
        #expect(log.contains("  + Zoë Winter (u4) in Mirrors"), "\(log)")
        #expect(log.contains("  - Ada Lund (u1) in Lumen"), "\(log)")
        #expect(
          log.contains(
            #"  > Émile Noé (u3) from Mirrors to Optics; title in Optics "Grinder" is now "Head""#
          ),
          "\(log)"
        )
        #expect(
          log.contains { $0.reads("  the history begins here; earlier changes are unknown") },
          "\(log)"
        )
        #expect(try await book.lines("log", "id:u2").filter { $0.hasPrefix("tr") }.count == 1)
        let optics = try await book.lines("log", "id:opt")
        #expect(optics.filter { $0.hasPrefix("tr") }.count == 2, "\(optics)")
        #expect(try await book.run("log", "--by", "ada").status == 1)

        let diff = try await book.lines("diff", "1")
        #expect(
          diff == [
            "Joined (1)", "  + Zoë Winter (u4) in Mirrors", "Left (1)",
            "  - Ada Lund (u1) in Lumen", "Moved (1)",
            #"  > Émile Noé (u3) from Mirrors to Optics; title in Optics "Grinder" is now "Head""#,
            "Changed (1)", #"  ~ Łukasz Żak (u2); email "" is now "l@lumen.example""#,
          ],
          "\(diff)"
        )
        #expect(try await book.lines("diff", "1", "2").count == 2)
        #expect(try await book.lines("diff", "2", "3", "--in", "id:opt").count == 4)

        let blame = try await book.lines("blame", "id:u2")
        let email = try #require(
          blame.firstIndex(of: "  email:               l@lumen.example")
        )
        #expect(blame[email + 1].reads("                         transaction 2, …"), "\(blame)")

        #expect(
          try await book.lines("tree", "--all", "--as-of", "2") == [
            "▾ Lumen (3)", "├─ ▾ Optics (2)", "│  └─ ▾ Mirrors (2)",
            "│     ├─ Émile Noé · Grinder", "│     └─ Łukasz Żak · Polisher",
            "└─ Ada Lund · Head",
          ]
        )
        #expect(try await book.lines("show", "id:u1", "--as-of", "2")[at: 0] == "Ada Lund")
        #expect(
          try await book.lines("search", "--left", "ada").contains {
            $0.reads("- Ada Lund (u1) in Lumen; transaction 3, … (…)")
          }
        )
        let early = try await book.run("tree", "--as-of", "1 year ago")
        #expect(
          early.status == 1
            && early.stderr.reads(
              "staffbook: cannot go back to 1 year ago: the history begins at …",
              "staffbook: name that time or a later one"
            ),
          "\(early)"
        )
      }
    }
  }

  @Test func `is nothing that undo, restore and catch-up could write to`() async throws {
    try await withTables { book in
      try await change(book, "delete from person where no = 'u1'")
      for arguments in [["undo", "2"], ["restore", "u1"], ["history", "catch-up"]] {
        let outcome = try await book.run(arguments)
        #expect(outcome.status == 77, "\(outcome)")
        #expect(
          outcome.stderr.reads(
            "staffbook: cannot …which are only read",
            "staffbook: change the data in those tables, or remove source from the configuration"
          ),
          "\(outcome)"
        )
      }
    }
  }

  @Test func `is kept as long as it is told, and forgets who is to be forgotten`() async throws {
    try await withTables { book in
      try await change(book, "update person set mail = 'secret@lumen.example' where no = 'u2'")
      try await change(book, "update person set mail = '' where no = 'u2'")
      try await change(book, "delete from person where no = 'u1'")
      let forgotten = try await book.run(["forget", "id:u2", "--yes"])
      #expect(forgotten.stderr.reads("staffbook: erased 2 changes"), "\(forgotten)")
      try await book.lines("forget", "u1", "--yes")
      let bytes = String(decoding: try bytes(of: journal(book)), as: UTF8.self)
      for gone in ["secret", "Łukasz", "Ada Lund"] { #expect(!bytes.contains(gone)) }
      let log = try await book.lines("log", "-p")
      #expect(
        log.filter {
          $0 == "  a person was forgotten (made earlier, found at this time)"
        }.count == 2,
        "\(log)"
      )
      // Who was there is told, and who they were is not.
      #expect(log.contains("  ~ u2: forgotten"), "\(log)")
      #expect(log.contains("  ~ a person who was forgotten"), "\(log)")
      #expect(
        try await book.lines("diff", "1") == [
          "Forgotten (2)", "  ~ a person who was forgotten", "  ~ u2: forgotten",
        ]
      )
      let past = try await book.run(["tree", "--as-of", "2", "--all"])
      #expect(!past.stdout.contains("Żak") && !past.stdout.contains("Ada"), "\(past)")
      #expect(
        past.stderr.reads(
          "staffbook: values of 2 people of that time were forgotten and are not shown"
        ),
        "\(past)"
      )
      let again = try await book.run(["forget", "id:u2", "--yes"])
      #expect(again.stderr.reads("staffbook: erased 0 changes"), "\(again)")
      try await change(book, "update person set mail = 'new@lumen.example' where no = 'u2'")
      let blame = try await book.lines("blame", "id:u2")
      let title = try #require(blame.firstIndex(of: "  title in Mirrors:    Polisher"))
      #expect(blame[title + 1] == String(repeating: " ", count: 25) + "forgotten", "\(blame)")

      #expect(try await book.run(["history", "keep", "soon"]).status == 64)
      let kept = try await book.run(["history", "keep", "1d"])
      #expect(kept.status == 0 && kept.stderr.reads("staffbook: removed 0 transactions"), "\(kept)")
      try await change(book, "insert into person values ('u5', 'mir', 'Bo Ek', '', '')")
      #expect(try await book.lines("log", "id:u5").contains { $0.hasPrefix("transaction") })
    }
  }

  @Test func `begins anew where the snapshot was made anew, and says so`() async throws {
    try await withTables { book in
      let path = try journal(book)
      try await change(book, "update person set mail = 'a' where no = 'u2'")
      unlink(try #require(try snapshot(book)).string)
      try await change(book, "update person set mail = 'b' where no = 'u2'")
      try await change(book, "update person set mail = 'c' where no = 'u2'")
      let log = try await book.lines("log")
      #expect(
        log.filter { $0 == "  the history begins here; earlier changes are unknown" }.count == 2,
        "\(log)"
      )
      // What is earlier than the beginning is compared from there.
      for earlier in ["1", "3"] {
        #expect(
          try await book.lines("diff", earlier) == [
            "Changed (1)", #"  ~ Łukasz Żak (u2); email "b" is now "c""#,
          ],
          "\(earlier)"
        )
      }
      // A program without a journal comes in between.
      _ = path.withPlatformString { unlink($0) }
      let none = try await book.run("log")
      #expect(
        none.status == 1
          && none.stderr.reads(
            "staffbook: there is no history yet: the source is queries on other tables, whose changes are recorded by each sync",
            "staffbook: begin with: staffbook sync"
          ),
        "\(none)"
      )
      try await change(book, "update person set mail = 'd' where no = 'u2'")
      let diff = try await book.lines("diff", "1")
      #expect(diff == ["Changed (1)", #"  ~ Łukasz Żak (u2); email "c" is now "d""#], "\(diff)")
    }
  }

  @Test func `that is foreign or damaged is named, set aside and begun again`() async throws {
    try await withTables { book in
      let path = try journal(book)
      try await change(book, "update person set mail = 'a' where no = 'u2'")
      var content = try bytes(of: path)
      content[100] ^= 1
      try write(bytes: content, to: path)
      let damaged = try await book.run("log")
      #expect(
        damaged.status == 65
          && damaged.stderr.reads(
            "staffbook: cannot read the journal …: it is damaged (…)",
            "staffbook: restore it from a backup, or move it elsewhere; start a new one with: staffbook sync"
          ),
        "\(damaged)"
      )
      let doctor = try await book.run("doctor")
      #expect(
        doctor.status == 65
          && doctor.stdout.reads(
            "…",
            "  Problem:       cannot read the journal …: it is damaged (…)",
            "…"
          ),
        "\(doctor)"
      )
      try write("not ours", to: path)
      let foreign = try await book.run("log")
      #expect(
        foreign.status == 65
          && foreign.stderr.reads(
            "staffbook: cannot read the journal: … is not a journal of Staffbook",
            "staffbook: the next sync sets it aside and starts a new one: staffbook sync"
          ),
        "\(foreign)"
      )
      try book.script("update person set mail = 'b' where no = 'u2'")
      let sync = try await book.run("sync")
      #expect(
        sync.status == 0
          && sync.stderr.reads(
            "staffbook: … is not a journal of Staffbook; it is kept as ….sqlite.unusable"
          ),
        "\(sync)"
      )
      let diff = try await book.lines("diff", "1")
      #expect(diff == ["Changed (1)", #"  ~ Łukasz Żak (u2); email "a" is now "b""#], "\(diff)")
    }
  }

  @Test func `of a sync that was killed is whole, whenever that was`() async throws {
    try await withTables { book in
      var length = 0.0
      for _ in 0..<3 {
        try book.script("update person set mail = 'x' || random() where no = 'u2'")
        let start = ContinuousClock.now
        try await book.lines("sync")
        length = (ContinuousClock.now - start) / .seconds(1)
      }
      let kills = rounds(15, thorough: 60)
      for index in 0..<kills {
        try book.script("update person set mail = 'm\(index)' where no = 'u2'")
        try await withProgram(
          FilePath(try Book.program()),
          ["sync"],
          environment: book.variables
        ) { process in
          try await Task.sleep(for: .seconds(length * 1.2 * Double(index) / Double(kills)))
          _ = kill(process, SIGKILL)
        }
        guard index % 5 == 0 else { continue }
        #expect(try await book.run("log", "-p").status == 0)
        // Some are brought, however busy the machine has become.
        try await book.lines("sync")
      }
      try book.script("update person set mail = 'last' where no = 'u2'")
      try await book.lines("sync")
      // Each value is followed by the one that the next change starts from.
      let log = try await book.lines("log", "id:u2", "-p", "--limit", "0")
      let values = log.filter { $0.contains("email ") }.map { line in
        line.split(separator: "\"", omittingEmptySubsequences: false).map(String.init)
      }
      #expect(values.count > kills / 6)
      #expect(values.first?[at: 3] == "last")
      for (newer, older) in zip(values, values.dropFirst()) {
        #expect(newer[at: 1] == older[at: 3])
      }
    }
  }
}
