import DirectoryModel
import Platform
import SystemPackage

/// A file that somebody asked for by name.
package enum ExportFile {
  /// Whether a folder has that name.
  package static func isFolder(_ name: String) -> Bool { FilePath(name).isFolder }

  /// Its permissions follow the umask.
  static let permissions: FilePermissions = [.ownerReadWrite, .groupReadWrite, .otherReadWrite]

  /// Writes a file, which appears whole or not at all.
  ///
  /// - Parameters:
  ///   - path: Where it goes; a link of the caller's own stays, and what it leads to is replaced. One
  ///     that belongs to another account is refused.
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
    guard AtomicFile.obstacle(at: FilePath(path)) == nil else {
      throw failure(path, .invalidArgument)
    }
    do {
      let file = try AtomicFile(
        target: replacing ? ExportLink.destination(of: FilePath(path)) : FilePath(path),
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

  static func failure(_ path: String, _ error: Errno) -> DirectoryError {
    switch error {
    case .fileExists:
      DirectoryError(
        .cannotWrite,
        "cannot write \(path): the file exists",
        advice: "replace it with \(.replaceFiles)"
      )
    case .invalidArgument:
      DirectoryError(
        .cannotWrite,
        "cannot write \(path): it is not a regular file",
        advice: "omit -o and redirect standard output to it"
      )
    case .noSpace, .diskQuotaExceeded:
      DirectoryError(
        .cannotWrite,
        "cannot write \(path): no space is left on the disk",
        advice: "nothing was replaced; free some space, or write to another disk"
      )
    case .noSuchFileOrDirectory:
      DirectoryError(
        .cannotWrite,
        "cannot write \(path): the folder that it would be in does not exist",
        advice: "create that folder first, or name another one"
      )
    default:
      DirectoryError(
        .cannotWrite,
        "cannot write \(path): \(error)",
        advice: error.adviceForWriting(or: "name another place")
      )
    }
  }
}

extension FilePath {
  var isFolder: Bool { (try? stat())?.type == .directory }
}
