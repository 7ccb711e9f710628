import SystemPackage
import TestSupport
import Testing

@Suite("Importing a folder of cards")
struct CardFolderTests {
  private func write(_ lines: [String], to path: FilePath) throws {
    let text = (["BEGIN:VCARD", "VERSION:4.0"] + lines + ["END:VCARD", ""]).joined(
      separator: "\r\n"
    )
    try StaffbookTests.write(text, to: path)
  }

  /// As vdirsyncer and khard keep them.
  private func writeCards(_ count: Int, to folder: FilePath) throws {
    for index in 0..<count {
      try write(
        [
          "UID:urn:uuid:p\(index)", "FN:Person \(index)", "ORG:Lumen;Office \(index % 7)",
          "X-COLOUR:red",
        ] + (index == 0 ? ["TEL:+1 555 0100"] : []),
        to: folder.appending("\(index).vcf")
      )
    }
  }

  @Test func `one card in each of many files is one address book, with few files open at a time`()
    async throws
  {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeCards(300, to: folder)
        try write(
          ["KIND:group", "UID:choir", "FN:Choir", "MEMBER:urn:uuid:p3", "MEMBER:urn:uuid:p299"],
          to: folder.appending("a-choir.vcf")
        )
        // A list that says more of a department than the cards do.
        try StaffbookTests.write(
          "kind,id,parent_id,name,description\ndepartment,Lumen,,Lumen,Makers of light\n"
            + "user,x,Lumen/Office 1,Xenia,\n",
          to: folder.appending("list.csv")
        )
        let outcome = try await runProgram(
          "/bin/sh",
          ["-c", "ulimit -n 64; exec \"$0\" import \"$1\"", try Book.program(), folder.string],
          environment: book.variables
        )
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.stderr.reads("staffbook: …: 301 files: vCard", "…"), "\(outcome)")
        #expect(
          outcome.stderr.reads(
            "…",
            "staffbook: warning: 301 files of vCards: ignored unsupported fields: X-COLOUR 300",
            "…"
          ),
          "\(outcome)"
        )
        #expect(
          try book.query("select id, description from staffbook.departments order by 1")
            == [["Lumen", "Makers of light"]] + (0..<7).map { ["Lumen/Office \($0)", ""] }
            + [["choir", ""]]
        )
        #expect(try book.query("select count(*) from staffbook.users") == [["301"]])
        #expect(
          try book.query(
            "select user_id from staffbook.memberships where department_id = 'choir' order by 1"
          ) == [["p299"], ["p3"]]
        )
        let before = try book.contents()
        try await book.lines("import", "--replace", folder.string)
        #expect(try book.contents() == before)
      }
    }
  }

  @Test func `what is wrong is told with the file that has it, and nothing is imported`()
    async throws
  {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeCards(40, to: folder)
        let empty = try book.contents()
        try write(["UID:urn:uuid:p7", "FN:Twin", "ORG:Lumen"], to: folder.appending("twin.vcf"))
        var outcome = try await book.run("import", folder.string)
        #expect(outcome.status == 65)
        #expect(
          outcome.stderr.reads(
            "staffbook: …: 41 files: vCard",
            "staffbook: cannot import: there is a problem with the files",
            "staffbook: …/twin.vcf:1: p7: line 1 of …/7.vcf (…) and line 1 of …/twin.vcf (Twin) have the same id, p7",
            "staffbook: nothing was changed; correct the files and try again"
          ),
          "\(outcome)"
        )
        try write(["UID:x", "FN:Nowhere"], to: folder.appending("twin.vcf"))
        outcome = try await book.run("import", folder.string)
        #expect(outcome.status == 65)
        #expect(
          outcome.stderr.reads(
            "…",
            "staffbook: …twin.vcf:1: \"Nowhere\" has no ORG and is in no group, and therefore in no department; name one with --into",
            "…"
          ),
          "\(outcome)"
        )
        try StaffbookTests.write("", to: folder.appending("twin.vcf"))
        outcome = try await book.run("import", folder.string)
        #expect(outcome.status == 65)
        #expect(outcome.stderr.reads("…", "staffbook: …twin.vcf: has no card", "…"), "\(outcome)")
        #expect(try book.contents() == empty)
      }
    }
  }
}
