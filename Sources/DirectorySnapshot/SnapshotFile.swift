import DirectoryModel
import OutlineEngine
import Platform
import Synchronization
import SystemPackage

/// A mapped container of sections, as `SnapshotFormat` lays it out.
///
/// Opening proves header, section table and block checksums. A block is proved against its checksum
/// when one of its elements is read for the first time (`SnapshotColumn`), or with all others by
/// `verify()`; later reads of the block cost one bit.
///
/// A file that is replaced by a rename stays readable. One that is shortened in place while it is
/// mapped ends the process with SIGBUS at the next read past its new end (mmap(2)); Staffbook never
/// does that, and the folder lets no other account write.
package final class SnapshotFile: Sendable {
  struct Section: Sendable {
    var elementSize: Int
    var offset: Int
    var size: Int
  }

  private let file: MappedFile
  let format: SnapshotFormat
  /// That of the format as the file was written.
  let version: UInt32
  private let sections: [UInt32: Section]
  let bodyOffset: Int
  let checksumsOffset: Int
  /// The checksum of the header, which names this very state.
  package let checksum: UInt64
  /// A bit for each block that was found to be sound.
  @usableFromInline let soundBlocks: VerifiedBlocks
  /// The sections of ends whose texts were found to be sound as a whole.
  let provenTexts = Mutex<Set<UInt32>>([])
  /// By their number; there are as many as there are kinds of records.
  private let zeros = Mutex<[Int: OutlineColumn<UInt32>]>([:])

  package var path: FilePath { file.path }
  package var byteCount: Int { file.bytes.count }

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: The file; it may be a symbolic link.
  ///   - format: What it must be.
  /// - Throws: `SnapshotError`: what is wrong with the file as a whole.
  /// - Complexity: O(sections), and 8 bytes for each 64 KiB of the file.
  package convenience init(path: FilePath, format: SnapshotFormat) throws(SnapshotError) {
    let file: MappedFile
    do throws(Errno) {
      file = try MappedFile(path: path)
    } catch {
      switch error {
      case .noSuchFileOrDirectory: throw .missing(path)
      // A folder, a pipe, or a link in a ring: never one of ours.
      case .invalidArgument, .tooManySymbolicLinkLevels: throw .foreign(path)
      default: throw .cannotRead(path, error)
      }
    }
    try self.init(file, format: format)
  }

  /// Takes a file that is mapped already.
  package init(_ file: MappedFile, format: SnapshotFormat) throws(SnapshotError) {
    let head = try SnapshotHeader(file.bytes, path: file.path, format: format)
    self.file = file
    self.format = format
    version = head.version
    sections = head.sections
    bodyOffset = head.bodyOffset
    checksumsOffset = head.checksumsOffset
    checksum = head.checksum
    soundBlocks = VerifiedBlocks(count: SnapshotFormat.blockCount(bodyEnd: checksumsOffset))
  }

  /// The mapped bytes, for those who keep the file alive meanwhile.
  var bytes: UnsafeRawBufferPointer { file.bytes }

  func hasSection(_ section: SnapshotSection) -> Bool { sections[section.rawValue] != nil }

  /// Whether an earlier program wrote the file.
  var isOfFormerVersion: Bool { version < format.version }

  /// A section as a column; nothing of it is read.
  ///
  /// - Throws: `SnapshotError.damaged` when there is no such section, or not of such elements.
  /// - Complexity: O(1).
  package func column<Element: FixedWidthInteger & BitwiseCopyable & Sendable>(
    _ id: UInt32,
    as type: Element.Type
  ) throws(SnapshotError) -> SnapshotColumn<Element> {
    guard let section = sections[id], section.elementSize == MemoryLayout<Element>.stride else {
      throw damaged(id)
    }
    return SnapshotColumn(self, id, section)
  }

  /// Two sections as a column of text; nothing of them is read.
  package func text(_ bytes: UInt32, ends: UInt32) throws(SnapshotError) -> TextColumn {
    try TextColumn(bytes: column(bytes, as: UInt8.self), ends: column(ends, as: UInt32.self))
  }

  /// So many zeros, which are the ends of rows without text.
  ///
  /// - Complexity: O(count) the first time.
  func zeros(_ count: Int) -> OutlineColumn<UInt32> {
    if let known = zeros.withLock({ $0[count] }) { return known }
    let new = OutlineColumn([UInt32](repeating: 0, count: count))
    zeros.withLock { $0[count] = new }
    return new
  }

  @usableFromInline
  package func damaged(_ id: UInt32) -> SnapshotError {
    .damaged(path, part: format.sectionName(id))
  }

  /// Where a section begins whose blocks are worth to be found again in another file; `nil` for a short
  /// one.
  func offset(ofLong id: UInt32) -> Int? {
    sections[id].flatMap { $0.size >= 4 * SnapshotFormat.blockSize ? $0.offset : nil }
  }

  /// A section as it is mapped, without a proof, for those who keep the file alive meanwhile.
  func content(
    of id: UInt32
  ) throws(SnapshotError) -> (elementSize: Int, bytes: UnsafeRawBufferPointer) {
    guard let section = sections[id] else { throw damaged(id) }
    let bytes = UnsafeRawBufferPointer(rebasing: bytes[section.offset..<section.end])
    return (section.elementSize, bytes)
  }

  /// The id of the first section that has bytes in a range of the file.
  func section(in range: Range<Int>) -> UInt32? {
    sections.filter { $0.value.offset < range.upperBound && range.lowerBound < $0.value.end }
      .min { $0.value.offset < $1.value.offset }?.key
  }
}

