import DirectoryModel
import DirectoryStore
import LiveDirectory

/// The lists that are imported again and again, by the names that mappings and jobs give them.
package struct ListSources: Sendable {
  private let session: Session

  package init(_ administrator: Administrator) { session = administrator.session }

  /// All of them, by name.
  package func sources() async throws(DirectoryError) -> [StoredListSource] {
    try session.site.requireWritable("list the lists that were imported")
    return try await session.databaseEditor().lists()
  }

  /// Continues a list under another name.
  package func renameSource(_ name: String, to other: String) async throws(DirectoryError) {
    try session.site.requireWritable("rename a list")
    try await session.databaseEditor().renameList(name, to: other)
  }

  /// Ends a list; the records that it brought stay, and belong to none.
  package func removeSource(_ name: String) async throws(DirectoryError) {
    try session.site.requireWritable("remove a list")
    try await session.databaseEditor().removeList(name)
  }
}
