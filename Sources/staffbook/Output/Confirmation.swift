import DirectoryModel
import Platform

/// A question to the user at the terminal.
enum Confirmation {
  /// Asks.
  ///
  /// - Parameters:
  ///   - question: Without what may be answered.
  ///   - refusal: What could not be done without an answer, for the error.
  ///   - advice: What to do instead, where the user cannot be asked.
  /// - Returns: Whether the answer was yes.
  /// - Throws: `.refusedForNow` where there is no terminal.
  static func ask(
    _ question: String,
    else refusal: String,
    advice: Advice
  ) throws(DirectoryError) -> Bool {
    guard isPossible else { throw DirectoryError(.refusedForNow, refusal, advice: advice) }
    return answer(to: question)
  }

  /// Whether a user is there.
  static var isPossible: Bool { isatty(STDIN_FILENO) == 1 }

  /// Asks the user.
  static func answer(to question: String) -> Bool {
    Messages.notice("\(question) [y/N]")
    return readLine().map { ["y", "yes"].contains($0.lowercased()) } ?? false
  }
}
