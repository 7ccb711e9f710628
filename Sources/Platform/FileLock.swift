import SystemPackage

/// An exclusive lock on a file, which the system takes back when its holder dies (flock(2)).
///
/// The file holds the number of the process that took the lock last, in decimal.
package struct FileLock: ~Copyable {
  /// Why a lock was not even waited for to the end.
  package enum Failure: Error {
    /// What open(2) or flock(2) said.
    case refused(Errno)
    case interrupted
  }

  private let file: FileDescriptor

  /// Takes the lock at once or not at all.
  ///
  /// - Parameters:
  ///   - path: The lock file, made where it is missing.
  ///   - folder: Where a path that is not absolute begins; `nil` is the working directory.
  /// - Returns: `nil` when another process holds it.
  /// - Throws: What open(2) or flock(2) says.
  package static func tryAcquire(
    _ path: FilePath,
    in folder: FileDescriptor? = nil
  ) throws(Errno) -> FileLock? {
    let options = O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC
    let file = path.withPlatformString {
      openat(folder?.rawValue ?? AT_FDCWD, $0, options, 0o600)
    }
    guard file >= 0 else { throw Errno(rawValue: errno) }
    let lock = FileLock(file: FileDescriptor(rawValue: file))
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      let reason = Errno(rawValue: errno)
      guard reason == .wouldBlock || reason == .interrupted else { throw reason }
      return nil
    }
    lock.sign()
    return lock
  }

  /// Writes our number into the file; a full disk does not matter here.
  private borrowing func sign() {
    guard ftruncate(file.rawValue, 0) == 0 else { return }
    _ = try? file.writeAll(toAbsoluteOffset: 0, "\(getpid())\n".utf8)
  }

  /// Who holds a lock, for people: `process 4711`, and whether it is stopped.
  ///
  /// Only digits of the file are believed, and only of a process that there is.
  package static func holder(of path: FilePath) -> String {
    guard let text = head(of: path, bytes: 16),
      let number = pid_t(text.prefix { $0.isASCII && $0.isNumber }), number > 0,
      kill(number, 0) == 0 || errno == EPERM
    else { return "another staffbook" }
    // The state stands behind the name, which may hold anything. (proc(5), /proc/pid/stat)
    let status = head(of: FilePath("/proc/\(number)/stat"), bytes: 256) ?? ""
    let state = status[(status.lastIndex(of: ")") ?? status.startIndex)...].dropFirst(2).first
    return "process \(number)" + (state == "T" ? " (which is stopped)" : "")
  }

  /// The process that holds a lock; `nil` where none does, or it cannot be told.
  ///
  /// The lock is asked for in passing: a process that takes it at this moment had better wait a
  /// little.
  package static func currentHolder(of path: FilePath) -> pid_t? {
    guard let file = open(path) else { return nil }
    defer { try? file.close() }
    guard flock(file.rawValue, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return nil }
    return head(of: path, bytes: 16).flatMap { pid_t($0.prefix { $0.isASCII && $0.isNumber }) }
  }

  /// Opens a file to look at it, whatever it is.
  private static func open(_ path: FilePath) -> FileDescriptor? {
    try? FileDescriptor.open(
      path,
      .readOnly,
      options: [.noFollow, .nonBlocking, .closeOnExec]
    )
  }

  private static func head(of path: FilePath, bytes: Int) -> String? {
    guard let file = open(path) else { return nil }
    defer { try? file.close() }
    let read = try? [UInt8](unsafeUninitializedCapacity: bytes) { buffer, count in
      count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
    }
    return read.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Waits for the lock, without holding a thread.
  ///
  /// - Parameters:
  ///   - path: The lock file, made where it is missing.
  ///   - folder: Where a path that is not absolute begins; `nil` is the working directory.
  ///   - patience: How long to wait.
  ///   - waiting: Called once when another process has held it for a second.
  /// - Returns: The lock, held until it goes; `nil` when patience is at its end.
  /// - Throws: `Failure`, also when the task is cancelled.
  package static func acquire(
    _ path: FilePath,
    in folder: FileDescriptor? = nil,
    patience: Duration,
    waiting: () -> Void
  ) async throws(Failure) -> FileLock? {
    let began = ContinuousClock.now
    var pause = Duration.milliseconds(5)
    var hasTold = false
    while true {
      do throws(Errno) {
        if let lock = try tryAcquire(path, in: folder) { return lock }
      } catch {
        throw .refused(error)
      }
      let waited = ContinuousClock.now - began
      guard waited < patience else { return nil }
      if !hasTold, waited >= .seconds(1) {
        hasTold = true
        waiting()
      }
      do { try await Task.sleep(for: pause) } catch { throw .interrupted }
      pause = min(pause * 2, .milliseconds(50))
    }
  }

  /// Whether the path still leads to the file that is locked; where not, others lock another one.
  package borrowing func isFile(at path: FilePath) -> Bool {
    var (ours, named) = (stat(), stat())
    return fstat(file.rawValue, &ours) == 0
      && path.withPlatformString { lstat($0, &named) } == 0
      && ours.st_dev == named.st_dev && ours.st_ino == named.st_ino
  }

  /// A use of the lock, so that it does not end before its scope.
  package func heldUntilHere() {}

  private init(file: FileDescriptor) { self.file = file }

  deinit { try? file.close() }
}
