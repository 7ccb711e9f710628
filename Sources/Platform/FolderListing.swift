import SystemPackage

/// The entries of a folder.
package enum FolderListing {
  /// Their names, without `.` and `..`, in no order; what is not UTF-8 in one is replaced by U+FFFD.
  package static func names(in folder: FilePath) throws(Errno) -> [String] {
    try names(in: folder.withPlatformString { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
  }

  /// The names in an open folder.
  ///
  /// - Parameter descriptor: The folder's, which is closed; negative where it could not be opened.
  /// - Returns: As `names(in:)` of a path.
  /// - Throws: What the system says, of opening it too.
  package static func names(in descriptor: CInt) throws(Errno) -> [String] {
    guard descriptor >= 0, let stream = fdopendir(descriptor) else { throw Errno(rawValue: errno) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
