import DirectoryStore
import Testing

@testable import DirectoryWriting

@Suite("Columns that look exchanged")
struct ColumnComparisonTests {
  /// People with values before and afterwards.
  private func findings(
    _ count: Int = 12,
    of values: [String],
    _ make: (Int) -> [String: (here: String, listed: String)]
  ) -> [String] {
    let people = (1...count).map { number in
      ImportChangedPerson(id: "\(number)", name: "P\(number)", values: make(number))
    }
    return ColumnComparison(people, of: values).findings { $0 == "email" ? ["E-Mail"] : [] }
  }

  @Test func `are those whose values the other one has`() {
    let swapped = findings(of: ["email", "phone"]) { number in
      [
        "email": ("p\(number)@x.example", "+49 30 1000\(number)"),
        "phone": ("+49 30 1000\(number)", "p\(number)@x.example"),
      ]
    }
    #expect(
      swapped == [
        "the columns E-Mail and phone look swapped: each has values as the other one had them"
      ]
    )
    // The numbers are new: only what they look like tells.
    let alike = findings(of: ["email", "phone"]) { number in
      [
        "email": ("p\(number)@x.example", "+49 30 2000\(number)"),
        "phone": ("+49 30 1000\(number)", "q\(number)@x.example"),
      ]
    }
    #expect(alike == swapped)
  }

  @Test func `are also those that are shifted by one`() {
    let shifted = findings(of: ["email", "phone"]) { number in
      [
        "title": ("Title \(number)", ""), "email": ("p\(number)@x.example", "Title \(number)"),
        "phone": ("+49 30 1000\(number)", "p\(number)@x.example"),
      ]
    }
    #expect(
      shifted == [
        "the columns look shifted: E-Mail has values as title had them",
        "the columns look shifted: phone has values as E-Mail had them",
      ]
    )
  }

  @Test func `are given and family names in the other order`() {
    let names = findings(of: ["name"]) { number in
      ["name": ("Ada Lund\(number)", "Lund\(number) Ada")]
    }
    #expect(
      names == ["given and family names look swapped: names have the same words in another order"]
    )
    let parts = findings(of: ["given_name", "family_name"]) { number in
      [
        "given_name": ("Ada\(number)", "Lund\(number)"),
        "family_name": ("Lund\(number)", "Ada\(number)"),
      ]
    }
    #expect(parts.count == 1 && parts[0].contains("look swapped"))
  }

  @Test func `are not those whose values are merely other ones`() {
    let titles = findings(of: ["title"]) { number in
      [
        "title": ("Engineer \(number)", "Senior engineer \(number)"),
        "email": ("a@x.example", "a@x.example"),
      ]
    }
    #expect(titles == [])
    let words = findings(of: ["email"]) { ["email": ("p\($0)@x.example", "somebody else")] }
    #expect(words == ["the new values of E-Mail do not look like email addresses"])
  }

  @Test(arguments: [
    ("ada@x.example", ValueShape.email), ("https://x.example/a", .url), ("2026-03-01", .date),
    ("+49 30 5550100", .phone), ("650 253 0000 x136", .phone), ("00201", .number),
    ("Head of sales", .words), ("Ахматова", .words),
  ])
  func `have shapes`(_ text: String, _ shape: ValueShape) {
    #expect(ValueShape(text) == shape)
  }
}
