import DirectoryModel

/// The layout of a container of sections: a snapshot, or another file of ours of the same build.
///
/// A file is a header, a table of sections, the body with the sections, and a table of checksums:
/// one for each block of 64 KiB, so that reading a screenful proves a few blocks and not the file.
///
///     header, 64 bytes at offset 0
///     0    magic             8 bytes   `SnapshotFormat.magic`
///     8    version           u32       `SnapshotFormat.oldestVersion` ... `version`
///     12   sectionCount      u32       at most 1,024
///     16   bodyOffset        u64       64 + 24 × sectionCount or more, at most 65,536
///     24   checksumsOffset   u64       where the body ends; a multiple of 8
///     32   fileSize          u64       checksumsOffset + 8 × number of blocks
///     40   contentChecksum   u64       XXH64 of the block checksums, checksumsOffset ..< fileSize
///     48   reserved          u64       0
///     56   headChecksum      u64       XXH64 of bytes 0 ..< 56, then 64 ..< bodyOffset
///
///     section table, at offset 64: sectionCount entries of 24 bytes, zeros up to bodyOffset
///     0    id                u32       what it is; each id stands there once
///     4    elementSize       u32       bytes of an element: 1, 4 or 8
///     8    offset            u64       from the file's start, a multiple of 64, in the body
///     16   size              u64       bytes; a multiple of elementSize
///
///     body, bodyOffset ..< checksumsOffset: the sections, and zeros between them
///
///     block checksums, at checksumsOffset: u64 for each block, XXH64 of its bytes
///     Block i is bytes 65,536 × i ..< 65,536 × (i + 1) of the file, as far as they belong to the
///     body: the first begins at bodyOffset, the last ends at checksumsOffset.
///
/// All numbers are little-endian, and sections are used where they are mapped. Every byte is under
/// a checksum, and all hang together: the head's covers the content's, which covers those of the
/// blocks. So `headChecksum` names the whole state of the file.
///
/// Checksums find damage, not forgery: anyone who may write the file may also write them. Therefore
/// every number read from a file is checked against what it points into, whatever its checksum.
package struct SnapshotFormat: Sendable {
  /// The first eight bytes.
  package let magic: [UInt8]
  /// That of files that are written.
  package let version: UInt32
  /// The first of those that are read.
  package let oldestVersion: UInt32
  /// What a section is called in errors.
  package let sectionName: @Sendable (UInt32) -> String

  /// - Parameters:
  ///   - magic: Eight bytes.
  ///   - version: That of files that are written.
  ///   - oldestVersion: The first of those that are read; `nil` for no other than that.
  ///   - sectionName: What a section is called in errors.
  package init(
    magic: StaticString,
    version: UInt32,
    oldestVersion: UInt32? = nil,
    sectionName: @escaping @Sendable (UInt32) -> String
  ) {
    precondition(magic.utf8CodeUnitCount == 8, "a magic is eight bytes")
    self.magic = magic.withUTF8Buffer { Array($0) }
    self.version = version
    self.oldestVersion = oldestVersion ?? version
    self.sectionName = sectionName
  }

  /// The format of `DirectorySnapshot`; version 1 had a checksum for each section, version 2 no
  /// declared fields, version 3 no rules, version 4 no identities.
  package static let directory = SnapshotFormat(
    magic: "STAFFBK\n",
    version: 5,
    oldestVersion: 4
  ) { id in
    SnapshotSection(rawValue: id).map { "\($0)" } ?? "section \(id)"
  }

  /// What stands where in the header.
  enum Offset {
    static let version = 8
    static let sectionCount = 12
    static let body = 16
    static let checksums = 24
    static let fileSize = 32
    static let contentChecksum = 40
    static let headChecksum = 56
  }

  package static let headerSize = 64
  package static let entrySize = 24
  /// Sections begin at multiples of this, a cache line.
  package static let alignment = 64
  /// More sections than this are not in a file of ours; the table lies in the first block.
  package static let maximalSectionCount = 1_024
  /// A block is 2 to the power of this many bytes.
  @usableFromInline static let blockShift = 16
  package static let blockSize = 1 << blockShift

  /// Blocks of a file whose body ends at an offset.
  static func blockCount(bodyEnd: Int) -> Int { (bodyEnd + blockSize - 1) >> blockShift }

  /// XXH64 of the header, without the checksum itself, and of the section table.
  static func headChecksum(_ head: UnsafeRawBufferPointer) -> UInt64 {
    var covered = Array(head[..<Offset.headChecksum])
    covered.append(contentsOf: head[headerSize...])
    return covered.withUnsafeBytes { XXHash64.digest($0) }
  }
}

#if _endian(big)
  #error("sections are used where they are mapped: only little-endian machines can")
#endif
