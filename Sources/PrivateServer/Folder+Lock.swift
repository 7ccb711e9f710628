import Platform
import SystemPackage

extension Folder {
  /// Longer than any start of ours takes, an initialization on a slow disk included.
  private static let patience = Duration.seconds(300)

  /// Keeps other processes from starting or stopping the server, and waits for who does so.
  borrowing func lock(notice: (String) -> Void) async throws(PrivateServerError) -> FileLock {
    let name = FilePath(ServerPlace.lockName)
    let lockPath = path.appending(ServerPlace.lockName)
    do throws(FileLock.Failure) {
      let lock = try await FileLock.acquire(
        name,
        in: FileDescriptor(rawValue: descriptor),
        patience: Self.patience
      ) {
        notice(
          "waiting for \(FileLock.holder(of: lockPath)), which is starting or stopping the server; "
            + "giving up after \(Self.patience.components.seconds) seconds"
        )
      }
      if let lock { return lock }
    } catch {
      switch error {
      case .refused(let code): throw .cannotPrepare(lockPath, reason: code.reason, .init(code))
      case .interrupted: throw .interrupted
      }
    }
    throw .busy(lock: lockPath)
  }
}
