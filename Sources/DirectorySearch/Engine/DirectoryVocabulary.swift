import DirectorySnapshot
import OutlineEngine

/// What words a directory has.
///
/// An index may know words of names that were removed: what is looked for by them is not found.
struct DirectoryVocabulary: WordStatistics {
  private let engine: SearchEngine
  private let request: SearchRequest
  private let scope: ScopeFilter
  /// The words of names that no dictionary has: of odd documents, or of all where there is no index.
  private var others: Set<[UInt8]>?

  /// - Parameters:
  ///   - engine: Of the directory.
  ///   - request: Until when to look.
  ///   - scope: Where.
  init(_ engine: SearchEngine, _ request: SearchRequest, _ scope: ScopeFilter) {
    self.engine = engine
    self.request = request
    self.scope = scope
  }

  mutating func isFound(_ term: SearchTerm) throws(SearchError) -> Bool {
    var term = term
    // Scripts without blanks have words anywhere.
    let isJoined = term.text.contains { $0 >= 0xE3 }
    if term.means == .all, !term.isPhrase, !isJoined { term.means = .parts }
    let stage = SearchStage(.asTyped, [SearchReading(terms: [term])], need: .room)
    return try !engine.search(stage, request, in: scope, wanted: 0).hits.isEmpty
  }

  mutating func isNameWord(_ word: [UInt8]) throws(SearchError) -> Bool {
    do throws(SnapshotError) {
      return try contains(word)
    } catch {
      throw .snapshot(error)
    }
  }

  /// - Complexity: O(log words) with an index; without one the first call reads all names.
  private mutating func contains(_ word: [UInt8]) throws(SnapshotError) -> Bool {
    if try loadOthers().contains(word) { return true }
    guard let index = engine.index else { return false }
    for words in index.segments.map(\.names.words) + [index.departments.words] {
      let range = try words.range(beginningWith: word)
      if try !words.wholeRanges(of: word, in: range).isEmpty { return true }
    }
    return false
  }

  private mutating func loadOthers() throws(SnapshotError) -> Set<[UInt8]> {
    if let others { return others }
    var words: Set<[UInt8]> = []
    var texts = FieldTexts()
    func add(_ column: TextColumn, _ row: Int) throws(SnapshotError) {
      try column.withBytes(at: row) { texts.take($0) }
      texts.folded.withUnsafeBufferPointer { text in
        WordSearch.forEachWord(in: text) { words.insert(Array(text[$0])) }
      }
    }
    let (users, departments) = (engine.parts.users.names, engine.parts.departments.names)
    if let index = engine.index {
      for odd in 0..<index.unindexedDocuments.count {
        switch try index.record(of: Int(index.unindexedDocuments[odd])) {
        case .user(let user): try add(users, user)
        case .department(let ordinal): try add(departments, Int(engine.shape.rows[ordinal]))
        }
      }
    } else {
      for row in 0..<users.count { try add(users, row) }
      for row in 0..<departments.count { try add(departments, row) }
    }
    others = words
    return words
  }
}
