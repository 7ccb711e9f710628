import DirectoryModel
import Platform
import SystemPackage

/// A journal that is open: the entries that syncs wrote, one after the other.
///
/// It is read a piece at a time. What is behind `end` is what somebody who died, or is at it, has not
/// finished: nobody reads it, and the next writer cuts it off.
///
/// @unchecked: nothing changes after `init`, and the descriptor is only read from.
final class JournalFile: @unchecked Sendable {
  enum Fault: Error {
    case missing
    /// It does not begin like a journal.
    case foreign
    /// Something in it is not what was written; the offset says where.
    case damaged(Int)
    case unreadable(Errno)
  }

  let descriptor: FileDescriptor
  let keeping: JournalKeeping
  /// Where the last whole entry ends.
  let end: Int
  /// What stands behind it.
  let tail: Tail

  enum Tail {
    case none
    /// The beginning of an entry, as a writer who died leaves it.
    case torn
    /// Something else.
    case damaged
  }

  init(_ path: FilePath) throws(Fault) {
    descriptor = try Self.open(path)
    do throws(Fault) {
      let head = try Self.read(descriptor, at: 0, count: JournalFormat.headerSize)
      guard let keeping = JournalKeeping(header: head) else { throw .foreign }
      self.keeping = keeping
      (end, tail) = try Self.whole(descriptor)
    } catch {
      try? descriptor.close()
      throw error
    }
  }

  deinit { try? descriptor.close() }

  private static func open(_ path: FilePath) throws(Fault) -> FileDescriptor {
    do {
      return try FileDescriptor.open(
        path,
        .readOnly,
        options: [.noFollow, .nonBlocking, .closeOnExec]
      )
    } catch {
      let reason = (error as? Errno) ?? .ioError
      throw reason == .noSuchFileOrDirectory ? .missing : .unreadable(reason)
    }
  }

  /// Fewer bytes where the file ends.
  private static func read(
    _ descriptor: FileDescriptor,
    at offset: Int,
    count: Int
  ) throws(Fault) -> [UInt8] {
    var bytes: [UInt8] = []
    do {
      while bytes.count < count {
        let piece = try [UInt8](unsafeUninitializedCapacity: count - bytes.count) { buffer, read in
          read = try descriptor.read(
            fromAbsoluteOffset: Int64(offset + bytes.count),
            into: UnsafeMutableRawBufferPointer(buffer)
          )
        }
        if piece.isEmpty { break }
        bytes += piece
      }
    } catch {
      throw .unreadable((error as? Errno) ?? .ioError)
    }
    return bytes
  }

  private func read(at offset: Int, count: Int) throws(Fault) -> [UInt8] {
    let bytes = try Self.read(descriptor, at: offset, count: count)
    guard bytes.count == count else { throw .damaged(offset) }
    return bytes
  }

  // MARK: Where it ends

  /// The end of the last whole entry: mostly the file's own, otherwise it is looked for from the start.
  private static func whole(_ descriptor: FileDescriptor) throws(Fault) -> (Int, Tail) {
    var status = stat()
    guard fstat(descriptor.rawValue, &status) == 0 else {
      throw .unreadable(Errno(rawValue: errno))
    }
    let size = Int(status.st_size)
    if size == JournalFormat.headerSize { return (size, .none) }
    let last = size - JournalFormat.markSize
    if last >= JournalFormat.headerSize,
      let mark = JournalMark(try read(descriptor, at: last, count: JournalFormat.markSize)),
      mark.length <= size - JournalFormat.headerSize
    {
      return (size, .none)
    }
    var end = JournalFormat.headerSize
    var offset = end
    while offset < size {
      switch try part(descriptor, at: offset, size: size) {
      case .block(let next): offset = next
      case .mark(let mark):
        offset += JournalFormat.markSize
        guard mark.length == offset - end else { return (end, .damaged) }
        end = offset
      case .cut: return (end, .torn)
      case .other: return (end, .damaged)
      }
    }
    return (end, end == size ? .none : .torn)
  }

  private enum Part {
    case block(end: Int)
    case mark(JournalMark)
    /// The file ends in it.
    case cut
    case other
  }

  private static func part(
    _ descriptor: FileDescriptor,
    at offset: Int,
    size: Int
  ) throws(Fault) -> Part {
    let bytes = try read(descriptor, at: offset, count: JournalFormat.markSize)
    let magic = Array(bytes.prefix(4))
    if JournalFormat.markMagic.starts(with: magic) || JournalFormat.blockMagic.starts(with: magic),
      bytes.count < JournalFormat.blockHeadSize
    {
      return .cut
    }
    if let head = JournalBlockHead(Array(bytes.prefix(JournalFormat.blockHeadSize))) {
      let end = offset + JournalFormat.blockHeadSize + head.size
      guard end <= size else { return .cut }
      let payload = try read(
        descriptor,
        at: offset + JournalFormat.blockHeadSize,
        count: head.size
      )
      return JournalFormat.checksum(payload) == head.checksum ? .block(end: end) : .other
    }
    if let mark = JournalMark(bytes) { return .mark(mark) }
    return magic == JournalFormat.markMagic && bytes.count < JournalFormat.markSize ? .cut : .other
  }

  // MARK: Entries

  /// An entry, and where it lies.
  struct Entry {
    let mark: JournalMark
    let start: Int
    /// Where its mark begins.
    let blocksEnd: Int
  }

  /// The entry that ends at an offset; `nil` at the beginning of the file.
  func entry(endingAt end: Int) throws(Fault) -> Entry? {
    guard end > JournalFormat.headerSize else { return nil }
    let blocksEnd = end - JournalFormat.markSize
    guard blocksEnd >= JournalFormat.headerSize,
      let mark = JournalMark(try read(at: blocksEnd, count: JournalFormat.markSize)),
      mark.length >= JournalFormat.markSize, mark.length <= end - JournalFormat.headerSize
    else { throw .damaged(blocksEnd) }
    return Entry(mark: mark, start: end - mark.length, blocksEnd: blocksEnd)
  }

  /// Gives the changes of an entry in the order in which they were written, until `body` has enough.
  ///
  /// - Parameters:
  ///   - entry: The entry.
  ///   - body: Returns whether it wants more.
  /// - Throws: What `body` throws, and `Fault`.
  func forEachChange(
    of entry: Entry,
    _ body: (Change) throws(Fault) -> Bool
  ) throws(Fault) {
    var offset = entry.start
    while offset < entry.blocksEnd {
      guard
        let head = JournalBlockHead(try read(at: offset, count: JournalFormat.blockHeadSize)),
        head.size <= entry.blocksEnd - offset - JournalFormat.blockHeadSize
      else { throw .damaged(offset) }
      let payload = try read(at: offset + JournalFormat.blockHeadSize, count: head.size)
      guard JournalFormat.checksum(payload) == head.checksum else { throw .damaged(offset) }
      var reader = JournalBytesReader(payload[...])
      guard let columns = JournalColumns(from: &reader) else { throw .damaged(offset) }
      for _ in 0..<head.changes {
        guard let change = reader.change(columns) else { throw .damaged(offset) }
        guard try body(change) else { return }
      }
      offset += JournalFormat.blockHeadSize + head.size
    }
  }

  /// Copies bytes as they are, a piece at a time.
  func copy(from start: Int, to end: Int, into target: FileDescriptor) throws(Fault) {
    var offset = start
    while offset < end {
      let piece = try read(at: offset, count: min(end - offset, 1 << 20))
      do throws(Errno) { try target.append(piece) } catch { throw .unreadable(error) }
      offset += piece.count
    }
  }
}
