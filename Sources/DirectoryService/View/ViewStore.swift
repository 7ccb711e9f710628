import DirectoryModel
import DirectorySnapshot
import SystemPackage

/// The saved view of one source on disk.
package struct ViewStore: Sendable {
  package let folder: FilePath

  package init(folder: FilePath) { self.folder = folder }

  private var path: FilePath { folder.appending("view.json") }

  /// The saved view; `nil` when nothing was saved yet.
  ///
  /// - Parameter notice: Told when a file is there and cannot be read; it is then as if there were
  ///   none, since a view is soon made again.
  /// - Returns: The view.
  package func load(notice: (String) -> Void) -> SavedView? {
    do throws(Errno) {
      let file = try MappedFile(path: path)
      if let view = file.withBytes({ SavedView.decode($0) }) { return view }
      notice("the saved view \(path) cannot be understood; starting with a new one")
    } catch {
      if error != .noSuchFileOrDirectory {
        notice("the saved view \(path) cannot be read (\(error)); starting with a new one")
      }
    }
    return nil
  }

  package func save(_ view: SavedView) throws(DirectoryError) {
    try Folders.create(folder)
    do {
      let bytes = try view.encoded()
      let file = try AtomicFile(
        target: path,
        permissions: .ownerReadWrite,
        existing: .replaced
      )
      try file.descriptor.writeAll(bytes)
      try file.commit()
    } catch {
      throw DirectoryError(
        .cannotWrite,
        "cannot save the view \(path): \(error)",
        advice: "make room, or set XDG_STATE_HOME or STAFFBOOK_HOME to another folder"
      )
    }
  }
}
