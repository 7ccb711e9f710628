import ChangeHistory
import DirectoryModel

/// What log, blame and search --left say of a transaction.
enum HistoryText {
  static func author(_ transaction: RecordedTransaction) -> String {
    if transaction.author.isEmpty { return "unknown" }
    return transaction.actor.isEmpty || transaction.actor == transaction.role
      ? transaction.role : "\(transaction.actor) (as \(transaction.role))"
  }

  /// Who set a value: a transaction, or someone before the history began.
  static func whoSet(_ value: BlameReport.Line?, since beginning: Int64) -> String {
    if value?.isForgotten == true { return "forgotten" }
    return value?.transaction.map(line)
      ?? "before \(Age.moment(beginning / 1_000_000)), when the history begins"
  }

  /// A line of a list: `17  2026-10-01 …  Ada: she moved`, or what was done where no reason was given.
  static func oneLine(_ transaction: RecordedTransaction) -> String {
    let reason = transaction.reason.split(separator: "\n").first.map(String.init)
    return [
      "\(transaction.number)", Age.moment(transaction.at / 1_000_000),
      "\(author(transaction)): \(reason ?? transaction.summary)",
    ].joined(separator: "  ")
  }

  /// On one line: `transaction 17 by Ada, 2026-10-01 …: she moved`.
  static func line(_ transaction: RecordedTransaction) -> String {
    let reason = transaction.reason.isEmpty ? "" : ": " + transaction.reason
    let author = transaction.author.isEmpty ? "" : " by \(transaction.author)"
    return "transaction \(transaction.number)\(author), "
      + Age.moment(transaction.at / 1_000_000) + reason
  }
}
