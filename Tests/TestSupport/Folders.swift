import Platform
import SystemPackage

/// The names in a folder, without `.` and `..`.
package func folderEntries(_ folder: FilePath) throws -> [String] {
  try FolderListing.names(in: folder)
}

/// Makes a folder for its owner alone.
package func makeFolder(_ folder: FilePath) throws {
  guard folder.withPlatformString({ mkdir($0, 0o700) }) == 0 else { throw Errno(rawValue: errno) }
}
