import SystemPackage

/// A file without a name for what needs no memory and no place of its own; it is gone when it is
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
      let file = NamelessFile.openScratch(in: FilePath(folder)) ?? Self.openUnlinked(in: folder)
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
