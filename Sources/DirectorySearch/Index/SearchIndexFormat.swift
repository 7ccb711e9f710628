import DirectorySnapshot

/// The sections of a search index, a file in the container of `SnapshotFormat`.
///
/// N documents: every person with a place and every department, ordered by what ranks hits of equal
/// quality: the length of the folded name in characters, then `HitOrder`. So the best of
/// any set of documents are its smallest numbers. D departments are known by ordinals, their places
/// in preorder. A text column is two sections: its bytes, and the u32 end of each row in them.
///
/// The words of names, titles and departments' names are in three dictionaries. A dictionary's words
/// are what stands from any beginning of a word to the next blank (`mary-ann` has `mary-ann`, `-ann`
/// and `ann`), sorted by bytes, each with the documents it stands in (for departments: ordinals).
/// A second list of words is of the forms that other spellings share (`TextVariant`), for texts in
/// which that is another than the folded one. Readings are those of `ReadingUnits`, two bytes each,
/// for each distinct text; `starts` has every place in them where a query may begin, sorted.
///
/// # Changes
///
/// An index stays as it is when people and departments change. What changed since it was made is in
/// a second file beside it (`.changes`), which names the index and the snapshot that both are of
/// together, and which each update replaces. It contains again what speaks of rows and of the tree:
/// `documentRecords` to `unindexedDocuments`. Who was added, changed or has another place in the
/// order is a new document there, numbered from the first block behind the index's own on, with
/// dictionaries, telephone numbers and contacts of its own; `turns` says where it stands in the
/// order of the index's documents. Numbers of removed documents are listed, and have no record.
/// Names of departments are there where any department changed.
package enum SearchIndexFormat {
  package static let format = SnapshotFormat(magic: "STAFFIX\n", version: 6) { id in
    IndexSection.name(id)
  }

  /// The format of the file with the changes.
  package static let changesFormat = SnapshotFormat(magic: "STAFFIC\n", version: 4) { id in
    IndexSection.name(id)
  }

  /// Documents of one block of the filter and of one step of a search.
  static let blockSize = 1_024
}

/// What the sections hold.
enum IndexSection: UInt32, CaseIterable {
  /// u64: the snapshot's checksum, `ReadingTable.version`, N, rows of the filter. Of changes: the
  /// snapshot's checksum, the index's, one more than the last document, rows of the filter, 1 where
  /// it has names of departments.
  case header = 1
  /// The rules for telephone numbers: calling code, `/`, national prefix.
  case phoneRules = 2
  /// u32 × N: row of the user, or with the upper bit the ordinal of the department.
  case documentRecords = 3
  /// u32 × U: the document of each user; all bits for one without a place.
  case userDocuments = 4
  /// u32 × D: the document of each department, by ordinal.
  case departmentDocuments = 5
  /// u32 × N: ordinal of the document's only department, or with the upper bit the index in
  /// `furtherPlaces` of how many there are, followed by them.
  case places = 6
  case furtherPlaces = 7
  /// u32 × D: row of each department, by ordinal.
  case departmentRows = 8
  /// u32 × D: past the last ordinal of each subtree.
  case departmentEnds = 9
  /// u32, rising: documents that do not fit in, which every search looks at one by one.
  case unindexedDocuments = 10
  /// u32, rising: the lengths of names; u32: the first document of each.
  case nameLengths = 11
  case lengthStarts = 12
  /// Of changes, u32, rising: the index's documents that were removed.
  case removedDocuments = 13
  /// Of changes, u32 for each added document: the index's document that it comes before.
  case turns = 14

  /// u32, rising: `PhoneKeys` of the last digits, and the document of each.
  case phoneSuffixKeys = 20
  case phoneSuffixDocuments = 21
  /// The same of the first digits, as written and in full.
  case phonePrefixKeys = 22
  case phonePrefixDocuments = 23
  /// The same four of the numbers in declared fields.
  case fieldPhoneSuffixKeys = 24
  case fieldPhoneSuffixDocuments = 25
  case fieldPhonePrefixKeys = 26
  case fieldPhonePrefixDocuments = 27

  /// Text × N: what is looked for letter for letter, folded, 0xFF behind each: the addresses,
  /// which a department lacks, the id, the phone number if it has letters, and the values of the searched
  /// fields, phone numbers likewise.
  case contactsText = 30
  case contactsEnds = 31
  /// u8, a bit for each block of documents in each row: `GramFilter` over `contactsText`.
  case contactsFilter = 32

  /// First of the sections of a dictionary, `DictionarySection`.
  case names = 100
  case titles = 200
  case departments = 300

  /// The most that a file has.
  static let mostSections = allCases.count + 3 * DictionarySection.allCases.count

  static func name(_ id: UInt32) -> String {
    if let own = IndexSection(rawValue: id) { return "\(own)" }
    guard let base = IndexSection(rawValue: id / 100 * 100),
      let part = DictionarySection(rawValue: id % 100)
    else { return "section \(id)" }
    return "\(base) \(part)"
  }

  func part(_ part: DictionarySection) -> UInt32 { rawValue + part.rawValue }
}

/// The sections of one dictionary.
enum DictionarySection: UInt32, CaseIterable {
  /// Text: the words.
  case wordsText = 1
  case wordsEnds = 2
  /// u32, one more than words: where the documents of each begin in `documents`.
  case documentStarts = 3
  /// u32, rising for one word.
  case documents = 4

  /// The same four of the other spellings.
  case variantsText = 5
  case variantsEnds = 6
  case variantDocumentStarts = 7
  case variantDocuments = 8

  /// Text: readings, two bytes each, the lower first.
  case readingsText = 11
  case readingsEnds = 12
  case readingDocumentStarts = 13
  case readingDocuments = 14
  /// u64: number of the readings << 32 | index of one of them; sorted by what is read from there on,
  /// the first four as numbers and the rest as bytes.
  case starts = 15
  /// u32, rising: the distinct readings that stand first there; u32, one more: where each begins in
  /// `starts`; u64: `ReadingTable.beginnings` of each.
  case firstReadings = 16
  case firstStarts = 17
  case firstBeginnings = 18

  /// The same four of initials (`DepartmentInitials`); of departments alone.
  case initialsText = 21
  case initialsEnds = 22
  case initialDocumentStarts = 23
  case initialDocuments = 24

  /// Bytes of an element.
  var elementSize: Int {
    switch self {
    case .wordsText, .variantsText, .readingsText, .initialsText: 1
    case .starts, .firstBeginnings: 8
    default: 4
    }
  }
}

/// Sections of an index that are worked out and not yet written.
struct IndexSections: Sendable {
  private enum Elements: Sendable {
    case bytes([UInt8])
    case words([UInt32])
    case longs([UInt64])
  }

  private var sections: [(id: UInt32, elements: Elements)] = []

  mutating func add(_ id: UInt32, _ elements: [UInt8]) { sections.append((id, .bytes(elements))) }
  mutating func add(_ id: UInt32, _ elements: [UInt32]) { sections.append((id, .words(elements))) }
  mutating func add(_ id: UInt32, _ elements: [UInt64]) { sections.append((id, .longs(elements))) }

  consuming func write(to writer: inout SnapshotFileWriter) throws(SnapshotError) {
    for section in sections {
      switch section.elements {
      case .bytes(let bytes): try writer.add(section.id, bytes)
      case .words(let words): try writer.add(section.id, words)
      case .longs(let longs): try writer.add(section.id, longs)
      }
    }
  }
}
