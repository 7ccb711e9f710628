import DirectorySnapshot
import OutlineEngine

/// What changed since an index was made: a file beside it that names it and the snapshot that both
/// are of together.
struct IndexChanges: Sendable {
  let file: SnapshotFile
  /// The documents that were added.
  let documents: Range<Int>
  let filterRows: Int
  /// Whether it has its own words of departments' names.
  let hasDepartments: Bool
  /// Rising: documents of the index that are there no more, or not in their place.
  let removedDocuments: SnapshotColumn<UInt32>
  /// For each added document the one of the index that it comes before.
  let turns: SnapshotColumn<UInt32>

  /// `nil` where it belongs to another index, or both to another snapshot.
  init?(
    _ file: SnapshotFile,
    since base: IndexBase,
    for snapshot: DirectorySnapshot
  ) throws(SnapshotError) {
    let header = try file.column(IndexSection.header.rawValue, as: UInt64.self).verified()
    guard header.count == 5 else { throw file.damaged(IndexSection.header.rawValue) }
    guard header[0] == snapshot.checksum, header[1] == base.file.checksum else { return nil }
    let first = Self.firstDocument(after: base.documentCount)
    guard header[2] <= UInt64(Int32.max), Int(header[2]) >= first,
      header[3] <= UInt64(Int32.max), header[4] <= 1
    else { throw file.damaged(IndexSection.header.rawValue) }
    self.file = file
    documents = first..<Int(header[2])
    filterRows = Int(header[3])
    hasDepartments = header[4] == 1
    removedDocuments = try file.column(IndexSection.removedDocuments.rawValue, as: UInt32.self)
    turns = try file.column(IndexSection.turns.rawValue, as: UInt32.self)
    guard turns.count == documents.count else { throw turns.damaged }
  }

  /// Where added documents begin: at a block of their own.
  static func firstDocument(after count: Int) -> Int {
    let size = SearchIndexFormat.blockSize
    return (count + size - 1) / size * size
  }
}
