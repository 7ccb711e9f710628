import DirectoryModel
import Platform
import SystemPackage

/// A file that the user asked for by name.
package enum ExportFile {
  /// Whether a folder has that name.
  package static func isFolder(_ name: String) -> Bool { FilePath(name).isFolder }

  /// Whether what is written to a file, or into a folder followed by /, would replace something.
  package static func replaces(_ name: String) -> Bool {
    let path = FilePath(name)
    guard path.isFolder else { return !name.isEmpty && ExportFolder.exists(path) }
    return name.hasSuffix("/")
      && ExportFolder.names.contains { ExportFolder.exists(path.appending($0)) }
  }

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
    if !path.isEmpty, FilePath(path).isFolder {
      throw DirectoryError(
        .cannotWrite,
        "cannot write \(path): it is a folder",
        advice: "name a file in it, or write three csv files into it with \(path)/"
      )
    }
    guard path.isEmpty || AtomicFile.writeError(at: FilePath(path)) == nil else {
      throw failure(path, .invalidArgument)
    }
    do {
      let file = try open(path, replacing: replacing, permissions: permissions)
      let (result, isWanted) = try body(file.descriptor)
      if isWanted { try file.commit() }
      return result
    } catch let error as Errno {
      throw failure(path, error)
    }
  }

  /// Begins a file, which appears when it is committed.
  ///
  /// - Throws: `.cannotWrite` with the reason.
  package static func open(
    _ path: String,
    replacing: Bool,
    permissions: FilePermissions
  ) throws(DirectoryError) -> AtomicFile {
    guard !path.isEmpty else {
      throw DirectoryError(
        .cannotWrite,
        "cannot write a file without a name",
        advice: "name a file"
      )
    }
    // Nothing helps to write there, `replacing` neither.
    if let cause = AtomicFile.writeError(at: FilePath(path)) {
      throw DirectoryError(
        .cannotWrite,
        "cannot write \(path): it is \(cause == .isDirectory ? "a folder" : "not a regular file")",
        advice: "name a file"
      )
    }
    let target = replacing ? try ExportLink.destination(of: FilePath(path)) : FilePath(path)
    do throws(Errno) {
      return try AtomicFile(
        target: target,
        permissions: permissions,
        existing: replacing ? .replaced : .kept
      )
    } catch {
      throw failure(path, error)
    }
  }

  package static func failure(_ path: String, _ error: Errno) -> DirectoryError {
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
        "cannot write \(path): its folder does not exist",
        advice: "create that folder first, or name another one"
      )
    default:
      DirectoryError(
        .cannotWrite,
        "cannot write \(path): \(error)",
        advice: error.adviceForWriting(or: "choose another location")
      )
    }
  }
}

extension FilePath {
  var isFolder: Bool { (try? stat())?.type == .directory }
}
