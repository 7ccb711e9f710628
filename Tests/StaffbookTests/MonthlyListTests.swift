import SystemPackage
import TestSupport
import Testing

/// A list that comes every month, and what was entered here meanwhile.
@Suite("The list of every month")
struct MonthlyListTests {
  struct Month {
    let book: Book
    let folder: FilePath
    var mapping = [
      "source=personnel", "id={No}", "name={Name}", "department={Unit}", "title={Title}",
      "email={Mail}",
    ]

    /// Imports rows of `No,Name,Unit,Title,Mail`.
    func take(_ rows: String..., with options: String...) async throws -> ProgramOutcome {
      let list = folder.appending("staff.csv")
      try write((["No,Name,Unit,Title,Mail"] + rows).joined(separator: "\n") + "\n", to: list)
      return try await book.run(
        ["import", list.string] + mapping.flatMap { ["--map", $0] } + options
      )
    }

    func people() throws -> [[String]] {
      try book.query(
        "select id, name, phone, primary_department_id from staffbook.users order by id"
      )
    }
  }

  static let ada = "01,Ada Lund,Sales,Head,ada@lumen.example"
  static let bo = "02,Bo Dahl,Sales,Agent,bo@lumen.example"
  static let cy = "03,Cy Ek,Tools,Engineer,cy@lumen.example"
  static let di = "04,Di Moe,Tools,Engineer,di@lumen.example"
  static let ed = "05,Ed Fox,Tools,Engineer,ed@lumen.example"
  static let fi = "06,Fi Ask,Tools,Engineer,fi@lumen.example"

