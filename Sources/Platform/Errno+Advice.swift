import SystemPackage

extension Errno {
  /// What to do about a file that cannot be written.
  ///
  /// - Parameter way: What helps whatever the reason is, such as another folder.
  /// - Returns: A sentence without a full stop.
  package func adviceForWriting(or way: String) -> String {
    switch self {
    case .noSpace, .diskQuotaExceeded: "free some space on that disk, or \(way)"
    case .permissionDenied, .notPermitted: "allow your account to write there, or \(way)"
    case .readOnlyFileSystem: "that file system is read-only: \(way)"
    case .notDirectory, .isDirectory, .fileExists, .tooManySymbolicLinkLevels:
      "move away what is in its place, or \(way)"
    case .tooManyOpenFiles, .tooManyOpenFilesInSystem: "raise the limit of open files (ulimit -n)"
    case .fileNameTooLong: way
    default: "check that disk, or \(way)"
    }
  }

  /// What to do about a file that cannot be read.
  package func adviceForReading(or way: String) -> String {
    switch self {
    case .permissionDenied, .notPermitted: "allow your account to read it, or \(way)"
    case .tooManyOpenFiles, .tooManyOpenFilesInSystem: "raise the limit of open files (ulimit -n)"
    default: "check that disk, or \(way)"
    }
  }
}
