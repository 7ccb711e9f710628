import DirectoryModel
import Outlines
import SystemPackage
import Testing

@testable import DirectorySnapshot

@Suite("The snapshot file")
struct SnapshotFileTests {
  private func company() throws -> Fixture {
    var fixture = Fixture()
    try fixture.department("root", name: "Lumen")
    try fixture.department("optics", under: "root", name: "Optics")
    try fixture.department("empty", under: "root", name: "Überbau")
    for index in 0..<12 { try fixture.user("u\(index)", in: "optics", name: "Person \(index)") }
    try fixture.member("u7", of: "root")
    return fixture
  }

  @Test func `what was built is what is read`() throws {
    let folder = try ScratchFolder()
    let tree = try company().tree()
    let snapshot = try reopened(tree, in: folder)
    try snapshot.verify()
    #expect(snapshot.metadata == anyMetadata)
    let part = try snapshot.tree()
    #expect(Array(part.hierarchy.parents) == Array(tree.hierarchy.parents))
    #expect(Array(part.hierarchy.ends) == Array(tree.hierarchy.ends))
    #expect(Array(part.hierarchy.levels) == Array(tree.hierarchy.levels))
    let departments = try snapshot.departments()
    #expect((0..<3).map { departments.people(of: $0) } == [12, 12, 0])
    let user = try #require(try snapshot.userIndex().row(of: "u7"))
    #expect(try snapshot.users().names[user] == "Person 7")
    #expect(try snapshot.contacts().emails[user] == "u7@lumen.example")
    let leaves = Array(try snapshot.leaves().nodes(of: user))
    #expect(leaves.count == 2)
    let memberships = try snapshot.memberships()
    #expect(leaves.map { memberships.isPrimary(part.record(of: $0)) } == [true, false])
    #expect(memberships.titles[part.record(of: leaves[0])] == "title of u7")
    #expect(try snapshot.userIndex().row(of: "nobody") == nil)
    #expect(try snapshot.departmentIndex().row(of: "optics") == 1)
  }

  @Test func `an empty directory is a file like any other`() throws {
    let folder = try ScratchFolder()
    let snapshot = try reopened(Fixture().tree(), in: folder)
    try snapshot.verify()
    #expect(try snapshot.tree().hierarchy.isEmpty)
  }

  @Test func `the file is for its owner alone`() throws {
    let folder = try ScratchFolder()
    _ = try reopened(Fixture().tree(), in: folder)
    #expect(try folder.snapshot.stat().permissions == .ownerReadWrite)
  }

  @Test func `flipped bytes are noticed, in an error`() throws {
    let folder = try ScratchFolder()
    _ = try reopened(company().tree(), in: folder)
    let sound = try bytes(of: folder.snapshot)
    for offset in stride(from: 0, to: sound.count, by: 3) {
      var broken = sound
      broken[offset] ^= 0x41
      try write(broken, to: folder.snapshot)
      #expect(noticesDamage(folder.snapshot) || isPadding(offset, of: sound), "byte \(offset)")
    }
  }

  @Test func `a file cut short is noticed, in an error`() throws {
    let folder = try ScratchFolder()
    _ = try reopened(company().tree(), in: folder)
    let sound = try bytes(of: folder.snapshot)
    for count in stride(from: 0, to: sound.count, by: 7) {
      try write(Array(sound[..<count]), to: folder.snapshot)
      #expect(noticesDamage(folder.snapshot), "\(count) bytes")
    }
  }

