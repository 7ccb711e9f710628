import DirectoryModel
import DirectoryReading
import DirectorySnapshot
import FoundationEssentials

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
  /// JSON objects, a line each: `{"event":"change",…}` for every department and person that
  /// differs, where changes were to be named, and `{"event":"report",…}` at last.
  ///
  /// - Parameter seconds: How long it took.
  /// - Returns: The lines.
  package func json(seconds: Double) -> [String] {
    (namesChanges ? changes.entries.map { JSONLine.encode(Change($0)) } : [])
      + [JSONLine.encode(Encoded(self, seconds: seconds))]
  }

  private struct Change: Encodable {
    var event = "change"
    var change: String
    var kind: String
    var id: String
    var name: String
    var formerName: String?
    var fields: [String]?
    var from: [String]?
    var to: [String]?

    init(_ entry: ChangeSummary.Entry) {
      change = entry.action.rawValue
      kind = entry.kind.rawValue
      id = entry.id
      name = entry.name
      formerName = entry.formerName
      fields = Self.unlessEmpty(entry.fields.names + entry.declaredFields)
      from = Self.unlessEmpty(entry.from.map(\.id.rawValue))
      to = Self.unlessEmpty(entry.to.map(\.id.rawValue))
    }

    private static func unlessEmpty(_ texts: [String]) -> [String]? {
      texts.isEmpty ? nil : texts
    }
  }

  private struct Encoded: Encodable {
    struct Counts: Encodable {
      var added: Int
      var changed: Int
      var moved: Int
      var removed: Int

      init(_ counts: ChangeSummary.Counts) {
        added = counts.added
        changed = counts.changed
        moved = counts.moved
        removed = counts.removed
      }
    }

    struct Changes: Encodable {
      var departments: Counts
      var users: Counts
    }

    var event = "report"
    var mode: String
    var reason: String?
    var changes: Changes
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
      changes = Changes(
        departments: Counts(report.changes.departments),
        users: Counts(report.changes.users)
      )
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
