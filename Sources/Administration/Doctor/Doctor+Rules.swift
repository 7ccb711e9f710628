import DirectoryModel
import DirectoryReading
import DirectorySnapshot
import LiveDirectory

extension Doctor {
  /// Looks for visibility rules that do nothing, or hide everything, without being meant to.
  func examineRules(
    _ snapshot: DirectorySnapshot,
    _ report: inout DoctorReport
  ) throws(DirectoryError) {
    let (rules, dormant, unknown): (VisibilityRules, [String], UnknownField?)
    do throws(SnapshotError) {
      rules = try snapshot.visibilityRules()
      let directory = try Directory(snapshot, for: .everything)
      unknown = rules.unknownFields(directory.declaredFields).first
      dormant = try directory.missingRecords(of: rules)
        .map { "\($0.source) (\($0.missing.joined(separator: ", ")))" }
    } catch {
      throw DirectoryError(error)
    }
    if let fault = rules.fault {
      report.add(
        "visibility",
        .problem,
        (rules.isUnderstood
          ? "of the visibility rules, " : "the rules show nothing to anyone: ")
          + fault,
        advice: rules.isUnderstood
          ? "have an administrator correct the rules"
          : "install the version of Staffbook that made them, or a later one"
      )
    }
    if let unknown {
      report.add(
        "visibility",
        .problem,
        "the rules show nothing to anyone, since \(unknown.text)",
        advice: "have an administrator correct the rule, or declare the field"
      )
    }
    if !dormant.isEmpty {
      report.add(
        "visibility",
        .note,
        "visibility rules and groups refer to missing records or groups: "
          + dormant.joined(separator: ", ")
      )
    }
    if rules.fault == nil, dormant.isEmpty, unknown == nil {
      report.add(
        "visibility",
        .good,
        "every record, field and group that visibility rules name exists"
      )
    }
  }
}
