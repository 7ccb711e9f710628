#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import DirectoryModel
import DirectorySnapshot
import SystemPackage

/// The snapshot of one source on disk: `directory.snapshot` and the writer's lock beside it.
package struct SnapshotStore: Sendable {
  package let folder: FilePath

  package init(folder: FilePath) { self.folder = folder }

  package var path: FilePath { folder.appending("directory.snapshot") }
  private var lockPath: FilePath { folder.appending("writer.lock") }

  /// Opens the snapshot.
  ///
  /// - Returns: `nil` when there is none that can be used: missing, or damaged, foreign or of
  ///   another format, which a sync replaces; `notice` then says which.
  package func open(
    notice: (String) -> Void
  ) throws(DirectoryError) -> Directory? {
    do throws(SnapshotError) {
      return try Directory(DirectorySnapshot(path: path))
    } catch {
      switch error {
      case .missing: return nil
      case .foreign, .damaged, .olderFormat, .newerFormat:
        notice(Self.explanation(of: error))
        return nil
      case .cannotRead, .cannotWrite: throw Self.directoryError(error)
      }
    }
  }

  /// Takes the writer's lock; the folder is made where it is missing.
  package func lock(waiting: () -> Void) async throws(DirectoryError) -> FileLock {
    try Folders.create(folder)
    return try await FileLock.acquire(lockPath, waiting: waiting)
  }

  /// Moves a file that is no usable snapshot out of the way, so that it can be looked at.
  ///
  /// The caller holds the lock, so what is moved is what was judged: only its holder replaces it.
  package func setAsideUnusable(_ lock: borrowing FileLock, notice: (String) -> Void) {
    do throws(SnapshotError) {
      try DirectorySnapshot(path: path).verify()
    } catch {
      switch error {
      case .foreign, .damaged, .newerFormat:
        let aside = folder.appending("directory.snapshot.unusable")
        let moved = path.withPlatformString { from in
          aside.withPlatformString { rename(from, $0) }
        }
        if moved == 0 { notice("\(Self.explanation(of: error)); it is kept as \(aside)") }
      case .missing, .olderFormat, .cannotRead, .cannotWrite: break
      }
    }
  }

  /// Why a snapshot is not used, in words.
  static func explanation(of error: SnapshotError) -> String {
    switch error {
    case .missing(let path): "there is no snapshot \(path)"
    case .foreign(let path): "\(path) is not a snapshot"
    case .newerFormat(let path, let version):
      "the snapshot \(path) has format \(version), which is newer than this program's"
    case .olderFormat(let path, let version):
      "the snapshot \(path) has the old format \(version)"
    case .damaged(let path, let part): "the snapshot \(path) is damaged (\(part))"
    case .cannotRead(let path, let reason): "cannot read the snapshot \(path): \(reason)"
    case .cannotWrite(let path, let reason): "cannot write the snapshot \(path): \(reason)"
    }
  }

  static func directoryError(_ error: SnapshotError) -> DirectoryError {
    switch error {
    case .cannotWrite:
      DirectoryError(
        .cannotWrite,
        explanation(of: error),
        advice: "make room, or set XDG_CACHE_HOME or STAFFBOOK_HOME to another folder"
      )
    case .cannotRead:
      DirectoryError(
        .cannotRead,
        explanation(of: error),
        advice: "make it readable, or remove it and make it anew: staffbook sync"
      )
    default:
      DirectoryError(.badData, explanation(of: error), advice: "make it anew: staffbook sync")
    }
  }
}
