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
    let (rules, dormant): (VisibilityRules, [String])
    do throws(SnapshotError) {
      rules = try snapshot.visibilityRules()
      dormant = try ReferencedRecords(snapshot, rules).dormant
    } catch {
      throw DirectoryError(error)
    }
    if let fault = rules.fault {
      report.add(
        "visibility",
        .problem,
        (rules.isUnderstood
          ? "of the visibility rules, " : "no caller is shown anything by rules: ")
          + fault,
        advice: rules.isUnderstood
          ? "have an administrator correct the rules"
          : "install the version of Staffbook that made them, or a later one"
      )
    }
    if !dormant.isEmpty {
      report.add(
        "visibility",
        .note,
        "visibility rules and groups refer to missing records, fields or groups: "
          + dormant.joined(separator: ", ")
      )
    }
    if rules.fault == nil, dormant.isEmpty {
      report.add(
        "visibility",
        .good,
        "every record, field and group that visibility rules name exists"
      )
    }
  }
}

/// What rules name, and whether it is there.
private struct ReferencedRecords {
  /// Each rule, or person in a group, that names something else.
  private(set) var dormant: [String] = []

  init(_ snapshot: DirectorySnapshot, _ rules: VisibilityRules) throws(SnapshotError) {
    let (departments, users) = (try snapshot.departmentIndex(), try snapshot.userIndex())
    let declared = try snapshot.fields().declared
    let fields = Set(
      [RecordKind.user, .department].flatMap { $0.shownFields(declared) } + [
        RecordColumn.id.name, RecordColumn.name.name,
      ]
    )
    for rule in rules.rules {
      var missing = rule.fields.filter { !fields.contains($0) }.map { "field \($0)" }
      switch rule.targets {
      case .department(let id): missing += try Self.missing("department", id.rawValue, departments)
      case .person(let id): missing += try Self.missing("person", id.rawValue, users)
      case .people(let field, _) where !fields.contains(field): missing.append("field \(field)")
      case .everything, .ownDepartments, .ledDepartments, .colleagues, .people: break
      }
      switch rule.viewers {
      case .department(let id): missing += try Self.missing("department", id.rawValue, departments)
      case .person(let id): missing += try Self.missing("person", id.rawValue, users)
      case .people(let field, _) where !fields.contains(field): missing.append("field \(field)")
      case .group(let name) where rules.groups[name] == nil: missing.append("group \(name)")
      case .everybody, .leads, .device, .people, .group: break
      }
      if !missing.isEmpty {
        dormant.append("rule \(rule.id) (\(missing.joined(separator: ", ")))")
      }
    }
    for (name, people) in rules.groups.sorted(by: { $0.key < $1.key }) {
      var missing: [String] = []
      for id in people.sorted() { missing += try Self.missing("person", id.rawValue, users) }
      if !missing.isEmpty { dormant.append("group \(name) (\(missing.joined(separator: ", ")))") }
    }
  }

  private static func missing(
    _ kind: String,
    _ id: String,
    _ index: IndexPart
  ) throws(SnapshotError) -> [String] {
    try index.row(of: id) == nil ? ["\(kind) \(id)"] : []
  }
}
