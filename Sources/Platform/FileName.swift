import SystemPackage

/// Names of files on the way to their places.
package enum FileName {
  /// Puts a file in the place of whatever has the target's name (rename(2)).
  package static func move(_ file: FilePath, to target: FilePath) throws(Errno) {
    let outcome = file.withPlatformString { from in
      target.withPlatformString { rename(from, $0) }
    }
    guard outcome == 0 else { throw Errno(rawValue: errno) }
  }

  /// Gives a file a name that is not in use.
  ///
  /// - Throws: `Errno.fileExists` when it is taken.
  package static func move(_ file: FilePath, toFree target: FilePath) throws(Errno) {
    // link(2) refuses where rename(2) would replace what appeared meanwhile.
    let outcome = file.withPlatformString { from in
      target.withPlatformString { link(from, $0) }
    }
    if outcome == 0 {
      _ = file.withPlatformString { unlink($0) }
      return
    }
    let error = Errno(rawValue: errno)
    // File systems of cards and sticks have one name for each file (FAT, exFAT).
    let hasOneName: [Errno] = [.notPermitted, .notSupported, .noFunction]
    guard hasOneName.contains(error) else { throw error }
    var status = stat()
    let isTaken = target.withPlatformString { lstat($0, &status) } == 0
    guard !isTaken else { throw .fileExists }
    try move(file, to: target)
  }

  /// Makes the name of a file durable (fsync(2) on its folder).
  package static func synchronize(_ file: FilePath) throws(Errno) {
    let folder = file.removingLastComponent()
    let descriptor: FileDescriptor
    do {
      descriptor = try FileDescriptor.open(
        folder.isEmpty ? "." : folder,
        .readOnly,
        options: [.directory, .closeOnExec]
      )
    } catch {
      // A folder that may be written to and not listed: its name is the system's to keep.
      guard (error as? Errno) != .permissionDenied else { return }
      throw (error as? Errno) ?? .ioError
    }
    defer { try? descriptor.close() }
    // Some file systems have nothing to make durable.
    guard fsync(descriptor.rawValue) == 0 || errno == EINVAL else {
      throw Errno(rawValue: errno)
    }
  }
}

package enum SymbolicLink {
  /// More links one after the other than the system follows (Linux: path_resolution(7)).
  package static let mostLinks = 40

  /// What a link says, relative to its folder or absolute (readlink(2)).
  ///
  /// - Returns: `nil` when there is no link, or it cannot be read.
  package static func target(of link: FilePath) -> FilePath? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let count = link.withPlatformString { readlink($0, &bytes, bytes.count - 1) }
    return count > 0 ? FilePath(platformString: bytes) : nil
  }
}
