import ChangeHistory
import DirectoryModel
import DirectoryReading
import DirectorySnapshot
import DirectoryStore
import LiveDirectory
import Platform
import SiteSettings
import TextRules

/// Looks for what is wrong.
package struct Doctor: Sendable {
  let site: Site

  package init(_ administrator: Administrator) { site = administrator.site }

  /// What a doctor looks at.
  package enum Scope: Sendable {
    /// The snapshot's file alone; works with the database down.
    case snapshot
    /// Snapshot and database.
    case usual
    /// Snapshot and database, and every row of both by content.
    case thorough
  }

  /// Looks for what is wrong with the data, the snapshot and the record of changes.
  ///
  /// It changes nothing. A private server is started for it, except for the snapshot alone.
  ///
  /// - Parameter examination: How far to look.
  /// - Returns: What was found; a database that cannot be reached is a finding, too.
  /// - Throws: When the snapshot cannot be read for a reason that is not its own.
  package func examine(_ examination: Scope) async throws(DirectoryError) -> DoctorReport {
    var report = DoctorReport()
    for problem in site.settings.problems {
      report.add("settings", .problem, problem.text { "\($0)" }, advice: "correct that setting")
    }
    let snapshot = try examineSnapshot(&report)
    if let snapshot {
      examineSearchIndex(of: snapshot, &report)
      try examineData(snapshot, &report)
      try examineRules(snapshot, &report)
    }
    examineRoom(for: snapshot, &report)
    if examination == .snapshot { return report }
    do throws(DirectoryError) {
      try await examineSource(snapshot, examination, &report)
    } catch {
      report.add("database", .problem, error.message, advice: error.advice)
    }
    return report
  }

  // MARK: The snapshot

  private func examineSnapshot(
    _ report: inout DoctorReport
  ) throws(DirectoryError) -> DirectorySnapshot? {
    do throws(SnapshotError) {
      let snapshot = try site.snapshots.openProved()
      report.add(
        "snapshot",
        .good,
        "all \(snapshot.byteCount) bytes of \(site.snapshots.path) match their checksums"
      )
      examineAge(snapshot, &report)
      examineOrder(snapshot, &report)
      try listUnplaced(snapshot, &report)
      return snapshot
    } catch {
      guard case .cannotRead = error else {
        report.add(
          "snapshot",
          Self.isMissing(error) ? .note : .problem,
          error.explanation,
          advice: "rebuild it with: \(.sync)"
        )
        return nil
      }
      throw DirectoryError(error)
    }
  }

  private static func isMissing(_ error: SnapshotError) -> Bool {
    if case .missing = error { true } else { false }
  }

  private func examineJournal(_ report: inout DoctorReport) {
    do throws(DirectoryError) {
      report.add(
        "journal",
        .good,
        counted(try DirectoryJournal(site).open().verify(), "sync") + " recorded"
      )
    } catch {
      // Without one, nothing has changed since the first sync.
      guard error.kind != .notFound else { return }
      report.add("journal", .problem, error.message, advice: error.advice)
    }
  }

  private func examineAge(_ snapshot: DirectorySnapshot, _ report: inout DoctorReport) {
    guard let watermark = site.snapshots.watermark(of: snapshot.checksum) else {
      report.add(
        "watermark",
        .note,
        "the watermark is missing; the next sync compares everything"
      )
      return
    }
    report.age = DoctorReport.Age(
      takenAt: snapshot.metadata.takenAt,
      checkedAt: watermark.readAt / 1_000_000,
      source: watermark.source
    )
  }

  private func examineOrder(_ snapshot: DirectorySnapshot, _ report: inout DoctorReport) {
    let metadata = snapshot.metadata
    guard metadata.locale != site.settings.locale else { return }
    report.add(
      "order",
      .note,
      "names are sorted for the locale \(metadata.locale), but \(site.settings.locale) is set",
      advice: "sort them again with: \(.sync)"
    )
  }

  private func listUnplaced(
    _ snapshot: DirectorySnapshot,
    _ report: inout DoctorReport
  ) throws(SnapshotError) {
    for (row, reason) in try Directory(snapshot, for: .everything).unplaced() {
      report.unplaced.append(
        DoctorReport.Unplaced(kind: row.kind, id: row.id, name: row.name, reason: reason)
      )
    }
    if report.unplaced.isEmpty {
      report.add("places", .good, "every department and person has a place in the tree")
    } else {
      report.add(
        "places",
        .problem,
        counted(report.unplaced.count, "record") + " without a place in the tree",
        advice: "correct them in the database; see them with: \(.listUnplaced)"
      )
    }
  }

  // MARK: The source

  private func examineSource(
    _ snapshot: DirectorySnapshot?,
    _ examination: Scope,
    _ report: inout DoctorReport
  ) async throws(DirectoryError) {
    let repository = DirectoryRepository(
      conninfo: try await site.conninfo(),
      queries: site.settings.source.queries,
      options: ReadOptions(silenceLimit: site.settings.silenceLimit),
      pool: site.pool,
      notice: site.notice
    )
    if let schema = try await repository.inspectSchema() { examine(schema, &report) }
    guard
      let tracking = try await repository.inspectTracking(
        isThorough: examination == .thorough
      )
    else {
      if snapshot != nil { examineJournal(&report) }
      let faults = try await repository.inspectOwnTables() ?? []
      report.add(
        "database",
        .good,
        "the queries of the source work; changes to its tables are not tracked, so every sync "
          + "compares everything"
      )
      for fault in faults {
        report.add("data", .problem, Self.text(of: fault), advice: "correct them in the database")
      }
      return
    }
    report.add(
      "database",
      .good,
      "PostgreSQL \(tracking.serverVersion / 10_000).\(tracking.serverVersion % 10_000)"
        + (tracking.isStandby ? ", a standby" : "")
    )
    examine(tracking, &report)
    examine(tracking.history, &report)
    if let awaited = try await repository.awaitedReferences(naming: Self.namedCount) {
      examine(awaited, &report)
    }
    if examination == .thorough, let snapshot {
      try await compareContents(of: snapshot, with: repository, &report)
    }
  }

  /// In words: `source.users: 2 rows without an id: Ada, Bo`.
  private static func text(of fault: SourceRowProblem) -> String {
    let rest = fault.count - fault.names.count
    return "\(fault.query): \(counted(fault.count, "row")) \(fault.reason): "
      + fault.names.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }

  /// The next sync compares everything once more by itself, since the layout is another then.
  private static func remedy(for triggers: [BrokenTrigger]) -> Advice {
    let statements = triggers.compactMap(\.remedy)
    guard statements.count == triggers.count else {
      return "have the owner of the schema run: \(.repair)"
    }
    return Advice("have the owner of the tables run: " + statements.joined(separator: " "))
  }

  /// A prepared transaction of this age, in seconds, was likely forgotten.
  private static var forgottenAge: Int { 3_600 }

  private func examine(_ tracking: TrackingInspection, _ report: inout DoctorReport) {
    if tracking.brokenTriggers.isEmpty {
      report.add(
        "changes",
        .good,
        "all triggers of the change tracking are enabled; it has recorded "
          + counted(tracking.ledgerEntries, "writing transaction") + " and "
          + counted(tracking.tombstones, "deletion")
      )
    } else {
      report.add(
        "changes",
        .problem,
        "the change tracking is incomplete, since triggers are missing or not enabled as required; "
          + "until this is corrected, every sync compares everything: "
          + tracking.brokenTriggers.map(\.name).joined(separator: ", "),
        advice: Self.remedy(for: tracking.brokenTriggers)
      )
    }
    if !tracking.silentTriggers.isEmpty {
      report.add(
        "notices",
        .problem,
        "watching programs are not notified of changes, since triggers are missing or not enabled as "
          + "required: " + tracking.silentTriggers.map(\.name).joined(separator: ", "),
        advice: Self.remedy(for: tracking.silentTriggers)
      )
    }
    if let age = tracking.oldestPreparedAge, age >= Self.forgottenAge {
      report.add(
        "transactions",
        .note,
        "a prepared transaction has been open for \(age / 60) minutes",
        advice: "end it with COMMIT PREPARED or ROLLBACK PREPARED; see pg_prepared_xacts"
      )
    }
  }
}

