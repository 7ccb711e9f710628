import DirectoryModel
import Platform
import SystemPackage

/// Appends entries to a journal, which is made where it is missing.
///
/// What an entry consists of is written first, its mark last, and then all of it is made durable.
struct JournalAppender {
  private let path: FilePath
  private var keeping = JournalKeeping(nil)
  private var end = JournalFormat.headerSize
  private(set) var last: JournalFile.Entry?
  /// When the journal begins; `nil` while it is empty.
  private var beginning: Int64?

  init(_ path: FilePath) throws(Errno) {
    self.path = path
    var hasTail = false
    do throws(JournalFile.Fault) {
      let file = try JournalFile(path)
      (keeping, end) = (file.keeping, file.end)
      last = try file.entry(endingAt: end)
      let first = JournalFormat.headerSize + JournalFormat.markSize
      beginning = end < first ? nil : try? file.entry(endingAt: first)?.mark.at
      hasTail = file.tail != .none
    } catch {
      guard case .missing = error else { throw error.reason }
      try make()
    }
    if hasTail { try cut(to: end) }
  }

  private func make() throws(Errno) {
    let file = try AtomicFile(
      target: path,
      permissions: .ownerReadWrite,
      existing: .replaced,
      provisional: .fixed
    )
    try file.descriptor.append(keeping.header)
    try file.commit()
  }

  /// The mark of the entry that comes next: later than all before it.
  func next(at time: Int64) -> JournalMark {
    var mark = JournalMark()
    mark.number = (last?.mark.number ?? 0) + 1
    mark.at = max(time, last.map { $0.mark.at + 1 } ?? .min)
    return mark
  }

  /// Notes that the record begins with a snapshot.
  mutating func begin(_ checksum: UInt64, at time: Int64) throws(Errno) {
    guard last?.mark.latter != checksum else { return }
    var mark = next(at: time)
    mark.flags = .isBeginning
    mark.latter = checksum
    try append(mark, EmptyCollection())
  }

  /// Removes the last entry, which came to nothing.
  mutating func cutLast() throws(Errno) {
    guard let former = last else { return }
    try cut(to: former.start)
    end = former.start
    do throws(JournalFile.Fault) {
      last = try JournalFile(path).entry(endingAt: end)
    } catch {
      throw error.reason
    }
  }

  mutating func append(
    _ mark: JournalMark,
    _ changes: some Sequence<Change>
  ) throws(Errno) {
    let file = try open()
    defer { try? file.close() }
    do throws(Errno) {
      var offset = end
      var block = JournalBlockWriter()
      for change in changes {
        block.append(change)
        if block.isFull { try file.write(block.finish(), at: &offset) }
      }
      try file.write(block.finish(), at: &offset)
      var mark = mark
      mark.length = offset + JournalFormat.markSize - end
      let blocksEnd = offset
      try file.write(mark.bytes, at: &offset)
      guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
      last = JournalFile.Entry(mark: mark, start: end, blocksEnd: blocksEnd)
      end = offset
    } catch {
      // Half an entry would be cut by the next writer; where there is no room it is in the way.
      _ = ftruncate(file.rawValue, off_t(end))
      throw error
    }
  }

  /// Before when entries go, where enough of them are too old to rewrite what is left: a quarter of
  /// the period.
  func overdueHorizon(now: Int64) -> Int64? {
    guard let horizon = keeping.period?.beginning(before: now), let beginning,
      beginning < horizon - (now - horizon) / 4
    else { return nil }
    return horizon
  }

  private func open() throws(Errno) -> FileDescriptor {
    do {
      return try FileDescriptor.open(path, .writeOnly, options: [.noFollow, .closeOnExec])
    } catch {
      throw (error as? Errno) ?? .ioError
    }
  }

  private func cut(to end: Int) throws(Errno) {
    let file = try open()
    defer { try? file.close() }
    guard ftruncate(file.rawValue, off_t(end)) == 0, fsync(file.rawValue) == 0 else {
      throw Errno(rawValue: errno)
    }
  }
}

/// Collects the changes of a block.
struct JournalBlockWriter {
  private var payload = JournalBytesWriter()
  private var count = 0

  var isFull: Bool { payload.bytes.count >= JournalFormat.blockSize }

  mutating func append(_ change: Change) {
    if count == 0 { JournalColumns.present.append(to: &payload) }
    payload.append(change)
    count += 1
  }

  /// The block's bytes, none where it has no changes; the next one begins.
  mutating func finish() -> [UInt8] {
    guard count > 0 else { return [] }
    defer { self = JournalBlockWriter() }
    return JournalBlockHead.bytes(of: payload.bytes, changes: count) + payload.bytes
  }
}

extension FileDescriptor {
  /// Writes bytes at an offset, and moves it behind them.
  fileprivate func write(_ bytes: [UInt8], at offset: inout Int) throws(Errno) {
    do {
      offset += try writeAll(toAbsoluteOffset: Int64(offset), bytes)
    } catch {
      throw (error as? Errno) ?? .ioError
    }
  }
}
