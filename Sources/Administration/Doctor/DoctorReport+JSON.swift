import DirectoryModel
import DirectoryReading

extension DoctorReport {
  /// JSON objects, a line each: what was looked at, what has no place in the tree, and what is
  /// wrong with the data.
  ///
  /// - Parameter words: What a front calls a remedy.
  /// - Returns: The lines.
  package func jsonLines(_ words: (Remedy) -> String) -> [String] {
    var objects: [JSONObject] = findings.map {
      [
        "subject": $0.subject, "state": $0.state.rawValue, "text": $0.text,
        "advice": $0.advice?.text(words),
      ]
    }
    objects += unplaced.map {
      [
        "subject": "unplaced", "kind": $0.kind.rawValue, "id": $0.id, "name": $0.name,
        "reason": $0.reason,
      ]
    }
    objects += faults.map { fault in
      [
        "subject": "fault", "fault": fault.kind.rawValue,
        "state": (fault.kind.isCertain ? State.problem : .note).rawValue,
        "records": fault.records.map { record -> JSONObject in
          ["kind": record.kind.rawValue, "id": record.id, "name": record.name]
        },
        "text": fault.text, "advice": fault.remedy.isEmpty ? nil : words(.run(fault.remedy)),
      ]
    }
    return objects.map(\.line)
  }
}
