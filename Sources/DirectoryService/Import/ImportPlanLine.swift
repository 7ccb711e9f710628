import DirectoryStore

/// A line of what an import is about to do: the counts, or one change by name; or, once it is
/// committed, the counts of what it did.
package enum ImportPlanLine: Sendable {
  case summary(ImportSummary, isDryRun: Bool)
  case change(ImportChange)
  case applied(ImportSummary)

  /// As a person reads it, on one line.
  ///
  ///     departments: will add 1; people: will change 1, move 1, remove 1; memberships: none
  ///     + Optics (opt) under Lumen
  ///     ~ Mirrors (mir): name "Mirors" is now "Mirrors"
  ///     > Émile Noé (u3) from Mirrors to Optics; title in Optics "Grinder" is now "Head"
  ///     - Vacant (vac)
  ///     departments: added 1; people: changed 1, moved 1, removed 1; memberships: none
  ///
  /// It is data: what it holds may have to be made visible before a terminal shows it.
  package var text: String {
    switch self {
    case .summary(let summary, _): summary.plannedText
    case .change(let change): ImportChangeText.line(change)
    case .applied(let summary): summary.appliedText
    }
  }

  /// As a JSON object: the counts by kind, or a change with its places and values.
  package var json: String {
    switch self {
    case .summary(let summary, let isDryRun):
      ImportPlanJSON.line(summary, isDryRun: isDryRun, isApplied: false)
    case .change(let change): ImportPlanJSON.line(change)
    case .applied(let summary): ImportPlanJSON.line(summary, isDryRun: false, isApplied: true)
    }
  }
}
