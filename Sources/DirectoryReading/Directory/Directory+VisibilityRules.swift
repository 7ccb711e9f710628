import DirectoryModel
import DirectorySnapshot

extension Directory {
  /// The one person or department that a text means.
  ///
  /// - Parameters:
  ///   - text: As in `lookUp(_:limit:)`.
  ///   - kind: What is meant, where it must be one of a kind.
  /// - Throws: `.notFound` where nothing, or several, are meant.
  package func theNode(of text: String, _ kind: RecordKind? = nil) throws -> Node {
    switch try lookUp(text, limit: 10) {
    case .found(let nodes):
      let meant = try nodes.filter { try kind == nil || listRow(at: $0).kind == kind }
      if let node = meant.first, meant.count == 1 { return node }
      throw DirectoryError(.notFound, "\"\(text)\" is not a \(kind?.noun ?? "record")")
    case .several(let rows, _):
      throw DirectoryError(
        .notFound,
        "several records match \"\(text)\"",
        advice: "name one of them by its id",
        details: rows.map { "\($0.row.name) (\($0.row.id))" }
      )
    case .nothing(let nearest):
      throw DirectoryError(
        .notFound,
        "no person or department is called \(text)",
        advice: nearest.first.map { "did you mean \($0)?" }
      )
    }
  }

  /// The names of what a rule has by id, for a comment.
  package func names(in rule: VisibilityRule) -> String {
    var names: [String?] = []
    func department(_ id: DepartmentID) {
      names.append(((try? node(of: id)) ?? nil).flatMap { try? listRow(at: $0).name })
    }
    func person(_ id: UserID) { names.append((try? personName(id.rawValue)) ?? nil) }
    switch rule.targets {
    case .department(let id): department(id)
    case .person(let id): person(id)
    default: break
    }
    switch rule.viewers {
    case .department(let id): department(id)
    case .person(let id): person(id)
    default: break
    }
    return names.map { $0 ?? "removed" }.joined(separator: "; ")
  }

  /// As `VisibilityDifference`, on this state.
  package func difference(
    from old: VisibilityRules,
    to new: VisibilityRules
  ) throws(DirectoryError) -> VisibilityDifference {
    do throws(SnapshotError) {
      return try VisibilityDifference(from: old, to: new, in: snapshot)
    } catch {
      throw DirectoryError(error)
    }
  }

  /// As `VisibilityRules.explanation`, by the rules of this state.
  package func explanation(
    of kind: RecordKind,
    _ id: String,
    for viewer: Viewer
  ) throws(SnapshotError) -> VisibilityExplanation? {
    try visibilityRules().explanation(of: kind, id, for: viewer, in: snapshot)
  }
}

// MARK: - The usual mistakes

extension Directory {
  /// Rules that never decide, since an earlier one fits whatever they fit.
  package func warnings(of rules: VisibilityRules) throws(SnapshotError) -> [String] {
    var warnings: [String] = []
    for (index, rule) in rules.rules.enumerated() {
      for (other, earlier) in rules.rules[..<index].enumerated()
      where try covers(earlier, rule) {
        warnings.append("rule \(index + 1) never decides, because rule \(other + 1) comes first")
        break
      }
    }
    return warnings
  }

  /// What a difference has that is hardly meant.
  package func warnings(of difference: VisibilityDifference) throws(SnapshotError) -> [String] {
    func list(_ names: [String]) -> String {
      let rest = names.count - Self.namedInWarnings
      return names.prefix(Self.namedInWarnings).joined(separator: ", ")
        + (rest > 0 ? " and \(rest) more" : "")
    }
    func name(_ id: DepartmentID) throws(SnapshotError) -> String {
      try node(of: id).map { try departmentName(of: position(of: $0)) } ?? id.rawValue
    }
    var warnings: [String] = []
    if !difference.unseenDepartments.isEmpty {
      let names = try difference.unseenDepartments.map { (id) throws(SnapshotError) in try name(id) }
      warnings.append("no person sees these departments any more: \(list(names))")
    }
    if !difference.blindLeads.isEmpty {
      let names = try difference.blindLeads.map { (lead) throws(SnapshotError) in
        let person = try personName(lead.user.rawValue) ?? lead.user.rawValue
        return "\(person) (\(try name(lead.department)))"
      }
      warnings.append("these leads do not see all people of their departments any more: \(list(names))")
    }
    return warnings
  }

  private static let namedInWarnings = 5

  /// Whether a rule fits whatever another fits.
  private func covers(_ rule: VisibilityRule, _ other: VisibilityRule) throws(SnapshotError) -> Bool {
    guard rule.fields.isEmpty == other.fields.isEmpty,
      Set(rule.fields).isSuperset(of: other.fields)
    else { return false }
    return try covers(rule.viewers, other.viewers) && covers(rule.targets, other.targets)
  }

  private func covers(
    _ viewers: VisibilityRule.Viewers,
    _ others: VisibilityRule.Viewers
  ) throws(SnapshotError) -> Bool {
    switch (viewers, others) {
    case (.everybody, .device): return false
    case (.everybody, _): return true
    case (.department(let id), .department(let other)): return try isInside(other, id)
    default: return viewers == others
    }
  }

  private func covers(
    _ targets: VisibilityRule.Targets,
    _ others: VisibilityRule.Targets
  ) throws(SnapshotError) -> Bool {
    switch (targets, others) {
    case (.everything, _): return true
    case (.department(let id), .department(let other)): return try isInside(other, id)
    case (.ownDepartments, .ledDepartments): return true
    default: return targets == others
    }
  }

  private func isInside(_ id: DepartmentID, _ outer: DepartmentID) throws(SnapshotError) -> Bool {
    guard let inner = try node(of: id), let outer = try node(of: outer) else { return id == outer }
    return try isInside(inner, outer)
  }
}
