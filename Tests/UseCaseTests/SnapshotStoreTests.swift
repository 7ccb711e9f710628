import DirectoryModel
import DirectoryReading
import DirectorySnapshot
import DirectoryTestSupport
import PrivateServer
import SystemPackage
import Testing
import TestSupport
import TextRules

@testable import DirectoryStore
@testable import LiveDirectory

@Suite("Any error in the directory's words")
struct ErrorDescriptionTests {
  @Test func `what we know keeps its kind`() {
    let path = FilePath("/x/directory.snapshot")
    let own = DirectoryError(.refusedForNow, "no", advice: "wait")
    let cases: [(any Error, DirectoryError.Kind)] = [
      (own, .refusedForNow), (CancellationError(), .interrupted),
      (SnapshotError.damaged(path, part: "header"), .badData),
      (SnapshotError.cannotRead(path, .permissionDenied), .cannotRead),
      (SnapshotError.cannotWrite(path, .noSpace), .cannotWrite),
      (TextRulesError.malformedLocale("x_y"), .usage),
      (PrivateServerError.postgresNotFound, .unavailable),
      (PrivateServerError.untrustedFolder(path, reason: "is a link"), .notPermitted),
      (PrivateServerError.cannotPrepare(path, reason: "full", .diskFull), .cannotWrite),
      (PrivateServerError.startFailed(reason: "no", log: path, .notPermitted), .notPermitted),
      (PrivateServerError.interrupted, .interrupted),
    ]
    for (error, kind) in cases {
      let described = DirectoryError(describing: error)
      #expect(described.kind == kind, "\(error)")
      #expect(!described.message.isEmpty && !described.message.hasSuffix("."), "\(error)")
    }
    #expect(DirectoryError(describing: own) == own)
  }

  @Test func `what we do not know is a bug of ours, with its words`() {
    struct UnknownError: Error, CustomStringConvertible {
      let description = "the moon is full"
    }
    let described = DirectoryError(describing: UnknownError())
    #expect(described.kind == .bug)
    #expect(described.message == "internal error: the moon is full")
    #expect(
      described.advice?.description == "please report this, with the command that you ran"
    )
  }
}

@Suite("The snapshot on disk")
struct SnapshotStoreTests {
  private func company() throws -> Company {
    var company = Company()
    try company.department("root")
    try company.user("u", in: "root")
    return company
  }

  private func open(_ store: SnapshotStore) throws -> (Directory?, [String]) {
    var notices: [String] = []
    let directory = try store.openWhole { notices.append($0) }
    return (directory, notices)
  }

  @Test func `is opened where it lies, and is nothing where none is`() throws {
    let scratch = try ScratchFolder()
    let store = SnapshotStore(folder: scratch.path)
    let (none, silence) = try open(store)
    #expect(none == nil && silence.isEmpty)
    try company().write(to: store.path)
    let (directory, notices) = try open(store)
    #expect(directory?.userCount == 1 && notices.isEmpty)
  }

  @Test func `knows by the watermark of the one before who may decide about visibility`() throws {
    let scratch = try ScratchFolder()
    let store = SnapshotStore(folder: scratch.path)
    #expect(!store.isAdministrator)
    for isAdministrator in [true, false] {
      var source = DirectorySource(
        host: "h",
        database: "d",
        isStandby: false,
        takenAt: 0,
        watermark: nil
      )
      source.isAdministrator = isAdministrator
      try store.save(StoredWatermark(snapshot: 1, source: source, cursor: VerificationCursor()))
      #expect(store.watermark(of: 2) == nil && store.isAdministrator == isAdministrator)
    }
  }

  @Test(arguments: ["", "nothing of ours, but long enough for a header", "STAFFBK\n\u{63}\0\0\0"])
  func `that is not usable is said to be so, and set aside by the writer`(text: String) async throws
  {
    let scratch = try ScratchFolder()
    let store = SnapshotStore(folder: scratch.path)
    try scratch.write(
      Array(text.utf8) + [UInt8](repeating: 0, count: text.hasPrefix("STAFFBK") ? 64 : 0),
      to: "directory.snapshot"
    )
    let (directory, notices) = try open(store)
    #expect(directory == nil && notices.count == 1)
    #expect(notices.first?.contains(store.path.string) == true)
    var words: [String] = []
    guard let lock = try await store.lock(waiting: {}) else {
      Issue.record("no other process is there")
      return
    }
    let opened = store.openForUpdate(lock) { words.append($0) }
    #expect(opened == nil)
    #expect(words.count == 1 && words.first?.contains("directory.snapshot.unusable") == true)
    #expect(try scratch.entries == ["directory.snapshot.unusable", "writer.lock"])
    _ = consume lock
  }

  @Test func `that is sound stays where it is`() async throws {
    let scratch = try ScratchFolder()
    let store = SnapshotStore(folder: scratch.path)
    try company().write(to: store.path)
    guard let lock = try await store.lock(waiting: {}) else {
      Issue.record("no other process is there")
      return
    }
    var words: [String] = []
    let opened = store.openForUpdate(lock) { words.append($0) }
    #expect(opened != nil)
    #expect(words.isEmpty)
    #expect(try scratch.entries == ["directory.snapshot", "writer.lock"])
    _ = consume lock
  }
}
