import Configuration
import DirectoryModel
import DirectoryStore
import LiveDirectory

extension Site {
  /// The history to look at: the database's own, or of a source of one's own the journal, which needs no
  /// database once there is a snapshot.
  package func openHistory(_ doing: String) async throws(DirectoryError) -> any RecordedHistory {
    guard settings.source.queries != nil else { return try await openRecord(doing) }
    try await requireSnapshot()
    return try DirectoryJournal(self).open()
  }

  /// The database's own history, for whoever changes it or goes by it.
  package func openRecord(_ doing: String) async throws(DirectoryError) -> DirectoryHistory {
    try requireWritable(doing)
    return try await DirectoryHistory(
      conninfo: conninfo(),
      doing: doing,
      access: access
    )
  }
}
