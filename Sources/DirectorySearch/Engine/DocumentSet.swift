/// A set of an index's documents, a bit for each, and the blocks that have any of them.
///
/// It takes no memory for documents before the first one: most terms are found in names alone.
struct DocumentSet {
  private let documentCount: Int
  private let blockCount: Int
  /// Empty before the first.
  private var documents: [UInt64] = []
  private var blocks: [UInt64]

  /// None of the documents of an index.
  init(_ index: SearchIndex) {
    documentCount = index.documentCount
    blockCount = index.blockCount
    blocks = [UInt64](repeating: 0, count: (blockCount + 63) / 64)
  }

  /// Adds documents; numbers that are none are passed over.
  mutating func insert(_ added: UnsafeBufferPointer<UInt32>) {
    guard !added.isEmpty else { return }
    if documents.isEmpty {
      documents = [UInt64](repeating: 0, count: blockCount * BlockBitmap.wordCount)
    }
    documents.withUnsafeMutableBufferPointer { documents in
      blocks.withUnsafeMutableBufferPointer { blocks in
        for document in added where Int(document) < documentCount {
          documents[Int(document >> 6)] |= 1 << UInt64(document & 63)
          let block = document >> Self.blockShift
          blocks[Int(block >> 6)] |= 1 << UInt64(block & 63)
        }
      }
    }
  }

  /// Leaves only those that another set of the same index has too.
  mutating func formIntersection(_ other: DocumentSet) {
    guard !documents.isEmpty else { return }
    guard !other.documents.isEmpty else { return self = other }
    for index in documents.indices { documents[index] &= other.documents[index] }
    for index in blocks.indices { blocks[index] &= other.blocks[index] }
  }

  /// Adds those of a block to `bits`.
  func addBlock(_ block: Int, to bits: inout BlockBitmap) {
    guard !documents.isEmpty else { return }
    let start = block * BlockBitmap.wordCount
    for word in 0..<BlockBitmap.wordCount { bits.words[word] |= documents[start + word] }
  }

  /// 64 blocks that may have any, a bit for each; `word` is the first one, divided by 64.
  func blocks(_ word: Int) -> UInt64 { blocks[word] }

  private static let blockShift = UInt32(SearchIndexFormat.blockSize.trailingZeroBitCount)
}
