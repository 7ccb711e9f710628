import DirectoryModel
import DirectoryReading
import DirectorySnapshot
import DirectoryStore
import LiveDirectory
import Platform
import SiteSettings

extension HistoryReader {
  /// The directory as it was at a time.
  ///
  /// It is today's, with what changed since put back; the snapshot is brought up to date first, unless the
  /// process does that by itself.
  ///
  /// - Parameters:
  ///   - words: The time, in words.
  ///   - progress: Told how far the sync has come.
  /// - Returns: A directory that no other caller sees, and that is deleted with its last reader.
  /// - Throws: `.usage` for what is not a valid time, `.notFound` for one before history begins.
  /// - Complexity: What changed since, and O(bytes of the snapshot) at about the speed of memory.
  package func directory(
    asOf words: String,
    progress: (@Sendable (SyncProgress) -> Void)? = nil
  ) async throws(DirectoryError) -> Directory {
    do {
      if site.settings.source.queries != nil { return try await pastDirectory(words) }
      return try await recordedDirectory(asOf: words, progress)
    } catch {
      throw DirectoryError(describing: error)
    }
  }

  private func recordedDirectory(
    asOf words: String,
    _ progress: (@Sendable (SyncProgress) -> Void)?
  ) async throws -> Directory {
    let history = try await site.openPast("look back")
    // A long-lived process syncs by itself, and no caller makes it do so.
    _ = try await door.directory(fresh: !session.hub.isLongLived, progress: progress)
    var seen = try seen(history)
    let time = try await pastTime(words, &seen)
    let stored: DirectorySnapshot
    do throws(SnapshotError) {
      stored = try site.snapshots.openProved()
    } catch {
      throw DirectoryError(error)
    }
    // Read after the snapshot: what was committed meanwhile is later than the time, and among them.
    let changes = try await history.changes(backTo: time)
    if seen.isEverything { noteForgotten(changes.forgottenPeople) }
    var past = try Self.past(of: stored, changes, time)
    if past == nil { past = try await builtPast(like: stored, history, time) }
    guard let past else { throw DirectoryError(.bug, "cannot look back: there is no state") }
    let visibility = try await seen.visibility(of: changes.records.keys, at: time)
    return try session.hub.directory(of: past, at: time, for: session, visibility)
  }

  /// A time in words that the history reaches back to.
  private func pastTime(_ words: String, _ seen: inout VisibleHistory) async throws -> Int64 {
    guard let time = try await time(words, &seen) else {
      throw DirectoryError(.bug, "a time without words")
    }
    let beginning = try await seen.history.beginning()
    guard time >= beginning else { throw tooEarly(words, beginning) }
    return time
  }

  private func noteForgotten(_ people: Int) {
    guard people > 0 else { return }
    site.notice(
      "values of \(counted(people, "person", "people")) of that time were forgotten and are not shown"
    )
  }

  /// - Returns: `nil` where the state of then does not follow from the stored one and the changes.
  static func past(
    of stored: DirectorySnapshot,
    _ changes: DirectoryChanges,
    _ time: Int64
  ) throws(DirectoryError) -> DirectorySnapshot? {
    let metadata = metadata(of: stored, at: time)
    let update: SnapshotUpdate
    do throws(SnapshotUpdateError) {
      update = try SnapshotUpdate(of: stored, changes: changes, locale: metadata.locale)
    } catch {
      switch error {
      case .needsEverything: return nil
      case .snapshot(let error): throw DirectoryError(error)
      case .directory(let error): throw error
      }
    }
    do throws(SnapshotError) {
      return try update.scratch(metadata: metadata, path: stored.path)
    } catch {
      throw DirectoryError(error)
    }
  }

  /// The state of then, of all records: what has no place is shown as unplaced.
  private func builtPast(
    like stored: DirectorySnapshot,
    _ history: DirectoryHistory,
    _ time: Int64
  ) async throws(DirectoryError) -> DirectorySnapshot {
    let loaded = try await DirectoryRepository(
      conninfo: site.conninfo(),
      options: ReadOptions(silenceLimit: site.settings.silenceLimit),
      pool: site.pastPool,
      notice: site.notice
    ).load()
    let changes = try await history.changes(backTo: time)
    let tree = try TreeBuilder.build(
      try changes.applied(to: loaded.records),
      locale: stored.metadata.locale
    )
    do throws(SnapshotError) {
      return try tree.scratch(
        metadata: Self.metadata(of: stored, at: time),
        path: stored.path
      )
    } catch {
      throw DirectoryError(error)
    }
  }

  private static func metadata(
    of stored: DirectorySnapshot,
    at time: Int64
  ) -> SnapshotMetadata {
    var metadata = stored.metadata
    metadata.takenAt = time / 1_000_000
    return metadata
  }

  /// The directory as it was at a time, by the snapshot and the journal alone.
  private func pastDirectory(_ words: String) async throws -> Directory {
    _ = try await door.directory()
    let history = try DirectoryJournal(site).open()
    var seen = try seen(history)
    let time = try await pastTime(words, &seen)
    let changes = try history.changes(backTo: time)
    if seen.isEverything { noteForgotten(changes.forgottenPeople) }
    guard let past = try Self.past(of: history.snapshot, changes, time) else {
      throw DirectoryError(
        .notFound,
        "cannot look back to \(words): the journal does not record unplaced records, or the sort "
          + "order of names has changed since",
        advice: "see what changed with: \(.showLog)"
      )
    }
    let visibility = try await seen.visibility(of: changes.records.keys, at: time)
    return try session.hub.directory(of: past, at: time, for: session, visibility)
  }
}

extension DirectoryRecords {
  /// Its departments and people.
  fileprivate var keys: Set<RecordKey> {
    Set((0..<departments.count).map { RecordKey(.department, departments.ids[$0]) })
      .union((0..<users.count).map { RecordKey(.user, users.ids[$0]) })
  }
}
