import DirectoryModel
import DirectoryReading
import DirectorySnapshot
import DirectoryStore
import DirectoryTestSupport
import LiveDirectory
import Platform
import SiteSettings
import SystemPackage
import TestSupport
import Testing

/// A migrated database of which tests get copies.
let migrated = TemplateDatabase { _ = try await Migrator().migrate(conninfo: $0) }

extension Company {
  /// What fronts read: built, written and opened.
  func directory() throws -> Directory {
    try Directory(snapshot(), for: .everything)
  }
}

extension Session {
  /// Of the user who sees everything.
  init(settings: Settings, tell: @escaping @Sendable (Advice) -> Void) {
    self.init(
      Hub(Site(settings: settings, tell: tell)),
      settings.caller(.everything),
      tell: tell
    )
  }
}

extension ScratchFolder {
  /// Writes a file, its folder included.
  @discardableResult
  func write(_ bytes: [UInt8], to name: String) throws -> FilePath {
    let file = path.appending(name)
    try Folders.create(file.removingLastComponent())
    let descriptor = try FileDescriptor.open(
      file,
      .writeOnly,
      options: [.create, .truncate],
      permissions: .ownerReadWrite
    )
    try descriptor.closeAfter { _ = try descriptor.writeAll(bytes) }
    return file
  }
}

func bytes(of path: FilePath) throws -> [UInt8] {
  try MappedFile(path: path).withBytes { Array($0) }
}

/// The permission bits of a file or folder, a link not followed.
func permissions(of path: FilePath) throws -> UInt32 {
  var status = stat()
  try #require(path.withPlatformString { lstat($0, &status) } == 0)
  return UInt32(status.st_mode) & 0o7777
}
