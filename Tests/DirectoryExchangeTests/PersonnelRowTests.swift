import DirectoryExchange
import DirectoryModel
import SystemPackage
import TestSupport
import Testing

@Suite("Rows of personnel lists")
struct PersonnelRowTests {
  private func read(
    _ texts: String...,
    with entries: KeyValuePairs<String, String>,
    home: String? = nil,
    fields: [Field] = []
  ) async throws -> ListSeen {
    try await withTemporaryDirectory { folder in
      let files = try texts.enumerated().map { number, text in
        let path = folder.appending("\(number).csv")
        try write(text.utf8, to: path)
        return try InputFile(path)
      }
      var seen = try readLists(
        files,
        as: .personnel,
        home: home,
        fields: fields,
        mapping: try mapping(entries)
      )
      seen.warnings = seen.warnings.map { $0.replacing(folder.string + "/", with: "") }
      return seen
    }
  }

  private func people(_ seen: ListSeen) -> [String] { seen.rows.filter { $0.hasPrefix("u") } }

  // MARK: Who is read

  @Test(arguments: ["28.2.2026", "2025-12-31", "Terminated", "ausgetreten", "离职", "퇴사", "x"])
  func `of people who have left say so`(_ value: String) async throws {
    let seen = try await read(
      "No,Name,Unit,Out\n1,Ada,A,\(value)\n2,Bo,A,\n",
      with: ["id": "{No}", "name": "{Name}", "department": "{Unit}", "left": "{Out}"]
    )
    #expect(people(seen) == ["u|1|<|Ada||||0|left", "u|2|<A|Bo||||0|true"])
    #expect(seen.problems == [])
    #expect(seen.warnings == ["2: 1: left out \"Ada\", who has left"])
  }

  @Test(arguments: ["2.3.2026", "31.12.9999", "00.00.0000", "active", "no"])
  func `of others do not`(_ value: String) async throws {
    let seen = try await read(
      "No,Name,Unit,Out\n1,Ada,A,\(value)\n",
      with: ["id": "{No}", "name": "{Name}", "department": "{Unit}", "left": "{Out}"]
    )
    #expect(people(seen) == ["u|1|<A|Ada||||0|true"])
    #expect(seen.problems == [] && seen.warnings == [])
  }

