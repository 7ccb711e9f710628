import DirectoryModel
import DirectoryReading
import LiveDirectory

extension LogEntry {
  /// The transaction and then its changes, one JSON object on each line.
  ///
  ///     {"actor":…,"at":"2026-…Z","changes":{…},"event":"transaction","reason":…,"role":…,
  ///      "transaction":17}
  package var jsonLines: [String] {
    let first = JSONLine.encode(
      TransactionJSON(transaction, changes: ChangeTotalsJSON(transaction.rows, countsRows: true))
    )
    return [first] + changes.map { $0.json(transaction: transaction.number) }
      + rules.map { $0.json(transaction: transaction.number) }
  }
}

struct TransactionJSON: Encodable {
  var event = "transaction"
  var transaction: Int64
  var at: String
  var role: String?
  var actor: String?
  var reason: String?
  /// Only where it is so.
  var found: Bool?
  var forgotten: Bool?
  var beginning: Bool?
  var changes: ChangeTotalsJSON?

  init(_ transaction: RecordedTransaction, changes: ChangeTotalsJSON? = nil) {
    self.transaction = transaction.number
    at = UTCTime.text(transaction.at)
    role = transaction.role.isEmpty ? nil : transaction.role
    actor = transaction.actor.isEmpty ? nil : transaction.actor
    reason = transaction.reason.isEmpty ? nil : transaction.reason
    found = transaction.isFound ? true : nil
    forgotten = transaction.hasForgotten ? true : nil
    beginning = transaction.isBeginning ? true : nil
    self.changes = changes
  }
}

extension BlameReport {
  package var jsonLines: [String] {
    lines.map { line in
      JSONLine.encode(
        BlameJSON(
          id: id,
          field: line.label,
          value: line.value,
          transaction: line.transaction.map { TransactionJSON($0) },
          forgotten: line.isForgotten ? true : nil
        )
      )
    }
  }
}

private struct BlameJSON: Encodable {
  var event = "blame"
  var id: String
  var field: String
  var value: String
  var transaction: TransactionJSON?
  /// Only where it is so.
  var forgotten: Bool?
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
        "\(count(counts[action], one, many)) \(action)"
      }
      parts += done
    }
    if !declarations.isEmpty { parts.append(declarations) }
    if rules > 0 { parts.append(count(rules, "visibility rule") + " changed") }
    if hasForgotten { parts.append("a person was forgotten") }
    let text = parts.isEmpty ? "nothing" : parts.joined(separator: "; ")
    return isFound ? text + " (made earlier, found at this time)" : text
  }
}
