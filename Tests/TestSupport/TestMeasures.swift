import Platform
import Synchronization
import SystemPackage

/// Records the time that each test uses and waits, and what the tests start.
///
/// The events of Swift Testing do not tell the time: all tests begin at once, and `testStarted`
/// may be posted long before a test runs, and `testEnded` long after. Each measure is appended at once
/// to the file that `STAFFBOOK_TEST_MEASURES` names, so that a crash loses none. Tests/TestReport/report.py
/// adds up its lines:
///
///     used SECONDS TEST      with a database, a folder, a program or a server of its own
///     waited SECONDS TEST    for a turn
///     program 1 NAME         started
///     database 1 KIND        created: `copied` from a template, or `empty`
package enum TestMeasures {
  private struct Recording {
    let file: FileDescriptor
    let currentTest: @Sendable () -> String?
    var uses: [String: Use] = [:]

    func write(_ line: String) {
      // A measure that cannot be written is not worth a test.
      _ = try? file.writeAll("\(line)\n".utf8)
    }
  }

  /// A test's open spans; time in several of them counts once.
  private struct Use {
    let began: ContinuousClock.Instant
    var spans = 0
    var waited = Duration.zero
  }

  private static let recording = Mutex<Recording?>(nil)

  /// Begins to record, if `STAFFBOOK_TEST_MEASURES` names a file.
  ///
  /// - Parameter currentTest: Names the running test as the events do. This module does not ask Swift
  ///   Testing for it, since it is also linked into static programs, for which Swift Testing has no library.
  /// - Throws: `Errno`, when the file cannot be opened.
  package static func record(
    currentTest: @escaping @Sendable () -> String?
  ) throws {
    guard let path = environmentValue("STAFFBOOK_TEST_MEASURES") else { return }
    let file = try FileDescriptor.open(
      FilePath(path),
      .writeOnly,
      options: [.append, .closeOnExec]
    )
    recording.withLock { $0 = Recording(file: file, currentTest: currentTest) }
  }

  /// Counts a program that is about to be started.
  static func countProgram(_ path: FilePath) {
    recording.withLock { $0?.write("program 1 \(path.lastComponent?.string ?? path.string)") }
  }

  /// Counts a database of the test server.
  static func countDatabase(isCopied: Bool) {
    recording.withLock { $0?.write("database 1 \(isCopied ? "copied" : "empty")") }
  }

  /// Adds time that the running test has waited for others.
  static func addWait(_ time: Duration) {
    recording.withLock {
      guard let test = $0?.currentTest() else { return }
      $0?.uses[test]?.waited += time
      $0?.write("waited \(time / .seconds(1)) \(test)")
    }
  }

  /// The time for which a test has something of its own.
  struct Span: Sendable {
    fileprivate let test: String?

    /// Begins a span of the running test.
    init() {
      test = recording.withLock {
        guard let test = $0?.currentTest() else { return nil }
        $0?.uses[test, default: Use(began: .now)].spans += 1
        return test
      }
    }

    func end() {
      guard let test else { return }
      recording.withLock {
        guard var use = $0?.uses.removeValue(forKey: test) else { return }
        use.spans -= 1
        guard use.spans == 0 else {
          $0?.uses[test] = use
          return
        }
        let time = max(.zero, ContinuousClock.now - use.began - use.waited)
        $0?.write("used \(time / .seconds(1)) \(test)")
      }
    }
  }
}
