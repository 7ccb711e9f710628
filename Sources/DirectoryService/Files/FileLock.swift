#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import DirectoryModel
import SystemPackage

/// An exclusive lock on a file, which the system takes back when its holder dies (flock(2)).
package struct FileLock: ~Copyable {
  private let file: FileDescriptor

  /// Takes the lock at once or not at all.
  ///
  /// - Returns: `nil` when somebody else holds it.
  /// - Throws: `.cannotWrite` when the lock file cannot be made.
  package static func tryAcquire(_ path: FilePath) throws(DirectoryError) -> FileLock? {
    let file: FileDescriptor
    do {
      file = try FileDescriptor.open(
        path,
        .readWrite,
        options: [.create, .noFollow, .closeOnExec],
        permissions: .ownerReadWrite
      )
    } catch {
      throw DirectoryError(.cannotWrite, "cannot open the lock \(path): \(error)")
    }
    let lock = FileLock(file: file)
    guard flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 else {
      guard errno == EWOULDBLOCK else {
        throw DirectoryError(.cannotWrite, "cannot lock \(path): \(Errno(rawValue: errno))")
      }
      return nil
    }
    return lock
  }

  /// Waits for the lock.
  ///
  /// - Parameters:
  ///   - path: The lock file, made where it is missing.
  ///   - waiting: Called once when somebody else holds it.
  /// - Returns: The lock, held until it goes.
  /// - Throws: `.cannotWrite` when the lock file cannot be made.
  package static func acquire(
    _ path: FilePath,
    waiting: () -> Void
  ) async throws(DirectoryError) -> FileLock {
    if let lock = try tryAcquire(path) { return lock }
    waiting()
    while true {
      do {
        try await Task.sleep(for: .milliseconds(50))
      } catch {
        throw DirectoryError(.interrupted, "interrupted while waiting for \(path)")
      }
      if let lock = try tryAcquire(path) { return lock }
    }
  }

  private init(file: FileDescriptor) { self.file = file }

  deinit { try? file.close() }
}
