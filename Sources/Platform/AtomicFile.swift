import SystemPackage

/// A file that appears whole or not at all: written beside its target, then renamed.
///
/// Where the system can (Linux: open(2), O_TMPFILE), it has no name until it is whole, so that it goes
/// with an interrupted process.
package struct AtomicFile: ~Copyable {
  package enum Existing: Sendable {
    /// An existing target is replaced.
    case replaced
    /// An existing target is left alone and is an error (`Errno.fileExists`).
    case kept
  }

  /// What the file is called until it is whole.
  package enum TemporaryName: Sendable {
    /// A name that is not in use, for folders that are not ours alone.
    case unique
    /// The target's name and `.new`: the caller holds a lock, so what is there by that name was
    /// left by a process that died, and goes.
    case fixed
  }

  /// For writing, and for reading what was written.
  package let descriptor: FileDescriptor
  private let target: FilePath
  package let temporary: FilePath
  /// Whether `temporary` is not there yet.
  private let isNameless: Bool
  private let existing: Existing
  private var isCommitted = false

  /// Begins a file beside the target.
  ///
  /// - Parameters:
  ///   - target: Where the file goes in the end.
  ///   - permissions: Of the new file, before the umask.
  ///   - existing: What becomes of a target that is there already.
  ///   - provisional: What the file is called until it is whole.
  ///   - folder: Where it lies until then, of the same file system; the target's own, which need not be
  ///     there yet, unless another one is named.
  /// - Throws: What open(2) says, or `Errno.fileExists`; `Errno.isDirectory`, or
  ///   `Errno.invalidArgument` for what is not a file otherwise, such as a device, in whose place
  ///   root could put one.
  package init(
    target: FilePath,
    permissions: FilePermissions,
    existing: Existing,
    provisional: TemporaryName = .unique,
    in folder: FilePath? = nil
  ) throws(Errno) {
    if existing == .kept, Self.exists(target) { throw .fileExists }
    if let cause = Self.writeError(at: target) { throw cause }
    let folder = folder ?? target.removingLastComponent()
    let temporary = Self.temporary(for: target, provisional, in: folder)
    if provisional == .fixed { _ = temporary.withPlatformString { unlink($0) } }
    let nameless =
      provisional == .unique ? UnnamedFile.open(in: folder, permissions: permissions) : nil
    let descriptor: FileDescriptor
    do {
      descriptor =
        try nameless
        ?? FileDescriptor.open(
          temporary,
          .readWrite,
          options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
          permissions: permissions
        )
    } catch {
      throw (error as? Errno) ?? .ioError
    }
    self.target = target
    self.existing = existing
    self.temporary = temporary
    self.descriptor = descriptor
    isNameless = nameless != nil
  }

  deinit {
    try? descriptor.close()
    if !isCommitted, !isNameless { _ = temporary.withPlatformString { unlink($0) } }
  }

  private static func temporary(
    for target: FilePath,
    _ provisional: TemporaryName,
    in folder: FilePath
  ) -> FilePath {
    switch provisional {
    case .fixed: return FilePath(target.string + ".new")
    case .unique:
      var generator = SystemRandomNumberGenerator()
      let suffix = String(generator.next() as UInt64, radix: 36)
      // Of its own name: the target's may be as long as a name can be.
      return folder.appending(".staffbook-\(suffix).part")
    }
  }

  /// Makes what was written durable, puts it in the target's place and makes that durable too.
  package consuming func commit() throws(Errno) {
    guard fsync(descriptor.rawValue) == 0 else { throw Errno(rawValue: errno) }
    switch (existing, isNameless) {
    case (.kept, true): try UnnamedFile.name(descriptor, target)
    case (.kept, false): try FileName.move(temporary, toFree: target)
    case (.replaced, true):
      try UnnamedFile.name(descriptor, temporary)
      do { try FileName.move(temporary, to: target) } catch {
        _ = temporary.withPlatformString { unlink($0) }
        throw error
      }
    case (.replaced, false): try FileName.move(temporary, to: target)
    }
    isCommitted = true
    try FileName.synchronize(target)
  }

  /// Puts a file for its owner alone (0600) in the place of what is there.
  package static func replace(
    _ target: FilePath,
    with bytes: [UInt8],
    provisional: TemporaryName = .unique
  ) throws(Errno) {
    let file = try AtomicFile(
      target: target,
      permissions: .ownerReadWrite,
      existing: .replaced,
      provisional: provisional
    )
    do { _ = try file.descriptor.writeAll(bytes) } catch { throw (error as? Errno) ?? .ioError }
    try file.commit()
  }

  private static func exists(_ path: FilePath) -> Bool {
    var status = stat()
    return path.withPlatformString { lstat($0, &status) } == 0
  }

  /// Why no file can take the place of what is there, or where a link leads; `nil` for a file.
  package static func writeError(at path: FilePath) -> Errno? {
    var status = stat()
    guard path.withPlatformString({ stat($0, &status) }) == 0 else { return nil }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return nil
    case S_IFDIR: return .isDirectory
    default: return .invalidArgument
    }
  }
}
