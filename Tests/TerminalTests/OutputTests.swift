import Platform
import Synchronization
import Testing

@testable import Terminal

@Suite("Writing output")
struct OutputWriterTests {
  @Test func `everything arrives in order, in large pieces`() throws {
    let pipe = try Pipe()
    let received = pipe.collect()
    var writer = OutputWriter(descriptor: pipe.writing)
    var expected: [UInt8] = []
    for index in 0..<50_000 {
      let line = "row \(index)\n"
      expected.append(contentsOf: line.utf8)
      try writer.write(line)
    }
    writer.buffer.append(0x2E)
    try writer.finish()
    pipe.closeWriting()
    #expect(received.bytes == expected + [0x2E])
  }

  @Test func `nothing is written before there is enough of it`() throws {
    let pipe = try Pipe()
    var writer = OutputWriter(descriptor: pipe.writing)
    try writer.write("held back")
    #expect(!pipe.hasInput)
    try writer.flush()
    #expect(pipe.hasInput)
  }

  @Test func `a closed pipe is distinguished`() throws {
    OutputWriter.ignoreBrokenPipes()
    let pipe = try Pipe()
    pipe.closeReading()
    var writer = OutputWriter(descriptor: pipe.writing)
    try writer.write("x")
    #expect(throws: OutputError.closed) { try writer.flush() }
    // What could not be written is dropped, so the end is quiet.
    try writer.finish()
  }

  #if os(Linux)
    @Test func `a full disk is told apart`() throws {
      let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
      defer { close(full) }
      try #require(full >= 0)
      var writer = OutputWriter(descriptor: full)
      try writer.write("x")
      #expect(throws: OutputError.noSpace) { try writer.flush() }
    }
  #endif

  @Test func `a closed descriptor says its reason`() throws {
    var writer = OutputWriter(descriptor: -1)
    try writer.write("x")
    #expect(throws: OutputError.failed(code: EBADF)) { try writer.flush() }
    #expect(OutputError.failed(code: EBADF).description == "bad file descriptor")
  }

  @Test func `a descriptor that does not block is waited for`() throws {
    let pipe = try Pipe()
    _ = fcntl(pipe.writing, F_SETFL, O_NONBLOCK)
    let received = pipe.collect()
    var writer = OutputWriter(descriptor: pipe.writing)
    writer.buffer = [UInt8](repeating: 0x61, count: 1 << 20)
    try writer.finish()
    pipe.closeWriting()
    #expect(received.bytes.count == 1 << 20)
  }
}

@Suite("The pager")
struct PagerTests {
  private let terminal = TerminalProfile(isTerminal: true, columns: 80, rows: 24)
  private let path = "/usr/local/bin:/usr/bin:/bin"

  @Test(
    arguments: [
      (["STAFFBOOK_PAGER": "head -3", "PAGER": "tail"], "head -3"), (["PAGER": "tail"], "tail"),
      (["PAGER": ""], nil), (["PAGER": "cat"], nil), (["PAGER": " "], nil),
      (["STAFFBOOK_PAGER": "", "PAGER": "tail"], nil), (["PAGER": "no-such-pager-here"], nil),
      (["PAGER": "/bin/no-such-pager-here"], nil), (["PAGER": "/bin/sh -c x"], "/bin/sh -c x"),
      (["PAGER": "tail", "TERM": "dumb"], nil),
    ] as [([String: String], String?)]
  )
  func `is whom the person chose`(environment: [String: String], command: String?) {
    let environment = environment.merging(["PATH": path]) { old, _ in old }
    #expect(Pager.command(environment: environment, profile: terminal) == command)
  }

