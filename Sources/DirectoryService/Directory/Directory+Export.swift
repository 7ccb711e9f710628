import DirectoryModel
import SystemPackage

extension Directory {
  /// Writes the rows of a request into a file, which appears whole or not at all.
  ///
  /// - Parameters:
  ///   - request: The rows.
  ///   - format: How to write them.
  ///   - path: The file; its permissions follow the umask.
  ///   - replacing: Whether a file that is there already may be replaced.
  /// - Returns: The number of rows.
  /// - Throws: `.cannotWrite` with the reason, or why the snapshot cannot be read; then there is no
  ///   new file.
  package func export(
    _ request: TreeRequest,
    as format: RowFormat,
    to path: String,
    replacing: Bool
  ) throws -> Int {
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
        permissions: [.ownerReadWrite, .groupReadWrite, .otherReadWrite],
        existing: replacing ? .replaced : .kept
      )
      let count = try write(request, as: format, to: file.descriptor)
      // A search without a hit leaves no file behind.
      if count > 0 || request.filter == nil { try file.commit() }
      return count
    } catch let error as Errno {
      throw Self.failure(path, error)
    }
  }

  private static func failure(_ path: String, _ error: Errno) -> DirectoryError {
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

  private static var pieceSize: Int { 64 * 1_024 }

  private func write(
    _ request: TreeRequest,
    as format: RowFormat,
    to file: FileDescriptor
  ) throws -> Int {
    var stream = RowStream(format)
    var bytes: [UInt8] = []
    try forEachRow(of: request) { row in
      stream.append(row.row, to: &bytes)
      if bytes.count >= Self.pieceSize {
        try file.writeAll(bytes)
        bytes.removeAll(keepingCapacity: true)
      }
    }
    stream.finish(to: &bytes)
    try file.writeAll(bytes)
    return stream.rowCount
  }
}

extension FilePath {
  fileprivate var isFolder: Bool { (try? stat())?.type == .directory }
}
