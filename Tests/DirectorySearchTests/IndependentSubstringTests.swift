import DirectoryTestSupport
import Seeds
import DirectoryModel
import DirectorySearch
import Testing

/// Letters with what they fold to, written down by hand from the documented table: nothing here asks
/// the code under test or ICU.
private enum HandFolding {
  struct Letter {
    let written: [String]
    let folded: String
  }

  static let letters: [Letter] = [
    Letter(written: ["a", "A", "á", "Á", "a\u{301}", "ａ", "Ａ", "ā"], folded: "a"),
    Letter(written: ["n", "N", "ñ", "n\u{303}", "ｎ", "Ň"], folded: "n"),
    Letter(written: ["o", "O", "ö", "ø", "Ø", "o\u{308}", "ő"], folded: "o"),
    Letter(written: ["l", "L", "ł", "Ł", "Ĺ"], folded: "l"),
    Letter(written: ["s", "S", "š", "Ş", "ſ"], folded: "s"),
    Letter(written: ["d", "D", "đ", "ð", "Ð"], folded: "d"),
    Letter(written: ["i", "I", "ı", "İ", "í"], folded: "i"),
    Letter(written: ["ß", "ẞ", "ss", "SS"], folded: "ss"),
    Letter(written: ["æ", "Æ", "ae", "Ǽ"], folded: "ae"),
    Letter(written: ["þ", "Þ", "th"], folded: "th"),
    Letter(written: ["ﬁ", "fi", "FI"], folded: "fi"),
    Letter(written: ["е", "Е", "ё", "Ё", "е\u{308}"], folded: "е"),
    Letter(written: ["ж", "Ж"], folded: "ж"),
    Letter(written: ["σ", "Σ", "ς"], folded: "σ"),
    Letter(written: ["ο", "Ό", "ό", "ο\u{301}"], folded: "ο"),
    Letter(written: ["ש", "שׁ"], folded: "ש"),
    Letter(written: ["ا", "أ", "إ", "آ"], folded: "ا"),
    Letter(written: ["王"], folded: "王"),
    Letter(written: ["小"], folded: "小"),
    Letter(written: ["が", "か\u{3099}"], folded: "が"),
    Letter(written: ["か"], folded: "か"),
    Letter(written: ["カ", "ｶ"], folded: "カ"),
    Letter(written: ["가", "\u{1100}\u{1161}"], folded: "가"),
    Letter(written: ["4", "４", "٤", "४"], folded: "4"),
    Letter(written: ["-", "–", "‑", "−"], folded: "-"),
    Letter(written: ["'", "’", "ʼ", "`"], folded: "'"),
    Letter(written: ["%"], folded: "%"),
    Letter(written: ["_"], folded: "_"),
    Letter(written: ["\\"], folded: "\\"),
    Letter(written: ["*"], folded: "*"),
    Letter(written: [".", "．"], folded: "."),
  ]

  /// Blanks stand between Latin letters alone: others are found across them as well.
  static let blanks = [" ", "\u{A0}", "\u{3000}", "  ", "\t "]
  static let invisible = ["\u{200D}", "\u{200B}", "\u{AD}", "\u{202E}"]

  /// Letters by number; `nil` is a blank.
  typealias Text = [Int?]

  static func text(_ count: ClosedRange<Int>, using generator: inout SeededGenerator) -> Text {
    var text: Text = []
    for _ in 0..<Int.random(in: count, using: &generator) {
      if !text.isEmpty { text += [0, nil, 1] }
      for _ in 0..<Int.random(in: 1...5, using: &generator) {
        text.append(Int.random(in: letters.indices, using: &generator))
      }
    }
    return text
  }

  static func folded(_ text: Text) -> String {
    text.map { $0.map { letters[$0].folded } ?? " " }.joined()
  }

  static func written(_ text: Text, using generator: inout SeededGenerator) -> String {
    text.map { letter in
      let all = letter.map { letters[$0].written } ?? blanks
      let mark = Int.random(in: 0...9, using: &generator) == 0 ? invisible : [""]
      return (all.randomElement(using: &generator) ?? "")
        + (letter == nil ? "" : mark.randomElement(using: &generator) ?? "")
    }.joined()
  }
}

