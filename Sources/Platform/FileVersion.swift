import SystemPackage

/// Which file it is and when it was written: what differs once it is written or replaced.
package struct FileVersion: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64
  private let size: Int64
  private let seconds: Int
  private let nanoseconds: Int

  /// That of the file that a path leads to; `nil` where there is none.
  package init?(_ path: FilePath) {
    guard let status = try? path.stat() else { return nil }
    self.init(status)
  }

  package init(_ status: Stat) {
    device = UInt64(truncatingIfNeeded: status.deviceID.rawValue)
    inode = UInt64(truncatingIfNeeded: status.inode.rawValue)
    size = status.size
    (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
  }
}
