import TestSupport
import Testing

@Suite("Numbers that are as large as can be written")
struct LargeNumberTests {
  private static let largest = "\(Int.max)"

  @Test func `are an answer or a refusal wherever they are typed, and never a crash`()
    async throws
  {
    try await withBook { book in
      try await book.lines("sample", "--load", "--people", "2500", "--departments", "20")
      let top =
        "id:"
        + (try book.query("select id from staffbook.departments where parent_id is null")[0][0])
      for (arguments, status) in [
        (["search", "an", "--offset", Self.largest], 0),
        (["search", "an", "--limit", Self.largest], 0),
        (["search", "an", "--limit", Self.largest, "--offset", Self.largest], 0),
        (["log", top, "--limit", Self.largest], 0),
        (["log", "--limit", Self.largest], 0),
        (["tree", "--depth", Self.largest], 0),
        (["tree", "--level", Self.largest], 0),
        (["expand", "--level", Self.largest], 0),
        (["sample", "--people", Self.largest, "."], 64),
        (["sample", "--departments", Self.largest, "."], 64),
        (["sync", "--watch", "--poll", Self.largest + "s"], 64),
        (["log", "--since", "1000000 years ago"], 64),
        (["log", "--since", "100000000 years ago"], 64),
        (["log", "--since", "100000000 hours ago"], 64),
        (["log", "--since", "2000 years ago"], 0),
        (["log", "--since", "0000-01-01"], 0),
        (["log", "--until", "9999-12-31 24:00 -99:99"], 0),
        (["history", "keep", Self.largest + "y"], 64),
        (["tree", "--as-of", "#" + Self.largest], 64),
        (["undo", Self.largest, "-n"], 1),
      ] {
        let outcome = try await book.run(arguments)
        #expect(outcome.status == status, "\(arguments): \(outcome.status) \(outcome.stderr)")
      }
    }
  }
}