  func withMonth(_ body: (Month) async throws -> Void) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        let month = Month(book: book, folder: folder)
        let first = try await month.take(
          Self.ada,
          Self.bo,
          Self.cy,
          Self.di,
          Self.ed,
          Self.fi,
          with: "--replace"
        )
        try #require(first.status == 0, "\(first)")
        try await body(month)
      }
    }
  }

  @Test func `an id that the list changed is a change of the person`() async throws {
    try await withMonth { month in
      try await month.book.lines("field", "add", "manager")
      try await month.book.lines("set", "01", "phone=+49 30 1", "--yes")
      try await month.book.lines("set", "02", "manager=01", "--yes")
      let next = try await month.take(
        "9001,Ada Lund-Winter,Sales,Head,ada@lumen.example",
        Self.bo,
        Self.cy,
        Self.di,
        Self.ed,
        Self.fi,
        with: "--replace",
        "--verbose"
      )
      #expect(next.status == 0, "\(next)")
      #expect(
        next.stdout.reads(
          "…",
          "= Ada Lund (01) is Ada Lund-Winter (9001) in the list: the same email address; "
            + "the id becomes 9001",
          "…"
        ),
        "\(next)"
      )
      #expect(try month.people().first == ["02", "Bo Dahl", "", "Sales"])
      #expect(try month.people().last == ["9001", "Ada Lund-Winter", "+49 30 1", "Sales"])
      #expect(
        try month.book.value("select fields ->> 'manager' from staffbook.users where id = '02'")
          == "9001"
      )
      let log = try await month.book.lines("log", "9001")
      #expect(log.contains { $0.reads("    import personnel: …/staff.csv") }, "\(log)")
      let blame = try await month.book.lines("blame", "9001")
      #expect(
        blame.contains {
          $0.reads("                         transaction … by …: import personnel: …/staff.csv")
        },
        "\(blame)"
      )
    }
  }

  @Test func `zeros that a spreadsheet dropped change nothing`() async throws {
    try await withMonth { month in
      try await month.book.lines("set", "01", "phone=+49 30 1", "--yes")
      let before = try month.people()
      func bare(_ row: String) -> String { String(row.dropFirst()) }
      for _ in 1...2 {
        let next = try await month.take(
          bare(Self.ada),
          bare(Self.bo),
          bare(Self.cy),
          bare(Self.di),
          bare(Self.ed),
          bare(Self.fi),
          with: "--replace"
        )
        #expect(next.status == 0, "\(next)")
        #expect(try month.people() == before)
      }
      let again = try await month.take(
        Self.ada,
        Self.bo,
        Self.cy,
        Self.di,
        Self.ed,
        Self.fi,
        with: "--replace"
      )
      #expect(again.status == 0, "\(again)")
      #expect(try month.people() == before)
    }
  }

  @Test func `a likely match stops the import until it is decided, once`() async throws {
    try await withMonth { month in
      func next(_ options: String...) async throws -> ProgramOutcome {
        let rows = ["77,Bo Dahl,Sales,Agent,bd@other.example", Self.ada, Self.cy, Self.di, Self.ed]
        let list = month.folder.appending("staff.csv")
        try write(
          (["No,Name,Unit,Title,Mail"] + rows + [Self.fi]).joined(separator: "\n") + "\n",
          to: list
        )
        return try await month.book.run(
          ["import", list.string] + month.mapping.flatMap { ["--map", $0] } + options
        )
      }
      let before = try month.people()
      let stopped = try await next("--replace")
      #expect(stopped.status == 65)
      #expect(
        stopped.stderr.reads(
          "staffbook: …/staff.csv: personnel list",
          "staffbook: cannot import: 1 person of the list may already be recorded under another id",
          "staffbook: = Bo Dahl (02) may be Bo Dahl (77) in the list: the same last name and department",
          "staffbook: nothing was changed; run it on a terminal and answer, or have the questions written to a file with --decide FILE; if none is the same person, repeat it with --map doubts=add"
        ),
        "\(stopped)"
      )
      #expect(try month.people() == before)
      let added = try await next("--map", "doubts=add", "--dry-run")
      #expect(
        added.stdout.reads(
          "departments: 2 unchanged; people: will add 1, 5 unchanged; memberships: will add 1, 5 unchanged",
          "+ Bo Dahl (77) in Sales"
        ),
        "\(added)"
      )
      let matched = try await next("--replace", "--map", "doubts=match")
      #expect(matched.status == 0, "\(matched)")
      #expect(try month.people().map { $0[0] } == ["03", "04", "05", "06", "01", "77"].sorted())
      // The month after, no one is asked.
      let again = try await next("--replace")
      #expect(again.status == 0, "\(again)")
      #expect(try month.people().count == 6)
    }
  }

  @Test func `no person is taken for another who was given the same number`() async throws {
    try await withMonth { month in
      let next = try await month.take(
        "01,Zoe Quist,Tools,Engineer,zoe@lumen.example",
        Self.bo,
        Self.cy,
        Self.di,
        Self.ed,
        Self.fi
      )
      #expect(next.status == 65)
      #expect(
        next.stderr.reads(
          "staffbook: …/staff.csv: personnel list",
          "staffbook: cannot import: 1 person of the list may already be recorded under another id",
          "staffbook: = 01 was Ada Lund and is Zoe Quist in the list",
          "staffbook: nothing was changed; run it on a terminal and answer, or have the questions written to a file with --decide FILE; if none is the same person, repeat it with --map doubts=add"
        ),
        "\(next)"
      )
      let added = try await month.take(
        "01,Zoe Quist,Tools,Engineer,zoe@lumen.example",
        with: "--map",
        "doubts=add"
      )
      #expect(added.status == 65)
      #expect(
        added.stderr.reads(
          "staffbook: …/staff.csv: personnel list",
          "staffbook: cannot import: new people of the list have ids that other people already have",
          "staffbook: Zoe Quist (01) in the list is not Ada Lund (01), who is already recorded",
          "staffbook: nothing was changed; change the ids in the database, or correct the list"
        ),
        "\(added)"
      )
    }
  }

  @Test func `a list removes what it brought, and nothing else`() async throws {
    try await withMonth { month in
      try await month.book.lines("add", "department", "Guests", "--id", "guests", "--yes")
      try await month.book.lines("add", "user", "Gil Own", "--id", "gil", "--in", "guests", "--yes")
      try await month.book.lines("add", "user", "Hal Own", "--id", "hal", "--in", "Sales", "--yes")
      let next = try await month.take(
        Self.cy,
        Self.di,
        Self.ed,
        Self.fi,
        Self.ada,
        with: "--replace",
        "--verbose"
      )
      #expect(next.status == 0, "\(next)")
      #expect(
        next.stdout.reads(
          "departments: 2 unchanged; people: will remove 1, 5 unchanged; memberships: will remove 1, 5 unchanged",
          "- Bo Dahl (02) in Sales"
        ),
        "\(next)"
      )
      #expect(try month.people().map { $0[0] } == ["01", "03", "04", "05", "06", "gil", "hal"])
      // Comes back: the same person.
      let back = try await month.take(
        Self.cy,
        Self.di,
        Self.ed,
        Self.fi,
        Self.ada,
        "55,Bo Dahl,Tools,Agent,bo@lumen.example",
        with: "--replace",
        "--verbose"
      )
      #expect(back.status == 0, "\(back)")
      #expect(
        back.stdout.reads(
          "…",
          "= Bo Dahl (02) is Bo Dahl (55) in the list: the same email address; comes back",
          "…"
        ),
        "\(back)"
      )
      #expect(
        try month.people().map { $0[0] } == ["01", "02", "03", "04", "05", "06", "gil", "hal"]
      )
    }
  }

  @Test func `above a fifth of what the list brought it is refused`() async throws {
    try await withMonth { month in
      for index in 1...40 {
        try month.book.script(
          """
          begin; insert into staffbook.users (id, name, primary_department_id)
            values ('own\(index)', 'Own \(index)', 'Tools');
          insert into staffbook.memberships (user_id, department_id) values ('own\(index)', 'Tools');
          commit;
          """
        )
      }
      let before = try month.people()
      let refused = try await month.take(Self.ada, Self.cy, Self.di, Self.ed, with: "--replace")
      #expect(refused.status == 75)
      #expect(
        refused.stderr.reads(
          "…",
          "staffbook: cannot import: 2 of 6 people that personnel brought would leave",
          "staffbook: - Bo Dahl (02)",
          "staffbook: - Fi Ask (06)",
          "staffbook: nothing was changed; if this is intended, repeat the command with --accept-deletions"
        ),
        "\(refused)"
      )
      #expect(try month.people() == before)
      let accepted = try await month.take(
        Self.ada,
        Self.cy,
        Self.di,
        Self.ed,
        with: "--replace",
        "--accept-deletions"
      )
      #expect(accepted.status == 0, "\(accepted)")
      #expect(try month.people().count == 44)
    }
  }

  @Test func `a value that was edited here is kept, or overwritten where the mapping says so`()
    async throws
  {
    try await withMonth { month in
      try await month.book.lines("set", "01", "email=ada.lund@lumen.example", "--yes")
      let next = try await month.take(Self.ada, Self.bo)
      #expect(next.status == 0, "\(next)")
      #expect(
        next.stderr.reads(
          "staffbook: …/staff.csv: personnel list",
          "staffbook: departments: 1 unchanged; people: 2 unchanged; memberships: 2 unchanged",
          #"staffbook: ! Ada Lund (01): email was edited here: "ada.lund@lumen.example"; the list has "ada@lumen.example", which is not taken"#,
          "staffbook: imported …/staff.csv: departments: 1 unchanged; people: 2 unchanged; memberships: 2 unchanged"
        ),
        "\(next)"
      )
      let email = "select email from staffbook.users where id = '01'"
      #expect(try month.book.value(email) == "ada.lund@lumen.example")
      let again = try await month.take(Self.ada, Self.bo)
      #expect(
        again.stderr.reads(
          "staffbook: …/staff.csv: personnel list",
          "staffbook: these files were already imported: …/staff.csv on …",
          "staffbook: departments: 1 unchanged; people: 2 unchanged; memberships: 2 unchanged",
          #"staffbook: ! Ada Lund (01): email was edited here: "ada.lund@lumen.example"; the list has "ada@lumen.example", which is not taken"#,
          "staffbook: imported …/staff.csv: departments: 1 unchanged; people: 2 unchanged; memberships: 2 unchanged"
        ),
        "\(again)"
      )
      let over = try await month.take(Self.ada, Self.bo, with: "--map", "edited=overwrite")
      #expect(
        over.stderr.reads(
          "staffbook: …/staff.csv: personnel list",
          "staffbook: departments: 1 unchanged; people: will change 1, 1 unchanged; memberships: 2 unchanged",
          #"staffbook: ! Ada Lund (01): email was edited here: "ada.lund@lumen.example"; the list has "ada@lumen.example", which is taken"#,
          "staffbook: imported …/staff.csv: departments: 1 unchanged; people: changed 1, 1 unchanged; memberships: 2 unchanged"
        ),
        "\(over)"
      )
      #expect(try month.book.value(email) == "ada@lumen.example")
      let quiet = try await month.take(Self.ada, Self.bo)
      #expect(!quiet.stderr.contains("was edited here"), "\(quiet)")
    }
  }

  @Test func `two lists own different values of the same people`() async throws {
    try await withMonth { month in
      let phones = month.folder.appending("phones.csv")
      try write(
        "Name,Mail,Ext\nA. Lund,ada@lumen.example,+49 30 1\nNew Guy,new@lumen.example,+49 30 9\n",
        to: phones
      )
      let arguments = [
        "import", phones.string, "--map", "source=phones", "--map", "id={Mail}", "--map",
        "name={Name}", "--map", "email={Mail}", "--map", "phone={Ext}", "--replace",
      ]
      let first = try await month.book.run(arguments)
      #expect(first.status == 0, "\(first)")
      #expect(
        first.stderr.reads(
          "staffbook: …/phones.csv: personnel list",
          "staffbook: left out 1 new person whom the list puts in no department",
          "staffbook: departments: none; people: will change 1; memberships: 1 unchanged",
          "staffbook: the list personnel already owns 1 recorded person, so this one neither removes them nor changes values that personnel names; if both are one list, see: staffbook source --help",
          "staffbook: = Ada Lund (01) is A. Lund (ada@lumen.example) in the list: the same email address",
          "staffbook: imported …/phones.csv: departments: none; people: changed 1; memberships: 1 unchanged"
        )
      )
      #expect(try month.people().first == ["01", "Ada Lund", "+49 30 1", "Sales"])
      // Neither list takes away what the other one has.
      let next = try await month.take(
        Self.ada,
        Self.bo,
        Self.cy,
        Self.di,
        Self.ed,
        Self.fi,
        with: "--replace"
      )
      #expect(next.status == 0, "\(next)")
      try write("Name,Mail,Ext\nBo Dahl,bo@lumen.example,+49 30 2\n", to: phones)
      let second = try await month.book.run(arguments)
      #expect(second.status == 0, "\(second)")
      #expect(
        try month.people().prefix(2) == [
          ["01", "Ada Lund", "+49 30 1", "Sales"], ["02", "Bo Dahl", "+49 30 2", "Sales"],
        ]
      )
    }
  }

  @Test func `people who left are kept as former ones for a while`() async throws {
    try await withMonth { month in
      let options = ["--map", "former=Former", "--map", "former_days=30", "--replace"]
      func next(_ rows: String...) async throws -> ProgramOutcome {
        let list = month.folder.appending("staff.csv")
        try write((["No,Name,Unit,Title,Mail"] + rows).joined(separator: "\n") + "\n", to: list)
        return try await month.book.run(
          ["import", list.string] + month.mapping.flatMap { ["--map", $0] } + options
        )
      }
      let left = try await next(Self.ada, Self.cy, Self.di, Self.ed, Self.fi)
      #expect(left.status == 0, "\(left)")
      #expect(
        try month.people().first { $0[0] == "02" } == ["02", "Bo Dahl", "", "Former"],
        "\(left)"
      )
      let same = try await next(Self.ada, Self.cy, Self.di, Self.ed, Self.fi)
      #expect(same.status == 0, "\(same)")
      #expect(try month.people().count == 6)
      try month.book.script(
        "update staffbook.source_records set left_at = now() - interval '31 days' where id = '02'"
      )
      // It is no one who leaves now, and so under no limit.
      let over = try await next(Self.ada, Self.cy, Self.di, Self.ed, Self.fi)
      #expect(over.status == 0, "\(over)")
      #expect(try month.people().map { $0[0] } == ["01", "03", "04", "05", "06"])
    }
  }

  @Test func `what goes with people who left is told`() async throws {
    try await withMonth { month in
      try await month.book.lines("field", "add", "manager")
      try await month.book.lines("set", "02", "lead@Sales=yes", "--yes")
      var list = month
      list.mapping += ["left={Title} = gone", "manager={Mail}", "former=Former"]
      let next = try await list.take(
        "02,Bo Dahl,Sales,gone,",
        "03,Cy Ek,Tools,Engineer,02",
        with: "--verbose"
      )
      #expect(next.status == 0, "\(next)")
      #expect(
        next.stdout.reads(
          "departments: will add 1, 1 unchanged; people: will change 1, move 1; memberships: will add 1, remove 1, 1 unchanged",
          "+ department Former (Former) at the top level",
          #"~ Cy Ek (03); email "cy@lumen.example" is now "02"; manager "" is now "02""#,
          "> Bo Dahl (02) from Sales to Former; no longer leads Sales"
        )
      )
      list.mapping.removeLast()
      let gone = try await list.take("02,Bo Dahl,Sales,gone,", "03,Cy Ek,Tools,Engineer,02")
      #expect(
        gone.stderr.reads(
          "…",
          "staffbook: left out 1 reference to people who have left: manager of Cy Ek (03)",
          "…"
        ),
        "\(gone)"
      )
    }
  }

  @Test func `a job imports the newest file and writes its report`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        let mapping = folder.appending("map.yaml")
        try write("id: \"{No}\"\nname: \"{Name}\"\ndepartment: \"{Unit}\"\n", to: mapping)
        try write("No,Name,Unit\n1,Old,A\n", to: folder.appending("staff-1.csv"))
        _ = try await runProgram(
          "touch",
          ["-d", "2020-01-01", folder.appending("staff-1.csv").string]
        )
        try write("No,Name,Unit\n1,Ada,A\n2,Bo,A\n", to: folder.appending("staff-2.csv"))
        let configuration = book.home.appending("config")
        _ = try await runProgram("mkdir", ["-p", configuration.string])
        try write(
          """
          jobs:
            personnel:
              files: \(folder)/staff-*.csv
              mapping: \(mapping)
              replace: true
              actor: personnel office
              report: \(folder)/report.json
            printed:
              command: printf 'No,Name,Unit\\n3,Cy,B\\n'
              mapping: \(mapping)
            failing:
              command: "echo No,Name,Unit; exit 3"
              mapping: \(mapping)
          """,
          to: configuration.appending("config.yaml")
        )
        let first = try await book.run("import", "--job", "personnel")
        #expect(first.status == 0, "\(first)")
        #expect(
          try book.query("select id, name from staffbook.users order by 1")
            == [["1", "Ada"], ["2", "Bo"]]
        )
        let report = try await runProgram("cat", [folder.appending("report.json").string]).stdout
        let changes =
          #""changes":{"departments":{"added":1,"changed":0,"moved":0,"removed":0,"unchanged":0},"#
          + #""memberships":{"added":2,"changed":0,"moved":0,"removed":0,"unchanged":0},"#
          + #""people":{"added":2,"changed":0,"moved":0,"removed":0,"unchanged":0}}"#
        let place = #""to":{"id":"A","name":"A"}"#
        #expect(
          report.reads(
            #"{"applied":false,\#(changes),"dryRun":false,"event":"plan"}"#,
            #"{"action":"added","event":"change","id":"A","kind":"department","name":"A"}"#,
            #"{"action":"added","event":"change","id":"1","kind":"user","name":"Ada",\#(place)}"#,
            #"{"action":"added","event":"change","id":"2","kind":"user","name":"Bo",\#(place)}"#,
            #"{"applied":true,\#(changes),"dryRun":false,"event":"report"}"#
          ),
          "\(report)"
        )
        #expect(
          try book.query(
            "select actor, reason from staffbook.transactions order by number desc limit 1"
          )
            == [["personnel office", "import personnel: \(folder)/staff-2.csv"]]
        )
        let again = try await book.run("import", "--job", "personnel")
        #expect(
          again.stderr.reads(
            "staffbook: …/staff-2.csv: personnel list",
            "staffbook: these files were already imported: …/staff-2.csv on …",
            "staffbook: departments: 1 unchanged; people: 2 unchanged; memberships: 2 unchanged",
            "staffbook: imported job personnel: departments: 1 unchanged; people: 2 unchanged; memberships: 2 unchanged"
          ),
          "\(again)"
        )
        try write("No,Name,Unit\n1,Ada,A\n2,Bo,A\n9,Bo,A\n", to: folder.appending("staff-3.csv"))
        let doubtful = try await book.run("import", "--job", "personnel")
        #expect(
          doubtful.stderr.reads(
            "staffbook: …/staff-3.csv: personnel list",
            "staffbook: departments: 1 unchanged; people: will add 1, 2 unchanged; memberships: will add 1, 2 unchanged",
            #"staffbook: warning: …/staff-3.csv:4: 9: "Bo" is the name of two people in one department; it is imported unchanged"#,
            "staffbook: imported job personnel: departments: 1 unchanged; people: added 1, 2 unchanged; memberships: added 1, 2 unchanged"
          ),
          "\(doubtful)"
        )
        let warned = try await runProgram("cat", [folder.appending("report.json").string]).stdout
        #expect(
          warned.reads(
            "…",
            #"{"event":"warning","file":"…/staff-3.csv","id":"9","line":4,"message":"…/staff-3.csv:4: 9: \"Bo\" is the name of two people in one department; it is imported unchanged"}"#,
            "…"
          ),
          "\(warned)"
        )
        let printed = try await book.run("import", "--job", "printed")
        #expect(printed.status == 0, "\(printed)")
        #expect(try book.value("select name from staffbook.users where id = '3'") == "Cy")
        let failing = try await book.run("import", "--job", "failing")
        #expect(failing.status == 66, "\(failing)")
        #expect(
          failing.stderr.reads(
            "staffbook: cannot run the job's command: it ended with exit status 3"
          )
        )
        let unknown = try await book.run("import", "--job", "none")
        #expect(unknown.status == 64)
        #expect(
          unknown.stderr.reads(
            "staffbook: there is no job none in the configuration",
            "staffbook: the jobs are personnel, printed, failing"
          ),
          "\(unknown)"
        )
      }
    }
  }

  @Test func `a plan that was read is carried out as it was, or not at all`() async throws {
    try await withMonth { month in
      let rows = "07,New Guy,Sales,Agent,new@lumen.example"
      let plan = month.folder.appending("plan.jsonl")
      let dry = try await month.take(rows, with: "--dry-run", "--json")
      #expect(dry.status == 0, "\(dry)")
      try write(dry.stdout, to: plan)
      let other = try await month.take(
        rows,
        "08,Other Guy,Sales,Agent,other@lumen.example",
        with: "--plan",
        plan.string
      )
      #expect(other.status == 75, "\(other)")
      #expect(
        other.stderr.reads(
          "staffbook: …/staff.csv: personnel list",
          "staffbook: cannot apply the plan …/plan.jsonl: the files or the directory have changed since it was made",
          "staffbook: the import would now do this: + Other Guy (08) in Sales",
          "staffbook: nothing was changed; make a new plan by a dry run, and read it"
        ),
        "\(other)"
      )
      try await month.book.lines("add", "user", "New Guy", "--id", "07", "--in", "Sales", "--yes")
      let changed = try await month.take(rows, with: "--plan", plan.string)
      #expect(changed.status == 75, "\(changed)")
      try await month.book.lines("remove", "07", "--yes")
      try await month.book.lines("set", "03", "phone=+49 30 3", "--yes")
      let fresh = try await month.take(rows, with: "--dry-run", "--json")
      try write(fresh.stdout, to: plan)
      let done = try await month.take(rows, with: "--plan", plan.string)
      #expect(done.status == 0, "\(done)")
      #expect(try month.people().map { $0[0] }.contains("07"))
      let twice = try await month.take(rows, with: "--plan", plan.string)
      #expect(twice.status == 75, "\(twice)")
    }
  }

  @Test func `a person who is forgotten is not known by a list's id either`() async throws {
    try await withMonth { month in
      let known = "select id from staffbook.source_records where kind = 'user' order by id"
      try await month.book.lines("remove", "01", "02", "--yes")
      #expect(try month.book.query(known).count == 6)
      try await month.book.lines("forget", "01", "--yes")
      #expect(try month.book.query(known).map { $0[0] } == ["02", "03", "04", "05", "06"])
    }
  }

  @Test func `undo takes a whole import back, and names what was changed since`() async throws {
    try await withMonth { month in
      try await month.book.lines("field", "add", "manager")
      try await month.book.lines("set", "02", "manager=01", "--yes")
      let before = try month.people()
      let next = try await month.take(
        "9001,Ada Winter,Tools,Chief,ada@lumen.example",
        "02,Bo Dahl,Sales,Agent,bo.dahl@lumen.example",
        Self.cy,
        Self.di,
        Self.ed,
        Self.fi,
        "07,New Guy,Sales,Agent,new@lumen.example"
      )
      #expect(next.status == 0, "\(next)")
      let number = try month.book.value("select max(number) from staffbook.transactions")
      try await month.book.lines("set", "9001", "phone=+49 30 1", "--yes")
      try await month.book.lines("set", "02", "email=dahl@lumen.example", "--yes")
      let undone = try await month.book.run("undo", number, "--yes")
      #expect(undone.status == 0, "\(undone)")
      #expect(
        undone.stderr.reads(
          #"staffbook: skipped, since it was changed again: Bo Dahl (02): email is now "dahl@lumen.example", not "bo.dahl@lumen.example""#,
          "staffbook: 1 person moved, 1 removed"
        ),
        "\(undone)"
      )
      // One person, by the former id and name, and with what was entered since.
      #expect(try month.people().map { $0[0] } == before.map { $0[0] })
      #expect(try month.people().first == ["01", "Ada Lund", "+49 30 1", "Sales"])
      #expect(
        try month.book.query(
          "select fields ->> 'manager', email from staffbook.users where id = '02'"
        )
          == [["01", "dahl@lumen.example"]]
      )
    }
  }
}
