import Platform
import SystemPackage

/// Which processes work in a folder.
///
/// A PostgreSQL server and all its processes have the data folder as their working directory
/// (PostgreSQL, ChangeToDataDir). So a process that merely got the number of a server long dead is
/// told apart from that server, and so are the orphans of a server that was killed.
enum ProcessTable {
  /// The processes whose working directory is `folder`; empty where there is no /proc.
  static func processes(in folder: borrowing Folder) throws(PrivateServerError) -> [Int32] {
    let target = try folder.status()
    let names = (try? FolderListing.names(in: "/proc")) ?? []
    return names.compactMap { Int32($0) }.filter { works($0, in: target) }.sorted()
  }

  /// Whether a process works in `folder`.
  static func works(
    _ processID: Int32,
    in folder: borrowing Folder
  ) throws(PrivateServerError) -> Bool {
    works(processID, in: try folder.status())
  }

  private static func works(_ processID: Int32, in target: stat) -> Bool {
    var status = stat()
    guard stat("/proc/\(processID)/cwd", &status) == 0 else { return false }
    return status.st_dev == target.st_dev && status.st_ino == target.st_ino
  }
}
