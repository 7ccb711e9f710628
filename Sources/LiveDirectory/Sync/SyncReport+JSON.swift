import DirectoryModel
import DirectoryReading

extension SyncProgress {
  /// One JSON object on one line: `{"event":"progress","phase":…}`.
  package var json: String {
    var (read, total): (Int?, Int?) = (nil, nil)
    if case .reading(let rows, let expected) = self { (read, total) = (rows, expected) }
    let object: JSONObject = [
      "event": "progress", "phase": phase, "rows": read, "expected": total,
    ]
    return object.line
  }
}

extension SyncReport {
  /// One JSON object on one line: `{"event":"report",…}`.
  ///
  /// - Parameter seconds: How long it took.
  /// - Returns: The line.
  package func json(seconds: Double) -> String {
    let object: JSONObject = [
      "event": "report", "mode": mode.rawValue, "reason": reason,
      "changes": totals.json(countsRows: false), "written": isWritten,
      "dryRun": isRehearsal ? true : nil, "departments": departments, "users": users,
      "memberships": memberships, "unplaced": unplaced, "source": source, "standby": isStandby,
      "seconds": seconds, "reading": timing.reading / .seconds(1),
      "building": timing.building / .seconds(1), "writing": timing.writing / .seconds(1),
      "flushing": timing.flushing / .seconds(1), "indexing": timing.indexing / .seconds(1),
      "index": index?.rawValue,
    ]
    return object.line
  }
}
