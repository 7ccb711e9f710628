import DirectoryModel
import DirectoryReading
import LiveDirectory
import Platform

extension LogEntry {
  /// The transaction and then its changes, one JSON object on each line.
  ///
  ///     {"actor":…,"at":"2026-…Z","changes":{…},"event":"transaction","reason":…,"role":…,
  ///      "transaction":17}
  package var jsonLines: [String] {
    [transaction.json(changes: transaction.rows.json(countsRows: true)).line]
      + changes.map { $0.json(transaction: transaction.number) }
      + rules.map { $0.json(transaction: transaction.number) }
  }
}

extension RecordedTransaction {
  /// What is known of it; what is not so is left out.
  fileprivate func json(changes: JSONObject? = nil) -> JSONObject {
    [
      "event": "transaction", "transaction": number, "at": UTCTime.text(at),
      "role": role.isEmpty ? nil : role, "actor": actor.isEmpty ? nil : actor,
      "reason": reason.isEmpty ? nil : reason, "found": isFound ? true : nil,
      "forgotten": hasForgotten ? true : nil, "beginning": isBeginning ? true : nil,
      "changes": changes,
    ]
  }
}

extension BlameReport {
  package var jsonLines: [String] {
    lines.map { line in
      let object: JSONObject = [
        "event": "blame", "id": id, "field": line.label, "value": line.value,
        "transaction": line.transaction?.json(), "forgotten": line.isForgotten ? true : nil,
      ]
      return object.line
    }
  }
}

extension RecordedTransaction {
  /// What it did, in numbers: `2 people changed; 1 membership added`.
  package var summary: String {
    if isBeginning { return "the history begins here; earlier changes are unknown" }
    var parts: [String] = []
    for (counts, one, many) in [
      (rows.departments, "department", "departments"), (rows.users, "person", "people"),
      (rows.memberships, "membership", "memberships"),
    ] {
      let done = Change.Action.allCases.filter { counts[$0] > 0 }.map { action in
        "\(counted(counts[action], one, many)) \(action)"
      }
      parts += done
    }
    if !declarations.isEmpty { parts.append(declarations) }
    if rules > 0 { parts.append(counted(rules, "visibility rule") + " changed") }
    if hasForgotten { parts.append("a person was forgotten") }
    let text = parts.isEmpty ? "nothing" : parts.joined(separator: "; ")
    return isFound ? text + " (made earlier, found at this time)" : text
  }
}
