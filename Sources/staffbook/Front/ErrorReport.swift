import ArgumentParser
import DirectoryModel
import DirectoryService
import Terminal

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A list came out empty that somebody looked for: exit status 1, and a line on standard error.
struct NothingFound: Error {
  var hint = "nothing found"
}

/// Turns an error into words and an exit status, once, at the program's end.
enum ErrorReport {
  static func exit(with error: any Error, parser: StaffbookCommand.Type) -> Never {
    switch error {
    case let error as OutputError: exit(afterFailedOutput: error)
    case let error as NothingFound:
      Messages.sayAside(error.hint)
      end(.nothingFound)
    case is ExitCode: parser.exit(withError: error)
    default:
      // What the parser does not know it takes for a plain failure.
      guard parser.exitCode(for: error) == .failure else { parser.exit(withError: error) }
      tell(DirectoryError(describing: error))
    }
  }

  /// A reader that had enough is no failure.
  static func exit(afterFailedOutput error: OutputError) -> Never {
    if error == .closed { end(.done) }
    Messages.sayAside("cannot write the output: \(error)")
    end(.cannotWrite)
  }

  /// `file:line: id: reason`, as compilers have it.
  static func text(of problem: InputProblem) -> String {
    let place = problem.file + (problem.line.map { ":\($0)" } ?? "")
    return place + ": " + (problem.id.map { "\($0): " } ?? "") + problem.reason
  }

  private static func tell(_ error: DirectoryError) -> Never {
    Messages.sayAside(error.message)
    for detail in error.details { Messages.sayAside(detail) }
    for problem in error.problems { Messages.sayAside(text(of: problem)) }
    if error.problemCount > error.problems.count {
      Messages.sayAside("and \(error.problemCount - error.problems.count) more problems")
    }
    if let advice = error.advice { Messages.sayAside(advice) }
    end(ExitStatus(error.kind))
  }

  private static func end(_ status: ExitStatus) -> Never {
    #if canImport(Glibc)
      Glibc.exit(status.rawValue)
    #elseif canImport(Musl)
      Musl.exit(status.rawValue)
    #else
      Darwin.exit(status.rawValue)
    #endif
  }
}
