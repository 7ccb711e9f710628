import DirectoryModel
import DirectoryReading
import DirectorySnapshot
import DirectoryStore
import SiteSettings
import SystemPackage
import TextRules

/// One sync: from what is stored to what the source holds now.
struct SyncRun {
  private let site: Site
  private let options: SyncOptions
  private let progress: (@Sendable (SyncProgress) -> Void)?
  private let observer: DirectoryRepository.Observer?
  private let repository: DirectoryRepository
  private let collationVersion: String

  /// What is stored, every byte proved; `nil` where there is nothing usable.
  private let stored: DirectorySnapshot?
  private let watermark: StoredWatermark?

  private static let clock = ContinuousClock()

  init(
    _ site: Site,
    _ options: SyncOptions,
    stored: DirectorySnapshot?,
    _ progress: (@Sendable (SyncProgress) -> Void)?,
    _ observer: DirectoryRepository.Observer?
  ) async throws(DirectoryError) {
    self.site = site
    self.options = options
    self.stored = stored
    self.progress = progress
    self.observer = observer
    watermark = stored.flatMap { site.snapshots.watermark(of: $0.checksum) }
    collationVersion = try Self.collationVersion(of: site.settings.locale)
    repository = DirectoryRepository(
      conninfo: try await site.conninfo(starting: options.startsServer),
      queries: site.settings.source.queries,
      options: ReadOptions(
        preferStandby: options.preferStandby,
        silenceLimit: site.settings.silenceLimit
      ),
      pool: site.pool,
      notice: site.notice
    )
  }

  /// Reads, compares and, unless it is a rehearsal, writes.
  ///
  /// - Parameter store: Where to; `nil` writes nothing.
  /// - Returns: What changed, and how that was found out.
  /// - Throws: What `SnapshotSync.sync` throws.
  func result(
    storingIn store: SnapshotStore?
  ) async throws(DirectoryError) -> SyncReport {
    var (report, succession) = try await replaceStored(in: store)
    // What was read and built is freed by now: the index needs room of its own.
    if store != nil { updateSearchIndex(after: succession, &report) }
    return report
  }

  /// - Returns: The report, and where changes made the snapshot another one, which.
  private func replaceStored(
    in store: SnapshotStore?
  ) async throws(DirectoryError) -> (SyncReport, SnapshotTransition?) {
    var timing = SyncReport.Timing()
    let findings = try await findings(&timing)
    if !options.acceptDeletions,
      let brake = DeletionGuard(
        on: .sync,
        findings.changes.totalsByID,
        accepted: findings.source.accepted
      )
    {
      let removed = findings.changes.changes.removed(atMost: DeletionGuard.namedCount)
      throw brake.refusal(naming: removed)
    }
    var report = SyncReport(findings, options)
    if let found = options.found, findings.hasChanges { found(FoundChanges(findings.changes)) }
    var checksum: UInt64?
    if let store { checksum = try write(findings, to: store, &timing) }
    report.isWritten = checksum != nil
    report.timing = timing
    return (report, checksum.flatMap { findings.succession(to: $0) })
  }

  // MARK: Reading

  /// Why everything is to be read, whatever the source's record of changes says.
  private var insistence: ComparisonReason? {
    guard let stored else { return .firstSync }
    if options.full { return .requested }
    if stored.isOfFormerVersion { return .formerSnapshot }
    let metadata = stored.metadata
    guard metadata.locale == site.settings.locale,
      metadata.collationVersion == collationVersion
    else { return .otherLocale }
    return watermark == nil ? .forgotten : nil
  }

  private func findings(
    _ timing: inout SyncReport.Timing
  ) async throws(DirectoryError) -> SyncFindings {
    let cursor = watermark?.cursor ?? VerificationCursor()
    let preparation = TreePreparation(locale: site.settings.locale)
    let began = Self.clock.now
    let read = try await repository.read(
      since: watermark?.watermark,
      insisting: insistence,
      slice: SliceRequest(kind: cursor.kind, first: cursor.first),
      arrivals: preparation,
      progress: { report($0) },
      observer: observer
    )
    timing.reading = Self.clock.now - began
    switch read {
    case .everything(let loaded, let reason):
      return try compare(loaded, preparation, because: reason.description, cursor, &timing)
    case .changes(let changes, let source, let slice):
      guard let stored else { preconditionFailure("changes of nothing") }
      switch try update(stored, changes, source, slice, cursor, &timing) {
      case .success(let findings): return findings
      case .failure(let mismatch):
        return try await readAgain(because: mismatch.reason, cursor, &timing)
      }
    }
  }

  private func report(_ rows: LoadProgress) {
    progress?(.reading(rows: rows.rows, expected: rows.expectedRows))
  }

  /// Reads everything after changes did not do.
  private func readAgain(
    because reason: String,
    _ cursor: VerificationCursor,
    _ timing: inout SyncReport.Timing
  ) async throws(DirectoryError) -> SyncFindings {
    let preparation = TreePreparation(locale: site.settings.locale)
    let began = Self.clock.now
    let read = try await repository.read(
      since: watermark?.watermark,
      insisting: .unfitting,
      arrivals: preparation,
      progress: { report($0) },
      observer: observer
    )
    timing.reading += Self.clock.now - began
    guard case .everything(let loaded, _) = read else {
      throw DirectoryError(.bug, "cannot read everything: only changes were read")
    }
    return try compare(loaded, preparation, because: reason, cursor, &timing)
  }

