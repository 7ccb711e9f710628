import Platform
import Synchronization
import SystemPackage

/// A copy of a snapshot's file without a name, made ahead of time: what succeeds the snapshot is written
/// over it, and only as far as it differs.
///
/// So whoever waits for news does the long part while there are none: copying, waiting for the disk, and
/// for memory that an idle machine had given back to its host. The copy needs the room of another
/// snapshot, and is gone with the process.
package final class SnapshotCopy: Sendable {
  private let target: FilePath
  private let checksum: UInt64
  private let file: Mutex<AtomicFile?>

  /// Bytes that are written at once.
  private static let share = 8 << 20

  /// Copies a snapshot beside it.
  ///
  /// - Throws: `SnapshotError`: the snapshot is damaged, or there can be no copy here.
  /// - Complexity: O(bytes of the snapshot).
  package init(of snapshot: DirectorySnapshot) throws(SnapshotError) {
    let stored = snapshot.file
    try stored.proveAll()
    target = stored.path
    checksum = stored.checksum
    do throws(Errno) {
      let file = try AtomicFile(
        target: target,
        permissions: .ownerReadWrite,
        existing: .replaced,
        provisional: .fixedAtLast
      )
      try Self.copy(stored, to: file.descriptor)
      self.file = Mutex(consume file)
    } catch {
      throw .cannotWrite(target, error)
    }
  }

  private static func copy(_ stored: SnapshotFile, to file: FileDescriptor) throws(Errno) {
    for start in stride(from: 0, to: stored.byteCount, by: share) {
      let range = start..<min(start + share, stored.byteCount)
      do {
        try file.writeAll(
          toAbsoluteOffset: Int64(start),
          UnsafeRawBufferPointer(rebasing: stored.bytes[range])
        )
      } catch {
        throw (error as? Errno) ?? .ioError
      }
      file.beginSynchronizing(range)
    }
    guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
  }

  /// Gives the copy away, where it is one of a file and for its place.
  func take(of stored: SnapshotFile, for target: FilePath) -> AtomicFile? {
    guard stored.checksum == checksum, target == self.target else { return nil }
    return file.withLock { $0.take() }
  }
}