extension SnapshotFile {
  /// A section of a directory snapshot.
  func column<Element: FixedWidthInteger & BitwiseCopyable & Sendable>(
    _ section: SnapshotSection,
    as type: Element.Type
  ) throws(SnapshotError) -> SnapshotColumn<Element> {
    try column(section.rawValue, as: type)
  }

  func text(
    _ bytes: SnapshotSection,
    ends: SnapshotSection
  ) throws(SnapshotError) -> TextColumn {
    try text(bytes.rawValue, ends: ends.rawValue)
  }

  /// A column of text of records, for so many of them; nothing of it is read.
  ///
  /// Identities are blank in a file of an earlier program, which has no sections for them.
  func text(
    _ column: RecordColumn,
    of kind: RecordKind,
    count: Int
  ) throws(SnapshotError) -> TextColumn {
    let sections = SnapshotSection.text(column, of: kind)
    if column == .identity, isOfFormerVersion {
      return try TextColumn(bytes: empty(sections.bytes), ends: empty(sections.ends), count: count)
    }
    return try TextColumn(
      bytes: self.column(sections.bytes, as: UInt8.self),
      ends: self.column(sections.ends, as: UInt32.self),
      count: count
    )
  }

  /// A section that is not there, as if it were without elements.
  private func empty<Element: FixedWidthInteger & BitwiseCopyable & Sendable>(
    _ section: SnapshotSection
  ) -> SnapshotColumn<Element> {
    let nothing = Section(elementSize: MemoryLayout<Element>.stride, offset: bodyOffset, size: 0)
    return SnapshotColumn(self, section.rawValue, nothing)
  }

  func damaged(_ section: SnapshotSection) -> SnapshotError { damaged(section.rawValue) }
}

extension SnapshotFile.Section {
  var end: Int { offset + size }
}

/// A bit for each block of a file, set by any thread and never cleared.
@usableFromInline
final class VerifiedBlocks: Sendable {
  // Unsafe: allocated in `init`, freed in `deinit`, and atomic in between.
  @usableFromInline nonisolated(unsafe) let words: UnsafeMutablePointer<Atomic<UInt64>>
  private let wordCount: Int

  init(count: Int) {
    wordCount = (count + 63) / 64
    words = .allocate(capacity: wordCount)
    for word in 0..<wordCount { (words + word).initialize(to: Atomic(0)) }
  }

  deinit {
    words.deinitialize(count: wordCount)
    words.deallocate()
  }

  /// Whether a bit is set.
  ///
  /// No ordering is needed: the bit says something about bytes that never change.
  @inlinable
  func contains(_ block: Int) -> Bool {
    words[block >> 6].load(ordering: .relaxed) >> UInt64(block & 63) & 1 == 1
  }

  func insert(_ block: Int) {
    words[block >> 6].bitwiseOr(1 << UInt64(block & 63), ordering: .relaxed)
  }
}
