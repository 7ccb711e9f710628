import DirectoryModel
import OutlineEngine
import Platform
import SystemPackage

/// A file that was written and put in its place.
package struct InstalledFile: Sendable {
  /// The checksum that names its state, as `SnapshotFile.checksum`.
  package var checksum: UInt64
  package var byteCount: Int
  /// Time that the disk took to make the file durable (fsync(2) of the file and its folder).
  package var synchronizing: Duration
}

/// Writes a container of sections beside its target and puts it in the target's place.
///
/// The caller holds the writer's lock, so the name of the unfinished file may be a fixed one and
/// what a killed writer left is removed. Without `commit()` the target is untouched and the
/// unfinished file goes. Memory is one block of 64 KiB, and 8 bytes for each block written.
package struct SnapshotFileWriter: ~Copyable {
  private struct Entry {
    var id: UInt32
    var elementSize: Int
    var offset: Int
    var size: Int
  }

  private let format: SnapshotFormat
  private let target: FilePath
  private let former: SnapshotFile?
  /// What is put in the target's place; `nil` for a file that has none.
  private var file: AtomicFile?
  private var scratch: ScratchFile?
  private let descriptor: FileDescriptor
  /// Of the unfinished file, for errors.
  private let temporary: FilePath
  private let capacity: Int
  private let bodyOffset: Int
  private var body: BlockWriter
  private var entries: [Entry] = []

  /// Begins a file beside the target.
  ///
  /// - Parameters:
  ///   - target: Where the file goes in the end.
  ///   - format: What kind of file it is.
  ///   - sectionCount: The most sections that will be added.
  ///   - former: A file of which proved bytes are added where they are mapped: sections lie in the new
  ///     file so that they fall into the same blocks, and keep their checksums.
  /// - Throws: `SnapshotError.cannotWrite` when the file cannot be made.
  package init(
    target: FilePath,
    format: SnapshotFormat = .directory,
    sectionCount: Int,
    former: SnapshotFile? = nil
  ) throws(SnapshotError) {
    precondition(sectionCount <= SnapshotFormat.maximalSectionCount, "too many sections")
    self.format = format
    self.target = target
    self.former = former
    capacity = sectionCount
    bodyOffset = SnapshotFormat.headerSize + sectionCount * SnapshotFormat.entrySize
    do throws(Errno) {
      let file = try AtomicFile(
        target: target,
        permissions: .ownerReadWrite,
        existing: .replaced,
        provisional: .fixed
      )
      descriptor = file.descriptor
      temporary = file.temporary
      self.file = consume file
    } catch {
      throw .cannotWrite(target, error)
    }
    body = BlockWriter(
      descriptor,
      start: bodyOffset,
      former: former,
      isDurable: true
    )
  }

  /// Begins a file that never gets a name.
  ///
  /// - Parameters:
  ///   - path: What the file is taken for, in errors.
  ///   - format: What kind of file it is.
  ///   - sectionCount: The most sections that will be added.
  /// - Throws: `SnapshotError.cannotWrite` when the file cannot be made.
  package init(
    scratchFor path: FilePath,
    format: SnapshotFormat = .directory,
    sectionCount: Int
  ) throws(SnapshotError) {
    self.format = format
    target = path
    former = nil
    temporary = FilePath(ScratchFile.folder)
    capacity = sectionCount
    bodyOffset = SnapshotFormat.headerSize + sectionCount * SnapshotFormat.entrySize
    do throws(Errno) {
      let scratch = try ScratchFile()
      descriptor = scratch.descriptor
      self.scratch = consume scratch
    } catch {
      throw .cannotWrite(temporary, error)
    }
    body = BlockWriter(descriptor, start: bodyOffset, isDurable: false)
  }

  // MARK: Sections

  /// Begins a section, to which `append(_:)` then adds.
  ///
  /// - Parameters:
  ///   - id: What it is; no other section of the file has it.
  ///   - elementSize: Bytes of an element: 1, 4 or 8.
  /// - Throws: `SnapshotError.cannotWrite`, or `.interrupted` in a cancelled task.
  package mutating func begin(_ id: UInt32, elementSize: Int) throws(SnapshotError) {
    precondition(entries.count < capacity, "more sections than announced")
    precondition(!entries.contains { $0.id == id }, "a section twice")
    try SnapshotError.checkCancellation()
    do throws(Errno) {
      if let offset = former?.offset(ofLong: id) {
        try body.align(to: SnapshotFormat.blockSize, like: offset)
      } else {
        try body.align(to: SnapshotFormat.alignment)
      }
    } catch {
      throw .cannotWrite(temporary, error)
    }
    entries.append(Entry(id: id, elementSize: elementSize, offset: body.position, size: 0))
  }

  /// Adds bytes to the section begun last.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) throws(SnapshotError) {
    do throws(Errno) {
      try body.append(bytes)
    } catch {
      throw .cannotWrite(temporary, error)
    }
    entries[entries.count - 1].size += bytes.count
  }

  /// A whole section.
  package mutating func add<Element: BitwiseCopyable>(
    _ id: UInt32,
    _ elements: UnsafeBufferPointer<Element>
  ) throws(SnapshotError) {
    try begin(id, elementSize: MemoryLayout<Element>.stride)
    try append(UnsafeRawBufferPointer(elements))
  }

  package mutating func add<Element: BitwiseCopyable>(
    _ section: SnapshotSection,
    _ elements: [Element]
  ) throws(SnapshotError) {
    try elements.withUnsafeBufferPointer { (elements) throws(SnapshotError) in
      try add(section.rawValue, elements)
    }
  }

  package mutating func add<Element>(
    _ section: SnapshotSection,
    _ elements: OutlineColumn<Element>
  ) throws(SnapshotError) {
    try elements.withUnsafeBufferPointer { (elements) throws(SnapshotError) in
      try add(section.rawValue, elements)
    }
  }

  /// The same section of a file of which every byte is proved.
  mutating func copy(_ section: SnapshotSection, of file: SnapshotFile) throws(SnapshotError) {
    let (elementSize, bytes) = try file.content(of: section.rawValue)
    try begin(section.rawValue, elementSize: elementSize)
    try append(bytes)
  }

  // MARK: The end

  /// Makes the file durable and puts it in the target's place: fsync of the file, rename, fsync of
  /// the folder.
  ///
  /// - Parameter announcing: Called with the file's checksum before it is in the target's place, where
  ///   it never comes to be if this throws.
  /// - Returns: What was written.
  /// - Throws: `SnapshotError.cannotWrite`, and what `announcing` throws. The target is then what it
  ///   was, unless it is the folder that could not be made durable: then the target is the new file,
  ///   and may be the old one after the machine stops.
  package consuming func commit(
    announcing: (UInt64) throws(SnapshotError) -> Void = { _ in }
  ) throws(SnapshotError) -> InstalledFile {
    let (checksum, byteCount) = try finish()
    try announcing(checksum)
    guard let file = file.take() else { preconditionFailure("a file without a name has no place") }
    let clock = ContinuousClock()
    let written = clock.now
    do throws(Errno) {
      try file.commit()
    } catch {
      throw .cannotWrite(target, error)
    }
    return InstalledFile(
      checksum: checksum,
      byteCount: byteCount,
      synchronizing: clock.now - written
    )
  }

  /// Maps a file that never gets a name.
  ///
  /// - Throws: `SnapshotError.cannotWrite`, also where it cannot be mapped.
  package consuming func mapped() throws(SnapshotError) -> SnapshotFile {
    _ = try finish()
    guard let scratch = scratch.take() else { preconditionFailure("this file gets a name") }
    let file: MappedFile
    do throws(Errno) {
      file = try MappedFile(scratch, path: target)
    } catch {
      throw .cannotWrite(temporary, error)
    }
    return try SnapshotFile(file, format: format)
  }

  /// Writes what is held back, the block checksums and the header.
  private mutating func finish() throws(SnapshotError) -> (checksum: UInt64, byteCount: Int) {
    do throws(Errno) {
      try body.align(to: 8)
      try body.finish()
      var table: [UInt8] = []
      table.reserveCapacity(body.checksums.count * 8)
      for checksum in body.checksums { table.appendLittleEndian(checksum) }
      try write(table, at: body.position)
      let byteCount = body.position + table.count
      let (head, checksum) = head(
        byteCount: byteCount,
        contentChecksum: table.withUnsafeBytes { XXHash64.digest($0) }
      )
      try write(head, at: 0)
      return (checksum, byteCount)
    } catch {
      throw .cannotWrite(temporary, error)
    }
  }

  /// The header and the section table.
  private func head(byteCount: Int, contentChecksum: UInt64) -> (bytes: [UInt8], checksum: UInt64) {
    var head = format.magic
    head.appendLittleEndian(format.version)
    head.appendLittleEndian(UInt32(entries.count))
    head.appendLittleEndian(UInt64(bodyOffset))
    head.appendLittleEndian(UInt64(body.position))
    head.appendLittleEndian(UInt64(byteCount))
    head.appendLittleEndian(contentChecksum)
    head.appendLittleEndian(0 as UInt64)
    var table: [UInt8] = []
    for entry in entries {
      table.appendLittleEndian(entry.id)
      table.appendLittleEndian(UInt32(entry.elementSize))
      table.appendLittleEndian(UInt64(entry.offset))
      table.appendLittleEndian(UInt64(entry.size))
    }
    let spare = bodyOffset - SnapshotFormat.headerSize - table.count
    table.append(contentsOf: repeatElement(0, count: spare))
    let checksum = (head + [UInt8](repeating: 0, count: 8) + table).withUnsafeBytes {
      SnapshotFormat.headChecksum($0)
    }
    head.appendLittleEndian(checksum)
    return (head + table, checksum)
  }

  private func write(_ bytes: [UInt8], at offset: Int) throws(Errno) {
    do {
      try descriptor.writeAll(toAbsoluteOffset: Int64(offset), bytes)
    } catch {
      throw (error as? Errno) ?? .ioError
    }
  }
}

extension [UInt8] {
  mutating func appendLittleEndian<Value: FixedWidthInteger>(_ value: Value) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}
