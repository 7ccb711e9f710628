import DirectorySnapshot

/// A run of documents, and by what they are found: those that were there when the index was made, or
/// those that changes added since.
final class IndexSegment: Sendable {
  /// Its documents; the first one begins a block.
  let documents: Range<Int>
  let names: FieldDictionaries
  let titles: FieldDictionaries
  let phones: PhoneColumns
  /// Those of declared fields.
  let fieldPhones: PhoneColumns
  private let contacts: ContactsColumn

  init(
    _ file: SnapshotFile,
    _ documents: Range<Int>,
    filterRows: Int
  ) throws(SnapshotError) {
    self.documents = documents
    names = try FieldDictionaries(file, .names)
    titles = try FieldDictionaries(file, .titles)
    phones = try PhoneColumns(file, .phoneSuffixKeys)
    fieldPhones = try PhoneColumns(file, .fieldPhoneSuffixKeys)
    contacts = try ContactsColumn(file, documents: documents.count, rowCount: filterRows)
  }

  /// By number.
  var blocks: Range<Int> {
    let first = documents.lowerBound / SearchIndexFormat.blockSize
    return first..<first + contacts.blockCount
  }

  /// Sets the bit of each of the segment's blocks whose contacts may hold a word so well or better.
  ///
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(blocks · letters).
  func markBlocks(
    holding word: [UInt8],
    _ quality: MatchQuality,
    in bits: inout [UInt8]
  ) throws(SnapshotError) {
    let own = try contacts.blocks(holding: word, quality)
    let first = blocks.lowerBound
    if first == 0 {
      // Bits past the last block are set where nothing was asked of the filter.
      for index in own.indices { bits[index] |= own[index] }
      for block in blocks.upperBound..<own.count * 8 {
        bits[block >> 3] &= ~(1 << UInt8(block & 7))
      }
      return
    }
    for block in 0..<blocks.count where own[block >> 3] >> UInt8(block & 7) & 1 == 1 {
      bits[(first + block) >> 3] |= 1 << UInt8((first + block) & 7)
    }
  }

  /// As `ContactsColumn.find(_:_:in:)`, by the index's numbers of documents.
  func findContacts(
    _ word: [UInt8],
    _ part: ContactsColumn.Part,
    in documents: Range<Int>,
    enough: MatchQuality
  ) throws(SnapshotError) -> ContactMatches {
    let first = self.documents.lowerBound
    let own = (documents.lowerBound - first)..<(documents.upperBound - first)
    return try contacts.find(word, part, in: own, enough: enough)
  }

  /// As `ContactsColumn.quality(of:_:in:)`, by the index's numbers of documents.
  func contactQuality(
    of word: [UInt8],
    _ part: ContactsColumn.Part,
    in document: Int
  ) throws(SnapshotError) -> MatchQuality? {
    try contacts.quality(of: word, part, in: document - documents.lowerBound)
  }
}
