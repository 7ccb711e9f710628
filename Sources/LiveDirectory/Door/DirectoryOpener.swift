import DirectoryModel
import DirectoryReading
import DirectorySnapshot
import Platform
import SiteSettings

/// Opens the directory for one caller.
package struct DirectoryOpener: Sendable {
  private let session: Session

  package init(_ session: Session) { self.session = session }

  /// The directory to read.
  ///
  /// The first time there is no snapshot yet; then, or when it cannot be used, it is made.
  ///
  /// - Parameters:
  ///   - fresh: Whether to bring the snapshot up to the database first.
  ///   - progress: Told how far a sync has come, if there is one.
  /// - Returns: The directory as the snapshot has it, and as the caller sees it.
  /// - Throws: What made a sync impossible, or the snapshot unreadable.
  package func directory(
    fresh: Bool = false,
    progress: (@Sendable (SyncProgress) -> Void)? = nil
  ) async throws(DirectoryError) -> Directory {
    let site = session.site
    // What is wrong with a snapshot is told by the sync that sets it aside.
    if !fresh, let directory = try session.hub.directory(for: session, makesIndex: true) {
      noticeOtherLocale(of: directory)
      return directory
    }
    let patience = fresh ? Self.freshPatience : FileLock.patience
    let report = try await session.synced { site throws(DirectoryError) in
      try await SnapshotSync(site).syncUnlessBusy(
        SyncOptions(),
        patience: patience,
        // Rows are counted with those that are hidden.
        progress: session.caller.viewer == .everything ? progress : nil
      )
    }
    guard let directory = try session.hub.directory(for: session, makesIndex: true) else {
      throw report == nil
        ? site.busyError : DirectoryError(.bug, "cannot find the snapshot that was just written")
    }
    if report == nil {
      site.notice(
        "\(site.snapshots.writer) is still writing the snapshot; showing the previous one"
      )
    }
    return directory
  }

  /// The snapshot as it is, for a question in passing: nothing is made, mended or told for it.
  ///
  /// - Returns: `nil` where there is none that can be used.
  package func directoryAtHand() -> Directory? {
    try? session.hub.directory(for: session, makesIndex: false)
  }

  /// The newest directory that is there, for one of many questions: it may wait while the caller's class
  /// is made, but for no sync.
  ///
  /// - Parameter seen: A state that the caller has seen at another node.
  /// - Returns: The directory, and its state, where states of several nodes can be compared; `nil` where
  ///   what was seen may not have come yet.
  /// - Throws: `.unavailable` where there is no snapshot, and `.noInput` where the state that was seen is
  ///   of tables that were replaced since.
  package func directory(
    notBefore seen: StatePosition?
  ) throws(DirectoryError) -> (directory: Directory, position: StatePosition?)? {
    try session.hub.directory(for: session, notBefore: seen)
  }

  /// When a directory was last found to be its source's state, where that is longer ago than `max_age`
  /// allows.
  ///
  /// - Returns: Seconds since 1970, UTC; `nil` where it is fresh, or no one asked.
  package func staleness(of directory: Directory) -> Int64? {
    guard let limit = session.site.settings.maxAge else { return nil }
    let watermark = session.site.snapshots.watermark(of: directory.checksum)
    let checkedAt = watermark.map { $0.readAt / 1_000_000 } ?? directory.takenAt
    return Int64(Platform.time(nil)) - checkedAt > limit ? checkedAt : nil
  }

  /// How long a look at the newest state waits for another process that writes the snapshot, before
  /// it takes what there is.
  private static let freshPatience = Duration.seconds(10)

  private func noticeOtherLocale(of directory: Directory) {
    let (locale, settings) = (directory.locale, session.site.settings)
    if locale != settings.locale, settings.problems.isEmpty {
      session.site.tell(
        "names are sorted for the locale \(locale); sort them for \(settings.locale) with: \(.sync)"
      )
    }
  }
}

extension Session {
  /// Makes a snapshot where there is none that can be used.
  package func requireSnapshot() async throws(DirectoryError) {
    try await synced { site throws(DirectoryError) in try await site.requireSnapshot() }
  }

  /// What a sync gives; to callers who do not see everything its failure is told in fixed words, since a
  /// refusal counts and names records that are hidden.
  fileprivate func synced<Report: Sendable>(
    _ sync: (Site) async throws(DirectoryError) -> Report
  ) async throws(DirectoryError) -> Report {
    do throws(DirectoryError) {
      return try await sync(site)
    } catch {
      guard caller.viewer != .everything, error.kind != .interrupted else { throw error }
      throw DirectoryError(
        error.kind,
        "cannot bring the directory up to date",
        advice: "an administrator can see the reason with: \(.sync)"
      )
    }
  }
}
