import Dispatch
import Platform
import Synchronization
import Testing

@testable import Terminal

/// The lines of painted text; each must end with a line feed.
func lines(_ text: [UInt8]) -> [String] {
  let all = String(decoding: text, as: UTF8.self).split(
    separator: "\n",
    omittingEmptySubsequences: false
  )
  return all.dropLast().map { String($0) }
}

/// Columns of a line without colour.
func columnCount(of line: String) -> Int {
  var copy: [UInt8] = []
  return TextRenderer(TerminalProfile()).append(visible: line, limit: .max, to: &copy)
}

struct SystemFailure: Error {
  let code = errno
}

/// Both ends of a pipe, closed when the test is over.
final class Pipe: Sendable {
  let reading: Int32
  let writing: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemFailure() }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    reading = try Self.movedUp(ends[0])
    writing = try Self.movedUp(ends[1])
  }

  deinit {
    close(reading)
    close(writing)
  }

  /// The same descriptor under a number that no one else will get, so closing twice harms no one.
  private static func movedUp(_ descriptor: Int32) throws -> Int32 {
    let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 200)
    close(descriptor)
    guard moved >= 0 else { throw SystemFailure() }
    return moved
  }

  /// Lets the reader see the end: the number stays taken, by something harmless.
  func closeWriting() { Self.replaceByNull(writing) }
  func closeReading() { Self.replaceByNull(reading) }

  private static func replaceByNull(_ descriptor: Int32) {
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    dup2(null, descriptor)
    close(null)
  }

  var hasInput: Bool {
    var request = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, 0) > 0
  }

  /// Reads on a thread of its own, so that a writer in the test may fill the pipe.
  func collect() -> Collected { Collected(self) }

  func readAll() -> [UInt8] {
    var all: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(reading, &piece, piece.count)
      if count <= 0 { return all }
      all.append(contentsOf: piece[..<count])
    }
  }
}

/// What comes out of a pipe until its end.
final class Collected: Sendable {
  private let storage = Mutex<[UInt8]>([])
  private let ended = DispatchSemaphore(value: 0)

  init(_ pipe: Pipe) {
    DispatchQueue.global().async { [self] in
      let all = pipe.readAll()
      storage.withLock { $0 = all }
      ended.signal()
    }
  }

  /// Waits for the end; to be asked once.
  var bytes: [UInt8] {
    ended.wait()
    return storage.withLock { $0 }
  }
}

/// A terminal of which the test holds the other side.
final class PseudoTerminal: Sendable {
  private let master: Int32
  let slave: Int32

  init(columns: UInt16, rows: UInt16) throws {
    var ends: (master: Int32, slave: Int32) = (-1, -1)
    guard openpty(&ends.master, &ends.slave, nil, nil, nil) == 0 else { throw SystemFailure() }
    (master, slave) = ends
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    guard ioctl(slave, UInt(TIOCSWINSZ), &size) == 0 else { throw SystemFailure() }
  }

  deinit {
    close(slave)
    close(master)
  }
}

/// A file of its own under the temporary folder, removed at the end.
final class ScratchFile {
  let path: String

  init() throws {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(folder)/staffbook-test-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw SystemFailure() }
    close(descriptor)
    path = template.withUnsafeBufferPointer {
      String(decoding: $0.dropLast().map { UInt8($0) }, as: UTF8.self)
    }
  }

  deinit { unlink(path) }

  var text: String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes[..<max(count, 0)], as: UTF8.self)
  }
}

/// Sebastiano Vigna's SplitMix64.
struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
