import DirectoryModel
import DirectoryReading

extension DoctorReport {
  /// JSON objects, a line each: what was looked at, then what has no place in the tree.
  ///
  /// - Parameter words: What a front calls a remedy.
  /// - Returns: The lines.
  package func jsonLines(_ words: (Remedy) -> String) -> [String] {
    findings.map { JSONLine.encode(EncodedFinding($0, words)) }
      + unplaced.map { JSONLine.encode(EncodedUnplaced($0)) }
  }

  private struct EncodedFinding: Encodable {
    var subject: String
    var state: String
    var text: String
    var advice: String?

    init(_ finding: Finding, _ words: (Remedy) -> String) {
      subject = finding.subject
      state = finding.state.rawValue
      text = finding.text
      advice = finding.advice?.text(words)
    }
  }

  private struct EncodedUnplaced: Encodable {
    var subject = "unplaced"
    var kind: String
    var id: String
    var name: String
    var reason: String

    init(_ record: Unplaced) {
      kind = record.kind.rawValue
      id = record.id
      name = record.name
      reason = record.reason
    }
  }
}
