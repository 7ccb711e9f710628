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
    let hasNamesakes: Bool
    do throws(SnapshotError) {
      rules = try snapshot.visibilityRules()
      let directory = try Directory(snapshot, for: .everything)
      unknown = rules.unknownFields(directory.declaredFields).first
      dormant = try directory.missingRecords(of: rules)
        .map { "\($0.source) (\($0.missing.joined(separator: ", ")))" }
      hasNamesakes = try examineNamesakes(of: rules, directory, &report)
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
    if rules.fault == nil, dormant.isEmpty, unknown == nil, !hasNamesakes {
      report.add(
        "visibility",
        .good,
        "every record, field and group that visibility rules name exists"
      )
    }
  }

  /// Looks for rules and groups whose ids have been given to other records.
  ///
  /// - Returns: Whether there are any.
  private func examineNamesakes(
    of rules: VisibilityRules,
    _ directory: Directory,
    _ report: inout DoctorReport
  ) throws(SnapshotError) -> Bool {
    let found = try directory.namesakes(of: rules)
    for holds in [false, true] {
      let named = found.rules.filter { $0.holds == holds }
      guard !named.isEmpty else { continue }
      let list = named.map { "rule \($0.place) (\($0.names.joined(separator: ", ")))" }
        .joined(separator: ", ")
      report.add(
        "visibility",
        .note,
        holds
          ? "visibility rules were made about others than those who have the ids now, "
            + "and apply to them until they are confirmed: \(list)"
          : "visibility rules do not apply, since others have the ids now: \(list)",
        advice: "if those who have the ids now are meant, run: \(.confirmRules(named.map(\.place)))"
      )
    }
    if !found.groups.isEmpty {
      let list = found.groups.map { group in
        "group \(group.name) (\(group.people.map { "person \($0)" }.joined(separator: ", ")))"
      }.joined(separator: ", ")
      report.add(
        "visibility",
        .note,
        "people are not in groups that list them, since they were given the ids of others: \(list)",
        advice: "if they are meant, run: \(.confirmGroups(found.groups.map(\.name)))"
      )
    }
    return !found.rules.isEmpty || !found.groups.isEmpty
  }
}
