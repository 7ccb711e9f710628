import Platform
import Seeds
import DirectorySnapshot
import SystemPackage
import Testing

/// The sections of a file of ours, to be written again with other numbers and sound checksums.
struct ForgedFile {
  struct Section {
    var id: UInt32
    var elementSize: Int
    var bytes: [UInt8]
  }

  var sections: [Section] = []

  /// Reads a file as `SnapshotFormat` lays it out.
  init(of path: FilePath) throws {
    let bytes = try bytes(of: path)
    func number(_ offset: Int, _ size: Int) -> Int {
      (0..<size).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
    for index in 0..<number(12, 4) {
      let entry = 64 + 24 * index
      let start = number(entry + 8, 8)
      sections.append(
        Section(
          id: UInt32(number(entry, 4)),
          elementSize: number(entry + 4, 4),
          bytes: Array(bytes[start..<start + number(entry + 16, 8)])
        )
      )
    }
  }

  mutating func set(_ value: UInt64, at index: Int, of section: Int) {
    let size = sections[section].elementSize
    for byte in 0..<size {
      sections[section].bytes[index * size + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte))
    }
  }

  /// Changes some numbers of sections behind the header.
  mutating func forge(_ count: Int, using generator: inout SeededGenerator) {
    for _ in 0..<count {
      let section = Int.random(in: 1..<sections.count, using: &generator)
      let elements = sections[section].bytes.count / sections[section].elementSize
      guard elements > 0 else { continue }
      let values: [UInt64] = [
        0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, .max,
        .random(in: 0..<200, using: &generator),
      ]
      let value = values.randomElement(using: &generator) ?? 0
      set(value, at: Int.random(in: 0..<elements, using: &generator), of: section)
    }
  }

  /// - Returns: The checksum that names the file.
  @discardableResult
  func write(to path: FilePath, _ format: SnapshotFormat) throws -> UInt64 {
    var writer = try SnapshotFileWriter(
      target: path,
      format: format,
      sectionCount: sections.count
    )
    for section in sections {
      try writer.begin(section.id, elementSize: section.elementSize)
      try section.bytes.withUnsafeBytes { try writer.append($0) }
    }
    return try writer.commit().checksum
  }
}

func bytes(of path: FilePath) throws -> [UInt8] {
  try MappedFile(path: path).withBytes { Array($0) }
}

/// Puts a file in another one's place, which may be mapped.
func write(_ bytes: [UInt8], to path: FilePath) throws {
  _ = path.withPlatformString { unlink($0) }
  let file = try FileDescriptor.open(
    path,
    .writeOnly,
    options: [.create, .exclusiveCreate],
    permissions: .ownerReadWrite
  )
  try file.closeAfter { _ = try file.writeAll(bytes) }
}