  // MARK: Comparing

  private func compare(
    _ loaded: consuming LoadedDirectory,
    _ preparation: TreePreparation,
    because reason: String,
    _ cursor: VerificationCursor,
    _ timing: inout SyncReport.Timing
  ) throws(DirectoryError) -> SyncFindings {
    progress?(.building)
    let began = Self.clock.now
    defer { timing.building += Self.clock.now - began }
    let source = loaded.source
    let tree = try TreeBuilder.build(loaded.records, preparation)
    let changes: ChangeSummary
    if let stored {
      do throws(SnapshotError) {
        changes = try SnapshotComparison(
          of: stored,
          with: tree,
          metadata: metadata(of: source)
        ).summary
      } catch {
        throw DirectoryError(error)
      }
    } else {
      changes = ChangeSummary(
        firstDepartments: tree.departmentCount,
        firstUsers: tree.userCount
      )
    }
    return SyncFindings(
      mode: stored == nil ? .first : .compared,
      reason: reason,
      changes: changes,
      state: .built(tree),
      stored: stored,
      source: source,
      cursor: cursor
    )
  }

  /// Why changes alone do not do.
  private struct Mismatch: Error {
    let reason: String
  }

  private func update(
    _ stored: DirectorySnapshot,
    _ changes: consuming DirectoryChanges,
    _ source: DirectorySource,
    _ slice: SourceSlice?,
    _ cursor: VerificationCursor,
    _ timing: inout SyncReport.Timing
  ) throws(DirectoryError) -> Result<SyncFindings, Mismatch> {
    progress?(.building)
    let began = Self.clock.now
    defer { timing.building += Self.clock.now - began }
    do throws(SnapshotUpdateError) {
      let update = try SnapshotUpdate(
        of: stored,
        changes: changes,
        locale: site.settings.locale
      )
      if let slice, update.digest(of: slice) != slice.digest {
        return .failure(Mismatch(reason: ComparisonReason.otherContent.description))
      }
      var cursor = cursor
      if let slice { cursor.pass(slice) }
      return .success(
        SyncFindings(
          mode: .incremental,
          reason: nil,
          changes: update.summary,
          state: .updated(update),
          stored: stored,
          source: source,
          cursor: cursor
        )
      )
    } catch {
      switch error {
      case .needsEverything(let cause): return .failure(Mismatch(reason: "\(cause)"))
      case .snapshot(let error): throw DirectoryError(error)
      case .directory(let error): throw error
      }
    }
  }

  // MARK: Writing

  /// - Returns: The checksum of the snapshot where it is another now.
  private func write(
    _ findings: SyncFindings,
    to store: SnapshotStore,
    _ timing: inout SyncReport.Timing
  ) throws(DirectoryError) -> UInt64? {
    let checksum: UInt64
    if findings.hasChanges {
      progress?(.writing)
      let began = Self.clock.now
      var journalError: DirectoryError?
      do throws(SnapshotError) {
        let written = try findings.write(
          to: store.path,
          metadata: metadata(of: findings.source),
          announcing: { (checksum) throws(SnapshotError) in
            do throws(DirectoryError) { try record(findings, to: checksum) } catch {
              journalError = error
              throw .interrupted
            }
          }
        )
        timing.flushing = written.synchronizing
        checksum = written.checksum
      } catch {
        throw journalError ?? DirectoryError(error)
      }
      timing.writing = Self.clock.now - began - timing.flushing
    } else {
      guard let stored else { preconditionFailure("nothing stored and nothing to store") }
      checksum = stored.checksum
      try SyncJournal(of: site)?.settle(stored, now: findings.source.takenAt)
    }
    try store.save(
      StoredWatermark(snapshot: checksum, source: findings.source, cursor: findings.cursor)
    )
    return findings.hasChanges ? checksum : nil
  }

  /// Writes down what was found, where the source keeps no history itself.
  private func record(_ findings: SyncFindings, to checksum: UInt64) throws(DirectoryError) {
    try SyncJournal(of: site)?.record(
      findings.changes.changes,
      from: findings.stored,
      to: checksum,
      at: findings.source.takenAt
    )
  }

  /// Brings the search index up to the snapshot; without it search is slower, not wrong.
  private func updateSearchIndex(
    after succession: SnapshotTransition?,
    _ report: inout SyncReport
  ) {
    let began = Self.clock.now
    do throws(DirectoryError) {
      progress?(.indexing)
      report.index = try site.snapshots.updateSearchIndex(
        phones: site.settings.phones,
        after: succession
      )
    } catch  where error.kind == .interrupted {
      // The snapshot is in its place; the next sync makes the index.
    } catch {
      site.notice("searches take longer, since there is no search index: \(error.message)")
    }
    report.timing.indexing = Self.clock.now - began
  }

  private func metadata(of source: DirectorySource) -> SnapshotMetadata {
    SnapshotMetadata(
      takenAt: source.takenAt / 1_000_000,
      locale: site.settings.locale,
      collationVersion: collationVersion,
      source: source.place
    )
  }

  private static func collationVersion(of locale: String) throws(DirectoryError) -> String {
    do throws(TextRulesError) {
      return try Collator(locale: locale).version
    } catch {
      throw DirectoryError(.usage, "\(error)", advice: TextRulesError.localeAdvice)
    }
  }
}
