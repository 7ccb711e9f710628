import DirectorySnapshot

/// What of all documents is looked for letter for letter, that is addresses, ids and searched fields,
/// and the filter that says in which blocks to look.
struct ContactsColumn: Sendable {
  /// Which of the texts of a document are looked in.
  enum Part: Sendable {
    case any
    /// The text of a place, as `ContactsBuilder` has them.
    case text(Int)
  }

  private let text: SnapshotColumn<UInt8>
  private let ends: SnapshotColumn<UInt32>
  private let filter: SnapshotColumn<UInt8>
  private let rowCount: Int
  private let rowBytes: Int
  let blockCount: Int

  init(
    _ file: SnapshotFile,
    documents: Int,
    rowCount: Int
  ) throws(SnapshotError) {
    text = try file.column(IndexSection.contactsText.rawValue, as: UInt8.self)
    ends = try file.column(IndexSection.contactsEnds.rawValue, as: UInt32.self)
    filter = try file.column(IndexSection.contactsFilter.rawValue, as: UInt8.self)
    blockCount = (documents + SearchIndexFormat.blockSize - 1) / SearchIndexFormat.blockSize
    self.rowCount = rowCount
    rowBytes = GramFilter.rowBytes(blocks: blockCount)
    guard ends.count == documents else { throw ends.damaged }
    guard rowCount.nonzeroBitCount == 1, filter.count == rowCount * rowBytes else {
      throw filter.damaged
    }
  }

  /// The blocks that may hold a word so well or better, a bit for each.
  ///
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(blocks · letters / 8).
  func blocks(
    holding word: [UInt8],
    _ quality: MatchQuality
  ) throws(SnapshotError) -> [UInt8] {
    var blocks = [UInt8](repeating: .max, count: rowBytes)
    for gram in GramFilter.grams(of: word, quality).prefix(Self.mostGrams) {
      let row = Int(gram) & (rowCount - 1)
      try filter.withElements(in: row * rowBytes..<(row + 1) * rowBytes) { bits in
        for index in blocks.indices { blocks[index] &= bits[index] }
      }
    }
    return blocks
  }

  /// More grams of a long word tell little more.
  private static let mostGrams = 64

  /// How the documents of a block hold a word.
  ///
  /// - Parameters:
  ///   - word: Folded.
  ///   - part: Where.
  ///   - documents: A range within one block.
  ///   - enough: The quality from which on a document is not looked at further.
  /// - Returns: A bit for each document of the range, the first one in bit 0.
  /// - Throws: `SnapshotError.damaged`.
  func find(
    _ word: [UInt8],
    _ part: Part,
    in documents: Range<Int>,
    enough: MatchQuality = .whole
  ) throws(SnapshotError) -> ContactMatches {
    let start = documents.lowerBound == 0 ? 0 : Int(try ends[documents.lowerBound - 1])
    let end = Int(try ends[documents.upperBound - 1])
    guard start <= end else { throw ends.damaged }
    let found = try ends.withElements(in: documents) { ends in
      Result { () throws(SnapshotError) in
        try text.withElements(in: start..<end) { text in
          word.withUnsafeBufferPointer { Self.find($0, part, text, start, ends, enough) }
        }
      }
    }
    return try found.get()
  }

  private static func find(
    _ word: BorrowedText,
    _ part: Part,
    _ text: BorrowedText,
    _ offset: Int,
    _ ends: UnsafeBufferPointer<UInt32>,
    _ enough: MatchQuality
  ) -> ContactMatches {
    var matches = ContactMatches()
    let finder = WordFinder(word)
    var (from, row) = (0, 0)
    while let at = finder.position(in: text, from: from) {
      while row < ends.count, Int(ends[row]) <= offset + at { row += 1 }
      guard row < ends.count else { break }
      let start = row == 0 ? 0 : min(max(Int(ends[row - 1]) - offset, 0), at)
      let end = min(max(Int(ends[row]) - offset, at + 1), text.count)
      from = at + 1
      guard isIn(part, at, text, start: start) else { continue }
      let quality = quality(of: at..<at + word.count, in: text)
      matches.insert(row, quality)
      if quality <= enough { from = end }
    }
    return matches
  }

