import DirectoryModel
import DirectoryStore
import LiveDirectory
import SiteSettings

/// Who may see whom.
package struct VisibilityAdministration: Sendable {
  let session: Session

  package init(_ administrator: Administrator) { session = administrator.session }

  var site: Site { session.site }

  /// The rules in order and the groups, as the database has them now; of a source of one's own those of
  /// the configuration.
  package func rules() async throws(DirectoryError) -> VisibilityRules {
    if let queries = site.settings.source.queries { return queries.visibility }
    return try await session.databaseEditor().visibilityRules()
  }

  /// Replaces the whole list in one transaction; the next sync brings it to readers.
  ///
  /// - Parameters:
  ///   - rules: The new list, in which rules keep their numbers, and new ones have 0.
  ///   - former: The list that the new one was made of.
  ///   - reason: The reason, recorded in the history.
  /// - Throws: `.refusedForNow` where the list is another one by now, `.badData` for one that is not
  ///   sound, `.notPermitted` for database users who are not members of `staffbook_admin`; nothing is
  ///   changed then.
  package func write(
    _ rules: VisibilityRules,
    replacing former: VisibilityRules,
    reason: String? = nil
  ) async throws(DirectoryError) {
    try site.requireWritable("change the visibility rules")
    try await session.databaseEditor(reason: reason).write(rules, replacing: former)
  }
}
