import DirectoryModel
import TextRules

/// What is wrong with the user's files: the first problems in full, and how many there are.
///
/// Warnings are counted beside them and stop nothing. What is said of several places is kept once,
/// with the first of them.
package struct ProblemList: Sendable {
  /// Problems, and warnings, that are kept.
  package let limit: Int
  package private(set) var problems: [InputProblem] = []
  package private(set) var total = 0
  private var foldedWarnings: [RepeatedWarning] = []
  /// Warnings that were not kept.
  package private(set) var furtherWarningCount = 0
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

  /// Counts what a reader of CSV came upon.
  mutating func add(_ problem: CSVProblem, in file: InputFile) {
    let found = InputProblem(
      file: file.name,
      line: problem.line,
      reason: problem.description,
      advice: problem.advice
    )
    if case .unreadable = problem.reason {
      addUnreadable(found)
    } else if problem.isWarning {
      warn(found)
    } else {
      add(found)
    }
  }

  package mutating func warn(_ warning: InputProblem) { warn(RepeatedWarning(first: warning)) }

  /// The first warnings of different reasons, each with the number of places that it is said of.
  package var warnings: [InputProblem] { foldedWarnings.map(\.problem) }

  private mutating func warn(_ warning: RepeatedWarning) {
    if let same = foldedWarnings.firstIndex(where: { $0.first.reason == warning.first.reason }) {
      foldedWarnings[same].count += warning.count
    } else if foldedWarnings.count < limit {
      foldedWarnings.append(warning)
    } else {
      furtherWarningCount += warning.count
    }
  }

  private struct RepeatedWarning {
    var first: InputProblem
    var count = 1

    var problem: InputProblem {
      guard count > 1 else { return first }
      var problem = first
      let others = count == 2 ? "1 other place" : "\(count - 1) other places"
      problem.reason += " (the same in \(others))"
      return problem
    }
  }

  /// Adds what another list holds behind what this one does.
  package mutating func add(contentsOf other: ProblemList) {
    problems += other.problems.prefix(limit - problems.count)
    total += other.total
    for warning in other.foldedWarnings { warn(warning) }
    furtherWarningCount += other.furtherWarningCount
    if other.kind != .badData { kind = other.kind }
  }
}

/// A value that is not ours as a message shows it: in quotes, on one line, harmless and short.
enum QuotedValue {
  /// Columns of the value that are shown; an ellipsis stands for the rest.
  static let columns = 40
  /// Bytes that are looked at: many times what fits, since marks take no column.
  private static let bytes = 512

  /// A value from a reader, which is well-formed UTF-8.
  static func text(_ value: UnsafeRawBufferPointer) -> String {
    var count = min(value.count, bytes)
    while count > 0, count < value.count, value[count] & 0xC0 == 0x80 { count -= 1 }
    let beginning = UnsafeRawBufferPointer(rebasing: value[..<count])
    let visible = VisibleText.visible(String(decoding: beginning, as: UTF8.self))
    let shown = DisplayWidth.prefix(of: visible, columns: columns)
    let isWhole = count == value.count && shown.endIndex == visible.endIndex
    return "\"\(shown)\(isWhole ? "" : "…")\""
  }

  /// A path, whole but harmless.
  static func path(_ path: String) -> String { VisibleText.visible(path) }
}

extension QuotedValue {
  static func text(_ value: [UInt8]) -> String { value.withUnsafeBytes { text($0) } }

  /// A value given as an option, or written into a file of settings.
  static func string(_ value: String) -> String {
    text(Array(value.utf8))
  }
}

/// What a file tells of people and departments and a directory has no place for, counted by name.
struct UnsupportedFields {
  /// Names that a message holds.
  private static let shown = 12

  private var counts: [String: Int] = [:]

  mutating func add(_ name: String, _ count: Int = 1) {
    if count > 0 { counts[name, default: 0] += count }
  }

  mutating func add(contentsOf names: [String]) {
    for name in names { add(name) }
  }

  /// What to tell, the most frequent first; `nil` where nothing was left out.
  var warning: String? {
    guard !counts.isEmpty else { return nil }
    return "ignored unsupported fields: \(list)"
  }

  /// Names and numbers, the largest first.
  var list: String {
    let all = counts.sorted { one, other in
      one.value == other.value
        ? one.key.utf8.lexicographicallyPrecedes(other.key.utf8) : one.value > other.value
    }
    let named = all.prefix(Self.shown).map { name, count in
      "\(QuotedValue.string(name).dropFirst().dropLast()) \(count)"
    }
    let rest = all.count - named.count
    return named.joined(separator: ", ") + (rest > 0 ? ", and \(rest) others" : "")
  }
}
