import DirectoryModel
import Platform
import SystemPackage

/// Links in the place that the user asked to write to.
package enum ExportLink {
  /// Where a name leads: links of the caller's own, and of root, are followed.
  ///
  /// What another account's link leads to is not the caller's to choose (proc(5):
  /// protected_symlinks), and its owner may turn it to any file of the caller's.
  ///
  /// - Parameter path: A file or a folder, which need not be there.
  /// - Returns: A name that is not a link.
  /// - Throws: `.cannotWrite` when a link on the way belongs to another account, or they go in a ring.
  package static func destination(of path: FilePath) throws(DirectoryError) -> FilePath {
    // As lstat(2) has it, a slash at the end follows the link; `FilePath` keeps none.
    var place = path
    for _ in 0..<SymbolicLink.mostLinks {
      var status = stat()
      guard place.withPlatformString({ lstat($0, &status) }) == 0,
        status.st_mode & S_IFMT == S_IFLNK
      else { return place }
      guard [0, geteuid()].contains(status.st_uid) else {
        throw foreign(path, place, status.st_uid)
      }
      guard let target = SymbolicLink.target(of: place) else { return place }
      place = target.isAbsolute ? target : place.removingLastComponent().pushing(target)
    }
    throw ExportFile.failure(path.string, .tooManySymbolicLinkLevels)
  }

  private static func foreign(
    _ path: FilePath,
    _ link: FilePath,
    _ owner: uid_t
  ) -> DirectoryError {
    let what = link == path ? "it is a symbolic link" : "it leads to \(link), a link"
    return DirectoryError(
      .cannotWrite,
      "refusing to write \(path): \(what) that belongs to another account (user id \(owner))",
      advice: "name the target itself, or another file"
    )
  }
}
