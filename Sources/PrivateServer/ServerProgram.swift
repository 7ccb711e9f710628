import Subprocess
import SystemPackage

/// One of PostgreSQL's programs, run to its end.
struct ServerProgram {
  /// What it left behind.
  struct Outcome {
    /// The exit status; 128 and the signal's number when a signal ended it.
    var status: Int32
    var output: String
    var error: String

    var succeeded: Bool { status == 0 }

    /// The line that says why it failed.
    var reason: String {
      LogText.lastMeaningfulLine(in: error) ?? LogText.lastMeaningfulLine(in: output)
        ?? "it ended with status \(status)"
    }
  }

  var path: FilePath
  var arguments: [String]
  /// Where it runs, so that no path of ours passes through a shell of theirs.
  var folder: FilePath?
  /// Whom it runs as; `nil` is ourselves.
  var account: ServerAccount?
  var input = ""

  /// All that the server's programs see of our environment: `PG*` and the locale do not reach them.
  private static let environment: Environment = .custom([
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C",
  ])

  /// Runs it in a session of its own, with no descriptor of ours but its three streams.
  func run() async throws(PrivateServerError) -> Outcome {
    do {
      let limit = 1 << 24
      let words = command
      let result = try await Subprocess.run(
        .path(FilePath(words[0])),
        arguments: Arguments(Array(words.dropFirst())),
        environment: Self.environment,
        workingDirectory: folder,
        platformOptions: options,
        input: .string(input),
        output: .bytes(limit: limit),
        error: .bytes(limit: limit)
      )
      return Outcome(
        status: result.terminationStatus.shellStatus,
        output: String(decoding: result.standardOutput, as: UTF8.self),
        error: String(decoding: result.standardError, as: UTF8.self)
      )
    } catch is CancellationError {
      throw .interrupted
    } catch {
      guard !Task.isCancelled else { throw .interrupted }
      throw .cannotRun(path, reason: "\(error)")
    }
  }

  private var options: PlatformOptions {
    var options = PlatformOptions()
    options.createSession = true
    return options
  }

  /// The program and its arguments, behind `setpriv` (util-linux) where it runs as another account.
  ///
  /// Subprocess can switch accounts itself, between fork and exec; but there glibc's setgroups may
  /// wait for ever for a thread that only the parent has (nptl, __nptl_setxid).
  private var command: [String] {
    guard let account, account.isOther else { return [path.string] + arguments }
    return [
      "/usr/bin/setpriv", "--reuid=\(account.userID)", "--regid=\(account.groupID)",
      "--clear-groups", "--", path.string,
    ] + arguments
  }
}

extension TerminationStatus {
  fileprivate var shellStatus: Int32 {
    switch self {
    case .exited(let code): code
    case .signaled(let signal): 128 + signal
    }
  }
}

/// What servers and their programs write for people.
package enum LogText {
  private static let failures = ["PANIC:", "FATAL:", "ERROR:", "error:"]

  /// The line that says why something failed, from its `FATAL:` or the like on: the last that
  /// blames the disk or permissions, since others follow from that, else the last such line,
  /// else the last that is not empty.
  package static func lastMeaningfulLine(in text: String) -> String? {
    let lines = text.split { $0 == "\n" || $0 == "\r" }.map(\.trimmingBlanks)
      .filter { !$0.isEmpty }
    let reasons = lines.compactMap(reason)
    return reasons.last { PrivateServerError.Cause(message: $0) != .other } ?? reasons.last
      ?? lines.last.map(String.init)
  }

  /// What follows a line's `FATAL:` or the like.
  private static func reason(in line: Substring) -> String? {
    for marker in failures {
      if let start = position(of: marker, in: line) {
        return String(line[start...].dropFirst(marker.count).trimmingBlanks)
      }
    }
    return nil
  }

  private static func position(of marker: String, in line: Substring) -> Substring.Index? {
    line.indices.first { line[$0...].hasPrefix(marker) }
  }
}
