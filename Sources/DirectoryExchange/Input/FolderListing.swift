import Platform
import SystemPackage

/// The entries of a folder.
package enum FolderListing {
  /// Their names, without `.` and `..`, in no order; names that are not UTF-8 are left out.
  package static func names(in folder: FilePath) throws(Errno) -> [String] {
    guard let stream = folder.withPlatformString({ opendir($0) }) else {
      throw Errno(rawValue: errno)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let name, name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
