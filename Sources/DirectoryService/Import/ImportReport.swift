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
    case .working(.removing): "removing records"
    case .working(.constraints): "checking references"
    }
  }
}

/// What an import did, or would do.
package struct ImportReport: Sendable {
  package var summary: ImportSummary
  /// What is odd in the files and was taken all the same: the first of it, the same said once.
  package var warnings: [InputProblem]
  /// How much more there is.
  package var furtherWarningCount: Int
  /// Whether the connection broke at the end, and the server said afterwards that all is in.
  package var wasFoundOut = false
  /// What keeps a dry run's plan from being carried out as it is.
  package var obstacle: DirectoryError?
}

extension ImportSummary {
  /// The counts of what is about to be done, on one line.
  var plannedText: String {
    text { $0.text(["add", "change", "move", "remove"], after: "will ") }
  }

  /// The counts of what was done, on one line.
  package var appliedText: String {
    text { $0.text(["added", "changed", "moved", "removed"], after: "") }
  }

  private func text(_ text: (ImportCounts) -> String) -> String {
    "departments: \(text(departments)); people: \(text(users)); memberships: \(text(memberships))"
  }
}

extension ImportCounts {
  /// What is done, without what is not, and how much stays as it is.
  fileprivate func text(_ verbs: [String], after beginning: String) -> String {
    let done = zip(verbs, [added, changed, moved, removed])
      .filter { $0.1 > 0 }
      .map { "\($0.0) \($0.1)" }
    var parts = done.isEmpty ? [] : [beginning + done.joined(separator: ", ")]
    if unchanged > 0 { parts.append("\(unchanged) unchanged") }
    return parts.isEmpty ? "none" : parts.joined(separator: ", ")
  }
}
