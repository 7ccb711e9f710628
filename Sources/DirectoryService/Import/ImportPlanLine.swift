import DirectoryStore

/// A line of what an import is about to do: the counts, or one change by name.
package enum ImportPlanLine: Sendable {
  case summary(ImportSummary, isDryRun: Bool)
  case change(ImportChange)

  /// As a person reads it, on one line.
  ///
  ///     departments: 1 added; people: 1 changed, 1 moved, 1 removed; memberships: none
  ///     + Optics (opt) under Lumen
  ///     ~ Mirrors (mir): name "Mirors" is now "Mirrors"
  ///     > Émile Noé (u3) from Mirrors to Optics; title in Optics "Grinder" is now "Head"
  ///     - Vacant (vac)
  ///
  /// It is data: what it holds may have to be made visible before a terminal shows it.
  package var text: String {
    switch self {
    case .summary(let summary, _): summary.text
    case .change(let change): ImportChangeText.line(change)
    }
  }

  /// As a JSON object: the counts by kind, or a change with its places and values.
  package var json: String {
    switch self {
    case .summary(let summary, let isDryRun): ImportPlanJSON.line(summary, isDryRun: isDryRun)
    case .change(let change): ImportPlanJSON.line(change)
    }
  }
}
