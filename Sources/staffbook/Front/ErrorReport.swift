import ArgumentParser
import DirectoryModel
import LiveDirectory
import Platform
import Terminal

/// A list came out empty that somebody looked for: exit status 1, and a line on standard error.
struct NothingFound: Error {
  var hint = "nothing found"
}

/// Turns an error into words and an exit status, once, at the program's end.
enum ErrorReport {
  static func exit(with error: any Error) -> Never {
    switch error {
    case let error as OutputError: exit(afterFailedOutput: error)
    case let error as NothingFound:
      Messages.sayAside(error.hint)
      end(.nothingFound)
    case let error as ExitCode: Platform.exit(error.rawValue)
    default: tell(error)
    }
  }

  /// A reader that had enough is no failure.
  static func exit(afterFailedOutput error: OutputError) -> Never {
    if error == .closed { end(.done) }
    Messages.sayAside("cannot write the output: \(error)")
    end(.cannotWrite)
  }

  private static func tell(_ error: any Error) -> Never {
    switch StaffbookCommand.exitCode(for: error) {
    case .success:
      Messages.help(StaffbookCommand.fullMessage(for: error))
      end(.done)
    case .validationFailure:
      for line in UsageReport.lines(for: error) { Messages.sayAside(line) }
      end(.usage)
    // What the parser does not know it takes for a plain failure.
    default: tell(DirectoryError(describing: error))
    }
  }

  private static func tell(_ error: DirectoryError) -> Never {
    Messages.sayAside(error.message)
    for detail in error.details { Messages.sayAside(detail) }
    for problem in error.problems { Messages.sayAside(problem.words) }
    if error.problemCount > error.problems.count {
      Messages.sayAside("and \(error.problemCount - error.problems.count) more problems")
    }
    if let advice = error.advice { Messages.sayAside(advice.words) }
    end(ExitStatus(error.kind))
  }

  private static func end(_ status: ExitStatus) -> Never { Platform.exit(status.rawValue) }
}
