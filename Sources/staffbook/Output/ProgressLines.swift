import Administration
import DirectoryWriting
import LiveDirectory
import Platform
import Synchronization
import Terminal

/// Shows on a terminal how far a sync, an import or a backup has come.
struct ProgressLine: Sendable {
  private let progress = Progress(
    descriptor: STDERR_FILENO,
    profile: Messages.errorProfile
  )

  func show(_ state: SyncProgress) {
    switch state {
    case .reading(let rows, let expected):
      progress.update("Reading the database", done: rows, total: expected)
    case .building: progress.update("Building the tree", done: 0)
    case .writing: progress.update("Writing the snapshot", done: 0)
    case .indexing: progress.update("Building the search index", done: 0)
    }
  }

  func show(_ state: ImportProgress) {
    if case .reading(let file, let rows) = state {
      progress.update("Reading \(file)", done: rows)
    } else {
      progress.update("\(state)", done: 0)
    }
  }

  func show(_ state: BackupProgress) {
    switch state {
    case .writing: progress.update("Writing the backup", done: 0)
    case .checking(let rows, let expected):
      progress.update("Checking the backup", done: rows, total: expected)
    case .restoring(let rows, let expected):
      progress.update("Restoring the backup", done: rows, total: expected)
    }
  }

  /// Makes room for something else; the next state shows it again.
  func clear() { progress.clear() }

  func finish() { progress.finish() }

  /// Syncs, and shows how far that has come.
  static func sync(
    _ administrator: Administrator,
    _ options: SyncOptions = SyncOptions()
  ) async throws {
    let line = ProgressLine()
    defer { line.finish() }
    _ = try await SnapshotSync(administrator).sync(options) { line.show($0) }
  }
}

/// Tells programs how far a sync has come: a line for each phase, and now and then for rows.
final class SyncEvents: Sendable {
  private struct State {
    var phase = ""
    var told: ContinuousClock.Instant?
  }

  private static let interval = Duration.milliseconds(250)
  private let state = Mutex(State())

  func show(_ progress: SyncProgress) {
    state.withLock { state in
      let now = ContinuousClock.now
      if state.phase == progress.phase, let told = state.told, now - told < Self.interval { return }
      state.phase = progress.phase
      state.told = now
      Messages.data(progress.json)
    }
  }
}
