import DirectoryModel
import DirectoryStore

/// Stops an import that removes much: files that lack much of what is there are more likely a
/// failed export than a company in dissolution.
struct ImportBrake: Sendable {
  /// Names that are told.
  private static let shownNames = 10

  /// What is too much in a plan, or `nil` when it may be carried out.
  static func obstacle(
    to summary: ImportSummary,
    of importer: DirectoryImporter
  ) async throws(DirectoryError) -> DirectoryError? {
    if summary.departments.removed > 0, summary.departments.remaining == 0 {
      return DirectoryError(
        .refusedForNow,
        "cannot import: the files are empty, and all \(summary.departments.removed) "
          + "departments and \(summary.users.removed) people would be removed",
        advice: advice,
        details: try await names(of: .user, summary.users, importer)
      )
    }
    for (kind, name, counts) in [
      (ImportChange.Kind.user, "people", summary.users),
      (.department, "departments", summary.departments),
    ] where DeletionLimit.isPassed(removed: counts.removed, of: counts.before) {
      return DirectoryError(
        .refusedForNow,
        "cannot import: \(counts.removed) of \(counts.before) \(name) would be removed",
        advice: advice,
        details: try await names(of: kind, counts, importer)
      )
    }
    return nil
  }

  private static let advice =
    "nothing was changed; if this is intended, add --accept-deletions"

  private static func names(
    of kind: ImportChange.Kind,
    _ counts: ImportCounts,
    _ importer: DirectoryImporter
  ) async throws(DirectoryError) -> [String] {
    let names = try await importer.removedNames(of: kind, limit: shownNames)
    let rest = counts.removed - names.count
    return names.map { "would be removed: \($0)" } + (rest > 0 ? ["and \(rest) more"] : [])
  }
}

extension ImportCounts {
  /// Rows that are there afterwards and stand in the files.
  fileprivate var remaining: Int { added + changed + moved + unchanged }
  /// Rows that were there.
  fileprivate var before: Int { changed + moved + removed + unchanged }
}
