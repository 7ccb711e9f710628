import DirectoryModel
import DirectoryStore

/// How far an import has come.
package enum ImportProgress: Sendable, CustomStringConvertible {
  case reading(file: String, rows: Int)
  case working(ImportPhase)

  package var description: String {
    switch self {
    case .reading(let file, let rows): "reading \(file): \(rows) rows"
    case .working(.checking): "checking"
    case .working(.departments): "writing departments"
    case .working(.users): "writing people"
    case .working(.memberships): "writing memberships"
    case .working(.removing): "removing what is gone"
    case .working(.constraints): "checking references"
    }
  }
}

/// What an import did.
package struct ImportReport: Sendable, CustomStringConvertible {
  package var summary: ImportSummary
  /// What is odd in the files and was taken all the same, the first of `warningCount`.
  package var warnings: [InputProblem]
  package var warningCount: Int

  package var description: String {
    [
      "departments: \(summary.departments.text)", "people: \(summary.users.text)",
      "memberships: \(summary.memberships.text)",
    ].joined(separator: "; ")
  }
}

extension ImportCounts {
  /// What happened, without what did not.
  fileprivate var text: String {
    let parts = [
      (added, "added"), (changed, "changed"), (removed, "removed"), (unchanged, "unchanged"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return parts.isEmpty ? "none" : parts.joined(separator: ", ")
  }
}
