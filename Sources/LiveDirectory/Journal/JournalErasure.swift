import DirectoryModel
import Platform
import SystemPackage

/// Copies a journal without what it has of a person.
struct JournalErasure {
  let id: DirectoryModel.UserID
  let isThere: Bool

  /// - Returns: In how many entries there was anything; where it is none, nothing is written.
  func rewrite(
    _ file: JournalFile,
    _ entries: [JournalFile.Entry],
    to path: FilePath,
    now: Int64
  ) throws(Errno) -> Int {
    let new = try AtomicFile(
      target: path,
      permissions: .ownerReadWrite,
      existing: .replaced,
      provisional: .fixed
    )
    try new.descriptor.append(file.keeping.header)
    var count = 0
    do throws(JournalFile.Fault) {
      for entry in entries {
        if try mentions(file, entry) {
          count += 1
          try copy(file, entry, to: new.descriptor)
        } else {
          let end = entry.blocksEnd + JournalFormat.markSize
          try file.copy(from: entry.start, to: end, into: new.descriptor)
        }
      }
    } catch {
      throw error.reason
    }
    guard count > 0, let last = entries.last else { return 0 }
    var mark = JournalMark()
    mark.flags = .hasForgotten
    mark.number = last.mark.number + 1
    mark.at = max(now, last.mark.at + 1)
    (mark.former, mark.latter) = (last.mark.latter, last.mark.latter)
    mark.length = JournalFormat.markSize
    try new.descriptor.append(mark.bytes)
    try new.commit()
    return count
  }

  private func isTheirs(_ change: Change) -> Bool {
    change.kind == .user && DirectoryModel.UserID(change.id) == id
      && !(change.isForgotten && isThere)
  }

  private func forgotten(_ change: Change) -> Change {
    Change(
      kind: .user,
      action: change.action == .moved ? .changed : change.action,
      id: isThere ? id.rawValue : "",
      before: change.before.map { _ in .forgotten(.user) },
      after: change.after.map { _ in .forgotten(.user) }
    )
  }

  private func mentions(
    _ file: JournalFile,
    _ entry: JournalFile.Entry
  ) throws(JournalFile.Fault) -> Bool {
    var isFound = false
    try file.forEachChange(of: entry) { change in
      isFound = isTheirs(change)
      return !isFound
    }
    return isFound
  }

  private func copy(
    _ file: JournalFile,
    _ entry: JournalFile.Entry,
    to target: FileDescriptor
  ) throws(JournalFile.Fault) {
    var block = JournalBlockWriter()
    var length = 0
    func write(_ bytes: [UInt8]) throws(JournalFile.Fault) {
      length += bytes.count
      do throws(Errno) { try target.append(bytes) } catch { throw .unreadable(error) }
    }
    try file.forEachChange(of: entry) { (change) throws(JournalFile.Fault) in
      block.append(isTheirs(change) ? forgotten(change) : change)
      if block.isFull { try write(block.finish()) }
      return true
    }
    try write(block.finish())
    var mark = entry.mark
    mark.length = length + JournalFormat.markSize
    try write(mark.bytes)
  }
}
