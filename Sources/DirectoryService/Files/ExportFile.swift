import DirectoryModel
import SystemPackage

/// A file that somebody asked for by name.
enum ExportFile {
  /// Its permissions follow the umask.
  static let permissions: FilePermissions = [.ownerReadWrite, .groupReadWrite, .otherReadWrite]

  /// Writes a file, which appears whole or not at all.
  ///
  /// - Parameters:
  ///   - path: Where it goes.
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
        advice: "name a file"
      )
    }
    do {
      let file = try AtomicFile(
        target: FilePath(path),
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
        "will not write \(path): it is there already",
        advice: "replace it with --force"
      )
    case .invalidArgument:
      DirectoryError(.cannotWrite, "cannot write \(path): it is no ordinary file")
    default: DirectoryError(.cannotWrite, "cannot write \(path): \(error)")
    }
  }
}

extension FilePath {
  var isFolder: Bool { (try? stat())?.type == .directory }
}
