import SystemPackage
import TestSupport
import Testing

@Suite("Importing")
struct ImportTests {
  @Test func `columns that a file does not have stay as they are stored`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
        let before = try book.contents()
        try write(
          "id,parent_id,name\nlum,,Lumen\nopt,lum,Optics\nmir,opt,Mirrors\nvac,lum,Vacant\n",
          to: folder.appending("departments.csv")
        )
        try write(
          "name,id,department_id\nAda Lund,u1,lum\nŁukasz Żak,u2,mir\nÉmile Noé,u3,mir\n",
          to: folder.appending("users.csv")
        )
        try write("user_id,department_id\nu2,opt\n", to: folder.appending("memberships.csv"))
        for option in [[], ["--replace"]] {
          let outcome = try await book.run(["import", folder.string] + option)
          #expect(outcome.status == 0)
          #expect(outcome.stderr.contains("has no column phone"))
          #expect(try book.contents() == before, "\(option)")
        }
      }
    }
  }

  @Test func `a changed main department takes the place of the old one`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
        try writeCompany(
          departments: "new,lum,New,,0\n",
          users: "u2,new,Łukasz Żak,Founder,lukasz@lumen.example,,0\n",
          to: folder
        )
        try remove(folder.appending("memberships.csv"))
        try await book.lines("import", folder.string)
        #expect(
          try book.query(
            "select department_id, title from staffbook.memberships where user_id = 'u2' order by 1"
          )
            == [["new", "Founder"], ["opt", "Adviser"]]
        )
        #expect(try await book.lines("staff", "Mirrors", "--plain").count == 1)
      }
    }
  }

  @Test func `two imports at once come out as one after the other`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try await book.lines("sample", "--people", "2000", "--departments", "100", folder.string)
        let statuses = try await withThrowingTaskGroup(of: Int32.self) { group in
          for _ in 0..<4 {
            group.addTask { try await book.run("import", "--replace", folder.string).status }
          }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == [0, 0, 0, 0])
        #expect(try book.query("select count(*) from staffbook.users")[0] == ["2000"])
      }
    }
  }

  @Test func `an import killed half-way changes nothing`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
        let before = try book.contents()
        try await book.lines(
          "sample",
          "--people",
          "60000",
          "--departments",
          "3000",
          "--force",
          folder.string
        )
        let outcome = try await runProgram(
          "/usr/bin/timeout",
          ["-s", "KILL", "0.7", try Book.program(), "import", folder.string],
          environment: [
            "HOME": book.home.string, "STAFFBOOK_HOME": book.home.string, "PATH": "/usr/bin:/bin",
            "STAFFBOOK_DATABASE_URL": book.conninfo, "STAFFBOOK_LOCALE": book.locale,
          ]
        )
        #expect(outcome.status == 137, "\(outcome)")
        #expect(try book.contents() == before)
        #expect(try await book.lines("tree").first == "▾ Lumen (3)")
        try await book.lines("import", folder.string)
        #expect(try book.query("select count(*) from staffbook.users")[0] == ["60003"])
      }
    }
  }

  private func remove(_ path: FilePath) throws {
    let outcome = path.withPlatformString { unlink($0) }
    #expect(outcome == 0)
  }
}

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
