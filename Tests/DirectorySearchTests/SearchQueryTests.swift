import Testing

@testable import DirectorySearch

@Suite("What a query looks for")
struct SearchQueryTests {
  private func words(_ text: String) -> [String] {
    SearchQuery(text).words.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `words are folded and parted by white space of any kind`() {
    #expect(words("  ŁUKASZ\t\u{A0}Ångström\u{3000}王 ") == ["lukasz", "angstrom", "王"])
    #expect(SearchQuery(" ŁUKASZ \n x ").phrase == Array("lukasz x".utf8))
  }

  @Test(arguments: ["", " ", "\t\n\u{3000}", "\u{200B}\u{200D}", "\u{AD}", "\u{202E}"])
  func `what folds to nothing is no word`(text: String) {
    #expect(SearchQuery(text).isEmpty)
    #expect(words("anna " + text + " lund") == ["anna", "lund"])
  }

  @Test func `a mark after a blank does not glue two words together`() {
    // One Character for Swift: the blank and the vowel sign after it.
    #expect(words("ann \u{E31}b").count == 2)
    #expect(words("ann \u{3099}b").count == 2)
    #expect(SearchQuery("ann \u{E31}b").phrase == Array("ann \u{E31}b".utf8))
  }

  @Test func `no character is a wildcard, an operator or an escape`() {
    #expect(words(#"%_\*-"?[a] OR"#) == [#"%_\*-"?[a]"#, "or"])
  }
}
