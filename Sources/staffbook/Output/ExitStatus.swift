import DirectoryModel
import Platform
import Terminal

/// Exit statuses (sysexits(3), and the shell's for an interrupt).
enum ExitStatus: Int32 {
  case done = 0
  case nothingFound = 1
  case usage = 64
  case badData = 65
  case noInput = 66
  case unavailable = 69
  case bug = 70
  case cannotWrite = 73
  case cannotRead = 74
  case refusedForNow = 75
  case notPermitted = 77
  case interrupted = 130

  init(_ kind: DirectoryError.Kind) {
    self =
      switch kind {
      case .notFound: .nothingFound
      case .usage: .usage
      case .badData: .badData
      case .noInput: .noInput
      case .unavailable: .unavailable
      case .bug: .bug
      case .cannotWrite: .cannotWrite
      case .cannotRead: .cannotRead
      case .refusedForNow: .refusedForNow
      case .notPermitted, .notSignedIn: .notPermitted
      case .interrupted: .interrupted
      }
  }
}

extension ExitStatus {
  /// Ends the program.
  func exit() -> Never { Platform.exit(rawValue) }

  /// Ends the program because its output cannot be written; a reader that had enough is not a
  /// failure.
  static func exit(afterFailedOutput error: OutputError) -> Never {
    if error == .closed { done.exit() }
    Messages.sayAside("cannot write the output: \(error)")
    cannotWrite.exit()
  }
}

/// A list came out empty that the user looked for: exit status 1, and a line on standard error.
struct NothingFound: Error {
  var hint = "nothing found"
}
