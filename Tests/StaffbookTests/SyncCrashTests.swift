import Platform
import Seeds
import SystemPackage
import TestSupport
import Testing

/// Whatever moment a sync dies at, what is left is one whole state: the one before, or the one
/// after.
@Suite("Syncs that are killed")
struct SyncCrashTests {
  private static let people = 1_500
  /// Kills spread over the length of a sync, and at each of three moments.
  private static let spread = rounds(13, thorough: 130)
  private static let atMoment = rounds(3, thorough: 25)

  @Test func `at any time leave the old state or the new one`() async throws {
    try await withVictim { victim in
      for index in 0..<Self.spread {
        let share = Double(index) / Double(Self.spread)
        try await victim.survive(.after(victim.length * share))
      }
    }
  }

  @Test func `at the worst moments leave the old state or the new one`() async throws {
    try await withVictim { victim in
      for moment in [Killing.Moment.reading, .writing, .durable] {
        for _ in 0..<Self.atMoment { try await victim.survive(.at(moment)) }
      }
      for moment in ["reading", "writing", "durable, not renamed"] {
        #expect(victim.histogram[moment] == Self.atMoment, "\(moment)")
      }
    }
  }

  private func withVictim(_ body: (inout Victim) async throws -> Void) async throws {
    try await withBook { (book: Book) async throws -> Void in
      try await book.lines(
        "sample",
        "--load",
        "--no-fields",
        "--people",
        "\(Self.people)",
        "--departments",
        "100"
      )
      try await withTemporaryDirectory { (folder: FilePath) async throws -> Void in
        var victim = try await Victim(book: book, folder: folder)
        try await body(&victim)
        let shown = victim.histogram.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        print("syncs killed while: " + shown.joined(separator: ", "))
        try await victim.syncs()
      }
    }
  }

  @Test func `and write the file before its name, and its name before the folder`() async throws {
    try await withBook { (book: Book) async throws -> Void in
      try await withTemporaryDirectory { (folder: FilePath) async throws -> Void in
        try writeSmallCompany(to: folder)
        try await book.lines("import", "--no-sync", folder.string)
        let log = folder.appending("calls")
        let outcome = try await runProgram(
          "strace",
          ["-f", "-y", "-o", log.string, "-e", "trace=fsync,fdatasync,rename,renameat,renameat2"]
            + [try Book.program(), "sync"],
          environment: book.variables
        )
        try #require(outcome.status == 0, "\(outcome)")
        try expectOrder(in: String(decoding: readAll(log), as: UTF8.self))
      }
    }
  }

  /// Checks what strace saw: each file is durable before it gets its name, the name before anything
  /// else happens, and the snapshot has its name before the watermark has.
  private func expectOrder(in log: String) throws {
    let calls = log.split(separator: "\n").filter { $0.contains("/cache/") }
    var renames: [Int] = []
    for name in ["directory.snapshot", "directory.watermark"] {
      let written = calls.firstIndex { $0.contains("fsync(") && $0.contains("\(name).new>") }
      let renamed = calls.firstIndex { $0.contains("rename") && $0.contains("\(name).new\"") }
      let start = try #require(renamed)
      let settled = calls[start...].firstIndex {
        $0.contains("fsync(") && !$0.contains("directory.")
      }
      #expect(try #require(written) < start && start < #require(settled), "\(calls)")
      renames.append(start)
    }
    #expect(renames[0] < renames[1])
  }
}

/// When a sync is to be killed.
private enum Killing {
  enum Moment: String {
    /// The server sends rows.
    case reading
    /// The new file is being written.
    case writing
    /// The new file is durable and has not got its name.
    case durable
  }

  case after(Double)
  case at(Moment)
}

/// A book whose syncs are killed, and what it must still be afterwards.
private struct Victim {
  let book: Book
  let folder: FilePath
  /// Seconds that a whole sync takes.
  private(set) var length = 0.0
  private(set) var histogram: [String: Int] = [:]
  /// The rows of the tree, which never change; what does is the description of one department.
  private let rows: [UInt8]
  private let department: String
  /// The description in the snapshot, and in the database.
  private var stored = 0
  private var current = 0

  init(book: Book, folder: FilePath) async throws {
    self.book = book
    self.folder = folder
    rows = try await Self.rows(of: book)
    department = try book.value("select min(id) from staffbook.departments")
    var lengths: [Double] = []
    for _ in 0..<5 {
      let start = ContinuousClock.now
      try await syncs()
      lengths.append((ContinuousClock.now - start) / .seconds(1))
    }
    length = lengths.sorted()[2]
  }

