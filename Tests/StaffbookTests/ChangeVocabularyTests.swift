import SystemPackage
import TestSupport
import Testing

@Suite("The vocabulary of changes")
struct ChangeVocabularyTests {
  @Test func `an import and the sync behind it tell the same changes alike`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
        try await book.lines("field", "add", "office")
        try writeCompany(
          departments: """
            lum,,Lumen & Co,Makers of light,0
            mir,lum,Mirrors,,7
            new,mir,Foils,,3

            """,
          users: """
            u1,lum,Ada Lund,Chair,ada@lumen.example,+1 555 0199,0
            u2,new,Łukasz Żak,Polisher,lukasz@lumen.example,+1 555 0101,0
            u4,mir,Nils Öst,,,,0

            """,
          memberships: "u1,new,Advisor,0\nu4,new,,0\n",
          to: folder
        )
        let replacing = ["import", "--replace", "--accept-deletions", folder.string]
        let plan = try await book.lines(replacing + ["--dry-run"])
        let planned = try await book.lines(replacing + ["--dry-run", "--json"])
        _ = try await book.lines(replacing + ["--no-sync"])
        for how: [String] in [[], ["--full"]] {
          let sync = ["sync", "--dry-run", "--verbose"] + how
          let found = try await book.lines(sync)
          #expect(Array(found.dropFirst(2)) == Array(plan.dropFirst()), "\(how)")
          let json = try await book.lines(sync + ["--json"])
          #expect(
            json.filter { $0.contains(#""event":"change""#) } == Array(planned.dropFirst()),
            "\(how)"
          )
        }
        #expect(plan.contains("+ department Foils (new) under Mirrors"), "\(plan)")
        #expect(plan.contains("+ Nils Öst (u4) in Mirrors; also in Foils"), "\(plan)")
      }
    }
  }
}
