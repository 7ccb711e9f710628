import DirectorySnapshot

/// Why a search gives no answer.
package enum SearchError: Error, Equatable {
  /// The query passes a limit.
  case refused(SearchQuery.Refusal)
  /// The deadline passed before the answer was known.
  case late
  /// The task was cancelled.
  case cancelled
  /// The snapshot cannot be read.
  case snapshot(SnapshotError)
}

/// Asks now and then whether a search should still go on.
struct SearchDeadline {
  private let deadline: ContinuousClock.Instant?

  init(_ deadline: ContinuousClock.Instant?) { self.deadline = deadline }

  /// Whether `check()` throws, from now on each time.
  var isOver: Bool {
    if let deadline, ContinuousClock.now >= deadline { return true }
    return Task.isCancelled
  }

  /// - Throws: `.cancelled` when the current task is, `.late` when the deadline has passed.
  func check() throws(SearchError) {
    if Task.isCancelled { throw .cancelled }
    if let deadline, ContinuousClock.now >= deadline { throw .late }
  }
}

extension SearchError {
  /// Runs what reads the snapshot.
  static func reading<Result>(
    _ body: () throws(SnapshotError) -> Result
  ) throws(SearchError) -> Result {
    do throws(SnapshotError) {
      return try body()
    } catch {
      throw error == .interrupted ? .cancelled : .snapshot(error)
    }
  }
}
