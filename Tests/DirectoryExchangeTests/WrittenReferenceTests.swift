import DirectoryModel
import SystemPackage
import TestSupport
import Testing

@testable import DirectoryExchange

@Suite("People whom lists name")
struct PersonReferenceTests {
  private static let staff = [
    PeopleIndex.Person(id: Array("JAW0001".utf8), name: Array("Ada Lund".utf8)),
    PeopleIndex.Person(
      id: Array("JAW0005".utf8),
      name: Array("Jan Berg".utf8),
      address: Array("Jan.Berg@x.example".utf8),
      distinguishedName: Array("CN=Jan Berg,OU=Sales,DC=acme,DC=example".utf8)
    ),
    PeopleIndex.Person(
      id: Array("JAW0006".utf8),
      name: Array("Berg, Jan".utf8),
      number: Array("0417".utf8),
      distinguishedName: Array("CN=Jan Berg,OU=Works,DC=acme,DC=example".utf8)
    ),
    PeopleIndex.Person(id: Array("jhol".utf8), name: Array("Zoë van der Holm".utf8)),
    PeopleIndex.Person(id: Array("JAW0008".utf8), name: Array("O'Brien, Cian".utf8)),
  ]

  @Test(
    arguments: [
      ("JAW0005", "JAW0005"), ("jaw0005", "JAW0005"), ("Jan Berg (JAW0005)", "JAW0005"),
      ("Jan Berg [JAW0006]", "JAW0006"), ("JAW0006 - Jan Berg", "JAW0006"),
      ("Jan Berg – JAW0006", "JAW0006"), ("JAW0006: Jan Berg", "JAW0006"),
      ("JAW0006 Jan Berg", "JAW0006"), ("Berg, Jan, JAW0006", "JAW0006"),
      ("Berg, Jan (ID JAW0005)", "JAW0005"), ("#JAW0005 | Jan Berg", "JAW0005"),
      ("Jan Berg（JAW0005）", "JAW0005"), ("(JAW0006) Jan Berg", "JAW0006"),
      ("Jan Berg (0417)", "JAW0006"), ("Jan Berg (417)", "JAW0006"),
      ("jan.berg@x.example", "JAW0005"), ("Jan Berg <JAN.BERG@x.example>", "JAW0005"),
      ("mailto:jan.berg@x.example", "JAW0005"), ("Lund, Ada", "JAW0001"), ("ada  lund", "JAW0001"),
      ("Dr. Ada Lund", "JAW0001"), ("LUND Ada", "JAW0001"), ("Ada Lund (Board)", "JAW0001"),
      ("Ada Lund (since 2019)", "JAW0001"), ("Ada Lund 2", "JAW0001"), ("Cian O'Brien", "JAW0008"),
      ("ACME\\jhol", "jhol"), ("Holm, Zoë van der", "jhol"),
      ("acme.example/Sales/Ada Lund", "JAW0001"),
      ("CN=Jan Berg,OU=Works,DC=acme,DC=example", "JAW0006"),
      ("cn=jan berg, ou=Sales, dc=ACME, dc=example", "JAW0005"),
      ("CN=Lund\\, Ada,OU=Board,DC=acme,DC=example", "JAW0001"),
      ("CN=Zo\\C3\\AB van der Holm,OU=Works", "jhol"), ("uid=jhol,ou=Works,o=acme", "jhol"),
      ("CN=Jan Berg (JAW0006),OU=Nowhere", "JAW0006"), ("CN=Ada Lund+UID=x,OU=Board", "JAW0001"),
    ]
  )
  func `are found in every shape`(text: String, id: String) {
    var index = PeopleIndex()
    for person in Self.staff { index.add(person) }
    #expect(index.look(for: Array(text.utf8)) == .id(Array(id.utf8)), "\(text)")
  }

  @Test func `are never guessed`() {
    var index = PeopleIndex()
    for person in Self.staff + Self.staff { index.add(person) }
    func look(_ text: String) -> PeopleIndex.Result { index.look(for: Array(text.utf8)) }
    #expect(look("Jan Berg") == .several)
    #expect(look("Jan Berg (Sales)") == .several)
    #expect(look("CN=Jan Berg,OU=Elsewhere") == .several)
    #expect(look("JAW0005 / JAW0006") == .several || look("JAW0005 / JAW0006") == .none)
    // Somebody of the same name whose number is not in the list.
    #expect(look("Ada Lund (JAW0099)") == .number(Array("JAW0099".utf8)))
    #expect(look("JAW0099 - Ada Lund") == .number(Array("JAW0099".utf8)))
    // A word beside a name that is another person's.
    #expect(look("Ada Lund JAW0005") == .several)
    #expect(look("Eve Nobody") == .none)
    #expect(look("") == .none && look("=") == .none && look("CN=") == .none)
    #expect(look(String(repeating: "(", count: 100_000)) == .none)
  }

