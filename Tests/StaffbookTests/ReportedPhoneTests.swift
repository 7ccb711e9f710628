import SystemPackage
import TestSupport
import Testing

@Suite("Numbers that others' users stumbled over")
struct ReportedPhoneTests {
  private func importReported(_ name: String, into book: Book) async throws {
    let folder = try TestData.directory(named: "reported").appending(name)
    try await book.lines(
      "import",
      folder.appending("departments.csv").string,
      folder.appending("users.csv").string
    )
  }

  /// The ids of the people that a search finds.
  private func found(_ query: String, in book: Book) async throws -> [String] {
    try await book.lines("search", query, "--columns", "id")
      .filter { ["1", "2", "3", "ar1", "ar2", "ar3"].contains($0) }.sorted()
  }

  @Test func `extensions are found, alone and with their number`() async throws {
    try await withBook { book in
      try await importReported("extensions", into: book)
      for text in ["136", "x136", "ext 136", "ext. 136"] {
        #expect(try await found(text, in: book) == ["1", "2", "3"], "\(text)")
      }
      for text in [
        "\"253 0000 x136\"", "+1 650 253 0000", "6502530000", "650 253 0000 ext. 136",
      ] {
        #expect(try await found(text, in: book) == ["1"], "\(text)")
      }
      #expect(try await found("650 253 0001 x136", in: book) == ["2"])
      #expect(try await found("+1 650 253 0002 ext 136", in: book) == ["3"])
    }
  }

  @Test func `numbers of Argentina are found as they are dialled`() async throws {
    try await withBook { book in
      let folder = book.home.appending("config")
      try makeFolder(folder)
      try write("country: AR\n", to: folder.appending("config.yaml"))
      try await importReported("argentina", into: book)
      for (query, id) in [
        ("011 15-2345-6789", "ar1"), ("+54 9 11 2345-6789", "ar1"), ("11 2345-6789", "ar1"),
        ("+54 9 11 3456-7890", "ar2"), ("15 3456-7890", "ar2"), ("011 4567-8901", "ar3"),
      ] {
        #expect(try await found(query, in: book) == [id], "\(query)")
      }
    }
  }
}
