import DirectoryTestSupport
import OutlineEngine
import Platform
import SystemPackage
import TestSupport
import Testing

@testable import DirectorySnapshot

@Suite("Writing a container of sections")
struct SnapshotWriterTests {
  private static let format = SnapshotFormat(magic: "TESTING\n", version: 7) { "part \($0)" }

  private func makePiece(_ count: Int, seed: UInt64) -> [UInt64] {
    (0..<UInt64(count)).map { ($0 &+ seed) &* 0x9E37_79B9_7F4A_7C15 }
  }

  private func write(_ sections: [[UInt64]], to path: FilePath) throws -> InstalledFile {
    var writer = try SnapshotFileWriter(target: path, format: Self.format, sectionCount: 8)
    for (id, section) in sections.enumerated() {
      try section.withUnsafeBufferPointer { try writer.add(UInt32(id), $0) }
    }
    return try writer.commit()
  }

  /// Around the edges of blocks: what is gathered, what goes straight, and what is both.
  @Test(arguments: [0, 1, 7, 8_063, 8_064, 8_065, 8_191, 8_192, 8_193, 16_384, 40_000])
  func `sections of any size are read as they were written`(count: Int) throws {
    let folder = try ScratchFolder()
    let sections = [
      makePiece(count, seed: 1), makePiece(3, seed: 2), makePiece(count, seed: 3), [],
      makePiece(8_192, seed: 4),
    ]
    let written = try write(sections, to: folder.snapshot)
    let file = try SnapshotFile(path: folder.snapshot, format: Self.format)
    #expect(file.checksum == written.checksum)
    #expect(file.byteCount == written.byteCount)
    try file.proveAll()
    for (id, section) in sections.enumerated() {
      let column = try file.column(UInt32(id), as: UInt64.self)
      #expect(Array(try column.verified()) == section)
      for index in [0, count / 2, count - 1] where section.indices.contains(index) {
        #expect(try column[index] == section[index])
      }
      let end = SnapshotError.damaged(folder.snapshot, part: "part \(id)")
      #expect(throws: end) { try column[section.count] }
      #expect(throws: end) { try column[-1] }
    }
    #expect(throws: SnapshotError.damaged(folder.snapshot, part: "part 5")) {
      try file.column(5, as: UInt64.self)
    }
    #expect(throws: SnapshotError.damaged(folder.snapshot, part: "part 0")) {
      try file.column(0, as: UInt32.self)
    }
  }

  @Test func `a section may come in pieces`() throws {
    let folder = try ScratchFolder()
    let whole = makePiece(30_000, seed: 5)
    var writer = try SnapshotFileWriter(
      target: folder.snapshot,
      format: Self.format,
      sectionCount: 1
    )
    try writer.begin(9, elementSize: 8)
    var generator = SystemRandomNumberGenerator()
    var from = 0
    while from < whole.count {
      let to = min(from + Int.random(in: 1...9_000, using: &generator), whole.count)
      try whole[from..<to].withUnsafeBytes { try writer.append($0) }
      from = to
    }
    _ = try writer.commit()
    let file = try SnapshotFile(path: folder.snapshot, format: Self.format)
    #expect(Array(try file.column(9, as: UInt64.self).verified()) == whole)
  }

  /// A file with two long sections, and then its successor, in which the first is longer.
  private func succeed(
    _ path: FilePath,
    meanwhile: () throws -> Void = {}
  ) throws -> SnapshotFile {
    let pieces = [makePiece(50_000, seed: 1), makePiece(70_000, seed: 2), makePiece(9, seed: 3)]
    let sections: [SnapshotSection] = [.userIndex, .departmentIndex, .membershipLeads]
    do {
      let metadata = SnapshotMetadata(takenAt: 0, locale: "und", collationVersion: "", source: "")
      var writer = try SnapshotFileWriter(target: path, sectionCount: 8)
      try writer.add(
        metadata.encoded(hash: SipHash13(key0: 1, key1: 2)),
        .metadataText,
        .metadataEnds
      )
      for (section, piece) in zip(sections, pieces) { try writer.add(section, piece) }
      _ = try writer.commit()
    }
    let former = try DirectorySnapshot(path: path)
    try former.file.proveAll()
    try meanwhile()
    var writer = try SnapshotFileWriter(
      target: path,
      sectionCount: 8,
      former: former.file
    )
    try writer.copy(.metadataText, of: former.file)
    try writer.copy(.metadataEnds, of: former.file)
    try writer.add(.userIndex, [7] + pieces[0])
    try writer.copy(.departmentIndex, of: former.file)
    try writer.copy(.membershipLeads, of: former.file)
    _ = try writer.commit()
    let file = try SnapshotFile(path: path, format: .directory)
    #expect(Array(try file.column(.userIndex, as: UInt64.self).verified()) == [7] + pieces[0])
    #expect(Array(try file.column(.membershipLeads, as: UInt64.self).verified()) == pieces[2])
    return file
  }

  @Test func `what is copied of a former file has its checksums`() throws {
    let folder = try ScratchFolder()
    let file = try succeed(folder.snapshot)
    try file.proveAll()
    let copied = try file.column(.departmentIndex, as: UInt64.self).verified()
    #expect(Array(copied) == makePiece(70_000, seed: 2))
    #expect(try folder.entries == ["directory.snapshot"])
  }

  @Test func `a former file that is damaged after its proof makes no sound one`() throws {
    let folder = try ScratchFolder()
    let file = try succeed(
      folder.snapshot,
      meanwhile: {
        // In place, in the middle of the second section.
        let bytes = try SnapshotImage(of: folder.snapshot).bytes
        let middle = bytes.count * 2 / 3
        let descriptor = try FileDescriptor.open(folder.snapshot, .writeOnly)
        try descriptor.closeAfter {
          _ = try descriptor.writeAll(toAbsoluteOffset: Int64(middle), [bytes[middle] ^ 0x40])
        }
      }
    )
    #expect(throws: SnapshotError.damaged(folder.snapshot, part: "departmentIndex")) {
      try file.proveAll()
    }
  }

  @Test func `another format's file is foreign`() throws {
    let folder = try ScratchFolder()
    _ = try write([[1]], to: folder.snapshot)
    #expect(throws: SnapshotError.foreign(folder.snapshot)) {
      try DirectorySnapshot(path: folder.snapshot)
    }
  }

  @Test func `the same content has the same checksum, other content another`() throws {
    let folder = try ScratchFolder()
    let first = try write([[1, 2], [3]], to: folder.snapshot)
    #expect(try write([[1, 2], [3]], to: folder.snapshot).checksum == first.checksum)
    #expect(try write([[1, 2], [4]], to: folder.snapshot).checksum != first.checksum)
    #expect(try write([[1, 2, 3]], to: folder.snapshot).checksum != first.checksum)
  }

  @Test func `without a commit the target stays and nothing is left beside it`() throws {
    let folder = try ScratchFolder()
    let first = try write([[1, 2]], to: folder.snapshot)
    do {
      var writer = try SnapshotFileWriter(
        target: folder.snapshot,
        format: Self.format,
        sectionCount: 1
      )
      try [UInt64(3)].withUnsafeBufferPointer { try writer.add(0, $0) }
      #expect(try folder.entries.count == 2)
    }
    #expect(try folder.entries == ["directory.snapshot"])
    let kept = try SnapshotFile(path: folder.snapshot, format: Self.format)
    #expect(kept.checksum == first.checksum)
  }

  @Test func `what lies in the way of the unfinished file is removed, not followed`() throws {
    let folder = try ScratchFolder()
    let beside = FilePath(folder.snapshot.string + ".new")
    let precious = folder.path.appending("precious")
    defer { _ = precious.withPlatformString { unlink($0) } }
    try SnapshotImage(bytes: [1, 2, 3]).write(to: precious)
    let linked = beside.withPlatformString { name in
      precious.withPlatformString { symlink($0, name) }
    }
    #expect(linked == 0)
    _ = try write([[1]], to: folder.snapshot)
    #expect(beside.withPlatformString { mkfifo($0, 0o600) } == 0)
    _ = try write([[2]], to: folder.snapshot)
    #expect(
      precious.withPlatformString { name in beside.withPlatformString { link(name, $0) } } == 0
    )
    _ = try write([[3]], to: folder.snapshot)
    #expect(try SnapshotImage(of: precious).bytes == [1, 2, 3])
    #expect(try folder.entries == ["directory.snapshot", "precious"])
    #expect(try folder.snapshot.stat().permissions == .ownerReadWrite)
  }

  @Test func `a folder that is missing, and one in the target's place, are errors`() throws {
    let folder = try ScratchFolder()
    let nowhere = folder.path.appending("missing").appending("directory.snapshot")
    #expect(throws: SnapshotError.cannotWrite(nowhere, .noSuchFileOrDirectory)) {
      _ = try write([[1]], to: nowhere)
    }
    #expect(folder.snapshot.withPlatformString { mkdir($0, 0o700) } == 0)
    defer { _ = folder.snapshot.withPlatformString { rmdir($0) } }
    #expect(throws: SnapshotError.cannotWrite(folder.snapshot, .isDirectory)) {
      _ = try write([[1]], to: folder.snapshot)
    }
    #expect(try folder.entries == ["directory.snapshot"])
  }

  @Test func `when no more can be written that is an error, and nothing is left`() async throws {
    await #expect(processExitsWith: .success) {
      // As a full disk, which not everybody can arrange: files of this process end at 100,000 bytes.
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 100_000, rlim_max: 100_000)
      #if canImport(Glibc)
        let file = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
      #else
        let file = RLIMIT_FSIZE
      #endif
      #expect(setrlimit(file, &limit) == 0)
      let folder = try ScratchFolder()
      let tests = SnapshotWriterTests()
      let small = try tests.write([[1]], to: folder.snapshot)
      let beside = FilePath(folder.snapshot.string + ".new")
      let large = tests.makePiece(20_000, seed: 1)
      #expect(throws: SnapshotError.cannotWrite(beside, .fileTooLarge)) {
        _ = try tests.write([large], to: folder.snapshot)
      }
      #expect(try folder.entries == ["directory.snapshot"])
      let kept = try SnapshotFile(path: folder.snapshot, format: SnapshotWriterTests.format)
      #expect(kept.checksum == small.checksum)
    }
  }
}
