import SystemPackage

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
