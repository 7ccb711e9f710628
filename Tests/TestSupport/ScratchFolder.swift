import Platform
import SystemPackage

/// A folder of a test's own that goes, with all that it holds, with its last use.
package final class ScratchFolder: Sendable {
  package let path: FilePath
  private let span = TestMeasures.Span()

  /// Makes it (0700) under `TMPDIR`.
  package init() throws { path = try makeTemporaryDirectory() }

  deinit {
    Self.remove(path)
    span.end()
  }

  /// The names in it, sorted.
  package var entries: [String] {
    get throws { try folderEntries(path).sorted() }
  }

  private static func remove(_ folder: FilePath) {
    for name in (try? folderEntries(folder)) ?? [] {
      let entry = folder.appending(name)
      if entry.withPlatformString({ unlink($0) }) != 0 { remove(entry) }
    }
    _ = folder.withPlatformString { rmdir($0) }
  }
}