  /// A sync that no one disturbs brings the newest state.
  mutating func syncs() async throws {
    try change()
    try await book.lines("sync", "--full")
    stored = try await description()
    #expect(stored == current)
  }

  /// Kills a sync, and looks at what is left.
  mutating func survive(_ killing: Killing) async throws {
    try change()
    let moment =
      switch killing {
      case .after(let seconds): try await kill(after: seconds)
      case .at(let moment): try await kill(at: moment)
      }
    histogram[moment, default: 0] += 1
    #expect(try await Self.rows(of: book) == rows, "killed while \(moment)")
    let found = try await description()
    #expect(found == stored || found == current, "killed while \(moment)")
    stored = found
  }

  private mutating func change() throws {
    current += 1
    try book.script(
      "update staffbook.departments set description = '\(current)' where id = '\(department)'"
    )
  }

  private static func rows(of book: Book) async throws -> [UInt8] {
    let outcome = try await book.run("tree", "--all", "--plain")
    try #require(outcome.status == 0, "\(outcome)")
    return outcome.stdoutBytes
  }

  private func description() async throws -> Int {
    let lines = try await book.lines("show", "id:\(department)", "--json")
    return values(of: "description", in: lines).first.flatMap { Int($0) } ?? 0
  }

  // MARK: Killing

  /// Kills a sync after so many seconds.
  ///
  /// - Returns: The last thing that it told of itself.
  private func kill(after seconds: Double) async throws -> String {
    let events = folder.appending("events")
    _ = events.withPlatformString { unlink($0) }
    try await withProgram(
      "/bin/sh",
      ["-c", "exec \"$@\" >\"$0\" 2>&1", events.string, try Book.program(), "sync", "--full"]
        + ["--json"],
      environment: book.variables
    ) { process in
      try await Task.sleep(for: .seconds(seconds))
      end(process)
    }
    // Killed at once, it has not even begun to tell.
    let told = (try? readAll(events)) ?? []
    let lines = String(decoding: told, as: UTF8.self).split(separator: "\n")
    guard let last = lines.last.map(String.init) else { return "starting" }
    let phase = values(of: "phase", in: [last]).joined()
    return phase.isEmpty ? "ending" : phase
  }

  /// Kills a sync at a moment, which strace holds it at.
  private func kill(at moment: Killing.Moment) async throws -> String {
    let log = folder.appending("held")
    _ = log.withPlatformString { unlink($0) }
    // What holds it, and what the log shows then.
    let (call, mark) =
      switch moment {
      case .reading: ("recvfrom:delay_exit=20000:when=6+", "recvfrom(")
      case .writing: ("pwrite64:delay_exit=20000", "pwrite64(")
      case .durable: ("fsync:delay_exit=1000000:when=1", "fsync(")
      }
    let name = String(call.prefix { $0 != ":" })
    try await withProgram(
      "strace",
      ["-f", "-qq", "-o", log.string, "-e", "trace=\(name)", "-e", "inject=\(call)"]
        + [try Book.program(), "sync", "--full"],
      environment: book.variables
    ) { _ in
      try await killTraced(log, mark: mark, atLeast: moment == .reading ? 8 : 1)
    }
    return moment == .durable ? "durable, not renamed" : moment.rawValue
  }

  /// Waits for a call in strace's log, and kills the process that made it.
  private func killTraced(_ log: FilePath, mark: String, atLeast count: Int) async throws {
    try await wait(until: "strace sees \(mark)") {
      guard let bytes = try? readAll(log) else { return false }
      let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      let marked = lines.filter { $0.contains(mark) }
      guard marked.count >= count, let thread = marked.first?.split(separator: " ").first,
        let id = pid_t(thread)
      else { return false }
      end(id)
      return true
    }
  }
}

private func end(_ process: pid_t) { _ = kill(process, SIGKILL) }

private func readAll(_ path: FilePath) throws -> [UInt8] {
  let file = try FileDescriptor.open(path, .readOnly)
  return try file.closeAfter {
    var bytes: [UInt8] = []
    while true {
      let piece = try [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
        count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
      }
      if piece.isEmpty { return bytes }
      bytes += piece
    }
  }
}
