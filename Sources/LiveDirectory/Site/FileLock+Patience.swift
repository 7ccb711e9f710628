import DirectoryModel
import Platform
import SystemPackage

extension FileLock {
  /// How long another process is waited for.
  package static let patience = Duration.seconds(30)

  /// Waits for a lock of ours.
  ///
  /// - Parameters:
  ///   - path: The lock file, made where it is missing.
  ///   - patience: How long to wait.
  ///   - waiting: Called once when another process has held it for a second.
  /// - Returns: The lock, held until it goes; `nil` when patience is at its end.
  /// - Throws: `.cannotWrite` when the lock file cannot be made, or `.interrupted`.
  package static func wait(
    for path: FilePath,
    patience: Duration = patience,
    waiting: () -> Void
  ) async throws(DirectoryError) -> FileLock? {
    do throws(Failure) {
      return try await acquire(path, patience: patience, waiting: waiting)
    } catch {
      switch error {
      case .refused(let reason):
        throw DirectoryError(
          .cannotWrite,
          "cannot lock \(path): \(reason)",
          advice: reason.adviceForWriting(or: "set STAFFBOOK_HOME to another folder")
        )
      case .interrupted:
        throw DirectoryError(.interrupted, "interrupted while waiting for \(path)")
      }
    }
  }
}
