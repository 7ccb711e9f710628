import Configuration
import DirectoryModel
import DirectoryReading
import DirectorySnapshot
import Platform
import Synchronization

/// Opens the directory of a session's source.
package struct DirectoryDoor: Sendable {
  private let session: Session
  private let missMe: @Sendable () -> Void

  package init(_ session: Session) {
    self.session = session
    let me = session.settings.me ?? ""
    let (once, tell) = (Once(), session.tell)
    missMe = {
      once.run {
        tell(
          Advice(
            "ignoring me in config.yaml: nobody, or more than one person, is called \(me); "
              + "set it to your id or your email address"
          )
        )
      }
    }
  }

  /// The directory to read.
  ///
  /// The first time there is no snapshot yet; then, or when it cannot be used, it is made.
  ///
  /// - Parameters:
  ///   - fresh: Whether to bring the snapshot up to the database first.
  ///   - progress: Told how far a sync has come, if there is one.
  /// - Returns: The directory as the snapshot has it.
  /// - Throws: What made a sync impossible, or the snapshot unreadable.
  package func directory(
    fresh: Bool = false,
    progress: (@Sendable (SyncProgress) -> Void)? = nil
  ) async throws(DirectoryError) -> Directory {
    let store = session.snapshots
    // What is wrong with a snapshot is told by the sync that sets it aside.
    if !fresh, let directory = try store.open(searchSupport, for: asker, notice: { _ in }) {
      noticeOtherLocale(of: directory)
      return directory
    }
    let patience = fresh ? Self.freshPatience : FileLock.patience
    let sync = SnapshotSync(session)
    let report = try await sync.syncUnlessBusy(
      SyncOptions(),
      patience: patience,
      progress: progress
    )
    guard let directory = try store.open(searchSupport, for: asker, notice: session.notice) else {
      throw report == nil
        ? sync.busyError : DirectoryError(.bug, "cannot find the snapshot that was just written")
    }
    if report == nil {
      session.notice("\(store.writer) is still writing the snapshot; showing the previous one")
    }
    return directory
  }

  /// The snapshot as it is, for a question in passing: nothing is made, mended or told for it.
  ///
  /// - Returns: `nil` where there is none that can be used.
  package func directoryAtHand() -> Directory? {
    let store = session.snapshots
    let support = SearchSupport(phones: session.settings.phones, index: store.searchIndexPath)
    return try? store.open(support) { _ in }
  }

  /// A directory of a state that is no file in the store.
  package func directory(of snapshot: DirectorySnapshot) throws(SnapshotError) -> Directory {
    try Directory(snapshot, for: .everything, searchSupport.withoutIndex, asker: asker)
  }

  /// When a directory was last found to be its source's state, where that is longer ago than `max_age`
  /// allows.
  ///
  /// - Returns: Seconds since 1970, UTC; `nil` where it is fresh, or nobody asked.
  package func oldAge(of directory: Directory) -> Int64? {
    guard let limit = session.settings.maxAge else { return nil }
    let watermark = session.snapshots.watermark(of: directory.checksum)
    let checkedAt = watermark.map { $0.readAt / 1_000_000 } ?? directory.takenAt
    return Int64(Platform.time(nil)) - checkedAt > limit ? checkedAt : nil
  }

  /// How long a look at the newest state waits for somebody else who writes the snapshot, before it
  /// takes what there is.
  private static let freshPatience = Duration.seconds(10)

  private func noticeOtherLocale(of directory: Directory) {
    let (locale, settings) = (directory.locale, session.settings)
    if locale != settings.locale, settings.problems.isEmpty {
      session.tell(
        "names are sorted for the locale \(locale); sort them for \(settings.locale) with: \(.sync)"
      )
    }
  }

  /// Who asks.
  private var asker: Asker { Asker(me: session.settings.me, missMe: missMe) }

  /// With fewer people a search without an index is quick enough not to make one for it.
  private static let worthIndexing = 2_000

  /// What searches of the source's directory go by.
  ///
  /// Where the index is missing or of another state it is made, if nobody else is writing just now;
  /// where that is not possible, searches look at every record.
  private var searchSupport: SearchSupport {
    let (store, phones, notice) = (session.snapshots, session.settings.phones, session.notice)
    var support = SearchSupport(phones: phones, index: store.searchIndexPath)
    support.makeIndex = { snapshot in
      guard let people = try? snapshot.users().count, people >= Self.worthIndexing,
        let lock = try? FileLock.tryAcquire(store.lockPath),
        // The index is of the snapshot in place: who reads the one before must not replace it.
        (try? DirectorySnapshot(path: store.path))?.checksum == snapshot.checksum
      else { return }
      notice("building the search index, which is done once")
      _ = try? store.updateSearchIndex(of: snapshot, phones: phones)
      _ = consume lock
    }
    support.discardIndex = { store.discardSearchIndex() }
    return support
  }
}

/// Something that is done the first time.
private final class Once: Sendable {
  private let isDone = Mutex(false)

  func run(_ body: () -> Void) {
    let isFirst = isDone.withLock { isDone in
      defer { isDone = true }
      return !isDone
    }
    if isFirst { body() }
  }
}
