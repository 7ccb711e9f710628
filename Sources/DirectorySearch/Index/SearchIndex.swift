import DirectorySnapshot
import OutlineEngine
import SystemPackage
import TextRules

/// A search index, mapped: what `SearchIndexBuilder` wrote for a snapshot, and what
/// `SearchIndexUpdate` wrote of later changes.
package final class SearchIndex: Sendable {
  /// What was found in an index's place.
  package enum State: Sendable {
    case usable(SearchIndex)
    case missing
    /// Of another snapshot, or for other rules of telephone numbers or readings.
    case foreign
    case unusable(SnapshotError)
  }

  /// The index as it was made.
  let base: IndexBase
  /// Documents are numbered below it; not all of them are there (`absentDocuments`).
  let documentCount: Int
  let records: SnapshotColumn<UInt32>
  let userDocuments: SnapshotColumn<UInt32>
  let departmentDocuments: SnapshotColumn<UInt32>
  let places: SnapshotColumn<UInt32>
  let furtherPlaces: SnapshotColumn<UInt32>
  let unindexedDocuments: SnapshotColumn<UInt32>
  let shape: DepartmentShape
  /// The rules that telephone numbers were read by.
  package let rules: DialingPlan
  /// What was there when the index was made, and then what changes added.
  let segments: [IndexSegment]
  /// By what departments' names are found, by ordinals.
  let departments: FieldDictionaries
  let departmentInitials: WordDictionary
  /// What changed since the index was made; `nil` where it is of this very snapshot.
  let changes: IndexChanges?
  package let byteCount: Int

  /// Where changes of an index are.
  package static func changesPath(of path: FilePath) -> FilePath {
    FilePath(path.string + ".changes")
  }

  /// Opens the index that belongs to a snapshot.
  ///
  /// - Parameters:
  ///   - path: Where it should be.
  ///   - snapshot: What it must belong to.
  ///   - rules: The rules it must have been made for; `nil` for any.
  /// - Returns: The index, or why there is none; search then goes without.
  /// - Complexity: O(1) but for 8 bytes for each 64 KiB, and the departments.
  package static func open(
    _ path: FilePath,
    for snapshot: DirectorySnapshot,
    phones rules: DialingPlan?
  ) -> State {
    do throws(SnapshotError) {
      let file = try SnapshotFile(path: path, format: SearchIndexFormat.format)
      guard let base = try IndexBase(file, rules) else { return .foreign }
      if base.snapshot == snapshot.checksum {
        return .usable(try SearchIndex(base, nil, snapshot))
      }
      let changesFile: SnapshotFile
      do throws(SnapshotError) {
        changesFile = try SnapshotFile(
          path: changesPath(of: path),
          format: SearchIndexFormat.changesFormat
        )
      } catch .missing {
        return .foreign
      }
      guard let changes = try IndexChanges(changesFile, since: base, for: snapshot) else {
        return .foreign
      }
      return .usable(try SearchIndex(base, changes, snapshot))
    } catch .missing {
      return .missing
    } catch {
      return .unusable(error)
    }
  }

  /// Takes an index that was just made of a snapshot.
  convenience init(_ file: SnapshotFile, of snapshot: DirectorySnapshot) throws(SnapshotError) {
    guard let base = try IndexBase(file, nil) else {
      throw file.damaged(IndexSection.header.rawValue)
    }
    try self.init(base, nil, snapshot)
  }

  /// Proves every byte of its files.
  ///
  /// - Throws: `SnapshotError.damaged` for the first part at fault.
  package func verify() throws(SnapshotError) {
    try base.file.proveAll()
    try changes?.file.proveAll()
  }

  private init(
    _ base: IndexBase,
    _ changes: IndexChanges?,
    _ snapshot: DirectorySnapshot
  ) throws(SnapshotError) {
    let file = changes?.file ?? base.file
    func column(_ section: IndexSection) throws(SnapshotError) -> SnapshotColumn<UInt32> {
      try file.column(section.rawValue, as: UInt32.self)
    }
    self.base = base
    self.changes = changes
    rules = base.rules
    records = try column(.documentRecords)
    documentCount = records.count
    userDocuments = try column(.userDocuments)
    departmentDocuments = try column(.departmentDocuments)
    places = try column(.places)
    furtherPlaces = try column(.furtherPlaces)
    unindexedDocuments = try column(.unindexedDocuments)
    let shape = DepartmentShape(
      rows: try column(.departmentRows).verified(),
      ends: try column(.departmentEnds).verified()
    )
    guard let shape else { throw file.damaged(IndexSection.departmentRows.rawValue) }
    self.shape = shape
    let users = try snapshot.users().count
    let departmentCount = try snapshot.departments().count
    guard userDocuments.count == users, departmentDocuments.count == departmentCount,
      places.count == documentCount, shape.count == departmentCount,
      documentCount == changes?.documents.upperBound ?? base.documentCount
    else { throw file.damaged(IndexSection.header.rawValue) }
    var segments = [
      try IndexSegment(base.file, 0..<base.documentCount, filterRows: base.filterRows)
    ]
    if let changes, !changes.documents.isEmpty {
      segments.append(
        try IndexSegment(changes.file, changes.documents, filterRows: changes.filterRows)
      )
    }
    self.segments = segments
    let names = changes.flatMap { $0.hasDepartments ? $0.file : nil } ?? base.file
    departments = try FieldDictionaries(names, .departments)
    departmentInitials = try WordDictionary(names, .departments, .initials)
    byteCount = base.file.byteCount + (changes?.file.byteCount ?? 0)
  }

  var blockCount: Int {
    (documentCount + SearchIndexFormat.blockSize - 1) / SearchIndexFormat.blockSize
  }

  static let departmentBit: UInt32 = 1 << 31
  /// Instead of a record: no document has the number; instead of a document: a user has no place.
  static let none = UInt32.max

  /// What a document is.
  enum Record {
    case user(Int)
    /// By ordinal.
    case department(Int)
  }

  /// What a document is, which is not an absent one.
  func record(of document: Int) throws(SnapshotError) -> Record {
    let record = try records[document]
    if record & Self.departmentBit == 0 {
      guard Int(record) < userDocuments.count else { throw records.damaged }
      return .user(Int(record))
    }
    let ordinal = Int(record & ~Self.departmentBit)
    guard ordinal < shape.count else { throw records.damaged }
    return .department(ordinal)
  }

  /// What a document is; `nil` for an absent one.
  func presentRecord(of document: Int) throws(SnapshotError) -> Record? {
    try records[document] == Self.none ? nil : try record(of: document)
  }

  /// Calls `body` with what some present documents of a block are.
  func forEachRecord(
    of documents: BlockBitmap,
    _ block: Int,
    _ body: (Record) -> Void
  ) throws(SnapshotError) {
    let first = block * SearchIndexFormat.blockSize
    let (users, departments) = (userDocuments.count, shape.count)
    let isSound = try records.withElements(
      in: first..<min(first + SearchIndexFormat.blockSize, documentCount)
    ) { records in
      var isSound = true
      documents.forEach { offset in
        guard offset < records.count else { return isSound = false }
        let number = Int(records[offset] & ~Self.departmentBit)
        let isUser = records[offset] & Self.departmentBit == 0
        guard number < (isUser ? users : departments) else { return isSound = false }
        body(isUser ? .user(number) : .department(number))
      }
      return isSound
    }
    if !isSound { throw records.damaged }
  }

  /// Whether a document is in one department alone.
  func isInOnePlace(_ document: Int) throws(SnapshotError) -> Bool {
    try places[document] & Self.departmentBit == 0
  }

  /// Whether any of the departments that a document is in passes a test, by ordinal.
  func anyPlace(
    of document: Int,
    _ test: (Int) -> Bool
  ) throws(SnapshotError) -> Bool {
    let place = try places[document]
    if place & Self.departmentBit == 0 {
      guard Int(place) < shape.count else { throw places.damaged }
      return test(Int(place))
    }
    for index in try furtherRange(Int(place & ~Self.departmentBit)) {
      let further = Int(try furtherPlaces[index])
      guard further < shape.count else { throw furtherPlaces.damaged }
      if test(further) { return true }
    }
    return false
  }

  private func furtherRange(_ index: Int) throws(SnapshotError) -> Range<Int> {
    let count = Int(try furtherPlaces[index])
    guard index + 1 + count <= furtherPlaces.count else { throw furtherPlaces.damaged }
    return index + 1..<index + 1 + count
  }

  // MARK: - Segments

  /// The segment that a block is of.
  func segment(ofBlock block: Int) -> IndexSegment {
    segments[segments.count > 1 && block >= segments[1].blocks.lowerBound ? 1 : 0]
  }

  /// The blocks whose contacts may hold a word so well or better, a bit for each.
  ///
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(blocks · letters / 8).
  func contactBlocks(
    holding word: [UInt8],
    _ quality: MatchQuality
  ) throws(SnapshotError) -> [UInt8] {
    var bits = [UInt8](repeating: 0, count: (blockCount + 7) / 8)
    for segment in segments { try segment.markBlocks(holding: word, quality, in: &bits) }
    return bits
  }

  /// A bit set over all blocks: the numbers that no document has, or none any more.
  ///
  /// - Complexity: O(documents / 64 + removed documents).
  func absentDocuments() throws(SnapshotError) -> [UInt64] {
    var bits = [UInt64](repeating: 0, count: blockCount * BlockBitmap.wordCount)
    func insert(_ document: Int) { bits[document >> 6] |= 1 << UInt64(document & 63) }
    for document in documentCount..<bits.count * 64 { insert(document) }
    guard let changes else { return bits }
    for document in base.documentCount..<changes.documents.lowerBound { insert(document) }
    for index in 0..<changes.removedDocuments.count {
      let document = Int(try changes.removedDocuments[index])
      guard document < base.documentCount else { throw changes.removedDocuments.damaged }
      insert(document)
    }
    return bits
  }

  /// What hits of equal quality are ordered by: smaller first.
  ///
  /// Documents of one segment are in the order of their numbers. Each one that changes added has its
  /// turn before a document that was there when the index was made.
  @inline(__always)
  func order(of document: Int) throws(SnapshotError) -> UInt64 {
    guard let changes, document >= changes.documents.lowerBound else {
      return UInt64(document) << 32 | UInt64(UInt32.max)
    }
    let index = document - changes.documents.lowerBound
    return UInt64(try changes.turns[index]) << 32 | UInt64(index)
  }
}

/// By what a field's texts are found.
final class FieldDictionaries: Sendable {
  let words: WordDictionary
  let variants: WordDictionary
  let readings: ReadingDictionary

  init(_ file: SnapshotFile, _ section: IndexSection) throws(SnapshotError) {
    words = try WordDictionary(file, section, .words)
    variants = try WordDictionary(file, section, .variants)
    readings = try ReadingDictionary(file, section)
  }
}
