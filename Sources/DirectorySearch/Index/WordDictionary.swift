import DirectorySnapshot
import Platform

/// The words of a field, sorted, and the documents they stand in.
struct WordDictionary: Sendable {
  private let words: TextColumn
  private let starts: SnapshotColumn<UInt32>
  private let documents: SnapshotColumn<UInt32>

  /// Which words of a field.
  enum Kind {
    case words, variants, initials

    /// Texts, their ends, where the documents of each begin, documents.
    var sections: [DictionarySection] {
      switch self {
      case .words: [.wordsText, .wordsEnds, .documentStarts, .documents]
      case .variants: [.variantsText, .variantsEnds, .variantDocumentStarts, .variantDocuments]
      case .initials: [.initialsText, .initialsEnds, .initialDocumentStarts, .initialDocuments]
      }
    }
  }

  init(
    _ file: SnapshotFile,
    _ section: IndexSection,
    _ kind: Kind
  ) throws(SnapshotError) {
    let parts = kind.sections.map { section.part($0) }
    words = try file.text(parts[0], ends: parts[1])
    starts = try file.column(parts[2], as: UInt32.self)
    documents = try file.column(parts[3], as: UInt32.self)
    guard starts.count == words.count + 1 else { throw starts.damaged }
  }

  var count: Int { words.count }

  /// The documents of a run of words.
  ///
  /// - Parameters:
  ///   - range: Words by number.
  ///   - body: Gets them word after word, rising within a word; nothing is known of their range.
  /// - Throws: `SnapshotError.damaged`.
  func withDocuments(
    of range: Range<Int>,
    _ body: (UnsafeBufferPointer<UInt32>) -> Void
  ) throws(SnapshotError) {
    guard !range.isEmpty else { return }
    let start = Int(try starts[range.lowerBound])
    let end = Int(try starts[range.upperBound])
    guard start <= end else { throw starts.damaged }
    try documents.withElements(in: start..<end, body)
  }

  /// How many documents a run of words has, counted by word.
  ///
  /// - Parameters:
  ///   - range: Words by number.
  ///   - absent: Bit set over the documents that do not count; one past its end counts.
  /// - Returns: Their number.
  /// - Throws: `SnapshotError.damaged`.
  func documentCount(
    of range: Range<Int>,
    absent: [UInt64]
  ) throws(SnapshotError) -> Int {
    var count = 0
    try withDocuments(of: range) { documents in
      for document in documents {
        let word = Int(document >> 6)
        if word >= absent.count || absent[word] >> UInt64(document & 63) & 1 == 0 { count += 1 }
      }
    }
    return count
  }

  // MARK: - Beginnings

  /// The number of the first word that is not less than a key.
  ///
  /// - Complexity: O(log words).
  private func lowerBound(_ key: [UInt8], from: Int = 0) throws(SnapshotError) -> Int {
    try (from..<words.count).partitionPoint { (word) throws(SnapshotError) in
      try words.withBytes(at: word) { $0.lexicographicallyPrecedes(key) }
    }
  }

  /// The words that begin with a text.
  func range(beginningWith text: [UInt8]) throws(SnapshotError) -> Range<Int> {
    let first = try lowerBound(text)
    // No byte of UTF-8 is 255.
    var next = text
    next[next.count - 1] += 1
    return first..<max(first, try lowerBound(next, from: first))
  }

  /// The word that is a text, as a range of one; empty where there is none.
  func range(of text: [UInt8]) throws(SnapshotError) -> Range<Int> {
    let first = try lowerBound(text)
    guard first < words.count, try words.withBytes(at: first, { $0.elementsEqual(text) }) else {
      return first..<first
    }
    return first..<first + 1
  }

  /// Of the words that begin with a text, those that end with it or go on behind a separator.
  func wholeRanges(of text: [UInt8], in range: Range<Int>) throws(SnapshotError) -> [Range<Int>] {
    guard !range.isEmpty else { return [] }
    if let last = text.last, WordSearch.isSeparator(last) { return [range] }
    // Separators are all ASCII but letters and digits; the bytes where runs of them end and begin.
    let borders: [UInt8] = [0x30, 0x3A, 0x61, 0x7B, 0x80]
    var positions = [range.lowerBound]
    for border in borders {
      positions.append(min(try lowerBound(text + [border], from: positions[0]), range.upperBound))
    }
    return [positions[0]..<positions[1], positions[2]..<positions[3], positions[4]..<positions[5]]
      .filter { !$0.isEmpty }
  }

  // MARK: - Everywhere

  /// All words side by side.
  func all() throws(SnapshotError) -> TextRows { try words.verified() }

  /// Calls `body` with each word that holds a text, rising.
  ///
  /// - Complexity: O(bytes of all words).
  func forEachWord(holding text: [UInt8], _ body: (Int) -> Void) throws(SnapshotError) {
    let rows = try all()
    text.withUnsafeBufferPointer { text in
      rows.withAllBytes { bytes, ends in
        let bytes = bytes.bindMemory(to: UInt8.self)
        let finder = WordFinder(text)
        var (from, word) = (0, 0)
        while let at = finder.position(in: bytes, from: from) {
          word = Self.row(at: at, ends, from: word)
          let end = Int(ends[word])
          if at + text.count <= end {
            body(word)
            from = end
          } else {
            from = at + 1
          }
        }
      }
    }
  }

  /// Calls `body` with each word that ends with a text, rising.
  ///
  /// - Complexity: O(bytes of all words).
  func forEachWord(endingWith text: [UInt8], _ body: (Int) -> Void) throws(SnapshotError) {
    let rows = try all()
    for word in 0..<rows.count {
      let isFound = rows.withBytes(at: word) { bytes in
        bytes.count >= text.count && bytes.suffix(text.count).elementsEqual(text)
      }
      if isFound { body(word) }
    }
  }

  /// The row that a byte belongs to, which is none before a given one.
  ///
  /// - Complexity: O(log rows between).
  private static func row(
    at offset: Int,
    _ ends: UnsafeBufferPointer<UInt32>,
    from first: Int
  ) -> Int {
    (first..<ends.count).nearPartitionPoint { Int(ends[$0]) <= offset }
  }
}
