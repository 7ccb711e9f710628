import Platform
import SystemPackage

/// Two folders that change places in one step.
enum FolderExchange {
  /// Whether a folder may be replaced as a whole: it holds nothing but these names, is not a link,
  /// is the caller's own, and something can be made beside it.
  static func isPossible(_ folder: FilePath, holding names: [String]) -> Bool {
    var status = stat()
    guard folder.withPlatformString({ lstat($0, &status) }) == 0,
      status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
      let entries = try? FolderListing.names(in: folder), entries.allSatisfy(names.contains)
    else { return false }
    let above = folder.removingLastComponent()
    return (above.isEmpty ? "." : above).withPlatformString { access($0, W_OK | X_OK) } == 0
  }

  /// Lets them change places.
  ///
  /// - Returns: Whether the system did. (Linux: renameat2(2); Darwin: renamex_np(2))
  static func exchange(_ new: FilePath, with old: FilePath) -> Bool {
    let outcome = new.withPlatformString { new in
      old.withPlatformString { old in
        #if canImport(Glibc)
          renameat2.map { $0(AT_FDCWD, new, AT_FDCWD, old, 1 << 1) } ?? -1
        #elseif canImport(Darwin)
          renamex_np(new, old, UInt32(RENAME_SWAP))
        #else
          CInt(-1)
        #endif
      }
    }
    return outcome == 0
  }

  #if canImport(Glibc)
    private typealias RenameAt2 =
      @convention(c) (
        CInt, UnsafePointer<CChar>, CInt, UnsafePointer<CChar>, CUnsignedInt
      ) -> CInt

    /// glibc shows it, and RENAME_EXCHANGE, which is `1 << 1`, only to those who define _GNU_SOURCE.
    private static let renameat2 = dlsym(nil, "renameat2").map {
      unsafeBitCast($0, to: RenameAt2.self)
    }
  #endif
}