  @Test func `a missing, a foreign and a newer file are told apart`() throws {
    let folder = try ScratchFolder()
    #expect(throws: SnapshotError.missing(folder.snapshot)) {
      try DirectorySnapshot(path: folder.snapshot)
    }
    try write(Array("PK\u{3}\u{4} nothing of ours, but long enough".utf8), to: folder.snapshot)
    #expect(throws: SnapshotError.foreign(folder.snapshot)) {
      try DirectorySnapshot(path: folder.snapshot)
    }
    var newer = SnapshotFormat.magic + [UInt8](repeating: 0, count: 64)
    newer[8] = 99
    try write(newer, to: folder.snapshot)
    #expect(throws: SnapshotError.newerFormat(folder.snapshot, version: 99)) {
      try DirectorySnapshot(path: folder.snapshot)
    }
  }

  @Test func `stored indexes that lead astray are an error even where checksums fit`() throws {
    let folder = try ScratchFolder()
    let tree = try company().tree()
    for section in SnapshotSection.allCases {
      guard let wrong = Self.wrongElement(of: section) else { continue }
      try tree.write(to: folder.snapshot, metadata: anyMetadata)
      try replaceLastElement(of: section, by: wrong, in: folder.snapshot)
      #expect(noticesDamage(folder.snapshot), "\(section)")
    }
  }

  @Test func `a reader keeps its state when the file is replaced`() throws {
    let folder = try ScratchFolder()
    let old = try reopened(company().tree(), in: folder)
    let new = try reopened(Fixture().tree(), in: folder)
    #expect(try old.users().count == 12)
    #expect(try new.users().count == 0)
    #expect(old.checksum != new.checksum)
  }

  // MARK: Helpers

  /// An element that points outside whatever it points into.
  private static func wrongElement(of section: SnapshotSection) -> UInt64? {
    switch section {
    case .nodeParents, .nodeEnds, .nodeLevels, .nodeRecords, .departmentNodes,
      .userLeafStarts, .userLeafNodes, .membershipUsers, .departmentIDsEnds, .userNamesEnds:
      0x7FFF_FFF0
    default: nil
    }
  }

  private func noticesDamage(_ path: FilePath) -> Bool {
    do {
      try DirectorySnapshot(path: path).verify()
      return false
    } catch {
      return true
    }
  }

  /// Between sections there are up to 63 bytes that mean nothing.
  private func isPadding(_ offset: Int, of file: [UInt8]) -> Bool {
    let count = Int(file.number(at: 12, size: 4))
    guard offset >= SnapshotFormat.headerSize + count * SnapshotFormat.entrySize else {
      return false
    }
    return !(0..<count).contains { index in
      let entry = SnapshotFormat.headerSize + index * SnapshotFormat.entrySize
      let start = Int(file.number(at: entry + 8, size: 8))
      return (start..<start + Int(file.number(at: entry + 16, size: 8))).contains(offset)
    }
  }

  /// Forges an element, the section's checksum and the table's.
  private func replaceLastElement(
    of section: SnapshotSection,
    by value: UInt64,
    in path: FilePath
  ) throws {
    var file = try bytes(of: path)
    let count = Int(file.number(at: 12, size: 4))
    let entries = (0..<count).map { SnapshotFormat.headerSize + $0 * SnapshotFormat.entrySize }
    let entry = try #require(
      entries.first { file.number(at: $0, size: 4) == UInt64(section.rawValue) }
    )
    let size = Int(file.number(at: entry + 4, size: 4))
    let start = Int(file.number(at: entry + 8, size: 8))
    let end = start + Int(file.number(at: entry + 16, size: 8))
    for byte in 0..<size {
      file[end - size + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte))
    }
    let digest = file[start..<end].withUnsafeBytes { XXHash64.digest($0) }
    for byte in 0..<8 { file[entry + 24 + byte] = UInt8(truncatingIfNeeded: digest >> (8 * byte)) }
    let tableEnd = SnapshotFormat.headerSize + count * SnapshotFormat.entrySize
    let table = Array(file[..<24]) + Array(file[SnapshotFormat.headerSize..<tableEnd])
    let tableDigest = table.withUnsafeBytes { XXHash64.digest($0) }
    for byte in 0..<8 { file[24 + byte] = UInt8(truncatingIfNeeded: tableDigest >> (8 * byte)) }
    try write(file, to: path)
  }

  private func bytes(of path: FilePath) throws -> [UInt8] {
    try MappedFile(path: path).withBytes { Array($0) }
  }

  /// Beside and renamed, as a mapped file must never be shortened in place.
  private func write(_ bytes: [UInt8], to path: FilePath) throws {
    let beside = FilePath(path.string + ".new")
    let file = try FileDescriptor.open(
      beside,
      .writeOnly,
      options: [.create, .truncate],
      permissions: .ownerReadWrite
    )
    try file.closeAfter { _ = try file.writeAll(bytes) }
    try beside.rename(to: path)
  }
}

extension [UInt8] {
  fileprivate func number(at offset: Int, size: Int) -> UInt64 {
    (0..<size).reduce(0) { $0 | UInt64(self[offset + $1]) << UInt64(8 * $1) }
  }
}

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension FilePath {
  fileprivate func rename(to path: FilePath) throws {
    let moved = withPlatformString { from in
      #if canImport(Glibc)
        path.withPlatformString { Glibc.rename(from, $0) }
      #elseif canImport(Musl)
        path.withPlatformString { Musl.rename(from, $0) }
      #else
        path.withPlatformString { Darwin.rename(from, $0) }
      #endif
    }
    #expect(moved == 0)
  }
}
