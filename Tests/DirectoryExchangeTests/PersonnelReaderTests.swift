import DirectoryExchange
import DirectoryModel
import TestSupport
import Testing

/// A mapping in a few words.
func mapping(_ entries: KeyValuePairs<String, String>) throws -> PersonnelMapping {
  try PersonnelMapping(
    entries.map { PersonnelMapping.Entry(key: $0.key, value: $0.value, place: "test") }
  )
}

func fields(_ names: String...) -> [Field] { names.map { Field(usual: $0, of: .user) } }

@Suite("Personnel lists")
struct PersonnelReaderTests {
  private func read(
    _ text: String,
    _ entries: KeyValuePairs<String, String>,
    home: String? = nil,
    fields: [Field] = []
  ) async throws -> ListSeen {
    try await readList(
      text,
      as: .personnel,
      home: home,
      fields: fields,
      mapping: try mapping(entries)
    )
  }

  @Test func `departments are made of columns, and their ids of their paths`() async throws {
    let seen = try await read(
      """
      No,First,Last,Division,Team,Pay
      1, Ada ,Lund,Optics,Mirrors,9
      2,Bo,,Optics,,8
      3,Cy,Dahl,A/B,Mirrors,7
      4,Di,Ek,,,6

      """,
      ["id": "{No}", "name": "{first} {LAST}", "department": "Lumen/{Division}/{Team}"]
    )
    #expect(
      seen.rows == [
        "d|Lumen|<|Lumen||0", "d|Lumen/Optics|<Lumen|Optics||0",
        "d|Lumen/Optics/Mirrors|<Lumen/Optics|Mirrors||0",
        "u|1|<Lumen/Optics/Mirrors|Ada Lund||||0|true",
        "u|2|<Lumen/Optics|Bo||||0|true",
        "d|Lumen/A\\/B|<Lumen|A/B||0", "d|Lumen/A\\/B/Mirrors|<Lumen/A\\/B|Mirrors||0",
        "u|3|<Lumen/A\\/B/Mirrors|Cy Dahl||||0|true", "u|4|<Lumen|Di Ek||||0|true",
      ]
    )
    #expect(seen.problems == [] && seen.isComplete)
    #expect(seen.warnings == ["1: left out the column \"Pay\", which the mapping does not name"])
  }

  @Test func `a path in one cell has levels, and a cell may have several`() async throws {
    let seen = try await read(
      """
      姓名,工号,部门,职务
      张伟,w1,流明/研发/后端,工程师
      王芳,w2,流明/研发; /流明/产品/ ;流明/研发,总监

      """,
      [
        "id": "{工号}", "name": "{姓名}", "department": "{部门}", "levels": "/", "several": ";",
        "title": "{职务}",
      ]
    )
    #expect(
      seen.rows == [
        "d|流明|<|流明||0", "d|流明/研发|<流明|研发||0", "d|流明/研发/后端|<流明/研发|后端||0",
        "u|w1|<流明/研发/后端|张伟|工程师|||0|true", "d|流明/产品|<流明|产品||0",
        "u|w2|<流明/研发|王芳|总监|||0|true", "m|w2|<流明/产品|总监|0",
      ]
    )
  }

  @Test func `several rows of a person are several departments, the first the primary one`()
    async throws
  {
    let text = "No,Name,Unit,Main\n1,Ada,A,no\n1,Ada,B,x\n2,Bo,A,YES\n2,Bo,C,\n"
    let rows = try await read(text, ["id": "{No}", "name": "{Name}", "department": "{Unit}"]).rows
    #expect(
      rows.filter { $0.hasPrefix("u") } == [
        "u|1|<A|Ada||||0|true", "u|1|<B|Ada||||0|false", "u|2|<A|Bo||||0|true",
        "u|2|<C|Bo||||0|false",
      ]
    )
    let said = try await read(
      text,
      ["id": "{No}", "name": "{Name}", "department": "{Unit}", "primary": "{Main}"]
    ).rows
    #expect(
      said.filter { $0.hasPrefix("u") } == [
        "u|1|<A|Ada||||0|false", "u|1|<B|Ada||||0|true", "u|2|<A|Bo||||0|true",
        "u|2|<C|Bo||||0|false",
      ]
    )
  }

  @Test func `departments may have numbers, which must agree`() async throws {
    let text =
      "No,Name,D,DNo,T,TNo\n1,Ada,Opt,10,Mir,11\n2,Bo,Opt,10,,\n3,Cy,Opt,12,,\n4,Di,Vac,11,,\n"
    let seen = try await read(
      text,
      [
        "id": "{No}", "name": "{Name}", "department": "{D}/{T}", "department_id": "{DNo}/{TNo}",
      ]
    )
    #expect(
      seen.rows == [
        "d|10|<|Opt||0", "d|11|<10|Mir||0", "u|1|<11|Ada||||0|true", "u|2|<10|Bo||||0|true",
      ]
    )
    #expect(
      seen.problems == [
        "4: 3: the department \"Opt\" has the id \"12\" here, and \"10\" before",
        "5: 4: the department id \"11\" is that of \"Vac\" here, and of \"Opt/Mir\" before",
      ]
    )
    #expect(!seen.isComplete)
    let known = try await read(
      text,
      ["id": "{No}", "name": "{Name}", "department_id": "{TNo}"],
      home: "home"
    )
    #expect(known.rows.first == "u|1|<11|Ada||||0|true")
    #expect(known.rows.last == "u|4|<home|Di||||0|true")
  }

  @Test(
    arguments: [
      ("name", "Dahl, Cy", "3"), ("name", "cy  dahl (3)", "3"), ("name", "Dahl, Cy (3)", "3"),
      ("email", "CY@x.example", "3"), ("id", "3", "3"),
    ]
  )
  func `managers are found by name, address or number`(
    key: String,
    manager: String,
    id: String
  ) async throws {
    let seen = try await read(
      "No,Name,Mail,Boss\n1,Ada Lund,ada@x.example,\"\(manager)\"\n3,Cy Dahl,cy@x.example,\n",
      [
        "id": "{No}", "name": "{Name}", "email": "{Mail}", "manager": "{Boss}", "people": key,
      ],
      home: "h",
      fields: fields("manager")
    )
    #expect(
      seen.rows[at: 0]
        == "u|1|<h|Ada Lund||ada@x.example||0|true|{\"manager\": \"\(id)\"}"
    )
    #expect(seen.warnings == [])
  }

  @Test func `a manager who matches several is reported, and one who matches none is looked up`()
    async throws
  {
    let seen = try await read(
      "No,Name,Boss\n1,Ada,Eve\n2,Bo,Cy\n3,Cy,\n4,Cy,\n",
      ["id": "{No}", "name": "{Name}", "manager": "{Boss}", "people": "name"],
      home: "h",
      fields: fields("manager")
    )
    #expect(
      seen.warnings == [
        "3: 2: manager \"Cy\" is the name of several people, and is left out",
        "5: 4: \"Cy\" is the name of two people in one department; it is imported unchanged",
      ]
    )
    #expect(seen.rows.count == 4 && seen.problems == [])
    #expect(seen.rows[at: 0]?.contains(#"{"manager": "\u0001Eve"}"#) == true, "\(seen)")
  }

  @Test(
    arguments: [
      ("2021-04-03", "2021-04-03"), ("20210403", "2021-04-03"), ("2021/4/3", "2021-04-03"),
      ("3.4.2021", "2021-04-03"), ("03-Apr-2021", "2021-04-03"), ("April 3, 2021", "2021-04-03"),
      ("2021年4月3日", "2021-04-03"), ("13/4/2021", "2021-04-13"), ("4/13/2021", "2021-04-13"),
      ("2021-04-03 00:00:00", "2021-04-03"), ("5/5/2021", "2021-05-05"),
    ]
  )
  func `dates are read as they are written`(written: String, date: String) async throws {
    let seen = try await read(
      "No,Name,Start\n1,Ada,\"\(written)\"\n",
      ["id": "{No}", "name": "{Name}", "joined": "{Start}"],
      home: "h",
      fields: fields("joined")
    )
    #expect(seen.rows == ["u|1|<h|Ada||||0|true|{\"joined\": \"\(date)\"}"], "\(seen)")
  }

  @Test func `a date that may be two is not guessed`() async throws {
    let text = "No,Name,Start\n1,Ada,3/4/2021\n"
    func read(_ order: String?) async throws -> ListSeen {
      var entries = [("id", "{No}"), ("name", "{Name}"), ("joined", "{Start}")]
      if let order { entries.append(("dates", order)) }
      return try await readList(
        text,
        as: .personnel,
        home: "h",
        fields: fields("joined"),
        mapping: PersonnelMapping(
          entries.map { PersonnelMapping.Entry(key: $0.0, value: $0.1, place: "test") }
        )
      )
    }
    let refused = try await read(nil)
    #expect(refused.rows == [])
    #expect(
      refused.problems == [
        "2: 1: joined \"3/4/2021\" is ambiguous between day and month; add dates: day first, or "
          + "dates: month first, to the mapping"
      ]
    )
    for (order, date) in [("day first", "2021-04-03"), ("month first", "2021-03-04")] {
      #expect(
        try await read(order).rows == ["u|1|<h|Ada||||0|true|{\"joined\": \"\(date)\"}"]
      )
    }
  }

  @Test
  func `what a spreadsheet made of values is undone where it is certain, and named where not`()
    async throws
  {
    let seen = try await read(
      "\u{FEFF}No,Name,Phone\n=\"0017\",'t Hooft,=\"+49 89\"\n0018,\u{A0}Bo\u{3000},'0171\n"
        + "19,Cy,171555000\n4.93E+11,Di,089\n0020,Ek,4.9E+11\n",
      ["id": "{No}", "name": "{Name}", "phone": "{Phone}"],
      home: "h"
    )
    #expect(
      seen.rows == [
        "u|0017|<h|'t Hooft|||+49 89|0|true", "u|0018|<h|Bo|||0171|0|true",
        "u|19|<h|Cy|||171555000|0|true", "u|0020|<h|Ek|||4.9E+11|0|true",
      ]
    )
    #expect(
      seen.problems == [
        "5: 4.93E+11: id \"4.93E+11\" is a number that a spreadsheet has shortened; export the list "
          + "again with the column as text"
      ]
    )
    #expect(
      seen.warnings == [
        "6: \"Phone\" \"4.9E+11\" looks like a number that a spreadsheet has shortened; it is "
          + "imported unchanged",
        "4: 19: id \"19\" may have lost its leading zeros: other ids have 4 digits; it is "
          + "imported unchanged",
        "4: 19: phone \"171555000\" may have lost its leading zeros: other numbers begin "
          + "with + or 0; it is imported unchanged",
      ]
    )
  }

  @Test func `a date that contradicts the mapping is refused`() async throws {
    for (order, wrong) in [("month first", "15/03/2020"), ("day first", "03/15/2020")] {
      let seen = try await read(
        "ID,Name,Team,Start\n1,Ada,A,\(wrong)\n2,Bo,A,04/04/2020\n"
          + "3,Cy,A,31.12.2020\n4,Di,A,n/a\n",
        [
          "id": "{ID}", "name": "{Name}", "department": "{Team}", "joined": "{Start}",
          "dates": order,
        ],
        fields: fields("joined")
      )
      #expect(
        seen.problems == ["2: 1: joined \"\(wrong)\" contradicts the mapping's dates: \(order)"]
      )
      #expect(seen.rows.filter { $0.hasPrefix("u") }.count == 3)
    }
  }

  @Test func `headings that are repeated on each page are no people`() async throws {
    let seen = try await read(
      "ID,Name,Team\n1,Ada,A\nID,Name,Team\n2,Bo,A\n",
      ["id": "{ID}", "name": "{Name}", "department": "{Team}"]
    )
    #expect(seen.rows.filter { $0.hasPrefix("u") }.count == 2 && seen.isComplete)
    #expect(seen.warnings == ["3: repeats the headings, and is left out"])
  }

  @Test func `a heading without braces is not taken for a value of everybody`() async throws {
    let seen = try await read(
      "ID,Name,Team\n1,Ada,A\n",
      ["id": "{ID}", "name": "{Name}", "department": "team"]
    )
    #expect(seen.rows == [])
    #expect(
      seen.problems == [
        "1: has a column \"team\", but the mapping gives everybody that text as department; write "
          + "department={team}"
      ]
    )
    #expect(throws: DirectoryError.self) { try mapping(["id": "ID", "name": "{Name}"]) }
  }

  @Test func `headings may stand below others, and must be there once`() async throws {
    let text = "Report of today\n\nNo,Name,Name\n1,Ada,Lund\n"
    let refused = try await read(text, ["id": "{No}", "name": "{Name}", "headings": "3"])
    #expect(
      refused.problems == ["3: has several columns \"Name\", which the mapping names"]
    )
    let missing = try await read(text, ["id": "{Id}", "name": "{Name}"])
    #expect(
      missing.problems == [
        "1: has no column \"Id\", which the mapping names; its columns are \"Report of today\""
      ]
    )
    let seen = try await read(
      text,
      ["id": "{No}", "name": "N. N.", "headings": "3"],
      home: "h"
    )
    #expect(seen.rows == ["u|1|<h|N. N.||||0|true"])
  }

  @Test func `rows of the wrong length, without an id or a department are named`() async throws {
    let seen = try await read(
      "No,Name,Unit\n1,Ada\n2,Bo,A,,\n3,Cy,A,x\n,Di,A\n5,Ek,\n",
      ["id": "{No}", "name": "{Name}", "department": "{Unit}"]
    )
    #expect(seen.rows.filter { $0.hasPrefix("u|2") }.count == 1)
    #expect(
      seen.problems == [
        "2: has 2 fields, the header has 3; if it is a footer, remove it",
        "4: has 4 fields, the header has 3", "5: has no id", "6: 5: has no department",
      ]
    )
  }

  @Test func `a department whose name is too long is told once`() async throws {
    let name = String(repeating: "x", count: 1_001)
    let seen = try await read(
      "No,Name,Unit\n1,Ada,\(name)\n2,Bo,\(name)\n",
      ["id": "{No}", "name": "{Name}", "department": "{Unit}"]
    )
    #expect(
      seen.problems.count == 1
        && seen.problems[at: 0]?.hasSuffix(": name is 1001 characters long; the limit is 1000")
          == true
    )
    #expect(seen.rows.count == 3)
  }

  @Test func `a path of nothing but levels is refused before it costs anything`() async throws {
    let path = Array(repeating: "x", count: 200_000).joined(separator: "/")
    let seen = try await read(
      "No,Name,Unit\n1,Ada,\(path)\n",
      ["id": "{No}", "name": "{Name}", "department": "{Unit}", "levels": "/"]
    )
    #expect(seen.problems == ["2: 1: its department has more than 100 levels"])
  }

  @Test(
    arguments: [
      ["name": "{A}"], ["id": "{A}"], ["id": "{A", "name": "{B}"], ["id": "A}", "name": "{B}"],
      ["id": "{}", "name": "{B}"], ["id": "{A}", "name": ""], ["id": "{A}", "name": "{B}\\"],
      ["id": "{A}", "name": "{B}", "Shoe size": "{C}"],
      ["id": "{A}", "name": "{B}", "people": "phone"],
      ["id": "{A}", "name": "{B}", "headings": "0"], ["id": "{A}", "name": "{B}", "levels": ""],
    ] as [[String: String]]
  )
  func `mappings that mean nothing are refused`(entries: [String: String]) throws {
    let error = #expect(throws: DirectoryError.self) {
      try PersonnelMapping(
        entries.map { PersonnelMapping.Entry(key: $0.key, value: $0.value, place: "test") }
      )
    }
    #expect(error?.kind == .usage)
  }
}
