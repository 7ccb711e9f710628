#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import SystemPackage

/// Writes a container of sections beside its target and puts it in the target's place.
///
/// The caller holds the writer's lock, so the name of the unfinished file may be a fixed one and
/// what a killed writer left is simply overwritten. Without `commit()` the target is untouched.
package struct SnapshotFileWriter: ~Copyable {
  private struct Entry {
    var section: SnapshotSection
    var elementSize: UInt32
    var offset: UInt64
    var size: UInt64
    var checksum: UInt64
  }

  private let target: FilePath
  private let temporary: FilePath
  private let file: FileDescriptor
  private let capacity: Int
  private var entries: [Entry] = []
  private var position: UInt64
  private var isCommitted = false

  /// Begins a file beside the target.
  ///
  /// - Parameters:
  ///   - target: Where the file goes in the end.
  ///   - sectionCount: The most sections that will be added.
  /// - Throws: `SnapshotError.cannotWrite` when the file cannot be made.
  package init(target: FilePath, sectionCount: Int) throws(SnapshotError) {
    self.target = target
    temporary = FilePath(target.string + ".new")
    capacity = sectionCount
    position = UInt64(SnapshotFormat.headerSize + sectionCount * SnapshotFormat.entrySize)
    do {
      file = try FileDescriptor.open(
        temporary,
        .writeOnly,
        options: [.create, .truncate, .noFollow, .closeOnExec],
        permissions: .ownerReadWrite
      )
    } catch {
      throw .cannotWrite(temporary, (error as? Errno) ?? .ioError)
    }
  }

  deinit {
    try? file.close()
    if !isCommitted { _ = temporary.withPlatformString { unlink($0) } }
  }

  package mutating func add<Element: BitwiseCopyable>(
    _ section: SnapshotSection,
    _ elements: [Element]
  ) throws(SnapshotError) {
    let result = elements.withUnsafeBytes { bytes in
      Result { () throws(SnapshotError) in
        try add(section, bytes, elementSize: MemoryLayout<Element>.size)
      }
    }
    try result.get()
  }

  private mutating func add(
    _ section: SnapshotSection,
    _ bytes: UnsafeRawBufferPointer,
    elementSize: Int
  ) throws(SnapshotError) {
    precondition(entries.count < capacity, "more sections than announced")
    let alignment = UInt64(SnapshotFormat.alignment)
    position = (position + alignment - 1) / alignment * alignment
    try write(bytes, at: position)
    entries.append(
      Entry(
        section: section,
        elementSize: UInt32(elementSize),
        offset: position,
        size: UInt64(bytes.count),
        checksum: XXHash64.digest(bytes)
      )
    )
    position += UInt64(bytes.count)
  }

  /// Makes the file durable and puts it in the target's place.
  ///
  /// - Returns: The checksum of header and table, which names this very state.
  package consuming func commit() throws(SnapshotError) -> UInt64 {
    var head = header()
    var table: [UInt8] = []
    for entry in entries {
      table.appendLittleEndian(entry.section.rawValue)
      table.appendLittleEndian(entry.elementSize)
      table.appendLittleEndian(entry.offset)
      table.appendLittleEndian(entry.size)
      table.appendLittleEndian(entry.checksum)
    }
    let checksum = (head + table).withUnsafeBytes { XXHash64.digest($0) }
    head.appendLittleEndian(checksum)
    let start = head + table
    let result = start.withUnsafeBytes { bytes in
      Result { () throws(SnapshotError) in try write(bytes, at: 0) }
    }
    try result.get()
    try replaceTarget()
    isCommitted = true
    return checksum
  }

  private func header() -> [UInt8] {
    var head = SnapshotFormat.magic
    head.appendLittleEndian(SnapshotFormat.version)
    head.appendLittleEndian(UInt32(entries.count))
    head.appendLittleEndian(position)
    return head
  }

  private func write(
    _ bytes: UnsafeRawBufferPointer,
    at offset: UInt64
  ) throws(SnapshotError) {
    do {
      try file.writeAll(toAbsoluteOffset: Int64(offset), bytes)
    } catch {
      throw .cannotWrite(temporary, (error as? Errno) ?? .ioError)
    }
  }

  private func replaceTarget() throws(SnapshotError) {
    // A hole at the end (an empty last section) still belongs to the announced size.
    guard ftruncate(file.rawValue, off_t(position)) == 0, fsync(file.rawValue) == 0 else {
      throw .cannotWrite(temporary, Errno(rawValue: errno))
    }
    let renamed = temporary.withPlatformString { from in
      target.withPlatformString { rename(from, $0) }
    }
    guard renamed == 0 else { throw .cannotWrite(target, Errno(rawValue: errno)) }
    try Self.synchronizeFolder(of: target)
  }

  /// Makes a rename durable (fsync(2) on the folder).
  private static func synchronizeFolder(of path: FilePath) throws(SnapshotError) {
    let folder = path.removingLastComponent()
    let name = folder.isEmpty ? FilePath(".") : folder
    let descriptor = name.withPlatformString { open($0, O_RDONLY | O_CLOEXEC | O_DIRECTORY) }
    guard descriptor >= 0 else { throw .cannotWrite(name, Errno(rawValue: errno)) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .cannotWrite(name, Errno(rawValue: errno)) }
  }
}

extension [UInt8] {
  mutating func appendLittleEndian<Value: FixedWidthInteger>(_ value: Value) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}
