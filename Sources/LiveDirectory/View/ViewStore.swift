import DirectoryModel
import DirectoryReading
import Platform
import SiteSettings
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
      notice("the saved view \(path) is damaged; starting with a new one")
    } catch {
      if error != .noSuchFileOrDirectory {
        notice("the saved view \(path) cannot be read (\(error)); starting with a new one")
      }
    }
    return nil
  }

  /// Takes the lock under which the view is read, changed and saved; the folder is made where it is
  /// missing.
  package func lock(waiting: () -> Void) async throws(DirectoryError) -> FileLock {
    try Folders.create(folder)
    let path = folder.appending("view.lock")
    if let lock = try await FileLock.wait(for: path, waiting: waiting) { return lock }
    throw DirectoryError(
      .refusedForNow,
      "cannot change the saved view: \(FileLock.holder(of: path)) is still changing it",
      advice: "wait until it is done, or end it, and try again"
    )
  }

  /// Puts a view in the place of the one before; the caller holds the lock.
  package func save(_ view: SavedView) throws(DirectoryError) {
    do {
      try AtomicFile.replace(path, with: view.encoded())
    } catch {
      throw DirectoryError(
        .cannotWrite,
        "cannot save the view \(path): \(error)",
        advice: ((error as? Errno) ?? .ioError).adviceForWriting(
          or: "set XDG_STATE_HOME or STAFFBOOK_HOME to another folder"
        )
      )
    }
  }
}
