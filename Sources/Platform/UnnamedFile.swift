import SystemPackage

/// A file that has no name yet, and is deleted with its last descriptor (Linux: open(2),
/// O_TMPFILE).
package enum UnnamedFile {
  /// Opens one for writing and reading that is to get a name.
  ///
  /// - Parameters:
  ///   - folder: Where it gets its name in the end.
  ///   - permissions: Before the umask.
  /// - Returns: `nil` where the system has no such files, or could not name it later.
  package static func open(in folder: FilePath, permissions: FilePermissions) -> FileDescriptor? {
    guard let descriptor = make(in: folder, O_RDWR, permissions) else { return nil }
    guard path(of: descriptor).withPlatformString({ access($0, F_OK) }) == 0 else {
      try? descriptor.close()
      return nil
    }
    return descriptor
  }

  /// Opens one for reading and writing that never gets a name.
  ///
  /// - Returns: `nil` where the system has no such files.
  package static func openScratch(in folder: FilePath) -> FileDescriptor? {
    make(in: folder, O_RDWR | O_EXCL, .ownerReadWrite)
  }

  private static func make(
    in folder: FilePath,
    _ options: CInt,
    _ permissions: FilePermissions
  ) -> FileDescriptor? {
    #if canImport(Glibc) || canImport(Musl)
      // `__O_TMPFILE`, which glibc shows only to those who define _GNU_SOURCE.
      let options = options | O_CLOEXEC | 0o20_000_000 | O_DIRECTORY
      let file = (folder.isEmpty ? "." : folder).withPlatformString {
        Platform.open($0, options, permissions.rawValue)
      }
      return file < 0 ? nil : FileDescriptor(rawValue: file)
    #else
      return nil
    #endif
  }

  /// Gives the file a name that is not in use.
  ///
  /// - Throws: `Errno.fileExists` when it is taken, and what else linkat(2) says.
  package static func name(_ descriptor: FileDescriptor, _ name: FilePath) throws(Errno) {
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

/// A file without a name for what needs no memory and no place of its own; it is deleted when it is
/// closed, whatever ends the program.
package struct ScratchFile: ~Copyable {
  /// For reading and writing; closed with the file.
  package let descriptor: FileDescriptor

  /// Where such files are: `TMPDIR`, or `/tmp`.
  package static var folder: String {
    let variable = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    return variable.isEmpty ? "/tmp" : variable
  }

  /// Makes one.
  ///
  /// - Throws: What the system says (open(2), mkstemp(3)).
  package init() throws(Errno) {
    let folder = Self.folder
    guard
      let file = UnnamedFile.openScratch(in: FilePath(folder)) ?? Self.openUnlinked(in: folder)
    else { throw Errno(rawValue: errno) }
    descriptor = file
  }

  deinit { try? descriptor.close() }

  private static func openUnlinked(in folder: String) -> FileDescriptor? {
    var template = Array("\(folder)/staffbook-XXXXXX".utf8CString)
    return template.withUnsafeMutableBufferPointer { buffer in
      guard let path = buffer.baseAddress else { return nil }
      let file = mkstemp(path)
      guard file >= 0 else { return nil }
      unlink(path)
      _ = fcntl(file, F_SETFD, FD_CLOEXEC)
      return FileDescriptor(rawValue: file)
    }
  }
}
