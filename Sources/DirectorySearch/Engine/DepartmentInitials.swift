import DirectorySnapshot
import Outlines
import TextRules

/// Departments that are called by their initials: `hr` Human Resources, `r&d` Research & Development.
struct DepartmentInitials {
  /// What was typed, letters alone.
  let letters: [UInt8]

  /// - Returns: `nil` for a query that is no abbreviation.
  init?(_ terms: [SearchTerm]) {
    guard terms.count == 1, let term = terms.first, term.isPlain, term.field != .title else {
      return nil
    }
    let scalars = String(decoding: term.text, as: UTF8.self).unicodeScalars
      .filter { !"&.+-/".unicodeScalars.contains($0) }
    guard Self.lengths ~= scalars.count,
      scalars.allSatisfy({ $0.value < 0x2E80 && $0.properties.isAlphabetic })
    else { return nil }
    letters = Array(String(String.UnicodeScalarView(scalars)).utf8)
  }

  private static let lengths = 2...6

  /// Whether they are the first letters of a name's words, with those that bind the others or without.
  ///
  /// - Parameter name: Folded.
  /// - Returns: Whether they are.
  /// - Complexity: O(n).
  func match(_ name: [UInt8]) -> Bool {
    guard name.first != nil, name.contains(where: { WordSearch.isSeparator($0) }) else {
      return false
    }
    var (all, main): ([UInt8], [UInt8]) = ([], [])
    name.withUnsafeBufferPointer { name in
      WordSearch.forEachWord(in: name) { range in
        // What stands behind an apostrophe is an ending.
        if range.lowerBound > 0, name[range.lowerBound - 1] == UInt8(ascii: "'") { return }
        let word = name[range]
        let size = word.dropFirst().prefix { $0 & 0xC0 == 0x80 }.count + 1
        all += word.prefix(size)
        if !Self.binding.contains(Array(word)) { main += word.prefix(size) }
      }
    }
    return letters == all || letters == main
  }

  private static let binding: Set<[UInt8]> = Set(
    (OtherSpellings.conjunctions.union([
      "of", "the", "for", "in", "to", "fur", "der", "die", "das", "des", "von", "de", "du", "la",
      "le",
      "les", "del", "di", "da", "do", "dos", "van", "voor", "per", "по", "для", "с", "з",
    ])).map { Array($0.utf8) }
  )
}

extension SearchEngine {
  /// The departments whose names have some initials.
  ///
  /// - Parameters:
  ///   - initials: Of a name.
  ///   - request: Until when to look.
  ///   - scope: Where.
  /// - Returns: Hits in their order.
  /// - Throws: `SearchError`.
  /// - Complexity: O(departments), and O(n) for the names that begin with the first letter.
  func departments(
    with initials: DepartmentInitials,
    _ request: SearchRequest,
    in scope: ScopeTest
  ) throws(SearchError) -> [SearchHit] {
    let patience = SearchPatience(request.deadline)
    var found: [(length: Int, hit: SearchHit)] = []
    var texts = FieldTexts()
    let step = SearchStep.all[SearchStep.place(of: .reading, isOutsideName: false)]
    for ordinal in 0..<shape.count {
      if ordinal % 1_024 == 0 { try patience.check() }
      try SearchError.reading { () throws(SnapshotError) in
        let row = Int(shape.rows[ordinal])
        let isNear = try parts.departments.names.withBytes(at: row) { name in
          guard let first = name.first else { return false }
          // Only a letter beyond ASCII has to be folded to be known.
          if first < 0x80, initials.letters[0] < 0x80, first | 0x20 != initials.letters[0] {
            return false
          }
          texts.take(name)
          return initials.match(texts.folded)
        }
        guard isNear, scope.contains(department: ordinal),
          try scope.filter?.contains(department: row) ?? true
        else { return }
        let node = try parts.departments.node(of: row)
        let rank = SearchRank(step, wordsOutsideName: 0)
        let length = texts.folded.count { $0 & 0xC0 != 0x80 }
        found.append((length, SearchHit(node: node, isDepartment: true, row: row, rank: rank)))
      }
    }
    found.sort { ($0.length, $0.hit.node) < ($1.length, $1.hit.node) }
    return found.map { found in
      var hit = found.hit
      hit.tier = .initials
      return hit
    }
  }
}
