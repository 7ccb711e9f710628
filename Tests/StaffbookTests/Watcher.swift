import Platform
import SystemPackage
import TestSupport
import Testing

/// A `sync --watch` that runs beside a test, and what it has said so far.
struct Watcher: Sendable {
  let book: Book
  private let folder: FilePath

  /// The process of the watch itself.
  let process: pid_t

  /// Runs `body` beside a watch, which is then ended by SIGTERM.
  ///
  /// - Parameters:
  ///   - book: Whose snapshot is watched.
  ///   - options: Further ones; the poll is an hour if none is given.
  ///   - folder: For its log; its own.
  ///   - status: The exit status that it must end with.
  ///   - body: What is done meanwhile.
  /// - Throws: What `body` throws, or that the watch does not end.
  static func run(
    _ book: Book,
    _ options: String...,
    in folder: FilePath,
    status: Int = 0,
    _ body: (Watcher) async throws -> Void
  ) async throws {
    let arguments = options.contains("--poll") ? options : options + ["--poll", "1h"]
    // The log is there before anybody reads it, however late the shell's child runs.
    let script = """
      : >"$LOG/log"
      "$0" sync --watch "$@" >>"$LOG/log" 2>&1 &
      echo $! >"$LOG/pid.new"; mv "$LOG/pid.new" "$LOG/pid"
      wait $!
      echo "exit $?" >>"$LOG/log"
      """
    let variables = book.variables.merging(["LOG": folder.string]) { $1 }
    try await withProgram(
      "sh",
      ["-c", script, try Book.program()] + arguments,
      environment: variables
    ) { _ in
      try await wait(until: "the watch runs") { (try? text(of: folder.appending("pid"))) != nil }
      let number = try #require(pid_t(try text(of: folder.appending("pid")).dropLast()))
      let watcher = Watcher(book: book, folder: folder, process: number)
      do {
        try await body(watcher)
        kill(number, SIGTERM)
        try await wait(until: "the watch has ended") {
          try watcher.log.last?.hasPrefix("exit") == true
        }
        #expect(try watcher.log.last == "exit \(status)")
      } catch {
        kill(number, SIGKILL)
        Issue.record("the watch said: \(try watcher.log)")
        throw error
      }
    }
  }

  /// The lines that it has written.
  var log: [String] {
    get throws {
      try text(of: folder.appending("log")).split(separator: "\n").map(String.init)
    }
  }

  /// How many descriptors it has open.
  var descriptors: Int { get throws { try folderEntries(FilePath("/proc/\(process)/fd")).count } }

  /// Waits until a line holds a text.
  func says(_ text: String, times: Int = 1) async throws {
    try await wait(until: "the watch says \(text)", seen: { "\(try log)" }) {
      try log.count { $0.contains(text) } >= times
    }
  }

  /// Waits until a person's phone is in the snapshot.
  func shows(_ phone: String, of person: String = "Ada Lund") async throws {
    try await wait(until: "the snapshot has \(phone)") {
      try await book.run("search", person, "--plain").stdout.contains(phone)
    }
  }
}

/// A file of a few lines.
private func text(of path: FilePath) throws -> String {
  let file = try FileDescriptor.open(path, .readOnly)
  return try file.closeAfter {
    var bytes: [UInt8] = []
    while true {
      let piece = try [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
        count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
      }
      if piece.isEmpty { return String(decoding: bytes, as: UTF8.self) }
      bytes += piece
    }
  }
}
