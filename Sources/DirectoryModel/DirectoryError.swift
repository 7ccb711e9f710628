/// What a use case could not do, in words for the person who asked for it.
///
/// It is the one error that crosses module borders; a front turns `kind` into an exit status, an
/// HTTP status or the like. `message` says what was being done, to what, and why it failed, in
/// lower case and without a full stop; `advice` says what to do.
package struct DirectoryError: Error, Equatable, CustomStringConvertible {
  /// What sort of failure it is; callers match this, never the text.
  package enum Kind: Sendable {
    /// Nothing by that name or query, or more than one.
    case notFound
    /// The command line makes no sense.
    case usage
    /// The input or the stored data breaks the rules.
    case badData
    /// An input file is missing.
    case noInput
    /// The database cannot be reached.
    case unavailable
    /// Staffbook itself is wrong.
    case bug
    /// A file or the database cannot be written.
    case cannotWrite
    /// A file cannot be read.
    case cannotRead
    /// Refused now, by a brake that the caller can lift, or because of a passing conflict.
    case refusedForNow
    /// The system or the database does not permit it.
    case notPermitted
    /// The caller is not, or not any more, the one who signed in.
    case notSignedIn
    /// The person interrupted it.
    case interrupted
  }

  package var kind: Kind
  package var message: String
  package var advice: Advice?
  /// What the message is about, a line each, such as the first names of what would be removed.
  package var details: [String]
  /// The places in the input that are wrong, the first ones of `problemCount`.
  package var problems: [InputProblem]
  package var problemCount: Int

  package init(
    _ kind: Kind,
    _ message: String,
    advice: Advice? = nil,
    details: [String] = [],
    problems: [InputProblem] = [],
    problemCount: Int = 0
  ) {
    self.kind = kind
    self.message = message
    self.advice = advice
    self.details = details
    self.problems = problems
    self.problemCount = problemCount
  }

  /// With advice that has no remedies in it.
  package init(
    _ kind: Kind,
    _ message: String,
    advice: String?,
    details: [String] = [],
    problems: [InputProblem] = [],
    problemCount: Int = 0
  ) {
    self.init(
      kind,
      message,
      advice: advice.map { Advice($0) },
      details: details,
      problems: problems,
      problemCount: problemCount
    )
  }

  package var description: String { message }
}

extension DirectoryError {
  /// The task was cancelled.
  package static let interrupted = DirectoryError(.interrupted, "interrupted")

  /// For what computes long: ends it where the task is cancelled.
  package static func checkCancellation() throws(DirectoryError) {
    if Task.isCancelled { throw .interrupted }
  }
}

/// One thing that is wrong with a file the user gave us.
package struct InputProblem: Hashable, Sendable {
  /// The file's name as the person gave it.
  package var file: String
  /// The first line of the record, from 1; `nil` when the whole file is meant.
  package var line: Int?
  /// The record's id where it could be read.
  package var id: String?
  package var reason: String
  /// What to do about it.
  package var advice: Advice?

  package init(
    file: String,
    line: Int? = nil,
    id: String? = nil,
    reason: String,
    advice: Advice? = nil
  ) {
    self.file = file
    self.line = line
    self.id = id
    self.reason = reason
    self.advice = advice
  }

  /// `file:line: id: reason; advice`, as compilers have it.
  ///
  /// - Parameter words: What a front calls a remedy.
  /// - Returns: One line.
  package func text(_ words: (Remedy) -> String) -> String {
    let place = file + (line.map { ":\($0)" } ?? "")
    return place + ": " + (id.map { "\($0): " } ?? "") + reason
      + (advice.map { "; \($0.text(words))" } ?? "")
  }
}
