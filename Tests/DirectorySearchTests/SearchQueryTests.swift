import DirectoryModel
import Seeds
import TestSupport
import Testing

@testable import DirectorySearch

@Suite("Reading a query")
struct SearchQueryTests {
  private func words(_ text: String) -> [String] { SearchQuery(text).terms.map { show($0) } }

  /// `field:word`, phrases in quotes.
  private func show(_ term: SearchTerm) -> String {
    let text = String(decoding: term.text, as: UTF8.self)
    return (term.field.map { "\($0.rawValue):" } ?? "") + (term.isPhrase ? "\"\(text)\"" : text)
  }

  @Test func `words are folded and parted by white space of any kind`() {
    #expect(words("  ŁUKASZ\t\u{A0}Ångström\u{3000}王 ") == ["lukasz", "angstrom", "王"])
    #expect(words("ann ANN Ánn") == ["ann"])
  }

  @Test(arguments: ["", " ", "\t\n\u{3000}", "\u{200B}\u{200D}", "\u{AD}", "\u{202E}", "\u{301}"])
  func `what folds to nothing is no word`(text: String) {
    #expect(SearchQuery(text).isEmpty)
    #expect(words("anna \(text) lund") == ["anna", "lund"])
  }

  @Test func `a mark after a blank does not glue two words together`() {
    // One Character for Swift: the blank and the vowel sign after it.
    #expect(words("ann \u{E31}b").count == 2)
    #expect(words("ann \u{3099}b").count == 2)
  }

