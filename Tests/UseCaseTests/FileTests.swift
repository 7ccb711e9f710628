import DirectoryModel
import LiveDirectory
import Platform
import SiteSettings
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("A file that appears whole or not at all")
struct AtomicFileTests {
  private func write(
    _ text: String,
    to target: FilePath,
    _ existing: AtomicFile.Existing,
    permissions: FilePermissions = .ownerReadWrite,
    committing: Bool = true,
    meanwhile: () throws -> Void = {}
  ) throws {
    let file = try AtomicFile(target: target, permissions: permissions, existing: existing)
    try file.descriptor.writeAll(Array(text.utf8))
    try meanwhile()
    if committing { try file.commit() }
  }

  private func text(_ path: FilePath) throws -> String {
    String(decoding: try bytes(of: path), as: UTF8.self)
  }

  @Test func `is there once it is committed, and nothing beside it`() throws {
    let scratch = try ScratchFolder()
    let target = scratch.path.appending("out.csv")
    for existing in [AtomicFile.Existing.kept, .replaced] {
      try write("whole", to: target, existing) {
        let entries = try scratch.entries
        #expect(!entries.contains("out.csv"))
      }
      #expect(try text(target) == "whole")
      #expect(try scratch.entries == ["out.csv"])
      #expect(target.withPlatformString { unlink($0) } == 0)
    }
  }

  #if os(Linux)
    @Test func `has no name before, so that nothing is left of who is killed`() throws {
      let scratch = try ScratchFolder()
      for existing in [AtomicFile.Existing.kept, .replaced] {
        try write("half", to: scratch.path.appending("out.csv"), existing, committing: false) {
          let entries = try scratch.entries
          #expect(entries.isEmpty)
        }
      }
    }
  #endif

  @Test func `leaves nothing when it is not committed`() throws {
    let scratch = try ScratchFolder()
    let target = scratch.path.appending("out.csv")
    try write("half", to: target, .kept, committing: false)
    try write("half", to: target, .replaced, committing: false)
    #expect(try scratch.entries.isEmpty)
    try write("old", to: target, .kept)
    try write("half", to: target, .replaced, committing: false)
    #expect(throws: CancellationError.self) {
      try write("half", to: target, .replaced) { throw CancellationError() }
    }
    #expect(try scratch.entries == ["out.csv"])
    #expect(try text(target) == "old")
  }

  @Test func `replaces what is there, and readers keep what they opened`() throws {
    let scratch = try ScratchFolder()
    let target = scratch.path.appending("out.csv")
    try write("old", to: target, .kept)
    let reader = try FileDescriptor.open(target, .readOnly)
    defer { try? reader.close() }
    try write("new", to: target, .replaced)
    #expect(try text(target) == "new")
    var buffer = [UInt8](repeating: 0, count: 8)
    let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
    #expect(String(decoding: buffer[..<count], as: UTF8.self) == "old")
  }

  @Test func `keeps what is there, be it a file, a folder or a link to nothing`() throws {
    let scratch = try ScratchFolder()
    try scratch.write(Array("old".utf8), to: "file")
    try Folders.create(scratch.path.appending("folder"))
    #expect(scratch.path.appending("link").withPlatformString { symlink("nowhere", $0) } == 0)
    for name in ["file", "folder", "link"] {
      #expect(throws: Errno.fileExists) {
        try write("new", to: scratch.path.appending(name), .kept)
      }
    }
    #expect(try scratch.entries == ["file", "folder", "link"])
    #expect(try text(scratch.path.appending("file")) == "old")
  }

  @Test func `keeps what appeared while it was written`() throws {
    let scratch = try ScratchFolder()
    let target = scratch.path.appending("out.csv")
    #expect(throws: Errno.fileExists) {
      try write("mine", to: target, .kept) {
        try scratch.write(Array("theirs".utf8), to: "out.csv")
      }
    }
    #expect(try text(target) == "theirs")
    #expect(try scratch.entries == ["out.csv"])
  }

  /// root could put a file in the place of a device such as /dev/null, and break the machine.
  @Test func `replaces files only, and no links to anything else`() throws {
    let scratch = try ScratchFolder()
    try Folders.create(scratch.path.appending("folder"))
    #expect(scratch.path.appending("pipe").withPlatformString { mkfifo($0, 0o600) } == 0)
    #expect(scratch.path.appending("to pipe").withPlatformString { symlink("pipe", $0) } == 0)
    #expect(scratch.path.appending("to folder").withPlatformString { symlink("folder", $0) } == 0)
    for name in ["folder", "pipe", "to pipe", "to folder"] {
      #expect(throws: name.hasSuffix("folder") ? Errno.isDirectory : .invalidArgument) {
        try write("new", to: scratch.path.appending(name), .replaced)
      }
    }
    #expect(try scratch.entries == ["folder", "pipe", "to folder", "to pipe"])
  }

  @Test func `has the permissions that were asked for, less the umask`() throws {
    let scratch = try ScratchFolder()
    let target = scratch.path.appending("out.csv")
    try write("", to: target, .kept, permissions: .ownerReadWrite)
    #expect(try permissions(of: target) == 0o600)
    let all: FilePermissions = [.ownerReadWrite, .groupReadWrite, .otherReadWrite]
    try write("", to: target, .replaced, permissions: all)
    #expect(try permissions(of: target) == 0o666 & ~currentMask())
  }

  @Test func `may have the longest name that a file can have`() throws {
    let scratch = try ScratchFolder()
    let target = scratch.path.appending(String(repeating: "n", count: 255))
    try write("a", to: target, .kept)
    try write("b", to: target, .replaced)
    #expect(try text(target) == "b")
  }

  @Test func `in a folder that is missing is an error`() throws {
    let scratch = try ScratchFolder()
    for existing in [AtomicFile.Existing.kept, .replaced] {
      #expect(throws: Errno.noSuchFileOrDirectory) {
        try write("", to: scratch.path.appending("nowhere/out.csv"), existing)
      }
    }
  }

  /// umask(2) can only be read by setting it, which other tests would notice.
  private func currentMask() throws -> UInt32 {
    let scratch = try ScratchFolder()
    let probe = scratch.path.appending("probe")
    let file = probe.withPlatformString { creat($0, 0o666) }
    #expect(file >= 0)
    close(file)
    return 0o666 & ~(try permissions(of: probe))
  }
}

