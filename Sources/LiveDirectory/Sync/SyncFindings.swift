import DirectoryModel
import DirectorySnapshot
import DirectoryStore
import SystemPackage

/// What a sync found: the source's state, and how it differs from what is stored.
struct SyncFindings {
  /// The source's state, ready to be written.
  enum State {
    /// Built of everything that was read.
    case built(DirectoryTree)
    /// What is stored, and changes.
    case updated(SnapshotUpdate)
  }

  let mode: SyncReport.Mode
  /// Why everything was read; `nil` where only changes were.
  let reason: String?
  let changes: ChangeSummary
  let state: State
  let stored: DirectorySnapshot?
  let source: DirectorySource
  /// Where the next check by content goes on.
  let cursor: VerificationCursor

  /// Whether what is stored is to be replaced.
  var hasChanges: Bool { stored == nil || !changes.isEmpty }

  /// How the snapshot of a checksum, which `write(to:metadata:)` gave, came of what was stored;
  /// `nil` where everything was built.
  func succession(to checksum: UInt64) -> SnapshotTransition? {
    guard case .updated(let update) = state, let stored else { return nil }
    return SnapshotTransition(former: stored, rows: update.updatedRows, checksum: checksum)
  }

  /// Puts the state into a snapshot file; `announcing` is told its checksum before it is in its place.
  func write(
    to path: FilePath,
    metadata: SnapshotMetadata,
    announcing: (UInt64) throws(SnapshotError) -> Void
  ) throws(SnapshotError) -> InstalledFile {
    switch state {
    case .built(let tree):
      try tree.write(to: path, metadata: metadata, announcing: announcing)
    case .updated(let update):
      try update.write(to: path, metadata: metadata, announcing: announcing)
    }
  }
}
