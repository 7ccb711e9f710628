import DirectoryModel
import Testing

@Suite("Records in columns")
struct RecordTableTests {
  @Test func `departments come back as they went in`() throws {
    let records = [
      DepartmentRecord(id: DepartmentID("root"), parent: nil, name: "Lumen"),
      DepartmentRecord(
        id: DepartmentID("cafe\u{301}"),
        parent: DepartmentID("root"),
        name: "Café",
        description: "coffee\nand cake",
        sortOrder: .min,
        fields: FieldValues(["site": .one("Pier 4")]),
        identity: RecordIdentity("0d2c8a1e-5b77-4c1b-9a52-7e3f1c0b6d94")
      ),
      DepartmentRecord(
        id: DepartmentID("caf\u{E9}"),
        parent: DepartmentID("cafe\u{301}"),
        name: " ",
        sortOrder: .max,
        identity: RecordIdentity("e\u{301}")
      ),
    ]
    var table = DepartmentTable()
    for record in records { try table.append(record) }
    #expect(table.count == records.count)
    #expect(records.indices.map { table[$0] } == records)
    #expect(table[0].parent == nil)
    #expect(table[2].parent?.rawValue.unicodeScalars.count == 5)
  }

  @Test func `users come back as they went in`() throws {
    let records = [
      UserRecord(id: UserID("1"), primaryDepartment: DepartmentID("root"), name: "Ada Lund"),
      UserRecord(
        id: UserID("2"),
        primaryDepartment: DepartmentID(""),
        name: "王小明",
        contacts: [.email: "ming@lumen.example", .phone: "+86 10 5555 0100"],
        fields: FieldValues(["languages": .several(["zh", "en"])]),
        identity: RecordIdentity("0d2c8a1e-5b77-4c1b-9a52-7e3f1c0b6d94")
      ),
    ]
    var table = UserTable()
    for record in records { try table.append(record) }
    #expect(table.count == records.count)
    #expect(records.indices.map { table[$0] } == records)
  }

  @Test func `an identity is a column of departments and people that nobody names or reads`() {
    for kind in RecordKind.allCases {
      let others: [RecordColumn] = kind == .membership ? [] : [.identity, .fields]
      #expect(kind.texts == kind.valueTexts + others)
      #expect(!kind.valueColumns.contains(.identity))
      #expect(!kind.shownFields([]).contains("identity"))
    }
    #expect(!RecordKind.isField(ofPeople: "identity", []))
    let declared = Field(name: "identity", of: .user, label: "Passport")
    #expect(RecordKind.isField(ofPeople: "identity", [declared]))
  }

  @Test func `an identity is told from another byte for byte, and from an id by its type`() {
    #expect(RecordIdentity("\u{E9}") != RecordIdentity("e\u{301}"))
    #expect(RecordIdentity(stored: "") == nil && RecordIdentity(stored: "i")?.rawValue == "i")
    let former = UserID.former("u1", RecordIdentity("i"))
    #expect(former.rawValue.utf8.elementsEqual("u1\u{0}i".utf8))
    #expect(former != UserID.former("u1", RecordIdentity("j")) && former != UserID("u1"))
  }

  @Test func `memberships come back as they went in`() throws {
    let records = [
      MembershipRecord(user: UserID("1"), department: DepartmentID("root")),
      MembershipRecord(
        user: UserID("1"),
        department: DepartmentID("ops"),
        title: "Night shift",
        sortOrder: -7,
        leads: true
      ),
    ]
    var table = MembershipTable()
    for record in records { try table.append(record) }
    #expect(table.count == records.count)
    #expect(records.indices.map { table[$0] } == records)
  }
}
