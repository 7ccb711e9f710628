import DirectorySnapshot

/// Finds a term in addresses and ids, block after block, where it matters.
struct ContactSearch {
  private let index: SearchIndex
  private let word: [UInt8]
  private let part: ContactsColumn.Part
  /// A bit for each block that may hold the word; empty where none can.
  private var blocks: [UInt8] = []
  private var quality = MatchQuality.whole
  /// What a document need not be looked at further for.
  private let enough: MatchQuality
  /// What is known of whole blocks.
  private var known: [Int: ContactMatches] = [:]

  /// `nil` for a term that is not looked for there.
  ///
  /// - Parameters:
  ///   - term: What is looked for.
  ///   - index: Where.
  ///   - enough: The quality beyond which none is told apart.
  init?(_ term: SearchTerm, _ index: SearchIndex, enough: MatchQuality = .whole) {
    guard term.means.areLetters else { return nil }
    if let field = term.field {
      guard let place = ContactsBuilder.place(of: field) else { return nil }
      part = .text(place)
    } else {
      part = .any
    }
    self.index = index
    self.enough = enough
    word = term.text
  }

  /// From now on finds whatever holds the word so well or better.
  ///
  /// - Returns: Whether that can be anything.
  /// - Throws: `SnapshotError.damaged`.
  mutating func open(_ quality: MatchQuality) throws(SnapshotError) -> Bool {
    self.quality = quality
    blocks = try index.contactBlocks(holding: word, quality)
    if blocks.allSatisfy({ $0 == 0 }) { blocks = [] }
    return !blocks.isEmpty
  }

  func mayHold(_ block: Int) -> Bool {
    !blocks.isEmpty && blocks[block >> 3] >> UInt8(block & 7) & 1 == 1
  }

  /// 64 blocks that may hold the word, a bit for each; `word` is the first one, divided by 64.
  func blocks(_ word: Int) -> UInt64 {
    var bits: UInt64 = 0
    for byte in 0..<8 where word * 8 + byte < blocks.count {
      bits |= UInt64(blocks[word * 8 + byte]) << UInt64(byte * 8)
    }
    return bits
  }

  /// The documents among some of a block that hold the word.
  ///
  /// - Throws: `SnapshotError.damaged`.
  mutating func documents(
    _ block: Int,
    among wanted: BlockBitmap
  ) throws(SnapshotError) -> BlockBitmap {
    var found = BlockBitmap()
    guard mayHold(block) else { return found }
    guard known[block] == nil, wanted.count <= Self.fewDocuments else {
      found = wanted
      found.formIntersection(try matches(block).documents(quality))
      return found
    }
    let segment = index.segment(ofBlock: block)
    let first = block * SearchIndexFormat.blockSize
    try wanted.forEach { (offset) throws(SnapshotError) in
      let best = try segment.contactQuality(of: word, part, in: first + offset)
      if let best, best <= quality { found.insert(offset) }
    }
    return found
  }

  /// The contacts of a block are read once, for all qualities.
  private mutating func matches(_ block: Int) throws(SnapshotError) -> ContactMatches {
    if let known = known[block] { return known }
    let segment = index.segment(ofBlock: block)
    let first = block * SearchIndexFormat.blockSize
    let end = min(first + SearchIndexFormat.blockSize, segment.documents.upperBound)
    let matches = try segment.findContacts(word, part, in: first..<end, enough: enough)
    known[block] = matches
    return matches
  }

  /// Fewer documents than this are looked at one by one.
  private static let fewDocuments = 64
}
