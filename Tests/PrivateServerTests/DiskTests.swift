import Platform
import SystemPackage
import TestSupport
import Testing

@testable import PrivateServer

@Suite("A disk that takes nothing")
struct DiskTests {
  @Test func `and is full is named, what was begun is removed, and more space heals it`()
    async throws
  {
    guard canActAsRoot() else { return }
    try await withDisk(size: "20m") { homes in
      let server = homes.server()
      let error = await #expect(throws: PrivateServerError.self) { try await server.start() }
      guard case .initializationFailed(_, _, .diskFull) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      let words = error?.description.lowercased() ?? ""
      #expect(words.contains("no space left") || words.contains("wrote only"))
      #expect(error?.advice == "free some space on that disk and try again")
      #expect(try Folder(homes.open.appending("postgres")).isEmpty())
      try await remount(homes, "size=200m")
      #expect(try await ask(server.start(), "select 1") == "1")
    }
  }

  @Test func `and has become full keeps a stopped server from starting until there is space`()
    async throws
  {
    guard canActAsRoot() else { return }
    try await withDisk(size: "200m") { homes in
      let server = homes.server()
      _ = try await server.start()
      #expect(try await server.stop())
      let ballast = homes.open.appending("ballast")
      _ = try await runProgram(
        "dd",
        ["if=/dev/zero", "of=\(ballast)", "bs=4096", "count=100000"]
      )
      let error = await #expect(throws: PrivateServerError.self) { try await server.start() }
      guard case .startFailed(let reason, _, .diskFull) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(!reason.isEmpty)
      #expect(unlink(ballast.string) == 0)
      #expect(try await ask(server.start(), "select 1") == "1")
    }
  }

  @Test func `and is read-only is named, before and after the first start`() async throws {
    guard canActAsRoot() else { return }
    try await withDisk(size: "200m") { homes in
      let server = homes.server()
      try await remount(homes, "ro")
      let first = await #expect(throws: PrivateServerError.self) { try await server.start() }
      #expect(first?.cause == .readOnly)
      try await remount(homes, "rw")
      _ = try await server.start()
      #expect(try await server.stop())
      try await remount(homes, "ro")
      let second = await #expect(throws: PrivateServerError.self) { try await server.start() }
      #expect(second?.cause == .readOnly)
      #expect(
        second?.advice == "make that disk writable, or set STAFFBOOK_HOME to a folder elsewhere"
      )
      try await remount(homes, "rw")
      #expect(try await ask(server.start(), "select 1") == "1")
    }
  }

  /// Runs `body` with homes on a disk of their own.
  private func withDisk(size: String, _ body: (Homes) async throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
      #expect(chmod(folder.string, 0o711) == 0)
      let homes = Homes(root: folder)
      let disk = homes.open.removingLastComponent()
      #expect(mkdir(disk.string, 0o755) == 0)
      let mount = try await runProgram(
        "mount",
        ["-t", "tmpfs", "-o", "size=\(size),mode=755", "tmpfs", disk.string]
      )
      try #require(mount.status == 0, "\(mount)")
      let outcome: Result<Void, any Error>
      do {
        outcome = .success(try await body(homes))
      } catch {
        outcome = .failure(error)
      }
      _ = try? await homes.server().stop()
      // A server that was stopped has the disk for a moment longer than its pid file.
      try await runWhenFree("umount", [disk.string])
      try outcome.get()
    }
  }

  private func remount(_ homes: Homes, _ options: String) async throws {
    let disk = homes.open.removingLastComponent()
    try await runWhenFree("mount", ["-o", "remount,\(options)", disk.string])
  }

  /// Runs a program until the disk is not busy any more.
  private func runWhenFree(_ program: FilePath, _ arguments: [String]) async throws {
    var outcome: ProgramOutcome?
    try await wait(until: "\(program) \(arguments) succeeds", seen: { "\(outcome as Any)" }) {
      outcome = try await runProgram(program, arguments)
      return outcome?.status == 0
    }
  }
}