  @Test func `is less unless it is missing`() throws {
    let there = access("/usr/bin/less", X_OK) == 0 || access("/bin/less", X_OK) == 0
    #expect(
      Pager.command(environment: ["PATH": path], profile: terminal)
        == (there ? "less -FRX" : nil)
    )
    #expect(Pager.command(environment: ["PATH": "/nowhere"], profile: terminal) == nil)
  }

  @Test func `is only for terminals`() {
    let environment = ["PAGER": "tail", "PATH": path]
    #expect(Pager.command(environment: environment, profile: TerminalProfile()) == nil)
  }

  @Test func `gets the output, its environment and signals as by default`() throws {
    OutputWriter.ignoreBrokenPipes()
    let file = try ScratchFile()
    let pager = try Pager(
      command:
        "cat > \"$OUT\"; echo $LESSCHARSET >> \"$OUT\"; grep SigIgn /proc/self/status >> \"$OUT\"",
      environment: ["OUT": file.path, "PATH": path],
      profile: terminal
    )
    var writer = OutputWriter(descriptor: pager.descriptor)
    try writer.write("one\ntwo\n")
    try writer.finish()
    pager.finish()
    let shown = file.text
    #expect(shown.hasPrefix("one\ntwo\nutf-8\n"))
    #if os(Linux)
      let ignored = try #require(
        shown.split(separator: "\t").last.flatMap { UInt64($0.dropLast(), radix: 16) }
      )
      #expect(ignored & (1 << UInt64(SIGPIPE - 1)) == 0)
      #expect(ignored & (1 << UInt64(SIGINT - 1)) == 0)
    #endif
  }

  @Test func `that quits early ends the writing quietly`() throws {
    OutputWriter.ignoreBrokenPipes()
    let pager = try Pager(
      command: "head -1 > /dev/null",
      environment: ["PATH": path],
      profile: terminal
    )
    var writer = OutputWriter(descriptor: pager.descriptor)
    #expect(throws: OutputError.closed) {
      while true { try writer.write(String(repeating: "row\n", count: 10_000)) }
    }
    pager.finish()
  }
}

@Suite("The progress line")
struct ProgressTests {
  /// A clock that goes only when told.
  private final class Clock: Sendable {
    private let time = Mutex(ContinuousClock.now)
    var now: ContinuousClock.Instant { time.withLock { $0 } }
    func advance(_ duration: Duration) { time.withLock { $0 += duration } }
  }

  private let profile = TerminalProfile(
    isTerminal: true,
    columns: 80,
    rows: 24,
    canRedraw: true
  )

  private func drawn(
    _ profile: TerminalProfile,
    _ body: (Progress, Clock) -> Void
  ) throws -> String {
    let pipe = try Pipe()
    let clock = Clock()
    let progress = Progress(descriptor: pipe.writing, profile: profile, now: { clock.now })
    body(progress, clock)
    progress.finish()
    pipe.closeWriting()
    return String(decoding: pipe.readAll(), as: UTF8.self)
  }

  @Test func `tells label, share, count and rate, and goes away`() throws {
    let text = try drawn(profile) { progress, clock in
      progress.update("Reading people", done: 0, total: 1_000_000)
      clock.advance(.seconds(1))
      progress.update("Reading people", done: 412_000, total: 1_000_000)
    }
    #expect(
      text == "\rReading people  ████████░░░░░░░░░░░░  412,000 of 1,000,000  412,000/s\u{1B}[K"
        + "\r\u{1B}[K"
    )
  }

  @Test func `is drawn ten times a second at most, and not in the first moment`() throws {
    let text = try drawn(profile) { progress, clock in
      for index in 0..<1_000 {
        progress.update("Reading", done: index)
        clock.advance(.milliseconds(1))
      }
    }
    #expect(text.split(separator: "\r").count == 7 + 1)
  }

  @Test func `a short task draws nothing at all`() throws {
    let text = try drawn(profile) { progress, clock in
      progress.update("Reading", done: 1)
      clock.advance(.milliseconds(200))
      progress.update("Reading", done: 2)
    }
    #expect(text.isEmpty)
  }

  @Test func `nothing is drawn off a terminal`() throws {
    let text = try drawn(TerminalProfile()) { progress, clock in
      clock.advance(.seconds(1))
      progress.update("Reading", done: 1)
    }
    #expect(text.isEmpty)
  }

  @Test func `it never reaches the last column`() throws {
    for columns in 1...90 {
      var narrow = profile
      narrow.columns = columns
      let text = try drawn(narrow) { progress, clock in
        clock.advance(.seconds(1))
        progress.update("Reading\u{1B} people", done: 5, total: 10)
      }
      let line = try #require(text.split(separator: "\u{1B}[K").first).dropFirst()
      #expect(line.count <= max(columns - 1, 1), "\(columns): \(line)")
    }
  }

  @Test func `a rate begins anew with each stage`() throws {
    let text = try drawn(profile) { progress, clock in
      progress.update("One", done: 0)
      clock.advance(.seconds(10))
      progress.update("Two", done: 0)
      clock.advance(.seconds(1))
      progress.update("Two", done: 500)
    }
    #expect(text.contains("Two  500  500/s"))
  }

  @Test func `after the end nothing is drawn`() throws {
    let text = try drawn(profile) { progress, clock in
      progress.finish()
      clock.advance(.seconds(1))
      progress.update("Late", done: 1)
    }
    #expect(text.isEmpty)
  }
}
