import DirectoryModel
import TextRules

/// What is wrong with the user's files: the first problems in full, and how many there are.
///
/// Warnings are counted beside them and stop nothing. Of each kind the first is kept, and what is said
/// of several places in the same words is kept once with the number of places; if `keepsWarnings`, all
/// of them are kept besides.
package struct ProblemList: Sendable {
  /// Problems, and kinds of warnings, that are kept.
  package let limit: Int
  /// Whether every warning is kept.
  package let keepsWarnings: Bool
  package private(set) var problems: [InputProblem] = []
  package private(set) var total = 0
  /// All warnings in their order, if they are kept; otherwise empty.
  package private(set) var allWarnings: [InputProblem] = []
  private var kinds = WarningKinds()
  /// What sort of failure the problems make: bad data, unless a file could not be read.
  package private(set) var kind = DirectoryError.Kind.badData

  package init(limit: Int = 20, keepsWarnings: Bool = false) {
    self.limit = limit
    self.keepsWarnings = keepsWarnings
  }

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

  /// Counts a warning.
  ///
  /// - Parameters:
  ///   - warning: What is odd, and where.
  ///   - kind: Warnings of the same kind have the same; by default, the reason without the values that
  ///     are quoted in it.
  package mutating func warn(_ warning: InputProblem, of kind: String? = nil) {
    kinds.add(warning, kind ?? WarningKinds.kind(of: warning.reason))
    if keepsWarnings { allWarnings.append(warning) }
  }

  /// Counts a warning that sums up others.
  ///
  /// - Parameters:
  ///   - summary: What is said of all of them.
  ///   - all: Each of them, if they are kept.
  mutating func warn(_ summary: InputProblem, of all: [InputProblem]) {
    kinds.add(summary, WarningKinds.kind(of: summary.reason))
    if keepsWarnings { allWarnings += all }
  }

  /// The first warning of each kind, with the number of places of which the same is said.
  package var warnings: [InputProblem] { kinds.first(limit) }

  /// Warnings that are not among `warnings`.
  package var furtherWarningCount: Int { kinds.furtherCount(limit) }

  /// The number of warnings that are not among `warnings`, with how many there are of each kind; `nil`
  /// if there are none.
  ///
  ///     126 more warnings, by kind: manager … matches no name in the files (120); … (6)
  package var furtherWarnings: String? { kinds.further(limit) }

  /// Adds what another list holds behind what this one does.
  package mutating func add(contentsOf other: ProblemList) {
    problems += other.problems.prefix(limit - problems.count)
    total += other.total
    kinds.add(contentsOf: other.kinds)
    if keepsWarnings { allWarnings += other.allWarnings }
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
