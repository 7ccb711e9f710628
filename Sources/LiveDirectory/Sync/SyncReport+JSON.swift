import DirectoryModel
import DirectoryReading

extension SyncProgress {
  /// One JSON object on one line: `{"event":"progress","phase":…}`.
  package var json: String { JSONLine.encode(Event(self)) }

  private struct Event: Encodable {
    var event = "progress"
    var phase: String
    var rows: Int?
    var expected: Int?

    init(_ progress: SyncProgress) {
      phase = progress.phase
      if case .reading(let rows, let expected) = progress {
        self.rows = rows
        self.expected = expected
      }
    }
  }
}

extension SyncReport {
  /// One JSON object on one line: `{"event":"report",…}`.
  ///
  /// - Parameter seconds: How long it took.
  /// - Returns: The line.
  package func json(seconds: Double) -> String {
    JSONLine.encode(Encoded(self, seconds: seconds))
  }

  private struct Encoded: Encodable {
    var event = "report"
    var mode: String
    var reason: String?
    var changes: ChangeTotalsJSON
    var written: Bool
    var dryRun: Bool?
    var departments: Int
    var users: Int
    var memberships: Int
    var unplaced: Int
    var source: String
    var standby: Bool
    var seconds: Double
    var reading: Double
    var building: Double
    var writing: Double
    var flushing: Double
    var indexing: Double
    var index: String?

    init(_ report: SyncReport, seconds: Double) {
      mode = report.mode.rawValue
      reason = report.reason
      changes = ChangeTotalsJSON(report.totals, countsRows: false)
      written = report.isWritten
      dryRun = report.isRehearsal ? true : nil
      departments = report.departments
      users = report.users
      memberships = report.memberships
      unplaced = report.unplaced
      source = report.source
      standby = report.isStandby
      self.seconds = seconds
      reading = report.timing.reading / .seconds(1)
      building = report.timing.building / .seconds(1)
      writing = report.timing.writing / .seconds(1)
      flushing = report.timing.flushing / .seconds(1)
      indexing = report.timing.indexing / .seconds(1)
      index = report.index?.rawValue
    }
  }
}
