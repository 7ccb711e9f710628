import Platform
import SystemPackage
import TestSupport
import Testing

@Suite("Commands of visibility")
struct VisibilityCommandTests {
  private func withCompany(_ body: (Book) async throws -> Void) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
      }
      try await body(book)
    }
  }

  @Test func `add, move, remove and list rules in order`() async throws {
    try await withCompany { book in
      #expect(try await book.lines("visibility") == ["1  show everything to everybody"])
      let rule = "hide phone of department mir from everybody"
      let dry = try await book.run("visibility", "add", "--yes", rule, "--dry-run")
      #expect(dry.stdout == "+ 1  \(rule)\n", "\(dry)")
      #expect(
        dry.stderr.reads(
          "staffbook: 3 people lose sight of phone of 2 people",
          "staffbook: this was a dry run: nothing was changed"
        ),
        "\(dry)"
      )
      #expect(try await book.lines("visibility") == ["1  show everything to everybody"])
      try await book.lines("visibility", "add", "--yes", rule, "-m", "private")
      try await book.lines(
        "visibility",
        "add",
        "--yes",
        "--at",
        "2",
        "hide department mir from person nobody"
      )
      #expect(
        try await book.lines("visibility") == [
          "1  \(rule)  # Mirrors", "2  hide department mir from person nobody  # Mirrors; removed",
          "3  show everything to everybody",
        ]
      )
      let moved = try await book.lines("visibility", "move", "--yes", "2", "1")
      #expect(moved == ["> 1  hide department mir from person nobody (was 2)"])
      // Nobody is at a terminal.
      for arguments in [
        ["add", "hide person u1 from leads"], ["move", "1", "2"], ["remove", "1"],
      ] {
        let asked = try await book.run(["visibility"] + arguments)
        #expect(
          asked.status == 75
            && asked.stderr.contains("confirmation required, but standard input is not a terminal"),
          "\(asked)"
        )
      }
      #expect(
        try await book.lines("visibility", "list", "--json").first
          == #"{"place":1,"rule":"hide department mir from person nobody"}"#
      )
      #expect(
        try await book.lines("visibility", "remove", "--yes", "1")
          == ["- 1  hide department mir from person nobody"]
      )
      let log = try await book.lines("log", "--patch")
      #expect(log.contains { $0.reads("  + rule …: \(rule)") }, "\(log)")
    }
  }

  @Test func `refuse what is not a rule, a list without a base, and places that are not there`()
    async throws
  {
    try await withCompany { book in
      let wrong = try await book.run("visibility", "add", "--yes", "hide everybody")
      #expect(wrong.status == 64, "\(wrong)")
      #expect(
        wrong.stderr.reads(
          #"staffbook: "hide everybody" is not a valid rule: expected "everything", "department", "person", "own", "led", "colleagues" or "people" instead of "everybody""#,
          "staffbook: usage: staffbook visibility add [<options>] <rule> ...; see staffbook visibility add --help"
        ),
        "\(wrong)"
      )
      let place = try await book.run("visibility", "remove", "--yes", "2")
      #expect(place.status == 64, "\(place)")
      let base = try await book.run("visibility", "remove", "--yes", "1")
      #expect(base.status == 65, "\(base)")
      let below = try await book.run(
        "visibility",
        "add",
        "--yes",
        "--at",
        "2",
        "hide person u1 from leads"
      )
      #expect(below.status == 65, "\(below)")
      #expect(try await book.lines("visibility") == ["1  show everything to everybody"])
    }
  }

  @Test func `read the list from a file, with groups`() async throws {
    try await withCompany { book in
      try await withTemporaryDirectory { folder in
        let file = folder.appending("rules.txt")
        try write(
          """
          group council = u1

          show department mir to group council
          hide department mir from everybody # closed
          show everything to everybody

          """,
          to: file
        )
        try await book.lines("visibility", "edit", "--yes", "--from", file.string)
        let listed = [
          "group council = u1", "1  show department mir to group council  # Mirrors",
          "2  hide department mir from everybody  # Mirrors", "3  show everything to everybody",
        ]
        #expect(try await book.lines("visibility") == listed)
        try write("show everything to everybod\n", to: file)
        let wrong = try await book.run("visibility", "edit", "--yes", "--from", file.string)
        #expect(wrong.status == 65, "\(wrong)")
        #expect(
          wrong.stderr.reads(
            "staffbook: cannot read the visibility rules",
            #"staffbook: …/rules.txt, line 1: expected "everybody", "department", "person", "group", "leads", "people" or "device" instead of "everybod""#,
            "staffbook: nothing was changed"
          ),
          "\(wrong)"
        )
        #expect(try await book.lines("visibility") == listed)
      }
    }
  }

  @Test func `show what a person and a device see, and why`() async throws {
    try await withCompany { book in
      try await book.lines("visibility", "add", "--yes", "hide department mir from everybody")
      let seen = try await book.lines("tree", "--all", "--as", "u1", "--columns", "id")
      let all = try await book.lines("tree", "--all", "--columns", "id")
      #expect(all.contains("mir") && !seen.contains("mir"), "\(seen)")
      let device = try await book.run("tree", "--as", "device:lobby", "--columns", "id")
      #expect(device.stdout == "", "\(device)")
      let hidden = try await book.run("show", "id:mir", "--as", "u1")
      #expect(hidden.status == 1, "\(hidden)")
      let explained = try await book.lines("visibility", "explain", "u1", "id:mir")
      #expect(
        explained.last == "  in Mirrors: hidden by rule 1, hide department mir from everybody",
        "\(explained)"
      )
      let log = try await book.run("log", "--as", "u1")
      #expect(log.status == 0 && !log.stdout.contains("Mirrors"), "\(log)")
      let nobody = try await book.run("tree", "--as", "no such person")
      #expect(nobody.status == 1, "\(nobody)")
    }
  }

  @Test func `say before a change for how many a field is hidden, and warn of blind leads`()
    async throws
  {
    try await withCompany { book in
      let field = try await book.run(
        "visibility",
        "add",
        "--yes",
        "hide phone of department mir from everybody",
        "--dry-run"
      )
      #expect(
        field.stderr.reads(
          "staffbook: 3 people lose sight of phone of 2 people",
          "staffbook: this was a dry run: nothing was changed"
        ),
        "\(field)"
      )
      try await book.lines("set", "u3", "lead=yes")
      let hidden = try await book.run(
        "visibility",
        "add",
        "--yes",
        "hide department mir from everybody",
        "--dry-run"
      )
      #expect(
        hidden.stderr.reads(
          "staffbook: 3 people lose sight of 1 person",
          "staffbook: warning: no person would see the department Mirrors",
          "staffbook: warning: Émile Noé leads Mirrors, but would not see all the people in it",
          "staffbook: this was a dry run: nothing was changed"
        ),
        "\(hidden)"
      )
    }
  }

  /// Removes a person, and gives the id to another one, who is in the same department.
  private func giveAway(_ id: String, to name: String, _ book: Book) async throws {
    try await book.lines("remove", "id:\(id)", "--yes")
    let added = try await book.run("add", "user", name, "--in", "mir", "--id", id)
    #expect(
      added.stderr.reads(
        "staffbook: the id \(id) was that of another person before",
        "staffbook: 1 person added"
      ),
      "\(added)"
    )
  }

  @Test func `mean the one who had the id, until they are confirmed`() async throws {
    try await withCompany { book in
      try await withTemporaryDirectory { folder in
        let file = folder.appending("rules.txt")
        try write(
          """
          group council = u2, u3
          show department vac to group council
          show department mir to person u3
          hide person u3 from person u1
          hide department opt from everybody
          hide department vac from everybody
          show everything to everybody

          """,
          to: file
        )
        try await book.lines("visibility", "edit", "--yes", "--from", file.string)
        func seen(_ id: String) async throws -> Set<String> {
          Set(try await book.lines("tree", "--as", "u3", "--all", "--columns", "id"))
            .intersection([id])
        }
        #expect(try await seen("u2") == ["u2"])
        #expect(try await seen("vac") == ["vac"])
        try await giveAway("u3", to: "Eva", book)
        #expect(try await seen("u2") == [])
        #expect(try await seen("vac") == [])
        let list = try await book.lines("visibility")
        #expect(
          list.prefix(4) == [
            "group council = u2, u3  # not in the group, since another person has the id now: u3",
            "1  show department vac to group council  # Vacant",
            "2  show department mir to person u3  # Mirrors; Eva (another person has this id now)",
            "3  hide person u3 from person u1  # Eva (another person has this id now); Ada Lund",
          ],
          "\(list)"
        )
        let doctor = try await book.run("doctor", "--snapshot")
        #expect(
          doctor.stdout.reads(
            "…",
            "  Note:          visibility rules do not apply, since others have the ids now: rule 2 (person u3)",
            "                 if those who have the ids now are meant, run: staffbook visibility confirm 2",
            "  Note:          visibility rules were made about others than those who have the ids now, and apply to them until they are confirmed: rule 3 (person u3)",
            "                 if those who have the ids now are meant, run: staffbook visibility confirm 3",
            "  Note:          people are not in groups that list them, since they were given the ids of others: group council (person u3)",
            "                 if they are meant, run: staffbook visibility confirm --group council",
            "…"
          ),
          "\(doctor)"
        )
        let explained = try await book.lines("visibility", "explain", "u3", "u2")
        #expect(
          explained.last
            == "  rule 2, show department mir to person u3, does not apply: person u3 is another one by now",
          "\(explained)"
        )
        let dry = try await book.run("visibility", "confirm", "--yes", "2", "--dry-run")
        #expect(
          dry.stdout == "= 2  show department mir to person u3 (for those who have the ids now)\n",
          "\(dry)"
        )
        #expect(dry.status == 0 && dry.stderr.contains("this was a dry run"), "\(dry)")
        #expect(try await seen("u2") == [])
        try await book.lines("visibility", "confirm", "--yes", "2", "-m", "Eva, too")
        #expect(try await seen("u2") == ["u2"])
        #expect(try await seen("vac") == [])
        let log = try await book.lines("log", "--patch", "--limit", "1")
        #expect(
          log.last?.reads(
            "  ~ rule …: show department mir to person u3 (now about another record with that id)"
          ) == true,
          "\(log)"
        )
        let change = try book.value("select max(number) from staffbook.transactions")
        try await book.lines("visibility", "confirm", "--yes", "--group", "council")
        #expect(try await seen("vac") == ["vac"])
        let nothing = try await book.run(
          "visibility",
          "confirm",
          "--yes",
          "2",
          "--group",
          "council"
        )
        #expect(nothing.stderr.reads("staffbook: there is nothing to change"), "\(nothing)")
        try await book.lines("undo", change, "--yes")
        #expect(try await seen("u2") == [])
        for (arguments, status): ([String], Int32) in [
          ([], 64), (["7"], 64), (["--group", "none"], 1),
        ] {
          let refused = try await book.run(["visibility", "confirm", "--yes"] + arguments)
          #expect(refused.status == status, "\(arguments): \(refused)")
        }
      }
    }
  }

  @Test func `apply again to one who returns under the same id`() async throws {
    try await withCompany { book in
      try await book.lines(
        "visibility",
        "add",
        "--yes",
        "hide everything from everybody",
        "--at",
        "1"
      )
      try await book.lines("visibility", "add", "--yes", "show department opt to person u3")
      func sees() async throws -> Bool {
        try await book.run("tree", "--as", "u3", "--all", "--columns", "id").stdout
          .contains("opt\n")
      }
      #expect(try await sees())
      try await giveAway("u3", to: "Eva", book)
      #expect(try await !sees())
      try await book.lines("remove", "id:u3", "--yes")
      let removal = try book.value(
        """
        select t.number from staffbook.transactions t join staffbook.changes c
            on c.transaction = t.number
          where c.kind = 'user' and c.key1 = 'u3' and c.after is null and c.before ->> 'name' like '%No%'
        """
      )
      try await book.lines("undo", removal, "--yes")
      #expect(try await sees())
    }
  }

  @Test func `belong to administrators`() async throws {
    try await withCompany { book in
      let role = "only_reader_\(getpid())_\(UInt32.random(in: 0 ... .max))"
      try book.script("create role \(role) in role staffbook_reader")
      defer { try? book.script("drop owned by \(role); drop role \(role)") }
      var reader = book
      reader.environment["STAFFBOOK_DATABASE_URL"] = book.conninfo + " options=-crole=\(role)"
      try await reader.lines("sync")
      for arguments in [
        ["tree", "--as", "u1"], ["visibility", "explain", "u1", "u2"],
        ["visibility", "add", "--yes", "hide person u1 from leads"],
      ] {
        let refused = try await reader.run(arguments)
        #expect(refused.status == 77, "\(arguments): \(refused)")
      }
    }
  }

  @Test func `refuse fields that are not declared, and say what happens where there are some`()
    async throws
  {
    try await withCompany { book in
      for (rule, fault) in [
        ("hide telephone of department mir from everybody", "telephone, which is not declared"),
        ("hide phone, name of department mir from everybody", "name, which is always shown"),
        ("show everything to people with leads=true", "leads, which cannot select people"),
      ] {
        let refused = try await book.run("visibility", "add", "--yes", rule)
        #expect(refused.status == 65, "\(refused)")
        #expect(
          refused.stderr.reads(
            "staffbook: cannot change the visibility rules: rule 1 names the field \(fault)",
            "staffbook: nothing was changed"
          ),
          "\(refused)"
        )
      }
      let dormant = try await book.run(
        "visibility",
        "add",
        "--yes",
        "show department mri to group council",
        "--dry-run"
      )
      #expect(
        dormant.stderr.reads(
          "…",
          "staffbook: warning: rule 1 refers to missing records or groups: department mri, group council",
          "staffbook: this was a dry run: nothing was changed"
        ),
        "\(dormant)"
      )
      // A field that the snapshot does not know yet.
      try await book.lines("field", "add", "mobile", "--no-sync")
      try await book.lines(
        "visibility",
        "add",
        "--yes",
        "hide mobile of department mir from everybody"
      )
      let removal = try await book.run("field", "remove", "mobile", "--yes")
      #expect(removal.status == 75, "\(removal)")
      #expect(
        removal.stderr.reads(
          "staffbook: cannot remove the field mobile: visibility rule 1 names it: hide mobile of department mir from everybody",
          "staffbook: change or remove the rule first"
        ),
        "\(removal)"
      )
      try book.script("delete from staffbook.fields where name = 'mobile'")
      try await book.lines("sync")
      let nothing = try await book.run("tree", "--as", "u1")
      #expect(
        nothing.stdout.isEmpty
          && nothing.stderr.reads(
            "staffbook: Ada Lund sees nothing of the directory; see why with: staffbook visibility explain VIEWER WHO; look for mistakes in the rules with: staffbook doctor"
          )
      )
      let explained = try await book.lines("visibility", "explain", "u1", "id:mir")
      #expect(
        explained
          == ["Ada Lund sees nothing: rule 1 names the field mobile, which is not declared"]
      )
      // Other rules can be changed, and that one removed.
      let other = try await book.run("visibility", "add", "--yes", "hide person u1 from leads")
      #expect(
        other.stderr.reads(
          "staffbook: warning: the rules will show nothing to anyone, since rule 2 names the field mobile, which is not declared",
          "staffbook: the visibility rules were changed"
        ),
        "\(other)"
      )
      try await book.lines("visibility", "remove", "--yes", "2")
      #expect(try await !book.lines("tree", "--as", "u1").isEmpty)
    }
  }

  @Test func `take the worked examples of the documentation`() async throws {
    let page = try DocumentationPage(path: "docs/visibility.md")
    let heading = try #require(page.lines.firstIndex(of: "## Examples"))
    let examples = page.blocks.filter { $0.start > heading }
    #expect(examples.count == 5)
    try await withCompany { book in
      try await book.lines("field", "add", "mobile", "employment")
      try await book.lines("field", "add", "personnel_number", "--visible", "nobody")
      try await withTemporaryDirectory { folder in
        for example in examples {
          let file = folder.appending("rules.txt")
          try write(example.lines.joined(separator: "\n") + "\n", to: file)
          try await book.lines("visibility", "edit", "--yes", "--from", file.string)
          let listed = try await book.lines("visibility").map { line in
            line.replacing(/^[0-9]+  |  # .*$/, with: "")
          }
          #expect(listed == example.lines.filter { !$0.isEmpty })
        }
      }
    }
  }
}
