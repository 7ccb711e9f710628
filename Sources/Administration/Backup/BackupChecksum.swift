import DirectoryModel
import Platform
import SystemPackage

/// A checksum behind the archive of a backup, where pg_restore(1) does not look: the archive itself
/// has none for the definitions of functions and tables.
///
/// The last 34 bytes of a file: a line feed, `staffbook:xxh64:`, 16 hexadecimal digits and a line feed.
/// The digits are the XXH64 of the checksums, little-endian, of the archive's blocks of 1 MiB.
enum BackupChecksum {
  private static let mark = Array("\nstaffbook:xxh64:".utf8)
  private static let length = mark.count + 16 + 1
  private static let blockSize = 1 << 20

  /// Puts the checksum behind what was written.
  static func append(to file: FileDescriptor) throws(Errno) {
    do {
      let size = try file.seek(offset: 0, from: .end)
      let seal = try self.seal(of: file, size: size)
      try file.writeAll(toAbsoluteOffset: size, seal)
    } catch {
      throw error as? Errno ?? .ioError
    }
  }

  /// Whether the checksum is that of the archive before it; `nil` where there is none, as in what
  /// pg_dump wrote itself.
  static func isSound(_ file: FileDescriptor) throws(Errno) -> Bool? {
    do {
      let size = try file.seek(offset: 0, from: .end) - Int64(length)
      guard size > 0 else { return nil }
      let found = try bytes(of: file, from: size, count: length)
      guard found.starts(with: mark) else { return nil }
      return try found == seal(of: file, size: size)
    } catch {
      throw error as? Errno ?? .ioError
    }
  }

  private static func seal(of file: FileDescriptor, size: Int64) throws -> [UInt8] {
    var checksums: [UInt8] = []
    for start in stride(from: 0, to: size, by: blockSize) {
      let block = try bytes(of: file, from: start, count: Int(min(size - start, Int64(blockSize))))
      let checksum = block.withUnsafeBytes { XXHash64.digest($0) }
      withUnsafeBytes(of: checksum.littleEndian) { checksums.append(contentsOf: $0) }
    }
    let whole = String(checksums.withUnsafeBytes { XXHash64.digest($0) }, radix: 16)
    return mark + Array((String(repeating: "0", count: 16 - whole.count) + whole + "\n").utf8)
  }

  private static func bytes(
    of file: FileDescriptor,
    from start: Int64,
    count: Int
  ) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let rest = UnsafeMutableRawBufferPointer(
          rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...]
        )
        let read = try file.read(fromAbsoluteOffset: start + Int64(filled), into: rest)
        guard read > 0 else { break }
        filled += read
      }
    }
  }
}