extension Doctor {
  // MARK: Lists

  private static var namedCount: Int { 10 }

  private func examine(_ awaited: AwaitedReferences, _ report: inout DoctorReport) {
    guard awaited.count > 0 else { return }
    let more = awaited.count - awaited.first.count
    report.add(
      "lists",
      .note,
      counted(awaited.count, "value of a list names", "values of lists name")
        + " people who are not in Staffbook: " + awaited.first.joined(separator: ", ")
        + (more > 0 ? " and \(more) more" : ""),
      advice: "add these people, or correct the list; its next import sets the values"
    )
  }

  // MARK: History

  private func examine(_ history: HistoryInspection, _ report: inout DoctorReport) {
    if !history.brokenTriggers.isEmpty {
      report.add(
        "history",
        .problem,
        "changes are not recorded in history, since triggers are missing or not enabled as "
          + "required: " + history.brokenTriggers.map(\.name).joined(separator: ", "),
        advice: Self.remedy(for: history.brokenTriggers)
      )
    } else if let unrecorded = history.unrecorded, unrecorded > 0 {
      report.add(
        "history",
        .problem,
        counted(unrecorded, "record was", "records were")
          + " changed while the triggers of history were off",
        advice: "record them, as found now, with: \(.catchUpHistory)"
      )
    } else if let cause = history.cause {
      examine(cause, &report)
    } else {
      report.add(
        "history",
        .good,
        "all triggers of history are enabled; it has recorded "
          + counted(history.transactions, "transaction")
      )
    }
  }

