/// Departments that are called by their initials: `hr` Human Resources, `r&d` Research & Development.
struct DepartmentInitials {
  /// What was typed, letters alone.
  let letters: [UInt8]

  /// - Returns: `nil` for a query that is not an abbreviation.
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

  /// What a name may be called by its initials: the first letters of its words, with those that bind
  /// the others and without.
  ///
  /// - Parameter name: Folded.
  /// - Returns: Each once; none for a name of one word.
  /// - Complexity: O(n).
  static func all(of name: [UInt8]) -> [[UInt8]] {
    guard name.contains(where: { WordSearch.isSeparator($0) }) else { return [] }
    var (all, main): ([UInt8], [UInt8]) = ([], [])
    name.withUnsafeBufferPointer { name in
      WordSearch.forEachWord(in: name) { range in
        // What stands behind an apostrophe is an ending.
        if range.lowerBound > 0, name[range.lowerBound - 1] == UInt8(ascii: "'") { return }
        let word = name[range]
        let size = word.dropFirst().prefix { $0 & 0xC0 == 0x80 }.count + 1
        all += word.prefix(size)
        if !binding.contains(Array(word)) { main += word.prefix(size) }
      }
    }
    return (all == main ? [all] : [all, main]).filter { letters in
      lengths ~= letters.count { $0 & 0xC0 != 0x80 }
    }
  }

  private static let binding: Set<[UInt8]> = Set(
    (SpellingVariants.conjunctions.union([
      "of", "the", "for", "in", "to", "fur", "der", "die", "das", "des", "von", "de", "du", "la",
      "le",
      "les", "del", "di", "da", "do", "dos", "van", "voor", "per", "по", "для", "с", "з",
    ])).map { Array($0.utf8) }
  )
}