  @Test(
    arguments: [
      (#""ann lee" x"#, [#""ann lee""#, "x"]), (#""say ""hi"" now""#, [#""say "hi" now""#]),
      (#""open end"#, [#""open end""#]), (#"“Typographic quotes”"#, [#""typographic quotes""#]),
      (#"a"b c"d"#, [#"a"b"#, #"c"d"#]), (#"""#, [#"""#]), (#""""#, [#""""#]),
      (#"" ""#, [#"""#]), (#"name:"Ann Lee""#, [#"name:"ann lee""#]),
      (#""a""b" c"#, [#""a"b""#, "c"]),
    ]
  )
  func `quotes hold a phrase together, and two of them are one`(text: String, expected: [String]) {
    #expect(words(text) == expected)
  }

  @Test(
    arguments: [
      ("name:ann TITLE:head", ["name:ann", "title:head"]), ("department:x", ["dept:x"]),
      ("dept:x email:y phone:123 id:z", ["dept:x", "email:y", "phone:123", "id:z"]),
      ("name:", ["name:"]), ("name: ann", ["name:", "ann"]), ("other:ann", ["other:ann"]),
      ("a:b:c", ["a:b:c"]), ("name:id:7", ["name:id:7"]), ("id:ru:x", ["id:ru:x"]),
      ("http://x", ["http://x"]), (":", [":"]), ("famed:x", ["famed:x"]),
    ]
  )
  func `a field's name before a colon restricts`(text: String, expected: [String]) {
    #expect(words(text) == expected)
  }

  @Test(
    arguments: [
      ("mail:x", "mail", .field(.email)), ("ann -E-Mail:x", "E-Mail", .field(.email)),
      ("tel:x", "tel", .field(.phone)),
      ("mailto:x", "mailto", .field(.email)),
      ("Mobile:1", "Mobile", .field(.phone)), ("nmae:x", "nmae", .name),
      ("names:x", "names", .name),
      ("titel:x", "titel", .title), ("emial:x", "emial", .field(.email)),
      ("phon:1", "phon", .field(.phone)),
      ("dpet:x", "dpet", .department), ("departmnt:x", "departmnt", .department),
    ] as [(String, String, SearchField)]
  )
  func `a field that was meant and is none is refused`(
    text: String,
    name: String,
    meant: SearchField
  ) {
    let query = SearchQuery(text)
    #expect(query.refusal == .unknownField(name, meant: meant) && query.isEmpty)
  }

  @Test(
    arguments: [
      "12:30", "https://x.example/mail:1", "urn:x", "c:", "c:\\x", "ru:77", "game:x", "re:x",
      "cc:x",
      "mail:", "mail: x", "\"mail:x\"", "x-mail:y", "a:mail:x", "研究:x", "io:x", "is:x",
    ]
  )
  func `other colons stand for themselves`(text: String) {
    #expect(SearchQuery(text).refusal == nil)
    #expect(
      !SearchQuery(text).terms.isEmpty && SearchQuery(text).terms.allSatisfy { $0.field == nil }
    )
  }

  @Test func `a hyphen before a word excludes it, inside and alone it means itself`() {
    let query = SearchQuery(#"ann -bob -"c d" -title:x a-b - --y -in:Z"#)
    #expect(query.terms.map { show($0) } == ["ann", "a-b", "-"])
    #expect(query.excluded.map { show($0) } == ["bob", #""c d""#, "title:x", "-y"])
    #expect(query.excludedScopes == ["Z"])
  }

  @Test func `two hyphens alone are the end of options and nothing else`() {
    for text in ["-- ann", "ann --", "ann -- -bob"] {
      #expect(SearchQuery(text).terms.map { show($0) } == ["ann"], "“\(text)”")
    }
    #expect(SearchQuery("ann -- -bob").excluded.map { show($0) } == ["bob"])
    #expect(SearchQuery("--").isEmpty)
    #expect(SearchQuery("ann --").excluded.isEmpty)
  }

  @Test(
    arguments: [
      ("mailto:ada@x.example", "email:ada@x.example"), ("MailTo:a@x?subject=b", "email:a@x"),
      ("tel:+1-201-555-0123;ext=5", "phone:+1-201-555-0123;ext=5"), ("tel:+0123", "phone:+0123"),
    ]
  )
  func `a link to an address or a number is what it leads to`(text: String, term: String) {
    #expect(words(text) == [term])
  }

  @Test func `other dashes come with what was copied and exclude nothing`() {
    let query = SearchQuery("\u{2011}3244 \u{2212}x")
    #expect(query.terms.map { show($0) } == ["-3244", "-x"])
    #expect(query.terms[at: 0]?.phone != nil)
  }

  @Test func `in: takes a department as it was typed`() {
    let query = SearchQuery(#"in:Änn/X in:"A ""b"" C" ann"#)
    #expect(query.scopes == ["Änn/X", #"A "b" C"#])
    #expect(query.terms.map { show($0) } == ["ann"])
  }

  @Test(arguments: [#"%_\*-"?[a] OR"#, #"a|b&c"#, #"(x)+"#, "a\\\"b"])
  func `no other character is a wildcard, an operator or an escape`(text: String) {
    #expect(words(text) == text.lowercased().split(separator: " ").map(String.init))
  }

  @Test(
    arguments: [
      ("202 224 3441", "2022243441"), ("+1 (202) 224-3441", "12022243441"),
      ("ann 030 1234", "0301234"), ("05 24 24 92 05", "0524249205"),
      ("030 / 23125 - 002", "03023125002"),
    ]
  )
  func `numbers typed apart are one telephone number too`(text: String, digits: String) throws {
    let terms = try #require(SearchQuery(text).termsWithJoinedNumber)
    let phone = try #require(terms.compactMap(\.phone).last)
    #expect(String(decoding: phone.written, as: UTF8.self) == digits)
  }

  @Test(arguments: ["202", "1 2", "ann 12 lee 34567", "\"20 22\" 3", "phone:202 224 3"])
  func `and are not where they are few or apart`(text: String) {
    #expect(SearchQuery(text).termsWithJoinedNumber == nil)
  }

  @Test func `what is too much is refused at once, and says so`() {
    var query = SearchQuery("")
    let time = processorTime {
      query = SearchQuery(String(repeating: "a(b|c)*\u{301}", count: 100_000))
    }
    #expect(query.refusal == .tooLong(bytes: 900_000) && query.isEmpty)
    #expect(time < .seconds(1))
    let words = (0..<1_000).map { "w\($0)" }.joined(separator: " ")
    #expect(SearchQuery(words).refusal == .tooManyWords(1_000))
    #expect(SearchQuery(String(repeating: "same ", count: 1_000)).refusal == nil)
    #expect(SearchQuery(String(repeating: "\u{301}", count: 4_000)).isEmpty)
  }

  @Test(arguments: newSeeds(200))
  func `nothing fails to be read, and what is read has no blanks at its ends`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let pieces = [
      "\"", "-", ":", "name:", "in:", " ", "\"\"", "\u{3000}", "\u{200D}", "a", "ß", "\u{301}", "1",
      "+49", "\u{A8}", "\u{FDFA}", "“", "−", "phone:",
    ]
    let text = (0..<30).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
    let query = SearchQuery(text)
    for term in query.terms + query.excluded {
      #expect(!term.text.isEmpty && term.text.first != 0x20 && term.text.last != 0x20, "\(seed)")
      #expect(term.isPhrase || !term.text.contains(0x20), "seed \(seed), “\(text)”")
    }
  }
}
