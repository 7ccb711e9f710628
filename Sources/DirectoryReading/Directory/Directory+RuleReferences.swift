import DirectoryModel
import DirectorySnapshot

/// The records that visibility rules and groups name by ids which others may have by now.
extension Directory {
  /// The names of what a rule has by id, for a comment; it is said of those that have the id of another
  /// record.
  package func names(in rule: VisibilityRule) -> String {
    var names: [String] = []
    func note(_ key: RecordKey?, _ identity: RecordIdentity?, isValue: Bool) {
      guard let key else { return }
      let isNamesake = (try? snapshot.standing(of: key, identity)) == .namesake
      guard isNamesake || !isValue else { return }
      let name = name(of: key) ?? "removed"
      let noun = key.kind == .department ? "department" : "person"
      let text = isNamesake ? "\(name) (another \(noun) has this id now)" : name
      // The same department may be both.
      if !names.contains(text) { names.append(text) }
    }
    var (isTargetValue, isViewerValue) = (false, false)
    if case .people = rule.targets { isTargetValue = true }
    if case .people = rule.viewers { isViewerValue = true }
    note(rule.target(declaredFields), rule.targetIdentity, isValue: isTargetValue)
    note(rule.viewer(declaredFields), rule.viewerIdentity, isValue: isViewerValue)
    return names.joined(separator: "; ")
  }

  private func name(of key: RecordKey) -> String? {
    if key.kind == .user { return (try? personName(key.id)) ?? nil }
    return ((try? node(of: DepartmentID(key.id))) ?? nil).flatMap { try? listRow(at: $0).name }
  }

  /// The ids in a group that other people have now, for a comment.
  package func namesakes(inGroup group: String, of rules: VisibilityRules) -> String {
    let ids = (try? memberNamesakes(group, rules)) ?? []
    guard !ids.isEmpty else { return "" }
    let list = ids.map(\.rawValue).joined(separator: ", ")
    return "not in the group, since another person has the id now: \(list)"
  }

  private func memberNamesakes(
    _ group: String,
    _ rules: VisibilityRules
  ) throws(SnapshotError) -> [UserID] {
    var found: [UserID] = []
    for id in (rules.groups[group] ?? []).sorted() {
      let standing = try snapshot.standing(of: .user(id), rules.memberIdentities[group]?[id])
      if standing == .namesake { found.append(id) }
    }
    return found
  }

  /// Records that a rule names by ids which others have now, such as `person lin.mei`.
  package func namesakes(in rule: VisibilityRule) throws(SnapshotError) -> [String] {
    let references = [
      (rule.target(declaredFields), rule.targetIdentity),
      (rule.viewer(declaredFields), rule.viewerIdentity),
    ]
    var found: [String] = []
    for (key, identity) in references {
      guard let key, try snapshot.standing(of: key, identity) == .namesake else { continue }
      let text = "\(key.kind == .department ? "department" : "person") \(key.id)"
      if !found.contains(text) { found.append(text) }
    }
    return found
  }

  /// The identity of the record that has an id here; `nil` where no record has it, and for one whose
  /// identity is not told.
  ///
  /// - Complexity: O(1).
  package func identity(of key: RecordKey) throws(SnapshotError) -> RecordIdentity? {
    try snapshot.identity(of: key)
  }

  /// A rule for whoever has the ids now that it names; what no record has stays as it is.
  package func confirmed(_ rule: VisibilityRule) throws(SnapshotError) -> VisibilityRule {
    var confirmed = rule
    if let key = rule.target(declaredFields), let identity = try identity(of: key) {
      confirmed.targetIdentity = identity
    }
    if let key = rule.viewer(declaredFields), let identity = try identity(of: key) {
      confirmed.viewerIdentity = identity
    }
    return confirmed
  }

  /// Rules and groups that mean records whose ids others have now.
  ///
  /// - Parameter rules: The list.
  /// - Returns: Of rules what they name, and whether they hold for the others; then groups with the ids of
  ///   people who are not in them.
  /// - Throws: `SnapshotError.damaged`.
  package func namesakes(
    of rules: VisibilityRules
  ) throws(SnapshotError) -> (
    rules: [(place: Int, names: [String], holds: Bool)], groups: [(name: String, people: [UserID])]
  ) {
    var found: [(place: Int, names: [String], holds: Bool)] = []
    for (index, rule) in rules.rules.enumerated() {
      let names = try namesakes(in: rule)
      if !names.isEmpty { found.append((index + 1, names, rule.effect != .show)) }
    }
    var groups: [(name: String, people: [UserID])] = []
    for name in rules.memberIdentities.keys.sorted() {
      let people = try memberNamesakes(name, rules)
      if !people.isEmpty { groups.append((name, people)) }
    }
    return (found, groups)
  }
}
