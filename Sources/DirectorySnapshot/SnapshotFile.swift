import Outlines
import SystemPackage

/// A mapped container of sections whose header and table are known to be sound.
///
/// Opening reads the header and the table only; a section's checksum is verified by
/// `section(_:as:)`, so that a command touches what it needs and nothing else.
package final class SnapshotFile: Sendable {
  private struct Entry: Sendable {
    var elementSize: Int
    var offset: Int
    var size: Int
    var checksum: UInt64
  }

  private let file: MappedFile
  private let entries: [UInt32: Entry]
  /// The checksum of header and table, which names this very state.
  package let checksum: UInt64

  package var path: FilePath { file.path }
  package var byteCount: Int { file.bytes.count }

  /// - Complexity: O(sections).
  package init(path: FilePath) throws(SnapshotError) {
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
    let bytes = file.bytes
    let headerSize = SnapshotFormat.headerSize
    guard bytes.count >= headerSize, bytes.prefix(8).elementsEqual(SnapshotFormat.magic) else {
      throw .foreign(path)
    }
    let version: UInt32 = bytes.littleEndian(at: 8)
    guard version <= SnapshotFormat.version else { throw .newerFormat(path, version: version) }
    guard version == SnapshotFormat.version else { throw .olderFormat(path, version: version) }
    let count = Int(bytes.littleEndian(at: 12) as UInt32)
    let size: UInt64 = bytes.littleEndian(at: 16)
    let tableEnd = headerSize + count * SnapshotFormat.entrySize
    guard count <= SnapshotFormat.maximalSectionCount, tableEnd <= bytes.count,
      size == UInt64(bytes.count)
    else { throw .damaged(path, part: "header") }
    checksum = bytes.littleEndian(at: 24)
    let covered = Array(bytes[..<24]) + Array(bytes[headerSize..<tableEnd])
    guard covered.withUnsafeBytes({ XXHash64.digest($0) }) == checksum else {
      throw .damaged(path, part: "header")
    }
    entries = try Self.entries(in: file, count: count)
  }

  private static func entries(
    in file: MappedFile,
    count: Int
  ) throws(SnapshotError) -> [UInt32: Entry] {
    var entries: [UInt32: Entry] = [:]
    for index in 0..<count {
      let at = SnapshotFormat.headerSize + index * SnapshotFormat.entrySize
      let offset: UInt64 = file.bytes.littleEndian(at: at + 8)
      let size: UInt64 = file.bytes.littleEndian(at: at + 16)
      let (end, overflow) = offset.addingReportingOverflow(size)
      guard !overflow, end <= UInt64(file.bytes.count),
        offset % UInt64(SnapshotFormat.alignment) == 0
      else { throw .damaged(file.path, part: "section table") }
      let id: UInt32 = file.bytes.littleEndian(at: at)
      entries[id] = Entry(
        elementSize: Int(file.bytes.littleEndian(at: at + 4) as UInt32),
        offset: Int(offset),
        size: Int(size),
        checksum: file.bytes.littleEndian(at: at + 24)
      )
    }
    return entries
  }

  /// A section's elements where they are mapped, after verifying its checksum.
  ///
  /// - Complexity: O(bytes of the section).
  package func section<Element: BitwiseCopyable & Sendable>(
    _ section: SnapshotSection,
    as type: Element.Type
  ) throws(SnapshotError) -> OutlineColumn<Element> {
    let stride = MemoryLayout<Element>.stride
    guard let entry = entries[section.rawValue], entry.elementSize == stride,
      entry.size % stride == 0
    else { throw damaged(section) }
    let bytes = UnsafeRawBufferPointer(
      rebasing: file.bytes[entry.offset..<(entry.offset + entry.size)]
    )
    guard XXHash64.digest(bytes) == entry.checksum else { throw damaged(section) }
    return OutlineColumn(borrowing: bytes.bindMemory(to: Element.self), owner: file)
  }

  package func text(
    _ text: SnapshotSection,
    ends: SnapshotSection
  ) throws(SnapshotError) -> TextColumn {
    let column = try TextColumn(
      bytes: section(text, as: UInt8.self),
      ends: section(ends, as: UInt32.self)
    )
    guard let column else { throw damaged(ends) }
    return column
  }

  package func damaged(_ section: SnapshotSection) -> SnapshotError {
    .damaged(path, part: "\(section)")
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func littleEndian<Value: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int
  ) -> Value {
    Value(littleEndian: loadUnaligned(fromByteOffset: offset, as: Value.self))
  }
}
