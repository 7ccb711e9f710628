import DirectoryModel
import Platform
import SystemPackage

extension Directory {
  /// Writes the rows of a request into a file, which appears whole or not at all.
  ///
  /// - Parameters:
  ///   - request: The rows.
  ///   - format: How to write them.
  ///   - options: What was chosen about the format.
  ///   - withFolded: Whether what lies below closed departments goes along.
  ///   - path: The file; its permissions follow the umask.
  ///   - replacing: Whether a file that is there already may be replaced.
  /// - Returns: The number of rows.
  /// - Throws: `.cannotWrite` with the reason, or why the snapshot cannot be read; then there is no
  ///   new file.
  package func export(
    _ request: TreeRequest,
    as format: RowFormat,
    _ options: ExportOptions = ExportOptions(),
    withFolded: Bool = false,
    to path: String,
    replacing: Bool
  ) throws -> ExportCount {
    try ExportFile.write(path, replacing: replacing) { file in
      let count = try write(request, as: format, options, withFolded: withFolded) { bytes in
        try Self.pass(&bytes, to: file)
      }
      // A search without a hit leaves no file behind.
      return (count, count.rows > 0 || request.filter == nil)
    }
  }

  /// Writes the rows of a request into a file as a front draws them.
  ///
  /// - Parameters:
  ///   - request: The rows.
  ///   - path: As of `export(_:as:_:withFolded:to:replacing:)`.
  ///   - replacing: As there.
  ///   - draw: Appends a row.
  /// - Returns: The number of rows.
  /// - Throws: As there.
  package func export(
    _ request: TreeRequest,
    to path: String,
    replacing: Bool,
    draw: (RowFields, inout [UInt8]) -> Void
  ) throws -> ExportCount {
    try ExportFile.write(path, replacing: replacing) { file in
      let count = try self.draw(request, pass: { try Self.pass(&$0, to: file) }, draw: draw)
      return (count, count.rows > 0 || request.filter == nil)
    }
  }

  /// Writes the records of a request into the three files that `import` takes.
  ///
  /// A new folder appears whole or not at all, and one that holds nothing else is replaced as a whole.
  /// In any other the files are replaced one directly after the other, each whole.
  ///
  /// - Parameters:
  ///   - request: The rows whose records are written.
  ///   - folder: Where `departments.csv`, `users.csv` and, where a person is in several
  ///   departments,
  ///     `memberships.csv` go; what else is in it stays.
  ///   - replacing: Whether files that are there already may be replaced.
  /// - Returns: The number of rows.
  /// - Throws: `.cannotWrite` with the reason, or why the snapshot cannot be read; then no file is
  ///   new.
  package func exportFiles(
    _ request: TreeRequest,
    to folder: String,
    replacing: Bool
  ) throws -> ExportCount {
    try ExportFolder.write(folder, replacing: replacing) { departments, users, memberships in
      let (count, hasMemberships) = try writeFiles(request) {
        try Self.pass(&$0, to: departments)
        try Self.pass(&$1, to: users)
        try Self.pass(&$2, to: memberships)
      }
      return (count, isWanted: count.rows > 0 || request.filter == nil, hasMemberships)
    }
  }

  private static func pass(_ bytes: inout [UInt8], to file: FileDescriptor) throws {
    try file.writeAll(bytes)
    bytes.removeAll(keepingCapacity: true)
  }
}
