import SystemPackage
import TestSupport
import Testing

@Suite("The saved view")
struct ViewTests {
  @Test func `changes at the same moment do not lose each other`() async throws {
    try await withBook { book in
      try book.script(
        """
        insert into staffbook.departments (id, parent_id, name)
          select 'd' || n, null, 'Department ' || n from generate_series(1, 12) n;
        insert into staffbook.departments (id, parent_id, name)
          select 'e' || n, 'd' || n, 'Team ' || n from generate_series(1, 12) n;
        """
      )
      try await book.lines("sync")
      try await book.lines("collapse", "--all")
      try await withThrowingTaskGroup(of: ProgramOutcome.self) { group in
        for number in 1...12 {
          group.addTask { try await book.run("expand", "id:d\(number)") }
        }
        for try await outcome in group { #expect(outcome.status == 0, "\(outcome)") }
      }
      #expect(try await book.lines("tree").count == 24)
    }
  }

  @Test func `what keeps a view from being saved is told with what helps against it`() async throws
  {
    try await withBook { book in
      try book.script("insert into staffbook.departments (id, name) values ('d', 'Top')")
      try await book.lines("sync")
      try await book.lines("expand", "--all")
      let states = book.home.appending("state")
      let folder = states.appending(try #require(try folderEntries(states).first))
      for file in try folderEntries(folder) {
        try FileDescriptor.open(folder.appending(file), .readOnly).close()
        _ = try await runProgram("rm", [folder.appending(file).string])
      }
      try makeFolder(folder.appending("view.lock"))
      let outcome = try await book.run("expand", "--all")
      #expect(outcome.status == 73)
      #expect(!outcome.stderr.contains("free some space"), "\(outcome)")
      #expect(
        outcome.stderr.reads(
          "staffbook: cannot lock …: Is a directory",
          "staffbook: move away what is in its place, or set STAFFBOOK_HOME to another folder"
        ),
        "\(outcome)"
      )
    }
  }
}
