import DirectoryModel
import SystemPackage

/// The header, the section table and the block checksums of a file, read and proved.
struct SnapshotHeader {
  let version: UInt32
  let sections: [UInt32: SnapshotFile.Section]
  let bodyOffset: Int
  let checksumsOffset: Int
  let checksum: UInt64

  /// - Complexity: O(sections + blocks).
  init(
    _ bytes: UnsafeRawBufferPointer,
    path: FilePath,
    format: SnapshotFormat
  ) throws(SnapshotError) {
    // Another format's header may be shorter than ours.
    guard bytes.count >= SnapshotFormat.Offset.sectionCount,
      bytes.prefix(format.magic.count).elementsEqual(format.magic)
    else { throw .foreign(path) }
    version = bytes.littleEndian(at: SnapshotFormat.Offset.version)
    guard version <= format.version else { throw .newerFormat(path, version: version) }
    guard version >= format.oldestVersion else { throw .olderFormat(path, version: version) }
    guard let head = Self.layout(of: bytes) else { throw .damaged(path, part: "header") }
    bodyOffset = head.body
    checksumsOffset = head.checksums
    checksum = bytes.littleEndian(at: SnapshotFormat.Offset.headChecksum)
    let start = UnsafeRawBufferPointer(rebasing: bytes[..<bodyOffset])
    guard SnapshotFormat.headChecksum(start) == checksum else {
      throw .damaged(path, part: "header")
    }
    let blockChecksums = UnsafeRawBufferPointer(rebasing: bytes[checksumsOffset...])
    let content: UInt64 = bytes.littleEndian(at: SnapshotFormat.Offset.contentChecksum)
    guard XXHash64.digest(blockChecksums) == content else {
      throw .damaged(path, part: "block checksums")
    }
    guard let sections = Self.sections(bytes, count: head.sectionCount, body: head.bodyRange)
    else { throw .damaged(path, part: "section table") }
    self.sections = sections
  }

  private struct Layout {
    var sectionCount: Int
    var body: Int
    var checksums: Int

    var bodyRange: Range<UInt64> { UInt64(body)..<UInt64(checksums) }
  }

  /// `nil` where the header's numbers do not fit each other and the size of the file.
  private static func layout(of bytes: UnsafeRawBufferPointer) -> Layout? {
    guard bytes.count >= SnapshotFormat.headerSize else { return nil }
    let count = Int(bytes.littleEndian(at: SnapshotFormat.Offset.sectionCount) as UInt32)
    let body: UInt64 = bytes.littleEndian(at: SnapshotFormat.Offset.body)
    let checksums: UInt64 = bytes.littleEndian(at: SnapshotFormat.Offset.checksums)
    let fileSize: UInt64 = bytes.littleEndian(at: SnapshotFormat.Offset.fileSize)
    guard count <= SnapshotFormat.maximalSectionCount, fileSize == UInt64(bytes.count),
      body >= UInt64(SnapshotFormat.headerSize + count * SnapshotFormat.entrySize),
      body <= UInt64(SnapshotFormat.blockSize), body <= checksums, checksums <= fileSize,
      checksums % 8 == 0
    else { return nil }
    let layout = Layout(sectionCount: count, body: Int(body), checksums: Int(checksums))
    let blockCount = SnapshotFormat.blockCount(bodyEnd: layout.checksums)
    return bytes.count - layout.checksums == blockCount * 8 ? layout : nil
  }

  /// `nil` where a section lies outside the body or an id is used twice.
  private static func sections(
    _ bytes: UnsafeRawBufferPointer,
    count: Int,
    body: Range<UInt64>
  ) -> [UInt32: SnapshotFile.Section]? {
    var sections: [UInt32: SnapshotFile.Section] = [:]
    sections.reserveCapacity(count)
    for index in 0..<count {
      let at = SnapshotFormat.headerSize + index * SnapshotFormat.entrySize
      let id: UInt32 = bytes.littleEndian(at: at)
      let elementSize: UInt32 = bytes.littleEndian(at: at + 4)
      let offset: UInt64 = bytes.littleEndian(at: at + 8)
      let size: UInt64 = bytes.littleEndian(at: at + 16)
      let (end, overflow) = offset.addingReportingOverflow(size)
      guard !overflow, body.lowerBound <= offset, end <= body.upperBound,
        offset % UInt64(SnapshotFormat.alignment) == 0,
        elementSize > 0, size % UInt64(elementSize) == 0
      else { return nil }
      let section = SnapshotFile.Section(
        elementSize: Int(elementSize),
        offset: Int(offset),
        size: Int(size)
      )
      guard sections.updateValue(section, forKey: id) == nil else { return nil }
    }
    return sections
  }
}

extension UnsafeRawBufferPointer {
  func littleEndian<Value: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Value {
    Value(littleEndian: loadUnaligned(fromByteOffset: offset, as: Value.self))
  }
}
