import DirectoryExchange
import DirectoryModel
import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A folder of the three files that `import` takes.
enum ExportFolder {
  /// What was written, whether it is to be kept, and whether there are further memberships.
  typealias Outcome<Result> = (result: Result, isWanted: Bool, hasMemberships: Bool)

  /// Writes the three files; a folder that is not there is made.
  ///
  /// - Parameters:
  ///   - name: The folder.
  ///   - replacing: Whether files that are there already may be replaced.
  ///   - body: Writes departments, users and memberships.
  /// - Returns: What `body` returns.
  /// - Throws: `.cannotWrite` with the reason, and what else `body` throws.
  static func write<Result>(
    _ name: String,
    replacing: Bool,
    _ body: (FileDescriptor, FileDescriptor, FileDescriptor) throws -> Outcome<Result>
  ) throws -> Result {
    let folder = FilePath(name)
    do {
      guard let status = try? folder.stat() else {
        return try writeNew(folder, body)
      }
      guard status.type == .directory else { throw Errno.notDirectory }
      return try writeInto(folder, replacing: replacing, body)
    } catch let error as Errno {
      throw ExportFile.failure(name, error)
    }
  }

  /// Writes beside the folder's place, then renames.
  private static func writeNew<Result>(
    _ folder: FilePath,
    _ body: (FileDescriptor, FileDescriptor, FileDescriptor) throws -> Outcome<Result>
  ) throws -> Result {
    var generator = SystemRandomNumberGenerator()
    let suffix = String(generator.next() as UInt64, radix: 36)
    // As it was given, without the slashes behind it.
    let temporary = folder.removingLastComponent().appending(".staffbook-\(suffix).part")
    guard temporary.withPlatformString({ mkdir($0, 0o777) }) == 0 else {
      throw Errno(rawValue: errno)
    }
    var isKept = false
    defer {
      if !isKept {
        for file in names {
          _ = temporary.appending(file).withPlatformString { unlink($0) }
        }
        _ = temporary.withPlatformString { rmdir($0) }
      }
    }
    let outcome = try files(in: temporary, existing: .kept, body)
    guard outcome.isWanted else { return outcome.result }
    let moved = temporary.withPlatformString { from in
      folder.withPlatformString { to in rename(from, to) }
    }
    guard moved == 0 else { throw Errno(rawValue: errno) }
    isKept = true
    return outcome.result
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

  private static let names = [
    DirectoryFileSet.departmentsName, DirectoryFileSet.usersName,
    DirectoryFileSet.membershipsName,
  ]

  private static func files<Result>(
    in folder: FilePath,
    existing: AtomicFile.Existing,
    _ body: (FileDescriptor, FileDescriptor, FileDescriptor) throws -> Outcome<Result>
  ) throws -> Outcome<Result> {
    func file(_ name: String) throws(Errno) -> AtomicFile {
      try AtomicFile(
        target: folder.appending(name),
        permissions: ExportFile.permissions,
        existing: existing
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
    try departments.commit()
    try users.commit()
    // Memberships of before must not stay beside people of now.
    if outcome.hasMemberships || exists(folder.appending(DirectoryFileSet.membershipsName)) {
      try memberships.commit()
    }
    return outcome
  }

  private static func exists(_ path: FilePath) -> Bool {
    var status = stat()
    return path.withPlatformString { lstat($0, &status) } == 0
  }
}
