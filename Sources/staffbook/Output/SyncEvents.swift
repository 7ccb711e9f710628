import LiveDirectory
import Synchronization

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
