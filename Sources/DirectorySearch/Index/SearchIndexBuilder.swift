import DirectorySnapshot
import OutlineEngine
import Platform
import SystemPackage
import TextRules

/// Makes the search index of a snapshot.
///
/// The whole of it is worked out in memory, some 200 bytes for each person, and then written.
package enum SearchIndexBuilder {
  /// Writes the index of a snapshot beside it, atomically.
  ///
  /// The caller holds the writer's lock of the folder. Changes of an earlier index are removed.
  ///
  /// - Parameters:
  ///   - snapshot: What is searched; it is in place already.
  ///   - path: Where the index goes.
  ///   - phones: How telephone numbers are dialled where the directory is.
  /// - Returns: The written file.
  /// - Throws: `SnapshotError`: the snapshot is damaged, or the index cannot be written.
  /// - Complexity: O(bytes of the snapshot), and sorting people by name length and distinct words.
  @discardableResult
  package static func write(
    of snapshot: DirectorySnapshot,
    to path: FilePath,
    phones: DialingPlan
  ) throws(SnapshotError) -> InstalledFile {
    var writer = try SnapshotFileWriter(
      target: path,
      format: SearchIndexFormat.format,
      sectionCount: IndexSection.mostSections
    )
    try addSections(of: snapshot, phones, to: &writer)
    let written = try writer.commit()
    // They name the index that was there before, and are of no use any more.
    _ = SearchIndex.changesPath(of: path).withPlatformString { unlink($0) }
    return written
  }

  /// Makes the index of a snapshot in a file that has no name, and opens it.
  ///
  /// - Throws: As `write(of:to:phones:)`.
  package static func scratch(
    of snapshot: DirectorySnapshot,
    phones: DialingPlan
  ) throws(SnapshotError) -> SearchIndex {
    var writer = try SnapshotFileWriter(
      scratchFor: FilePath(snapshot.path.string + ".index"),
      format: SearchIndexFormat.format,
      sectionCount: IndexSection.mostSections
    )
    try addSections(of: snapshot, phones, to: &writer)
    return try SearchIndex(writer.mapped(), of: snapshot)
  }

  private static func addSections(
    of snapshot: DirectorySnapshot,
    _ phones: DialingPlan,
    to writer: inout SnapshotFileWriter
  ) throws(SnapshotError) {
    let parts = try SearchColumns(snapshot)
    let shape = try DepartmentShape(parts)
    let departments = try DepartmentTexts(parts, shape, of: 0..<shape.count)
    let segment = try SegmentBuilder(
      parts,
      shape,
      departments,
      users: 0..<parts.users.count,
      ordinals: 0..<shape.count
    )
    let header: [UInt64] = [
      snapshot.checksum, ReadingTable.version, UInt64(segment.count), UInt64(segment.filterRows),
    ]
    try writer.add(.header, header)
    try writer.add(.phoneRules, phones.text)
    var tables = DocumentTables()
    tables.reserveCapacity(segment.count)
    tables.append(segment)
    try tables.write(users: parts.users.count, shape, to: &writer)
    let lengths = segment.lengths
    try writer.add(.nameLengths, lengths.lengths)
    try writer.add(.lengthStarts, lengths.starts)
    try segment.write(from: 0, phones, to: &writer)
    try departments.sections().write(to: &writer)
  }
}

extension SnapshotFileWriter {
  mutating func add<Element: BitwiseCopyable>(
    _ section: IndexSection,
    _ elements: [Element]
  ) throws(SnapshotError) {
    try add(section.rawValue, elements)
  }

  mutating func add<Element: BitwiseCopyable>(
    _ id: UInt32,
    _ elements: [Element]
  ) throws(SnapshotError) {
    try elements.withUnsafeBufferPointer { (elements) throws(SnapshotError) in
      try add(id, elements)
    }
  }
}
