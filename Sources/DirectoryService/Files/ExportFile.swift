import DirectoryModel
import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that somebody asked for by name.
package enum ExportFile {
  /// Whether a folder has that name.
  package static func isFolder(_ name: String) -> Bool { FilePath(name).isFolder }

  /// Its permissions follow the umask.
  static let permissions: FilePermissions = [.ownerReadWrite, .groupReadWrite, .otherReadWrite]

  /// Writes a file, which appears whole or not at all.
  ///
  /// - Parameters:
  ///   - path: Where it goes; a link of the caller's own stays, and what it leads to is replaced.
  ///   - replacing: Whether one that is there already may be replaced.
  ///   - body: Writes the content; what it says decides whether the file is kept.
  /// - Returns: What `body` returns.
  /// - Throws: `.cannotWrite` with the reason, and what else `body` throws.
  static func write<Result>(
    _ path: String,
    replacing: Bool,
    _ body: (FileDescriptor) throws -> (result: Result, isWanted: Bool)
  ) throws -> Result {
    guard !path.isEmpty, !FilePath(path).isFolder else {
      throw DirectoryError(
        .cannotWrite,
        "cannot write \(path.isEmpty ? "a file without a name" : "\(path): it is a folder")",
        advice: path.isEmpty
          ? "name a file" : "name a file in it, or three csv files in it by \(path)/"
      )
    }
    // Nothing helps to write there, `replacing` neither.
    guard !AtomicFile.isSpecial(FilePath(path)) else { throw failure(path, .invalidArgument) }
    do {
      let file = try AtomicFile(
        target: replacing ? destination(of: FilePath(path)) : FilePath(path),
        permissions: permissions,
        existing: replacing ? .replaced : .kept
      )
      let (result, isWanted) = try body(file.descriptor)
      if isWanted { try file.commit() }
      return result
    } catch let error as Errno {
      throw failure(path, error)
    }
  }

  /// Where a link of the caller's own leads; other names as they are.
  ///
  /// What somebody else's link leads to is not the caller's to choose (proc(5): protected_symlinks).
  private static func destination(of path: FilePath) -> FilePath {
    var status = stat()
    guard path.withPlatformString({ lstat($0, &status) }) == 0,
      status.st_mode & S_IFMT == S_IFLNK, status.st_uid == geteuid(),
      let resolved = path.withPlatformString({ realpath($0, nil) })
    else { return path }
    defer { free(resolved) }
    return FilePath(platformString: resolved)
  }

  static func failure(_ path: String, _ error: Errno) -> DirectoryError {
    switch error {
    case .fileExists:
      DirectoryError(
        .cannotWrite,
        "will not write \(path): it is there already",
        advice: "replace it with --force"
      )
    case .invalidArgument:
      DirectoryError(
        .cannotWrite,
        "cannot write \(path): it is no ordinary file",
        advice: "write to standard output, without -o, and send that there"
      )
    case .noSpace, .diskQuotaExceeded:
      DirectoryError(
        .cannotWrite,
        "cannot write \(path): no space is left there",
        advice: "make room, or name a place on another disk; nothing was replaced"
      )
    default: DirectoryError(.cannotWrite, "cannot write \(path): \(error)")
    }
  }
}

extension FilePath {
  var isFolder: Bool { (try? stat())?.type == .directory }
}
