import DirectoryModel
import DirectoryReading
import DirectorySnapshot
import Platform
import SiteSettings
import Synchronization
import SystemPackage

/// The snapshot of one source on disk: `directory.snapshot` and the writer's lock beside it.
package struct SnapshotStore: Sendable {
  package let folder: FilePath
  package let path: FilePath
  let lockPath: FilePath
  /// The search index of the snapshot.
  package let searchIndexPath: FilePath
  /// The small file that remembers the source.
  let watermarkPath: FilePath

  package init(folder: FilePath) {
    self.folder = folder
    path = folder.appending("directory.snapshot")
    lockPath = folder.appending("writer.lock")
    searchIndexPath = folder.appending("search.index")
    watermarkPath = folder.appending("directory.watermark")
  }

  /// Opens the snapshot for reading.
  ///
  /// - Parameter notice: Told why a snapshot that is there is not used.
  /// - Returns: `nil` when there is none that can be used: missing, or damaged, foreign or of
  ///   another format, which a sync replaces.
  /// - Throws: `.cannotRead` where the system does not let us read it.
  package func open(
    notice: (String) -> Void = { _ in }
  ) throws(DirectoryError) -> DirectorySnapshot? {
    do throws(SnapshotError) {
      return try DirectorySnapshot(path: path)
    } catch {
      switch error {
      case .missing: return nil
      case .foreign, .damaged, .olderFormat, .newerFormat:
        notice(error.explanation)
        return nil
      case .cannotRead, .cannotWrite, .interrupted: throw DirectoryError(error)
      }
    }
  }

  /// The same as a directory in which nothing is hidden and that is searched without an index.
  package func openWhole(notice: (String) -> Void) throws(DirectoryError) -> Directory? {
    guard let snapshot = try open(notice: notice) else { return nil }
    do throws(SnapshotError) {
      return try Directory(snapshot, for: .everything)
    } catch {
      throw DirectoryError(error)
    }
  }

  /// Takes the writer's lock; the folder is made where it is missing.
  ///
  /// - Returns: `nil` when another process holds it for too long.
  package func lock(
    patience: Duration = FileLock.patience,
    waiting: () -> Void
  ) async throws(DirectoryError) -> FileLock? {
    try Folders.create(folder)
    return try await FileLock.wait(for: lockPath, patience: patience, waiting: waiting)
  }

  /// Who holds the writer's lock, for people.
  package var writer: String { FileLock.holder(of: lockPath) }

  /// Opens the snapshot that a sync starts from, every byte of it proved.
  ///
  /// A file that is not a usable snapshot is moved out of the way, so that it can be looked at; one
  /// of an older format stays until its successor takes its place.
  ///
  /// - Parameters:
  ///   - lock: The writer's: only its holder replaces the file.
  ///   - proof: Of the last time.
  ///   - notice: Told what was set aside.
  /// - Returns: `nil` when there is none that can be used.
  func openForUpdate(
    _ lock: borrowing FileLock,
    _ proof: SnapshotVerification = SnapshotVerification(),
    notice: (String) -> Void
  ) -> DirectorySnapshot? {
    let judged = FileIdentity(path)
    if let judged, let snapshot = proof.snapshot(judged) { return snapshot }
    do throws(SnapshotError) {
      let snapshot = try openProved()
      if let judged { proof.remember(snapshot, judged) }
      return snapshot
    } catch {
      switch error {
      case .foreign, .damaged, .newerFormat:
        // What is moved must be what was judged.
        if let judged, FileIdentity(path) == judged { setAside(because: error, notice: notice) }
      case .missing, .olderFormat, .cannotRead, .cannotWrite, .interrupted: break
      }
      return nil
    }
  }

  /// Opens the snapshot with every byte of it proved.
  package func openProved() throws(SnapshotError) -> DirectorySnapshot {
    let snapshot = try DirectorySnapshot(path: path)
    try snapshot.verify()
    return snapshot
  }

  private func setAside(because error: SnapshotError, notice: (String) -> Void) {
    let aside = folder.appending("directory.snapshot.unusable")
    let moved = path.withPlatformString { from in
      aside.withPlatformString { rename(from, $0) }
    }
    if moved == 0 { notice("\(error.explanation); it is kept as \(aside)") }
  }
}

/// Which file a path leads to.
struct FileIdentity: Equatable, Sendable {
  let device: UInt64
  let number: UInt64
  /// When the file was written or renamed, or shortly before that; `nil` if that time is in the future.
  let writtenAt: ContinuousClock.Instant?

  static func == (left: FileIdentity, right: FileIdentity) -> Bool {
    left.device == right.device && left.number == right.number
  }

  init?(_ path: FilePath) {
    var status = stat()
    guard path.withPlatformString({ lstat($0, &status) }) == 0 else { return nil }
    device = UInt64(status.st_dev)
    number = UInt64(status.st_ino)
    // Read first: a thread that is held up between the two clocks makes the file older than it is.
    let looked = ContinuousClock.now
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let (seconds, rest) = (now.tv_sec - status.st_ctim.tv_sec, now.tv_nsec - status.st_ctim.tv_nsec)
    let age = Duration.seconds(seconds) + .nanoseconds(rest)
    writtenAt = age < .zero ? nil : looked - age
  }
}

/// That a snapshot was proved a moment ago, so that an edit and its sync prove it once.
///
/// It holds for as long as an edit takes, and not for good: a disk that damages a file later is found out.
final class SnapshotVerification: Sendable {
  private typealias Proved = (
    snapshot: DirectorySnapshot, file: FileIdentity, at: ContinuousClock.Instant
  )

  private static let validity = Duration.seconds(10)
  private let proved = Mutex<Proved?>(nil)

  /// The proved snapshot that is this file.
  func snapshot(_ file: FileIdentity) -> DirectorySnapshot? {
    let proved = proved.withLock { $0 }
    guard let proved, proved.file == file, ContinuousClock.now - proved.at < Self.validity else {
      return nil
    }
    return proved.snapshot
  }

  func remember(_ snapshot: DirectorySnapshot, _ file: FileIdentity) {
    proved.withLock { $0 = (snapshot, file, .now) }
  }
}
