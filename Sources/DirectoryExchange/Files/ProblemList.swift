import DirectoryModel

/// What is wrong with somebody's files: the first problems in full, and how many there are.
///
/// Warnings are counted beside them and stop nothing.
package struct ProblemList: Sendable {
  /// Problems, and warnings, that are kept.
  package let limit: Int
  package private(set) var problems: [InputProblem] = []
  package private(set) var total = 0
  package private(set) var warnings: [InputProblem] = []
  package private(set) var warningTotal = 0
  /// What sort of failure the problems make: bad data, unless a file could not be read.
  package private(set) var kind = DirectoryError.Kind.badData

  package init(limit: Int = 20) { self.limit = limit }

  package var isEmpty: Bool { total == 0 }

  /// Counts a problem and, while there are few, keeps it; otherwise it is never made.
  package mutating func add(_ problem: @autoclosure () -> InputProblem) {
    total += 1
    if problems.count < limit { problems.append(problem()) }
  }

  package mutating func addUnreadable(_ problem: InputProblem) {
    kind = .cannotRead
    add(problem)
  }

  package mutating func warn(_ warning: @autoclosure () -> InputProblem) {
    warningTotal += 1
    if warnings.count < limit { warnings.append(warning()) }
  }

  /// Adds what another list holds behind what this one does.
  package mutating func add(contentsOf other: ProblemList) {
    problems += other.problems.prefix(limit - problems.count)
    total += other.total
    warnings += other.warnings.prefix(limit - warnings.count)
    warningTotal += other.warningTotal
    if other.kind != .badData { kind = other.kind }
  }

  /// The error that carries the problems, or `nil` when there are none.
  ///
  /// `message` says what could not be done, as in `cannot import ./company`.
  package func error(_ message: String, advice: String? = nil) -> DirectoryError? {
    guard total > 0 else { return nil }
    return DirectoryError(
      kind,
      message,
      advice: advice,
      problems: problems,
      problemCount: total
    )
  }
}
