import DirectoryModel
import Platform
import SystemPackage

/// Writes the body of a container from front to back, and takes the checksum of each block.
///
/// What is written in small pieces is gathered in one block; whole blocks go to the file from where
/// they are. Memory is one block, and 8 bytes for each that was written.
struct BlockWriter: ~Copyable {
  private let file: FileDescriptor
  /// Whose blocks have their checksums already; all that is appended of it was proved.
  private let former: SnapshotFile?
  /// Whether the disk begins with what was written before all of it is.
  private let isDurable: Bool
  /// Everything before this offset is on its way to the disk.
  private var submitted: Int
  /// What the file's offsets from `flushed` on will hold; its count is `position - flushed`.
  private var pending: [UInt8] = []
  /// Everything before this offset is in the file.
  private var flushed: Int
  /// Where the next byte goes.
  private(set) var position: Int
  /// XXH64 of each block that is in the file.
  private(set) var checksums: [UInt64] = []

  /// - Parameters:
  ///   - file: Open for writing.
  ///   - start: Where the body begins, within the first block.
  ///   - former: A file of which proved bytes are appended where they are mapped.
  ///   - isDurable: Whether the file will be synchronized.
  init(
    _ file: FileDescriptor,
    start: Int,
    former: SnapshotFile? = nil,
    isDurable: Bool
  ) {
    self.file = file
    self.former = former
    self.isDurable = isDurable
    submitted = start
    flushed = start
    position = start
    pending.reserveCapacity(SnapshotFormat.blockSize)
  }

  /// Appends zeros, at most one block, up to an offset that divided by `alignment` leaves the same as
  /// another one.
  mutating func align(to alignment: Int, like offset: Int = 0) throws(Errno) {
    let padding = (alignment - (position - offset % alignment) % alignment) % alignment
    let zeros = [UInt8](repeating: 0, count: padding)
    try append(zeros)
  }

  mutating func append(_ bytes: [UInt8]) throws(Errno) {
    try bytes.withUnsafeBufferPointer { (bytes) throws(Errno) in
      try append(UnsafeRawBufferPointer(bytes))
    }
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
    var rest = bytes[...]
    if !pending.isEmpty || position % SnapshotFormat.blockSize != 0 {
      let room = SnapshotFormat.blockSize - position % SnapshotFormat.blockSize
      gather(rest.prefix(room))
      rest = rest.dropFirst(room)
      if position % SnapshotFormat.blockSize == 0 { try flush() }
    }
    let whole = rest.count & ~(SnapshotFormat.blockSize - 1)
    if whole > 0 {
      try write(UnsafeRawBufferPointer(rebasing: rest.prefix(whole)))
      rest = rest.dropFirst(whole)
    }
    gather(rest)
  }

  /// Writes what is still held back.
  mutating func finish() throws(Errno) { try flush() }

  private mutating func gather(_ bytes: Slice<UnsafeRawBufferPointer>) {
    pending.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes))
    position += bytes.count
  }

  private mutating func flush() throws(Errno) {
    guard !pending.isEmpty else { return }
    let bytes = pending
    pending.removeAll(keepingCapacity: true)
    position = flushed
    try bytes.withUnsafeBufferPointer { (bytes) throws(Errno) in
      try write(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Writes whole blocks, or the last one; nothing is pending.
  private mutating func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
    var from = 0
    while from < bytes.count {
      let room = SnapshotFormat.blockSize - (flushed + from) % SnapshotFormat.blockSize
      let end = min(from + room, bytes.count)
      let block = UnsafeRawBufferPointer(rebasing: bytes[from..<end])
      checksums.append(former?.checksum(of: block) ?? XXHash64.digest(block))
      from = end
    }
    do {
      try file.writeAll(toAbsoluteOffset: Int64(flushed), bytes)
    } catch {
      throw (error as? Errno) ?? .ioError
    }
    flushed += bytes.count
    position = flushed
    if isDurable, flushed - submitted >= Self.share {
      file.beginSynchronizing(submitted..<flushed)
      submitted = flushed
    }
  }

  /// Bytes that the disk gets at once.
  private static var share: Int { 8 << 20 }
}
