import DirectoryModel
import DirectorySnapshot
import OutlineEngine
import TextRules

/// Who is near a person: in the same department or below it, then in the one above, and so on, as
/// long as these are so small that their people may know each other.
///
/// Among hits of one rank people who are nearer come first; what is found stays the same.
package final class Neighbourhood: Sendable {
  /// The ordinals of each department and those below, from the nearest on.
  private let rings: [Range<Int>]
  /// By ring, a bit set over the documents of the people who are in it and in no smaller one.
  private let documents: [[UInt64]]
  /// By ring, a bit for each block that has any of them.
  private let blocks: [[UInt64]]

  /// Departments with more people are not a neighbourhood; `Ranking` says so, too.
  private static let mostPeople = 10_000
  private static let mostRings = 8

  /// - Parameters:
  ///   - leaf: The asker's leaf in the primary department.
  ///   - engine: Of the same snapshot.
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(people of the rings + documents / 64).
  package init(of leaf: Int, _ engine: SearchEngine) throws(SnapshotError) {
    let (parts, shape) = (engine.parts, engine.shape)
    var rings: [Range<Int>] = []
    var documents: [[UInt64]] = []
    var blocks: [[UInt64]] = []
    var known: [UInt64] = []
    if let index = engine.index {
      known = [UInt64](repeating: 0, count: index.blockCount * BlockBitmap.wordCount)
    }
    for node in try parts.tree.ancestors(of: leaf).prefix(Self.mostRings) {
      let row = try parts.tree.departmentRecord(of: node)
      guard try parts.departments.people(of: row) <= Self.mostPeople else { break }
      rings.append(shape.subtree(of: Int(shape.ordinals[row])))
      guard let index = engine.index else { continue }
      var own = [UInt64](repeating: 0, count: known.count)
      var ownBlocks = [UInt64](repeating: 0, count: index.blockCount / 64 + 1)
      try index.forEachPerson(below: row, parts) { document in
        let (word, bit) = (Int(document >> 6), UInt64(1) << UInt64(document & 63))
        guard Int(document) < index.documentCount, known[word] & bit == 0 else { return }
        known[word] |= bit
        own[word] |= bit
        let block = Int(document) / SearchIndexFormat.blockSize
        ownBlocks[block >> 6] |= 1 << UInt64(block & 63)
      }
      documents.append(own)
      blocks.append(ownBlocks)
    }
    (self.rings, self.documents, self.blocks) = (rings, documents, blocks)
  }

  /// How many rings there are around the asker; what is in none of them is beyond the last.
  var count: Int { rings.count }

  /// The smallest ring that a person is in who has places in some departments.
  func ring(of ordinals: some Sequence<Int>) -> Int {
    var least = rings.count
    for ordinal in ordinals {
      least = rings[..<least].firstIndex { $0.contains(ordinal) } ?? least
    }
    return least
  }

  /// The ring that a document is in.
  func ring(ofDocument document: Int) -> Int {
    documents.firstIndex { $0[document >> 6] >> UInt64(document & 63) & 1 == 1 } ?? count
  }

  /// The documents of a block that are in a ring; all for what is beyond the last.
  func documents(_ block: Int, _ ring: Int) -> BlockBitmap {
    guard ring < documents.count else { return BlockBitmap(.max) }
    var bits = BlockBitmap()
    let start = block * BlockBitmap.wordCount
    for word in 0..<BlockBitmap.wordCount { bits.words[word] = documents[ring][start + word] }
    return bits
  }

  /// 64 blocks of which some have documents in a ring.
  func blocks(_ word: Int, _ ring: Int) -> UInt64 {
    guard ring < blocks.count else { return .max }
    return word < blocks[ring].count ? blocks[ring][word] : 0
  }

  /// The smallest department that a hit shares with the asker: its row; `nil` for who is not near.
  ///
  /// - Throws: `SnapshotError.damaged`.
  package func department(
    sharedBy hit: SearchHit,
    _ engine: SearchEngine
  ) throws(SnapshotError) -> Int? {
    guard !hit.isDepartment else { return nil }
    var ordinals: [Int] = []
    for leaf in try engine.parts.leaves.nodes(of: hit.row) {
      if let ordinal = try engine.department(of: leaf) { ordinals.append(ordinal) }
    }
    let ring = ring(of: ordinals)
    return ring < count ? Int(engine.shape.rows[rings[ring].lowerBound]) : nil
  }
}

extension SearchEngine {
  /// The leaf that stands for a user: the one in the primary department; `nil` for one without a
  /// place.
  package func leaf(ofUser row: Int) throws(SnapshotError) -> Int? {
    try parts.primaryLeaf(of: row)
  }

  /// The leaf of the one person whom an id, a name or an address means.
  ///
  /// - Throws: `SearchError`.
  package func leaf(of who: String) throws(SearchError) -> Int? {
    let own = try SearchError.reading { () throws(SnapshotError) in
      try parts.people.row(of: who).map { (row) throws(SnapshotError) in try leaf(ofUser: row) }
    }
    if let own { return own }
    return try leaf(ofPersonCalled: who)
  }

  /// The one person whom a name or an address means, exactly but for case and the like.
  ///
  /// - Parameter text: A name or an email address.
  /// - Returns: The person's leaf in the primary department; `nil` for none, or several.
  /// - Throws: `SearchError`.
  package func leaf(ofPersonCalled text: String) throws(SearchError) -> Int? {
    let leaves = try leaves(ofPeopleCalled: text)
    return leaves.count == 1 ? leaves[0] : nil
  }

  /// The people whom a name or an address means, exactly but for case and the like.
  ///
  /// - Parameter text: A name or an email address.
  /// - Returns: A leaf of each person.
  /// - Throws: `SearchError`.
  package func leaves(ofPeopleCalled text: String) throws(SearchError) -> [Int] {
    let field = text.contains("@") ? "email" : "name"
    let quoted = text.split(separator: "\"", omittingEmptySubsequences: false)
      .joined(separator: "\"\"")
    var request = SearchRequest(SearchQuery("\(field):\"\(quoted)\""), limit: 1_000)
    request.allowsErrors = false
    request.allowsTiers = false
    let wanted = Folding.fold(text)
    let hits = try search(request).hits
    return try SearchError.reading { () throws(SnapshotError) in
      var leaves: [Int] = []
      for hit in hits where !hit.isDepartment {
        let own =
          try text.contains("@")
          ? parts.contacts[.email][hit.row] : parts.users.names[hit.row]
        if Folding.fold(own) == wanted { leaves.append(hit.node) }
      }
      return leaves
    }
  }
}