  private func examine(_ cause: HistoryInspection.Cause, _ report: inout DoctorReport) {
    switch cause {
    case .policies(let role):
      report.add(
        "history",
        .note,
        "all triggers of history are enabled; what it has recorded was not examined, since row-level "
          + "security hides records of this database and \(role) is not a member of "
          + "staffbook_historian"
      )
    case .rights(let role):
      report.add(
        "history",
        .note,
        "all triggers of history are enabled; whether it has every change was not examined, since "
          + "\(role) may not execute the functions for it, as members of staffbook_reader may"
      )
    }
  }

  // MARK: Every row

  /// Compares the rows of snapshot and source, changes since the last sync let aside.
  private func compareContents(
    of snapshot: DirectorySnapshot,
    with repository: DirectoryRepository,
    _ report: inout DoctorReport
  ) async throws(DirectoryError) {
    guard let watermark = site.snapshots.watermark(of: snapshot.checksum)?.watermark else {
      report.add(
        "contents",
        .note,
        "the watermark is missing, without which rows cannot be compared",
        advice: "compare everything with: \(.sync)"
      )
      return
    }
    guard !snapshot.isOfFormerVersion else {
      report.add(
        "contents",
        .note,
        "an earlier version of Staffbook wrote the snapshot, whose rows cannot be compared",
        advice: "compare everything with: \(.sync)"
      )
      return
    }
    let locale = site.settings.locale
    let verification = try await repository.verify(since: watermark) {
      (read, digests) throws(DirectoryError) in
      guard let update = try Self.update(of: snapshot, by: read, locale: locale) else { return [] }
      return DigestComparison.differences(of: update, from: digests)
    }
    guard case .changes(let changes, _, _) = verification.read,
      let update = try Self.update(of: snapshot, by: verification.read, locale: locale)
    else {
      report.add(
        "contents",
        .note,
        "the snapshot cannot be updated by tracked changes alone",
        advice: "compare everything with: \(.sync)"
      )
      return
    }
    guard let digests = verification.digests else {
      report.add("contents", .note, "the server computes different hashes; nothing was compared")
      return
    }
    let buckets = DigestComparison.differences(of: update, from: digests)
    let comparison = DigestComparison(of: update, in: buckets, rows: verification.rows)
    describe(comparison, changes: changes.count, &report)
  }

  /// - Returns: `nil` where the changes alone do not lead to the source's state.
  private static func update(
    of snapshot: DirectorySnapshot,
    by read: SourceReadResult,
    locale: String
  ) throws(DirectoryError) -> SnapshotUpdate? {
    guard case .changes(let changes, _, _) = read else { return nil }
    do throws(SnapshotUpdateError) {
      return try SnapshotUpdate(of: snapshot, changes: changes, locale: locale)
    } catch {
      switch error {
      case .needsEverything: return nil
      case .snapshot(let error): throw DirectoryError(error)
      case .directory(let error): throw error
      }
    }
  }

  private func describe(
    _ comparison: DigestComparison,
    changes: Int,
    _ report: inout DoctorReport
  ) {
    let waiting =
      changes == 0 ? "" : "; " + counted(changes, "change") + " made since await a sync"
    guard comparison.differingCount > 0 else {
      report.add("contents", .good, "every row has the same content as in the database" + waiting)
      return
    }
    let names = comparison.differing.map { "\($0.kind) \($0.id)" }.joined(separator: ", ")
    report.add(
      "contents",
      .problem,
      "the rows of \(comparison.differingCount) ids differ from the database, but no change to "
        + "them was tracked: \(names)"
        + (comparison.differingCount > comparison.differing.count ? ", …" : "") + waiting,
      advice: "read everything with: \(.fullSync)"
    )
  }
}
