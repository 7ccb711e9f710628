import DirectoryModel
import DirectoryService
import DirectorySnapshot
import SystemPackage
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A directory in a few words.
struct Company {
  var records = DirectoryRecords()

  mutating func department(
    _ id: String,
    under parent: String? = nil,
    name: String? = nil,
    description: String = "",
    order: Int64 = 0
  ) throws {
    try records.departments.append(
      DepartmentRecord(
        id: DepartmentID(id),
        parent: parent.map { DepartmentID($0) },
        name: name ?? id,
        description: description,
        sortOrder: order
      )
    )
  }

  /// A user with the primary membership.
  mutating func user(
    _ id: String,
    in department: String,
    name: String? = nil,
    title: String = "",
    email: String = "",
    phone: String = ""
  ) throws {
    try records.users.append(
      UserRecord(
        id: UserID(id),
        primaryDepartment: DepartmentID(department),
        name: name ?? id,
        email: email,
        phone: phone
      )
    )
    try member(id, of: department, title: title)
  }

  mutating func member(_ user: String, of department: String, title: String = "") throws {
    try records.memberships.append(
      MembershipRecord(user: UserID(user), department: DepartmentID(department), title: title)
    )
  }

  /// What fronts read: built, written and opened.
  func directory() throws -> Directory {
    let folder = try ScratchFolder()
    let path = folder.path.appending("directory.snapshot")
    try write(to: path)
    // A mapping outlives its name.
    return try Directory(DirectorySnapshot(path: path))
  }

  func write(to path: FilePath) throws {
    let metadata = SnapshotMetadata(
      takenAt: 1_700_000_000,
      locale: "C",
      collationVersion: "1/test",
      source: "a test"
    )
    try TreeBuilder.build(records, locale: "C").write(to: path, metadata: metadata)
  }
}

/// A folder of ours that goes, with the files in it, with its last use.
final class ScratchFolder: Sendable {
  let path: FilePath

  init() throws {
    var template = Array("/tmp/staffbook-service-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }
    }
    path = FilePath(platformString: try #require(made))
  }

  deinit { Self.remove(path) }

  private static func remove(_ path: FilePath) {
    for name in entryNames(of: path) {
      let entry = path.appending(name)
      if entry.withPlatformString({ unlink($0) }) != 0 { remove(entry) }
    }
    _ = path.withPlatformString { rmdir($0) }
  }

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

  var entries: [String] { Self.entryNames(of: path).sorted() }

  private static func entryNames(of folder: FilePath) -> [String] {
    guard let stream = folder.withPlatformString({ opendir($0) }) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
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

/// Numbers that a seed determines (SplitMix64: Steele, Lea and Flood, 2014).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// Seeds that are new in each run; a failing test names its own.
func newSeeds(_ count: Int) -> [UInt64] {
  (0..<count).map { _ in UInt64.random(in: 0...UInt64.max) }
}