  private func read(
    _ name: String,
    _ entries: KeyValuePairs<String, String>
  ) throws -> [String] {
    let path = try TestData.directory(named: "reported").appending("managers").appending(name)
    var form = InputOptions()
    form.isPersonnel = true
    let seen = try readList(
      InputFile.readable(path.string, form),
      as: .personnel,
      fields: fields("manager"),
      mapping: try mapping(entries)
    )
    #expect(seen.problems == [])
    #expect(!seen.warnings.contains { $0.contains("manager") }, "\(seen.warnings)")
    return seen.rows.filter { $0.hasPrefix("u") }.map { row in
      let cells = row.split(separator: "|", omittingEmptySubsequences: false)
      return "\(cells[1]) \(cells.last ?? "")"
    }
  }

  @Test(arguments: ["name", "id", "email"])
  func `of one name are told apart by their numbers`(key: String) throws {
    #expect(
      try read(
        "with-number.csv",
        [
          "id": "{Badge}", "name": "{Name}", "department": "{Department}",
          "manager": "{Reporting Manager}", "people": key,
        ]
      ) == [
        "JAW0001 true", #"JAW0005 {"manager": "JAW0001"}"#, #"JAW0006 {"manager": "JAW0001"}"#,
        #"JAW0007 {"manager": "JAW0005"}"#, #"JAW0008 {"manager": "JAW0006"}"#,
      ]
    )
  }

  @Test(arguments: ["name", "id"])
  func `by distinguished names are found by the nearest part`(key: String) throws {
    #expect(
      try read(
        "get-aduser.csv",
        [
          "id": "{SamAccountName}", "name": "{Name}", "department": "{Department}",
          "manager": "{Manager}", "people": key,
        ]
      ) == [
        #"alund {"manager": "bek"}"#, "bek true", #"cdahl {"manager": "bek"}"#,
        #"dfox {"manager": "bek"}"#,
      ]
    )
  }

  @Test func `may be known by a distinguished name that the mapping does not read`() async throws {
    let seen = try await readList(
      "No,Name,DistinguishedName,Boss\n"
        + "1,Jan Berg,\"CN=Jan Berg,OU=A,O=x\",\n2,Jan Berg,\"CN=Jan Berg,OU=B,O=x\",\n"
        + "3,Bo Ek,\"CN=Bo Ek,O=x\",\"cn=Jan Berg, ou=B, o=x\"\n",
      as: .personnel,
      home: "h",
      fields: fields("manager", "assistant"),
      mapping: try mapping([
        "id": "{No}", "name": "{Name}", "manager": "{Boss}", "assistant": "{Boss}",
      ])
    )
    #expect(
      seen.rows.last == #"u|3|<h|Bo Ek||||0|true|{"manager": "2", "assistant": "2"}"#,
      "\(seen)"
    )
  }

  @Test func `who are not in the list are handed on by number`() async throws {
    let seen = try await readList(
      "No,Name,Boss\nE1,Ada Lund,Ada Lund (E7)\nE2,Bo Ek,E9\nE3,Cy Dahl,X\n",
      as: .personnel,
      home: "h",
      fields: fields("manager"),
      mapping: try mapping(["id": "{No}", "name": "{Name}", "manager": "{Boss}"])
    )
    #expect(
      seen.rows == [
        #"u|E1|<h|Ada Lund||||0|true|{"manager": "E7"}"#,
        #"u|E2|<h|Bo Ek||||0|true|{"manager": "E9"}"#,
        #"u|E3|<h|Cy Dahl||||0|true|{"manager": "X"}"#,
      ]
    )
    #expect(seen.warnings == [])
  }

  @Test func `lead departments in a file of departments`() async throws {
    try await withTemporaryDirectory { folder in
      let (people, departments) = (folder.appending("people.csv"), folder.appending("units.csv"))
      try write("No,Name,Unit\n1,Jan Berg,A\n2,Jan Berg,B\n".utf8, to: people)
      try write("Code,Title,Head\nA,Sales,Jan Berg (2)\nB,Works,-\n".utf8, to: departments)
      let head = Field(name: "head", of: .department, kind: .person, label: "Head")
      let seen = try readLists(
        [InputFile(departments), InputFile(people)],
        as: .personnel,
        fields: [head],
        mapping: try mapping([
          "id": "{No}", "name": "{Name}", "department_id": "{Unit}", "departments.id": "{Code}",
          "departments.name": "{Title}", "departments.head": "{Head}",
        ])
      )
      #expect(
        seen.rows.filter { $0.hasPrefix("d") } == [
          #"d|A|<|Sales||0|{"head": "2"}"#, "d|B|<|Works||0",
        ],
        "\(seen)"
      )
    }
  }
}
