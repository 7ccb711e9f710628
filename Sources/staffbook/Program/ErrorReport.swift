import ArgumentParser
import DirectoryModel
import LiveDirectory
import Platform
import Terminal

/// Turns an error into words and an exit status, once, at the program's end.
enum ErrorReport {
  static func exit(with error: any Error) -> Never {
    switch error {
    case let error as OutputError: ExitStatus.exit(afterFailedOutput: error)
    case let error as NothingFound:
      Messages.sayAside(error.hint)
      ExitStatus.nothingFound.exit()
    case let error as ExitCode: Platform.exit(error.rawValue)
    default: tell(error)
    }
  }

  private static func tell(_ error: any Error) -> Never {
    switch StaffbookCommand.exitCode(for: error) {
    case .success:
      Messages.help(StaffbookCommand.fullMessage(for: error))
      ExitStatus.done.exit()
    case .validationFailure:
      for line in UsageReport.lines(for: error) { Messages.sayAside(line) }
      ExitStatus.usage.exit()
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
    ExitStatus(error.kind).exit()
  }
}
