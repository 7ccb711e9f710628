import DirectoryModel
import DirectorySnapshot
import Platform
import SystemPackage

/// The snapshot of one source on disk: `directory.snapshot` and the writer's lock beside it.
package struct SnapshotStore: Sendable {
  package let folder: FilePath

  package init(folder: FilePath) { self.folder = folder }

  package var path: FilePath { folder.appending("directory.snapshot") }
  var lockPath: FilePath { folder.appending("writer.lock") }

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
  ///
  /// - Returns: `nil` when somebody else holds it for too long.
  package func lock(
    patience: Duration = FileLock.patience,
    waiting: () -> Void
  ) async throws(DirectoryError) -> FileLock? {
    try Folders.create(folder)
    return try await FileLock.wait(for: lockPath, patience: patience, waiting: waiting)
  }

  /// Who holds the writer's lock, for people.
  var writer: String { FileLock.holder(of: lockPath) }

  /// Opens the snapshot that a sync starts from, every byte of it proved.
  ///
  /// A file that is no usable snapshot is moved out of the way, so that it can be looked at; one of
  /// an older format stays until its successor takes its place.
  ///
  /// - Parameters:
  ///   - lock: The writer's: only its holder replaces the file.
  ///   - notice: Told what was set aside.
  /// - Returns: `nil` when there is none that can be used.
  package func openForUpdate(
    _ lock: borrowing FileLock,
    notice: (String) -> Void
  ) -> DirectorySnapshot? {
    let judged = FileIdentity(path)
    do throws(SnapshotError) {
      return try openProved()
    } catch {
      switch error {
      case .foreign, .damaged, .newerFormat:
        // What is moved must be what was judged.
        if let judged, FileIdentity(path) == judged { setAside(because: error, notice: notice) }
      case .missing, .olderFormat, .cannotRead, .cannotWrite: break
      }
      return nil
    }
  }

  /// Opens the snapshot with every byte of it proved.
  func openProved() throws(SnapshotError) -> DirectorySnapshot {
    let snapshot = try DirectorySnapshot(path: path)
    try snapshot.verify()
    return snapshot
  }

  private func setAside(because error: SnapshotError, notice: (String) -> Void) {
    let aside = folder.appending("directory.snapshot.unusable")
    let moved = path.withPlatformString { from in
      aside.withPlatformString { rename(from, $0) }
    }
    if moved == 0 { notice("\(Self.explanation(of: error)); it is kept as \(aside)") }
  }

  /// Why a snapshot is not used, in words.
  static func explanation(of error: SnapshotError) -> String {
    switch error {
    case .missing(let path): "there is no snapshot \(path)"
    case .foreign(let path): "\(path) is not a snapshot"
    case .newerFormat(let path, let version):
      "the snapshot \(path) has format \(version), which is newer than this program supports"
    case .olderFormat(let path, let version):
      "the snapshot \(path) has the old format \(version)"
    case .damaged(let path, let part): "the snapshot \(path) is damaged (\(part))"
    case .cannotRead(let path, let reason): "cannot read the snapshot \(path): \(reason)"
    case .cannotWrite(let path, let reason): "cannot write the snapshot \(path): \(reason)"
    }
  }

  static func directoryError(_ error: SnapshotError) -> DirectoryError {
    switch error {
    case .cannotWrite(_, let reason):
      DirectoryError(
        .cannotWrite,
        explanation(of: error),
        advice: reason.adviceForWriting(
          or: "set XDG_CACHE_HOME or STAFFBOOK_HOME to another folder"
        )
      )
    case .cannotRead(_, let reason):
      DirectoryError(
        .cannotRead,
        explanation(of: error),
        advice: reason.adviceForReading(or: "remove it and rebuild it with: staffbook sync")
      )
    default:
      DirectoryError(.badData, explanation(of: error), advice: "rebuild it with: staffbook sync")
    }
  }
}

/// Which file a path leads to.
private struct FileIdentity: Equatable {
  let device: UInt64
  let number: UInt64

  init?(_ path: FilePath) {
    var status = stat()
    guard path.withPlatformString({ lstat($0, &status) }) == 0 else { return nil }
    device = UInt64(status.st_dev)
    number = UInt64(status.st_ino)
  }
}
