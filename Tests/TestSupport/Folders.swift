import Platform
import SystemPackage

/// The names in a folder, without `.` and `..`.
package func folderEntries(_ folder: FilePath) throws -> [String] {
  guard let stream = folder.withPlatformString({ opendir($0) }) else {
    throw Errno(rawValue: errno)
  }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
      pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if name != ".", name != ".." { names.append(name) }
  }
  return names
}

/// Makes a folder for its owner alone.
package func makeFolder(_ folder: FilePath) throws {
  guard folder.withPlatformString({ mkdir($0, 0o700) }) == 0 else { throw Errno(rawValue: errno) }
}
