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
        fields: FieldValues(["site": .one("Pier 4")])
      ),
      DepartmentRecord(
        id: DepartmentID("caf\u{E9}"),
        parent: DepartmentID("cafe\u{301}"),
        name: " ",
        sortOrder: .max
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
        fields: FieldValues(["languages": .several(["zh", "en"])])
      ),
    ]
    var table = UserTable()
    for record in records { try table.append(record) }
    #expect(table.count == records.count)
    #expect(records.indices.map { table[$0] } == records)
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