@Suite("The writer's lock")
struct FileLockTests {
  /// Whether no one holds the lock; it is taken for a moment.
  private func isFree(_ path: FilePath) throws -> Bool {
    switch try FileLock.tryAcquire(path) {
    case .some: true
    case .none: false
    }
  }

  @Test func `has one holder at a time`() async throws {
    let scratch = try ScratchFolder()
    let path = scratch.path.appending("writer.lock")
    let first = try FileLock.tryAcquire(path)
    #expect(try !isFree(path))
    #expect(try permissions(of: path) == 0o600)
    _ = consume first
    // A program that another test is starting has all our files open for a moment.
    try await wait(until: "the lock is free") { try isFree(path) }
    try await wait(until: "the lock is free again") { try isFree(path) }
  }

  @Test(.timeLimit(.minutes(40)))
  func `is waited for, and that is said once`() async throws {
    let scratch = try ScratchFolder()
    let path = scratch.path.appending("writer.lock")
    let events = Events()
    let first = try await FileLock.wait(for: path) { events.add("first waits") }
    // Among many tests this one may be held up for longer than a lock is waited for.
    let second = Task {
      switch try await FileLock.wait(
        for: path,
        patience: .seconds(3_600),
        waiting: { events.add("second waits") }
      ) {
      case .some: events.add("second has it")
      case .none: events.add("second gives up")
      }
    }
    try await wait(until: "the second waits") { !events.all.isEmpty }
    try await Task.sleep(for: .milliseconds(200))
    #expect(events.all == ["second waits"])
    events.add("first leaves")
    _ = consume first
    try await second.value
    #expect(events.all == ["second waits", "first leaves", "second has it"])
  }

  @Test func `waiting ends when it is cancelled`() async throws {
    let scratch = try ScratchFolder()
    let path = scratch.path.appending("writer.lock")
    let held = try FileLock.tryAcquire(path)
    let waiting = Task { _ = try await FileLock.wait(for: path) {} }
    waiting.cancel()
    let error = await #expect(throws: DirectoryError.self) { try await waiting.value }
    #expect(error?.kind == .interrupted)
    _ = consume held
  }

  @Test func `is not waited for without end, and its holder has a number`() async throws {
    let scratch = try ScratchFolder()
    let path = scratch.path.appending("writer.lock")
    let held = try FileLock.tryAcquire(path)
    let second = try await FileLock.wait(for: path, patience: .milliseconds(200)) {}
    switch second {
    case .some: Issue.record("two holders")
    case .none: break
    }
    #expect(FileLock.holder(of: path) == "process \(getpid())")
    _ = consume held
    for text in ["", "no number\n", "-1\n", "0\n", "99999999999999999999\n"] {
      try scratch.write(Array(text.utf8), to: "writer.lock")
      #expect(FileLock.holder(of: path) == "another staffbook")
    }
  }

  @Test(.timeLimit(.minutes(40)))
  func `is free once its holder is killed`() async throws {
    let scratch = try ScratchFolder()
    let path = scratch.path.appending("writer.lock")
    // flock(1) takes the same lock; the shell proves that it is held and dies of a signal.
    let script = """
      exec 9>"$0" && flock -n 9 || exit 2
      flock -n "$0" true && exit 3
      kill -KILL $$
      """
    let outcome = try await runProgram("sh", ["-c", script, path.string])
    #expect(outcome.status == 128 + 9, "\(outcome)")
    #expect(try isFree(path))
  }

  @Test func `that cannot be made is an error, and so is a link in its place`() async throws {
    let scratch = try ScratchFolder()
    let link = scratch.path.appending("link")
    #expect(link.withPlatformString { symlink("elsewhere", $0) } == 0)
    for path in [scratch.path, scratch.path.appending("nowhere/writer.lock"), link] {
      let error = await #expect(throws: DirectoryError.self) {
        _ = try await FileLock.wait(for: path) {}
      }
      #expect(error?.kind == .cannotWrite)
      #expect(error?.message.contains(path.string) == true)
    }
    #expect(try scratch.entries == ["link"])
  }
}

/// What happened, in order.
private final class Events: Sendable {
  private let events = Mutex<[String]>([])

  func add(_ event: String) { events.withLock { $0.append(event) } }

  var all: [String] { events.withLock { $0 } }
}
