import DirectoryModel
import DirectorySnapshot
import DirectoryStore
import TextRules

/// How far a sync has come.
package enum SyncProgress: Sendable {
  /// Rows read so far, and the server's guess at all of them.
  case reading(rows: Int, expected: Int?)
  /// Linking and sorting.
  case building
  /// Writing the snapshot.
  case writing
}

/// What a sync did.
package struct SyncReport: Sendable {
  package var departments: Int
  package var users: Int
  package var memberships: Int
  /// Records that have no place in the tree.
  package var unplaced: Int
  /// Where it was read from; never a secret.
  package var source: String
}

extension StaffbookService {
  /// Reads the whole source in one consistent state and puts it in the snapshot's place.
  ///
  /// - Parameters:
  ///   - acceptDeletions: Whether an empty source may replace a snapshot that is not.
  ///   - progress: Told how far it has come; called from another thread.
  /// - Returns: What is in the snapshot now.
  /// - Throws: `.refusedForNow` for an empty source, otherwise what the database or the disk said;
  ///   the snapshot is then as it was.
  package func sync(
    acceptDeletions: Bool = false,
    progress: (@Sendable (SyncProgress) -> Void)? = nil
  ) async throws(DirectoryError) -> SyncReport {
    let store = snapshots
    try settings.folders.createHome()
    let lock = try await store.lock {
      notice("another staffbook is writing the snapshot; waiting for it")
    }
    store.setAsideUnusable(lock, notice: notice)
    let repository = DirectoryRepository(
      conninfo: try await conninfo(),
      queries: settings.source.queries
    )
    let loaded = try await repository.load { rows in
      progress?(.reading(rows: rows.rows, expected: rows.expectedRows))
    }
    if !acceptDeletions { try refuseEmpty(loaded.records) }
    progress?(.building)
    let metadata = try metadata(of: loaded.source)
    let tree = try TreeBuilder.build(loaded.records, locale: settings.locale)
    progress?(.writing)
    do throws(SnapshotError) {
      try tree.write(to: store.path, metadata: metadata)
    } catch {
      throw SnapshotStore.directoryError(error)
    }
    // The lock is held to here.
    _ = consume lock
    return SyncReport(
      departments: tree.departmentCount,
      users: tree.userCount,
      memberships: tree.records.memberships.count,
      unplaced: tree.unplacedNodes.count,
      source: metadata.source
    )
  }

  /// An empty source is more likely a mistake than the end of a company.
  private func refuseEmpty(_ records: DirectoryRecords) throws(DirectoryError) {
    guard records.users.count == 0, records.departments.count == 0,
      let old = try snapshots.open(notice: { _ in }), !old.isEmpty
    else { return }
    throw DirectoryError(
      .refusedForNow,
      "the source is empty, and the snapshot holds \(old.userCount) people in "
        + "\(old.departmentCount) departments",
      advice: "if they are really gone: staffbook sync --accept-deletions"
    )
  }

  private func metadata(
    of source: DirectorySource
  ) throws(DirectoryError) -> SnapshotMetadata {
    let version: String
    do throws(TextRulesError) {
      version = try Collator(locale: settings.locale).version
    } catch {
      throw DirectoryError(.usage, "\(error)", advice: TreeBuilder.localeAdvice)
    }
    return SnapshotMetadata(
      takenAt: source.takenAt / 1_000_000,
      locale: settings.locale,
      collationVersion: version,
      source: "\(source.database) at \(source.host)",
      watermark: source.watermark.map(Self.stored) ?? [:]
    )
  }

  private static func stored(_ watermark: SourceWatermark) -> [String: String] {
    [
      "systemIdentifier": watermark.systemIdentifier, "layout": watermark.layout,
      "epoch": watermark.epoch, "xmin": String(watermark.xmin),
    ]
  }
}