@Suite("Substrings, by an independent implementation")
struct IndependentSubstringTests {
  private struct Person {
    var name: HandFolding.Text
    var title: HandFolding.Text
    var department: Int

    func holds(_ word: String, _ departments: [HandFolding.Text]) -> Bool {
      [name, title, departments[department]].contains { Self.contains($0, word) }
    }

    static func contains(_ text: HandFolding.Text, _ word: String) -> Bool {
      naivelyContains(Array(HandFolding.folded(text).utf8), Array(word.utf8))
    }
  }

  @Test(arguments: newSeeds(25))
  func `a phrase, and words, find exactly those that hold them`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let departments = (0..<4).map { _ in HandFolding.text(1...2, using: &generator) }
    let people = (0..<60).map { _ in
      Person(
        name: HandFolding.text(1...3, using: &generator),
        title: HandFolding.text(0...2, using: &generator),
        department: Int.random(in: departments.indices, using: &generator)
      )
    }
    let engines = try company(departments, people, using: &generator).engines()
    for _ in 0..<40 {
      let words = (0..<Int.random(in: 1...2, using: &generator)).map { _ in
        part(of: people.randomElement(using: &generator), departments, using: &generator)
      }
      let query = words.map { word in
        "\"\(HandFolding.written(word, using: &generator))\""
      }.joined(separator: " ")
      let folded = words.map { HandFolding.folded($0) }
      let expected = people.indices.filter { row in
        folded.allSatisfy { people[row].holds($0, departments) }
      }
      let expectedDepartments = departments.indices.filter { row in
        folded.allSatisfy { Person.contains(departments[row], $0) }
      }
      for engine in [engines.index, engines.scan] {
        let hits = try engine.search(SearchRequest(SearchQuery(query))).hits
        let found = hits.filter { !$0.isDepartment }.map(\.row).sorted()
        #expect(found == expected, "seed \(seed), \(query)")
        let inDepartments = hits.filter(\.isDepartment).map(\.row).sorted()
        #expect(inDepartments == expectedDepartments, "seed \(seed), \(query)")
      }
    }
  }

  private func company(
    _ departments: [HandFolding.Text],
    _ people: [Person],
    using generator: inout SeededGenerator
  ) throws -> Company {
    var company = Company()
    for (row, name) in departments.enumerated() {
      try company.department(Self.id(row), name: HandFolding.written(name, using: &generator))
    }
    for (row, person) in people.enumerated() {
      try company.user(
        Self.id(row),
        in: Self.id(person.department),
        name: HandFolding.written(person.name, using: &generator),
        title: HandFolding.written(person.title, using: &generator)
      )
    }
    return company
  }

  /// An id without any letter that names are made of.
  private static func id(_ row: Int) -> String {
    String(row).map { String("qwrkpvxzgm".dropFirst($0.wholeNumberValue ?? 0).prefix(1)) }.joined()
  }

  /// Some letters side by side, without blanks at the ends.
  private func part(
    of person: Person?,
    _ departments: [HandFolding.Text],
    using generator: inout SeededGenerator
  ) -> HandFolding.Text {
    guard let person, Int.random(in: 0...7, using: &generator) > 0 else {
      return HandFolding.text(1...1, using: &generator)
    }
    let texts = [person.name, person.name, person.title, departments[person.department]]
    let text = texts.randomElement(using: &generator) ?? person.name
    guard !text.isEmpty else { return HandFolding.text(1...1, using: &generator) }
    let start = Int.random(in: text.indices, using: &generator)
    let count = Int.random(in: 1...min(6, text.count - start), using: &generator)
    let part = text[start..<start + count].drop { $0 == nil }
    let trimmed = Array(part.reversed().drop { $0 == nil }.reversed())
    return trimmed.isEmpty ? [0] : trimmed
  }
}
