import DirectoryModel
import Platform
import SystemPackage
import Testing

@testable import DirectorySnapshot

/// The bytes of a file, to be damaged or forged.
struct SnapshotImage {
  struct Section {
    var id: UInt32
    var elementSize: Int
    var bytes: Range<Int>
  }

  var bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  init(of path: FilePath) throws {
    bytes = try MappedFile(path: path).withBytes { Array($0) }
  }

  func number(at offset: Int, size: Int) -> UInt64 {
    (0..<size).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
  }

  mutating func set(_ value: UInt64, at offset: Int, size: Int) {
    for byte in 0..<size { bytes[offset + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte)) }
  }

  var sections: [Section] {
    (0..<Int(number(at: 12, size: 4))).map { index in
      let entry = 64 + 24 * index
      let start = Int(number(at: entry + 8, size: 8))
      return Section(
        id: UInt32(number(at: entry, size: 4)),
        elementSize: Int(number(at: entry + 4, size: 4)),
        bytes: start..<start + Int(number(at: entry + 16, size: 8))
      )
    }
  }

  func section(_ section: SnapshotSection) throws -> Section {
    try #require(sections.first { $0.id == section.rawValue })
  }

  mutating func setElement(
    _ index: Int,
    of section: SnapshotSection,
    to value: UInt64
  ) throws {
    let section = try self.section(section)
    set(
      value,
      at: section.bytes.lowerBound + index * section.elementSize,
      size: section.elementSize
    )
  }

  mutating func setLastElement(of section: SnapshotSection, to value: UInt64) throws {
    let found = try self.section(section)
    try setElement(found.bytes.count / found.elementSize - 1, of: section, to: value)
  }

  /// Makes all checksums fit again, as the user would who wants the file to be believed; where the
  /// header says nonsense there is nothing to be done.
  mutating func seal() {
    let (bodyOffset, bodyEnd) = (number(at: 16, size: 8), number(at: 24, size: 8))
    guard bodyOffset >= 64, bodyOffset <= 65_536, bodyOffset <= bodyEnd,
      bodyEnd <= UInt64(bytes.count)
    else { return }
    let (body, end) = (Int(bodyOffset), Int(bodyEnd))
    guard bytes.count - end == (end + 65_535) / 65_536 * 8 else { return }
    for block in 0..<(end + 65_535) / 65_536 {
      let range = max(block * 65_536, body)..<min((block + 1) * 65_536, end)
      set(digest(Array(bytes[range])), at: end + 8 * block, size: 8)
    }
    set(digest(Array(bytes[end...])), at: 40, size: 8)
    set(digest(Array(bytes[..<56] + bytes[64..<body])), at: 56, size: 8)
  }

  private func digest(_ bytes: [UInt8]) -> UInt64 { bytes.withUnsafeBytes { XXHash64.digest($0) } }

  /// Beside and renamed, as a mapped file must never be shortened in place.
  func write(to path: FilePath) throws {
    let beside = FilePath(path.string + ".new")
    let file = try FileDescriptor.open(
      beside,
      .writeOnly,
      options: [.create, .truncate],
      permissions: .ownerReadWrite
    )
    try file.closeAfter { _ = try file.writeAll(bytes) }
    let moved = beside.withPlatformString { from in path.withPlatformString { rename(from, $0) } }
    #expect(moved == 0)
  }
}
