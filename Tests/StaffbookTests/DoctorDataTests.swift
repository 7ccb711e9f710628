import SystemPackage
import TestSupport
import Testing

@Suite("What the doctor finds in the data")
struct DoctorDataTests {
  private func doctor(_ book: Book) async throws -> (status: Int32, faults: [String]) {
    try await book.lines("sync")
    let outcome = try await book.run("doctor", "--snapshot", "--json")
    let lines = outcome.stdout.split(separator: "\n").map(String.init)
    return (outcome.status, lines.filter { $0.contains(#""subject":"fault""#) })
  }

  private struct Fault {
    var sql: String
    var fault: String
    /// None where the only one would remove the user, who may be another of the same name.
    var advice: String?
    var isProblem = true
  }

  private static let faults = [
    Fault(
      sql: "update staffbook.users set email = 'ada@x, bo@x' where id = 'u1'",
      fault: "malformed-email",
      advice: "staffbook set id:u1 email="
    ),
    Fault(
      sql: "update staffbook.users set email = 'ada@@x.example' where id = 'u1'",
      fault: "malformed-email",
      advice: "staffbook set id:u1 email="
    ),
    Fault(
      sql: "update staffbook.users set phone = 'ask Bo' where id = 'u1'",
      fault: "malformed-phone",
      advice: "staffbook set id:u1 phone="
    ),
    Fault(
      sql: "update staffbook.users set name = E'Ada\\u200B Lu\\u00ADnd' where id = 'u1'",
      fault: "invisible-characters",
      advice: "staffbook rename id:u1 'Ada Lund'"
    ),
    Fault(
      sql: "update staffbook.departments set name = E'\\u202EMirrors' where id = 'mir'",
      fault: "invisible-characters",
      advice: "staffbook rename id:mir Mirrors"
    ),
    Fault(
      sql: "update staffbook.users set name = E'\\u0410da Lund' where id = 'u1'",
      fault: "mixed-scripts",
      advice: "staffbook rename id:u1 'Аda Lund'",
      isProblem: false
    ),
    Fault(
      sql: """
        update staffbook.users set fields = jsonb_build_object('manager',
          case id when 'u1' then 'u2' when 'u2' then 'u3' else 'u2' end)
        """,
      fault: "managers-in-a-ring",
      advice: "staffbook set id:u2 manager="
    ),
    Fault(
      sql:
        "update staffbook.users set fields = jsonb_build_object('manager', 'u1') where id = 'u1'",
      fault: "managers-in-a-ring",
      advice: "staffbook set id:u1 manager="
    ),
    Fault(
      sql: "update staffbook.users set email = 'ADA@lumen.example' where id = 'u3'",
      fault: "same-person",
      advice: "staffbook merge id:u1 id:u3 --dry-run",
      isProblem: false
    ),
    Fault(
      sql: "update staffbook.users set phone = '+1-555-0100', name = 'Åda Noé' where id = 'u3'",
      fault: "same-person",
      advice: "staffbook merge id:u1 id:u3 --dry-run",
      isProblem: false
    ),
    Fault(
      sql: "update staffbook.users set name = 'Lukasz Zak' where id = 'u3'",
      fault: "same-person",
      advice: "staffbook merge id:u2 id:u3 --dry-run",
      isProblem: false
    ),
    Fault(
      sql: "update staffbook.memberships set leads = user_id in ('u1', 'u3')",
      fault: "without-lead",
      advice: "staffbook set WHO lead@opt=yes",
      isProblem: false
    ),
    Fault(
      sql: "insert into staffbook.departments (id, name, parent_id) values ('it''s', 'E', 'lum')",
      fault: "without-people",
      isProblem: false
    ),
    Fault(
      sql: """
        insert into staffbook.departments (id, name, parent_id)
          select 'd' || n, 'D' || n, case n when 1 then 'lum' else 'd' || n - 1 end
            from generate_series(1, 16) n;
        update staffbook.users set primary_department_id = 'd16' where id = 'u3';
        insert into staffbook.memberships (user_id, department_id) values ('u3', 'd16')
        """,
      fault: "too-deep",
      advice: "staffbook move id:d15 --to DEPARTMENT",
      isProblem: false
    ),
  ]

  @Test func `lists what is wrong, with a command that corrects it and removes no person`()
    async throws
  {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("field", "add", "manager")
        for fault in Self.faults {
          try book.script(
            "truncate staffbook.departments, staffbook.users, staffbook.memberships"
          )
          try await book.lines("import", "--replace", folder.string)
          try book.script("delete from staffbook.departments where id = 'vac'")
          let sound = try await doctor(book)
          #expect(sound.status == 0 && sound.faults.isEmpty, "\(sound)")
          try book.script(fault.sql)
          let found = try await doctor(book)
          #expect(found.status == (fault.isProblem ? 65 : 0), "\(fault.sql): \(found)")
          #expect(values(of: "fault", in: found.faults) == [fault.fault], "\(fault.sql)")
          let advice = fault.advice.map { "\"advice\":\"\($0)\"" } ?? "\"fault\":"
          #expect(found.faults.first?.contains(advice) == true, "\(found)")
          #expect(found.faults.first?.contains("advice") == (fault.advice != nil), "\(found)")
        }
      }
    }
  }

  @Test func `shows both of two namesakes, and removes neither`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeCompany(
          departments: "a,,All,,0\n",
          users: "3,a,John Smith,,,,0\n4,a,John Smith,,,,0\n",
          to: folder
        )
        try await book.lines("import", folder.string)
      }
      let shown = try await book.run("doctor", "--snapshot")
      #expect(shown.status == 0, "\(shown)")
      #expect(
        shown.stdout.reads(
          "…",
          "  person:  John Smith (3), John Smith (4): have the same name in one department",
          "…"
        ),
        "\(shown)"
      )
      #expect(!shown.stdout.contains("remove"), "\(shown)")
    }
  }

  @Test(arguments: ["rust-team", "us-congress", "jp-councillors", "cldr-world"])
  func `of real directories is only what is there`(_ name: String) async throws {
    try await withBook { book in
      let folder = try TestData.directory(named: name)
      try await book.lines("import", folder.string)
      let found = try await doctor(book)
      let kinds = Set(values(of: "fault", in: found.faults))
      // CLDR has the same sample names for several languages, and a stray mark in a Pashto one.
      let known: Set =
        name == "cldr-world"
        ? ["without-people", "same-person", "invisible-characters"] : ["without-people"]
      #expect(kinds.isSubset(of: known), "\(kinds)")
      let shown = try await book.run("doctor", "--snapshot")
      #expect(shown.status == (name == "cldr-world" ? 65 : 0), "\(shown)")
    }
  }
}
