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
    case .working(.planning): "comparing with the database"
    case .working(.departments): "writing departments"
    case .working(.users): "writing people"
    case .working(.memberships): "writing memberships"
    case .working(.removing): "removing what is gone"
    case .working(.constraints): "checking references"
    }
  }
}

/// What an import did, or would do.
package struct ImportReport: Sendable, CustomStringConvertible {
  package var summary: ImportSummary
  /// What is odd in the files and was taken all the same, the first of `warningCount`.
  package var warnings: [InputProblem]
  package var warningCount: Int
  /// Whether the connection broke at the end, and the server said afterwards that all is in.
  package var wasFoundOut = false
  /// What keeps a dry run's plan from being carried out as it is.
  package var obstacle: DirectoryError?

  package var description: String { summary.text }
}

extension ImportSummary {
  /// The counts on one line.
  package var text: String {
    [
      "departments: \(departments.text)", "people: \(users.text)",
      "memberships: \(memberships.text)",
    ].joined(separator: "; ")
  }
}

extension ImportCounts {
  /// What happens, without what does not.
  fileprivate var text: String {
    let parts = [
      (added, "added"), (changed, "changed"), (moved, "moved"), (removed, "removed"),
      (unchanged, "unchanged"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return parts.isEmpty ? "none" : parts.joined(separator: ", ")
  }
}
