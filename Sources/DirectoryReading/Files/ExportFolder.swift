import DirectoryExchange
import DirectoryModel
import Platform
import SystemPackage

/// A folder of the three files that `import` takes.
enum ExportFolder {
  /// What was written, whether it is to be kept, and whether there are further memberships.
  typealias Outcome<Result> = (result: Result, isWanted: Bool, hasMemberships: Bool)

  /// Writes the three files; a folder that is not there is made.
  ///
  /// A folder that holds nothing else is replaced as a whole, by an exchange of names: at each moment
  /// it has all of before or all of now. In one that holds something else, or where the system has no
  /// such exchange, the files are replaced one directly after the other, each whole.
  ///
  /// - Parameters:
  ///   - name: The folder; a link to one is followed unless it belongs to another account.
  ///   - replacing: Whether files that are there already may be replaced.
  ///   - body: Writes departments, users and memberships.
  /// - Returns: What `body` returns.
  /// - Throws: `.cannotWrite` with the reason, and what else `body` throws.
  static func write<Result>(
    _ name: String,
    replacing: Bool,
    _ body: (FileDescriptor, FileDescriptor, FileDescriptor) throws -> Outcome<Result>
  ) throws -> Result {
    let folder = try ExportLink.destination(of: FilePath(name))
    do {
      guard let status = try? folder.stat() else {
        return try writeBeside(folder, body) { try FileName.move($0, to: folder) }
      }
      guard status.type == .directory else { throw Errno.notDirectory }
      guard replacing, FolderExchange.isPossible(folder, holding: names) else {
        return try writeInto(folder, replacing: replacing, body)
      }
      return try writeBeside(folder, permissions: status.permissions, body) { temporary in
        guard !FolderExchange.exchange(temporary, with: folder) else { return }
        try moveFiles(from: temporary, into: folder)
      }
    } catch let error as Errno {
      throw ExportFile.failure(name, error)
    }
  }

  /// Writes into a folder of its own beside the place, which `put` then brings there.
  ///
  /// What is in the folder of its own afterwards goes.
  private static func writeBeside<Result>(
    _ folder: FilePath,
    permissions: FilePermissions? = nil,
    _ body: (FileDescriptor, FileDescriptor, FileDescriptor) throws -> Outcome<Result>,
    put: (FilePath) throws -> Void
  ) throws -> Result {
    var generator = SystemRandomNumberGenerator()
    let suffix = String(generator.next() as UInt64, radix: 36)
    // As it was given, without the slashes behind it.
    let above = folder.removingLastComponent()
    let temporary = above.appending(".staffbook-\(suffix).part")
    defer {
      for file in names { _ = temporary.appending(file).withPlatformString { unlink($0) } }
      _ = temporary.withPlatformString { rmdir($0) }
    }
    // It is made when everything is written, so that an interrupt leaves nothing behind.
    let outcome = try files(in: temporary, writtenIn: above, existing: .kept, body) {
      () throws(Errno) in
      guard temporary.withPlatformString({ mkdir($0, 0o777) }) == 0 else {
        throw Errno(rawValue: errno)
      }
      guard let permissions else { return }
      _ = temporary.withPlatformString { chmod($0, mode_t(permissions.rawValue)) }
    }
    if outcome.isWanted { try put(temporary) }
    return outcome.result
  }

  /// Puts the files in the place of those of before, one after the other.
  private static func moveFiles(from temporary: FilePath, into folder: FilePath) throws(Errno) {
    for name in names {
      if exists(temporary.appending(name)) {
        try FileName.move(temporary.appending(name), to: folder.appending(name))
      } else {
        // Memberships of before must not stay beside people of now.
        _ = folder.appending(name).withPlatformString { unlink($0) }
      }
    }
  }

  private static func writeInto<Result>(
    _ folder: FilePath,
    replacing: Bool,
    _ body: (FileDescriptor, FileDescriptor, FileDescriptor) throws -> Outcome<Result>
  ) throws -> Result {
    if !replacing, let taken = names.first(where: { exists(folder.appending($0)) }) {
      throw ExportFile.failure(folder.appending(taken).string, .fileExists)
    }
    return try files(in: folder, existing: replacing ? .replaced : .kept, body).result
  }

  static let names = [
    DirectoryFileSet.departmentsName, DirectoryFileSet.usersName,
    DirectoryFileSet.membershipsName,
  ]

  /// Writes the files in `place`, or in the folder itself; `prepare` is called before the first one
  /// goes where it belongs.
  private static func files<Result>(
    in folder: FilePath,
    writtenIn place: FilePath? = nil,
    existing: AtomicFile.Existing,
    _ body: (FileDescriptor, FileDescriptor, FileDescriptor) throws -> Outcome<Result>,
    prepare: () throws(Errno) -> Void = {}
  ) throws -> Outcome<Result> {
    func file(_ name: String) throws(Errno) -> AtomicFile {
      try AtomicFile(
        target: folder.appending(name),
        permissions: ExportFile.permissions,
        existing: existing,
        in: place
      )
    }
    let departments = try file(DirectoryFileSet.departmentsName)
    let users = try file(DirectoryFileSet.usersName)
    let memberships = try file(DirectoryFileSet.membershipsName)
    let outcome = try body(
      departments.descriptor,
      users.descriptor,
      memberships.descriptor
    )
    guard outcome.isWanted else { return outcome }
    try prepare()
    try departments.commit()
    try users.commit()
    // Memberships of before must not stay beside people of now.
    if outcome.hasMemberships || exists(folder.appending(DirectoryFileSet.membershipsName)) {
      try memberships.commit()
    }
    return outcome
  }

  static func exists(_ path: FilePath) -> Bool {
    var status = stat()
    return path.withPlatformString { lstat($0, &status) } == 0
  }
}
