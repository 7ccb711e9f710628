import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Names of files on the way to their places.
enum FileName {
  /// Puts a file in the place of whatever has the target's name (rename(2)).
  static func move(_ file: FilePath, to target: FilePath) throws(Errno) {
    let outcome = file.withPlatformString { from in
      target.withPlatformString { rename(from, $0) }
    }
    guard outcome == 0 else { throw Errno(rawValue: errno) }
  }

  /// Gives a file a name that nobody has.
  ///
  /// - Throws: `Errno.fileExists` when somebody has it.
  static func move(_ file: FilePath, toFree target: FilePath) throws(Errno) {
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
}

/// A file that has no name yet, and is gone with the last who has it open (Linux: open(2),
/// O_TMPFILE).
enum NamelessFile {
  #if canImport(Glibc) || canImport(Musl)
    /// `__O_TMPFILE` with `O_DIRECTORY`, which glibc shows only to those who define _GNU_SOURCE.
    private static let options = 0o20_000_000 | O_DIRECTORY
  #endif

  /// - Parameters:
  ///   - folder: Where it gets its name in the end.
  ///   - permissions: Before the umask.
  /// - Returns: `nil` where the system has no such files, or could not name it later.
  static func open(in folder: FilePath, permissions: FilePermissions) -> FileDescriptor? {
    #if canImport(Glibc) || canImport(Musl)
      let file = (folder.isEmpty ? "." : folder).withPlatformString {
        openDescriptor($0, O_WRONLY | O_CLOEXEC | options, permissions.rawValue)
      }
      guard file >= 0 else { return nil }
      let descriptor = FileDescriptor(rawValue: file)
      guard path(of: descriptor).withPlatformString({ access($0, F_OK) }) == 0 else {
        try? descriptor.close()
        return nil
      }
      return descriptor
    #else
      return nil
    #endif
  }

  /// Gives the file a name that nobody has.
  ///
  /// - Throws: `Errno.fileExists` when somebody has it, and what else linkat(2) says.
  static func name(_ descriptor: FileDescriptor, _ name: FilePath) throws(Errno) {
    let outcome = path(of: descriptor).withPlatformString { from in
      name.withPlatformString { linkat(AT_FDCWD, from, AT_FDCWD, $0, AT_SYMLINK_FOLLOW) }
    }
    guard outcome == 0 else { throw Errno(rawValue: errno) }
  }

  /// Where Linux shows the open file (its manual: proc(5)).
  private static func path(of descriptor: FileDescriptor) -> FilePath {
    FilePath("/proc/self/fd/\(descriptor.rawValue)")
  }
}

#if canImport(Glibc) || canImport(Musl)
  /// open(2), which has the name of a function here.
  private func openDescriptor(
    _ path: UnsafePointer<CChar>,
    _ options: CInt,
    _ mode: mode_t
  ) -> CInt {
    open(path, options, mode)
  }
#endif
