import DirectoryModel
import DirectoryReading

extension DoctorReport {
  /// JSON objects, a line each: what was looked at, what has no place in the tree, and what is
  /// wrong with the data.
  ///
  /// - Parameter words: What a front calls a remedy.
  /// - Returns: The lines.
  package func jsonLines(_ words: (Remedy) -> String) -> [String] {
    findings.map { JSONLine.encode(EncodedFinding($0, words)) }
      + unplaced.map { JSONLine.encode(EncodedUnplaced($0)) }
      + faults.map { JSONLine.encode(EncodedFault($0, words)) }
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

  private struct EncodedFault: Encodable {
    struct Record: Encodable {
      var kind: String
      var id: String
      var name: String
    }

    var subject = "fault"
    var fault: String
    var state: String
    var records: [Record]
    var text: String
    var advice: String?

    init(_ fault: DataProblem, _ words: (Remedy) -> String) {
      self.fault = fault.kind.rawValue
      state = (fault.kind.isCertain ? State.problem : .note).rawValue
      records = fault.records.map { Record(kind: $0.kind.rawValue, id: $0.id, name: $0.name) }
      text = fault.text
      advice = fault.remedy.isEmpty ? nil : words(.run(fault.remedy))
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
