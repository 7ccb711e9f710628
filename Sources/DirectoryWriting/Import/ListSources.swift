import DirectoryModel
import DirectoryStore
import LiveDirectory

/// The lists that are imported again and again, by the names that mappings and jobs give them.
package struct ListSources: Sendable {
  private let site: Site

  package init(_ administrator: Administrator) { site = administrator.site }

  /// All of them, by name.
  package func sources() async throws(DirectoryError) -> [RememberedSource] {
    try site.requireWritable("list the lists that were imported")
    return try await editor().list()
  }

  /// Continues a list under another name.
  package func renameSource(_ name: String, to other: String) async throws(DirectoryError) {
    try site.requireWritable("rename a list")
    try await editor().rename(name, to: other)
  }

  /// Ends a list; the records that it brought stay, and belong to none.
  package func removeSource(_ name: String) async throws(DirectoryError) {
    try site.requireWritable("remove a list")
    try await editor().remove(name)
  }

  private func editor() async throws(DirectoryError) -> SourceEditor {
    SourceEditor(conninfo: try await site.conninfo(), access: site.access)
  }
}
