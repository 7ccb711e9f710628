import DirectoryModel
import Testing

@Suite("An id is its bytes")
struct IdentifierTests {
  private let composed = "caf\u{E9}"
  private let decomposed = "cafe\u{301}"

  @Test func `composed and decomposed forms are two ids`() {
    #expect(composed == decomposed, "String merges them, or this test shows nothing")
    #expect(DepartmentID(composed) != DepartmentID(decomposed))
    #expect(UserID(composed) != UserID(decomposed))
  }

  @Test func `composed and decomposed forms are two members of a set and two keys`() {
    #expect(Set([DepartmentID(composed), DepartmentID(decomposed)]).count == 2)
    #expect(Set([UserID(composed), UserID(decomposed)]).count == 2)
    let byID = [UserID(composed): 1, UserID(decomposed): 2]
    #expect(byID[UserID(composed)] == 1)
    #expect(byID[UserID(decomposed)] == 2)
  }

  @Test func `hashes differ where bytes do`() {
    #expect(DepartmentID(composed).hashValue != DepartmentID(decomposed).hashValue)
    #expect(UserID(composed).hashValue != UserID(decomposed).hashValue)
  }

  @Test func `the same bytes are the same id, however they were made`() {
    let native = UserID("Zoë 42")
    let pieced = UserID(String(decoding: Array("Zoë 42".utf8), as: UTF8.self))
    let sliced = UserID(String("<Zoë 42>".dropFirst().dropLast()))
    #expect(native == pieced && native == sliced)
    #expect(native.hashValue == pieced.hashValue && native.hashValue == sliced.hashValue)
  }

  @Test func `order is that of code points, not of letters or UTF-16`() {
    // U+FF5A comes before U+1D51E, although its UTF-16 is greater; B before a; a before é.
    let rising = [
      "", "\u{0}", "B", "a", "a\u{0}", "aa", "e\u{301}", "\u{E9}", "\u{FF5A}", "\u{1D51E}",
    ]
    let ids = rising.map { DepartmentID($0) }
    #expect(ids.shuffled().sorted() == ids)
    for (left, right) in zip(ids, ids.dropFirst()) {
      #expect(left < right)
      #expect(!(right < left))
      #expect(!(left < left))
    }
  }

  @Test func `ids in a pair hash apart from ids split elsewhere`() {
    struct Pair: Hashable {
      var first: UserID
      var second: UserID
    }
    let left = Pair(first: UserID("ab"), second: UserID("c"))
    let right = Pair(first: UserID("a"), second: UserID("bc"))
    #expect(left != right)
    #expect(left.hashValue != right.hashValue)
  }

  @Test func `an id shows itself as it is`() {
    #expect("\(UserID(decomposed))".utf8.elementsEqual(decomposed.utf8))
    #expect(DepartmentID(decomposed).rawValue.utf8.elementsEqual(decomposed.utf8))
  }
}
