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
  package var summary: ChangeTotals
  /// What is odd in the files and was taken all the same: the first of it, the same said once.
  package var warnings: [InputProblem]
  /// How much more there is.
  package var furtherWarningCount: Int
  /// Whether the connection broke at the end, and the server said afterwards that all is in.
  package var wasFoundOut = false
  /// What keeps a dry run's plan from being carried out as it is.
  package var obstacle: DirectoryError?
}