  /// How one document holds a word; `nil` where it does not.
  ///
  /// - Throws: `SnapshotError.damaged`.
  func quality(
    of word: [UInt8],
    _ part: Part,
    in document: Int
  ) throws(SnapshotError) -> MatchQuality? {
    let start = document == 0 ? 0 : Int(try ends[document - 1])
    let end = Int(try ends[document])
    guard start <= end else { throw ends.damaged }
    return try text.withElements(in: start..<end) { text in
      word.withUnsafeBufferPointer { word in
        var best: MatchQuality?
        var from = 0
        while best != .whole, let at = WordSearch.position(of: word, in: text, from: from) {
          from = at + 1
          guard Self.isIn(part, at, text, start: 0) else { continue }
          let quality = Self.quality(of: at..<at + word.count, in: text)
          best = best.map { min($0, quality) } ?? quality
        }
        return best
      }
    }
  }

  /// How a word stands at a place.
  @inline(__always)
  private static func quality(of place: Range<Int>, in text: BorrowedText) -> MatchQuality {
    let (at, end) = (place.lowerBound, place.upperBound)
    guard at == 0 || text[at - 1] == ContactsBuilder.separator || WordSearch.beginsWord(text, at)
    else { return .inside }
    return end >= text.count || text[end] == ContactsBuilder.separator
      || WordSearch.endsWord(text, end) ? .whole : .start
  }

  /// Whether an offset lies in a text of a document.
  @inline(__always)
  private static func isIn(_ part: Part, _ at: Int, _ text: BorrowedText, start: Int) -> Bool {
    guard case .text(let place) = part else { return true }
    var separators = 0
    for index in start..<at where text[index] == ContactsBuilder.separator { separators += 1 }
    return separators == place
  }
}

/// How documents of a block hold a word in their contacts: a bit for each, in the set of its quality
/// and in those of lower ones.
struct ContactMatches {
  private var whole = BlockBitmap()
  private var start = BlockBitmap()
  private var inside = BlockBitmap()

  @inline(__always)
  fileprivate mutating func insert(_ document: Int, _ quality: MatchQuality) {
    inside.insert(document)
    if quality <= .start { start.insert(document) }
    if quality == .whole { whole.insert(document) }
  }

  /// Those that hold it so well or better.
  func documents(_ quality: MatchQuality) -> BlockBitmap {
    switch quality {
    case .whole: whole
    case .start: start
    default: inside
    }
  }
}

/// A bit for each document of a block.
struct BlockBitmap {
  static let wordCount = SearchIndexFormat.blockSize / 64

  var words: InlineArray<16, UInt64>

  init(_ value: UInt64 = 0) { words = InlineArray(repeating: value) }

  @inline(__always)
  mutating func insert(_ document: Int) { words[document >> 6] |= 1 << UInt64(document & 63) }

  @inline(__always)
  func contains(_ document: Int) -> Bool {
    words[document >> 6] >> UInt64(document & 63) & 1 == 1
  }

  var isEmpty: Bool {
    var all: UInt64 = 0
    for index in words.indices { all |= words[index] }
    return all == 0
  }

  mutating func formUnion(_ other: BlockBitmap) {
    for index in words.indices { words[index] |= other.words[index] }
  }

  mutating func formIntersection(_ other: BlockBitmap) {
    for index in words.indices { words[index] &= other.words[index] }
  }

  mutating func subtract(_ other: BlockBitmap) {
    for index in words.indices { words[index] &= ~other.words[index] }
  }

  func forEach<Failure: Error>(_ body: (Int) throws(Failure) -> Void) throws(Failure) {
    for index in words.indices {
      var rest = words[index]
      while rest != 0 {
        try body(index << 6 | rest.trailingZeroBitCount)
        rest &= rest &- 1
      }
    }
  }
}
