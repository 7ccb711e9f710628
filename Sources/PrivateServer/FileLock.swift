import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A lock that one process at a time holds, and that ends with the process whatever ends it.
/// (flock(2))
struct FileLock: ~Copyable {
  /// Longer than any start of ours takes, an initialization on a slow disk included.
  private static let patience = Duration.seconds(300)

  private let descriptor: Int32

  /// Waits for the lock without holding a thread.
  init(_ name: String, in folder: borrowing Folder) async throws(PrivateServerError) {
    let path = folder.path.appending(name)
    let descriptor = try Self.open(name, in: folder.descriptor, path)
    let deadline = ContinuousClock.now + Self.patience
    var pause = Duration.milliseconds(5)
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let code = Errno(rawValue: errno)
      guard code == .wouldBlock || code == .interrupted else {
        close(descriptor)
        throw .cannotPrepare(path, reason: code.reason, .init(code))
      }
      guard ContinuousClock.now < deadline else {
        close(descriptor)
        throw .busy(lock: path)
      }
      do {
        try await Task.sleep(for: pause)
      } catch {
        close(descriptor)
        throw .interrupted
      }
      pause = min(pause * 2, .milliseconds(100))
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// A use of the lock, so that it does not end before its scope.
  func heldUntilHere() {}

  private static func open(
    _ name: String,
    in folder: Int32,
    _ path: FilePath
  ) throws(PrivateServerError) -> Int32 {
    let flags = O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC
    let descriptor = openat(folder, name, flags, 0o600)
    guard descriptor < 0 else { return descriptor }
    let code = Errno(rawValue: errno)
    throw .cannotPrepare(path, reason: code.reason, .init(code))
  }
}
