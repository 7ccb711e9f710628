import DirectoryModel
import DirectoryReading
import SiteSettings

/// What the user has left open in the tree, from one command to the next.
package struct SavedViews: Sendable {
  private let site: Site
  private let store: ViewStore

  package init(_ session: Session) {
    site = session.site
    store = ViewStore(folder: site.stateFolder)
  }

  /// The view that the user saved, or the one a first run shows.
  ///
  /// - Parameters:
  ///   - directory: The directory to show.
  ///   - levels: How many levels stand open where nothing was saved.
  /// - Returns: The view.
  /// - Throws: When the snapshot is damaged.
  package func view(
    of directory: Directory,
    levels: Int = 1
  ) throws(DirectoryError) -> SavedView {
    if let saved = store.load(notice: site.notice) { return saved }
    return try .initial(levels: levels, of: directory)
  }

  /// Changes the saved view, under its lock: of two changes at the same moment none is lost.
  ///
  /// - Parameters:
  ///   - directory: The directory to show.
  ///   - change: What becomes of the view as it was saved last.
  /// - Returns: The view as it is saved now.
  /// - Throws: What `change` throws, or why the view cannot be saved.
  package func change(
    of directory: Directory,
    _ change: (inout SavedView) throws -> Void
  ) async throws -> SavedView {
    try site.settings.folders.createHome()
    let lock = try await store.lock {
      site.notice("waiting for another staffbook that is changing the saved view")
    }
    var view = try view(of: directory)
    try change(&view)
    try store.save(view)
    // The lock is held to here.
    _ = consume lock
    return view
  }
}