  @Test func `of people who leave today are read, and told`() async throws {
    let mapping: KeyValuePairs = [
      "id": "{No}", "name": "{Name}", "department": "{Unit}", "left": "{Out}",
    ]
    let one = try await read("No,Name,Unit,Out\n1,Ada,A,1.3.2026\n", with: mapping)
    #expect(people(one) == ["u|1|<A|Ada||||0|true"])
    #expect(one.warnings == ["2: 1: \"Ada\" leaves today, and is still imported"])
    let two = try await read(
      "No,Name,Unit,Out\n1,Ada,A,2026-03-01\n2,Bo,A,1.3.2026\n",
      with: mapping
    )
    #expect(people(two).count == 2)
    #expect(
      two.warnings == ["2: 1: 2 people leave today, and are still imported, the first \"Ada\""]
    )
  }

  @Test func `with unknown words in the column of leavers are read, and the words are told`()
    async throws
  {
    let seen = try await read(
      """
      No,Name,Unit,Status
      1,Ada,A,Aktiv
      2,Bo,A,Gekündigt
      3,Cy,A,ausgetreten
      4,Di,A,GEKÜNDIGT
      5,Ed,A,Sonderfall
      6,Fi,A,-

      """,
      with: ["id": "{No}", "name": "{Name}", "department": "{Unit}", "left": "{Status}"]
    )
    #expect(people(seen).count == 6 && people(seen)[2] == "u|3|<|Cy||||0|left")
    #expect(
      seen.warnings == [
        "4: 3: left out \"Cy\", who has left",
        "3: 2: the column of left contains words that are not known: \"Gekündigt\" (2), "
          + "\"Sonderfall\" (1); people with them are imported; if one of them says that somebody has "
          + "left, name it, as in left: \"{Status} = Gone, Retired\"",
      ]
    )
  }

  @Test func `of leavers may be known by words of the list's own`() async throws {
    let seen = try await read(
      "No,Name,Unit,Status\n1,Ada,A,3\n2,Bo,A,0\n3,Cy,A,Z\n",
      with: [
        "id": "{No}", "name": "{Name}", "department": "{Unit}", "left": "{Status} = 0, z",
      ]
    )
    #expect(
      people(seen) == ["u|1|<A|Ada||||0|true", "u|2|<|Bo||||0|left", "u|3|<|Cy||||0|left"]
    )
  }

  @Test func `that do not meet the condition are left out, and counted`() async throws {
    let seen = try await read(
      "No,Name,Unit,Kind,Land\n1,Ada,A,Staff,NO\n2,Bo,B,Extern,NO\n3,Cy,A,staff,\n4,Di,A,Intern,NO\n",
      with: [
        "id": "{No}", "name": "{Name}", "department": "{Unit}",
        "where": "{Kind} = staff, INTERN; {Land} !=",
      ]
    )
    #expect(people(seen) == ["u|1|<A|Ada||||0|true", "u|4|<A|Di||||0|true"])
    #expect(!seen.rows.contains { $0.hasPrefix("d|B") })
    #expect(
      seen.warnings == [
        "3: 2: skipped 2 rows that do not meet the mapping's where, the first \"Bo\""
      ]
    )
  }

  @Test func `of people who begin later are held back`() async throws {
    let seen = try await read(
      "No,Name,Unit,From\n1,Ada,A,2026-03-01\n2,Bo,A,2026-03-02\n3,Cy,A,\n",
      with: ["id": "{No}", "name": "{Name}", "department": "{Unit}", "starts": "{From}"]
    )
    #expect(people(seen).map { $0.prefix(3) } == ["u|1", "u|3"])
    #expect(seen.warnings == ["3: 2: held back \"Bo\", who starts later"])
  }

  @Test func `that are titles, totals or notes are left out, and told`() async throws {
    let seen = try await read(
      """
      Staff of March
      No,Name,Unit
      Optics,,
      1,Ada,A
      Total,1,
      Stand: 1.3.2026
      Summe: 1
      """,
      with: ["id": "{No}", "name": "{Name}", "department": "{Unit}"]
    )
    #expect(people(seen) == ["u|1|<A|Ada||||0|true"])
    #expect(seen.problems == [])
    #expect(
      seen.warnings == [
        "1: ignored the lines above the headings",
        "5: left out 2 rows of totals, the first \"Total\"",
        "3: left out 2 rows of titles or notes, the first \"Optics\"",
      ]
    )
  }

  @Test func `that are left out are each kept with number and name`() async throws {
    let seen = try await read(
      """
      No,Name,Unit,Kind,Out
      1,Ada,A,Staff,x
      2,Bo,A,Extern,
      3,Cy,A,Staff,x
      Total,3,,,
      4,Di,A,Extern,

      """,
      with: [
        "id": "{No}", "name": "{Name}", "department": "{Unit}", "where": "{Kind} = staff",
        "left": "{Out}",
      ]
    )
    #expect(
      seen.allWarnings == [
        "3: 2: skipped \"Bo\", which does not meet the mapping's where",
        "6: 4: skipped \"Di\", which does not meet the mapping's where",
        "2: 1: left out \"Ada\", who has left", "4: 3: left out \"Cy\", who has left",
        "5: left out \"Total\", a row of totals",
      ]
    )
  }

  @Test(
    arguments: ["E17,,", ",Ada,", ",Ada,A", "E17", "17", "Total,Ada,A"],
    [("\n", true), ("", false)]
  )
  func `with something of a person are not taken for notes`(
    _ row: String,
    _ end: (String, Bool)
  ) async throws {
    let seen = try await read(
      "No,Name,Unit\n1,Bo,A\n\(row)\(end.0)",
      with: ["id": "{No}", "name": "{Name}", "department": "{Unit}"],
      home: "A"
    )
    // Without a name it is a problem, and comes as a row all the same.
    let whole = people(seen).filter { !$0.contains("|?|") }
    #expect(seen.problems.count + whole.count == 2, "\(seen)")
    #expect(seen.warnings == [])
  }

  @Test func `have the values of merged cells above them`() async throws {
    let seen = try await read(
      "Div,Team,No,Name\nOptics,Mirrors,1,Ada\n,,2,Bo\n,Lenses,3,Cy\nSales,,4,Di\n,,5,Ed\n",
      with: [
        "id": "{No}", "name": "{Name}", "department": "{Div}/{Team}", "fill_down": "{Div} {Team}",
      ]
    )
    #expect(
      people(seen).map { $0.split(separator: "|")[2] } == [
        "<Optics/Mirrors", "<Optics/Mirrors", "<Optics/Lenses", "<Sales", "<Sales",
      ]
    )
  }

  // MARK: Several files

  @Test func `are completed from other files`() async throws {
    let list = "No,Name,Dept,CC\n1,Ada,mir,100\n2,Bo,opt,200\n3,Cy,opt,300\n"
    let departments =
      "Code,Name,Parent\nlum,Lumen,lum\nopt,Optics,lum\nmir,Mirrors,opt\nvac,Vacant,lum\n"
    let centres = "Title\nCC No,Name\n100,Glass\n200,\"Brass, tin\"\n"
    let managers = "Employee,Manager\n1,2\n"
    let entries: KeyValuePairs = [
      "id": "{No}", "name": "{Name}", "department_id": "{Dept}", "manager": "{Manager}",
      "cost_centre": "{CC} {CC > Name}", "join": "{CC} = {CC No}; {No} = {Employee}",
      "departments.id": "{Code}", "departments.name": "{Name}", "departments.parent_id": "{Parent}",
    ]
    let seen = try await read(
      managers,
      departments,
      list,
      centres,
      with: entries,
      fields: fields("manager", "cost_centre")
    )
    #expect(
      seen.rows == [
        "d|lum|<|Lumen||0", "d|opt|<lum|Optics||0", "d|mir|<opt|Mirrors||0", "d|vac|<lum|Vacant||0",
        #"u|1|<mir|Ada||||0|true|{"manager": "2", "cost_centre": "100 Glass"}"#,
        #"u|2|<opt|Bo||||0|true|{"cost_centre": "200 Brass, tin"}"#,
        #"u|3|<opt|Cy||||0|true|{"cost_centre": "300"}"#,
      ]
    )
    #expect(seen.problems == [])
    #expect(
      seen.warnings == [
        "3: \"No\" \"2\" is not in 0.csv (2 such rows)", "4: \"CC\" \"300\" is not in 3.csv",
      ]
    )
    await #expect(throws: DirectoryError.self) {
      _ = try await self.read(list, departments, with: entries)
    }
    let twice = try await read(
      list,
      departments,
      managers + "1,3\n",
      centres,
      with: entries,
      fields: fields("manager", "cost_centre")
    )
    #expect(
      twice.problems == ["3: \"Employee\" \"1\" occurs in two rows, which differ"]
    )
  }

  // MARK: Names and departments

  @Test func `name people and managers in one way`() async throws {
    let seen = try await read(
      """
      No,Name,Unit,Boss
      1,"LUND, Dr. Ada",A,Bo van DAHL
      2,"van Dahl, Bo",A,
      3,"Prof. HOLM Cy, PhD",A,Ada Lund

      """,
      with: [
        "id": "{No}", "name": "{Name}", "department": "{Unit}", "manager": "{Boss}",
        "people": "name", "names": "split",
      ],
      fields: fields("manager", "family_name")
    )
    #expect(
      people(seen) == [
        #"u|1|<A|Ada Lund||||0|true|{"manager": "2", "family_name": "Lund"}"#,
        #"u|2|<A|Bo van Dahl||||0|true|{"family_name": "van Dahl"}"#,
        #"u|3|<A|Cy Holm||||0|true|{"manager": "1", "family_name": "Holm"}"#,
      ]
    )
    #expect(
      seen.warnings == [
        "2: 1: 3 titles and degrees in names are left out, the first \"Dr.\"; to keep them, declare "
          + "the fields name_prefix and name_suffix"
      ]
    )
  }

  @Test func `write a department as most of them do`() async throws {
    let seen = try await read(
      "No,Name,Unit\n1,Ada,SALES\n2,Bo,Sales\n3,Cy,Sales\n4,Di,R&D\n5,Ed,R & D\n6,Flo,R & D\n",
      with: ["id": "{No}", "name": "{Name}", "department": "Lumen/{Unit}"]
    )
    #expect(
      seen.rows.filter { $0.hasPrefix("d") } == [
        "d|Lumen|<|Lumen||0", "d|Lumen/Sales|<Lumen|Sales||0", "d|Lumen/R & D|<Lumen|R & D||0",
      ]
    )
    #expect(
      seen.warnings == [
        "2: the department \"SALES\" is taken for \"Sales\", from which it differs in case or blanks "
          + "only"
      ]
    )
  }

  // MARK: Dates and doubts

  @Test func `have years of two digits as the mapping says`() async throws {
    let list = "No,Name,Unit,Born,In\n1,Ada,A,3.4.48,31/12/49\n2,Bo,A,3.4.50,1/13/50\n"
    func entries(_ years: String) -> KeyValuePairs<String, String> {
      [
        "id": "{No}", "name": "{Name}", "department": "{Unit}", "birthday": "{Born}",
        "joined": "{In}", years: "1949",
      ]
    }
    let fields = fields("birthday", "joined")
    let seen = try await read(list, with: entries("years"), fields: fields)
    #expect(
      people(seen) == [
        #"u|1|<A|Ada||||0|true|{"joined": "1949-12-31", "birthday": "2048-04-03"}"#,
        #"u|2|<A|Bo||||0|true|{"joined": "1950-01-13", "birthday": "1950-04-03"}"#,
      ]
    )
    let without = try await read(list, with: entries("title"), fields: fields)
    #expect(
      without.problems
        == [("2: 1", "3.4.48"), ("3: 2", "3.4.50")].map { place, date in
          "\(place): birthday \"\(date)\" has a year of two digits; add years: 1950, or another "
            + "first of the hundred years that are meant, to the mapping"
        }
    )
  }

  @Test func `with doubtful values are read, and told`() async throws {
    let seen = try await read(
      """
      No,Name,Unit,Mail,Tel,Born,Boss,Job,Out,Head
      1,Ada,A,ada@@x.example,none,1931-01-01,1,=1+1,,
      2,Bo,A,bo@x.example,+49 1,1990-01-01,1,+49 Chef,,
      3,Bo,A,,,,,Head,,
      4,Cy,A,,,,,,1.1.2026,x

      """,
      with: [
        "id": "{No}", "name": "{Name}", "department": "{Unit}", "email": "{Mail}", "phone": "{Tel}",
        "birthday": "{Born}", "manager": "{Boss}", "title": "{Job}", "left": "{Out}",
        "leads": "{Head}",
      ],
      fields: fields("birthday", "manager")
    )
    #expect(people(seen).count == 4)
    #expect(
      seen.warnings == [
        "2: 1: email \"ada@@x.example\" is not an email address; it is imported unchanged",
        "2: 1: phone \"none\" is not a phone number; it is imported unchanged",
        "2: 1: birthday \"1931-01-01\" is before 1950 or in another century; it is imported unchanged",
        "2: 1: 2 values begin like a formula, the first title \"=1+1\"; they are imported unchanged",
        "2: 1: \"Ada\" is the person's own manager; it is imported unchanged",
        "5: 4: \"Cy\" leads a department and has left",
        "4: 3: \"Bo\" is the name of two people in one department; it is imported unchanged",
        "5: 4: left out \"Cy\", who has left",
      ]
    )
  }

  @Test(arguments: [
    ("where", "{A}"), ("where", "A = b"), ("join", "{A}"), ("names", "both"), ("years", "50"),
    ("fill_down", "A"), ("departments.!", "{A}"), ("departments.name", "{A}"), ("left", "A"),
  ])
  func `need a mapping that can be understood`(_ key: String, _ value: String) {
    #expect(throws: DirectoryError.self) {
      try mapping(["id": "{A}", "name": "{B}", key: value])
    }
  }
}
