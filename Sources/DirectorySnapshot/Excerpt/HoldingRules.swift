import DirectoryModel

/// How a state has what a rule names by an id.
package enum ReferenceStanding: Hashable, Sendable {
  /// The record that is meant has the id, or the id alone counts.
  case present
  /// No record has the id.
  case absent
  /// Another record has the id.
  case namesake
}

extension DirectorySnapshot {
  /// The identity of the record that has an id.
  ///
  /// - Parameter key: A department's or a person's.
  /// - Returns: `nil` where no record has the id, and for one whose identity is not told.
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(1).
  package func identity(of key: RecordKey) throws(SnapshotError) -> RecordIdentity? {
    guard let text = try identityText(of: key), !text.isEmpty else { return nil }
    return RecordIdentity(text)
  }

  /// How the state has a record that is named by an id.
  ///
  /// - Parameters:
  ///   - key: What is named; `nil` for nothing.
  ///   - identity: Who is meant; `nil` for whoever has the id.
  /// - Returns: `.present` also where the holder's identity is not told.
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(1).
  package func standing(
    of key: RecordKey?,
    _ identity: RecordIdentity?
  ) throws(SnapshotError) -> ReferenceStanding {
    guard let key, let identity else { return .present }
    guard let text = try identityText(of: key) else { return .absent }
    return text.isEmpty || RecordIdentity(text) == identity ? .present : .namesake
  }

  /// `nil` where no record has the id; empty where its identity is not told.
  private func identityText(of key: RecordKey) throws(SnapshotError) -> String? {
    let parts = try parts()
    if key.kind == .department {
      guard let row = try parts.departmentIndex.row(of: key.id) else { return nil }
      return try parts.departments.identities[row]
    }
    guard let row = try parts.userIndex.row(of: key.id) else { return nil }
    return try parts.users.identities[row]
  }
}

/// A rule as it holds in one state.
struct HoldingRule {
  /// Where in the list it is.
  var index: Int
  /// What it comes to; who is meant by its ids was judged.
  var rule: VisibilityRule
  /// Whether it holds for a record that was given the id of the one that is meant.
  var isOfNamesake: Bool
}

extension VisibilityRules {
  /// The rules as they hold in a state, in order.
  ///
  /// A rule that shows sleeps while another record has an id that it names; one that hides holds for that
  /// record, too, until it is confirmed. Where the one who is meant by the targets is not there, the rule
  /// also stands, by itself if it sleeps, about the key that history has for a removed record.
  ///
  /// - Parameters:
  ///   - snapshot: All of the state.
  ///   - declared: Its declared fields.
  /// - Returns: Rules that go by ids, of one of the list none, one or two.
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(rules).
  func holding(
    in snapshot: DirectorySnapshot,
    _ declared: [Field]
  ) throws(SnapshotError) -> [HoldingRule] {
    var holding: [HoldingRule] = []
    holding.reserveCapacity(rules.count)
    for (index, rule) in rules.enumerated() {
      let standing = try rule.standing(in: snapshot, declared)
      let isAwake = standing.targets == .present && standing.viewers == .present
      let isOfNamesake = standing.targets == .namesake || standing.viewers == .namesake
      if isAwake || rule.effect != .show {
        holding.append(HoldingRule(index: index, rule: rule, isOfNamesake: isOfNamesake))
      }
      guard standing.targets != .present, rule.effect != .show || standing.viewers == .present,
        let former = rule.ofFormerTarget
      else { continue }
      holding.append(HoldingRule(index: index, rule: former, isOfNamesake: false))
    }
    return holding
  }

  /// The list of them; one of which not all is known is not understood.
  func held(
    in snapshot: DirectorySnapshot,
    _ declared: [Field]
  ) throws(SnapshotError) -> VisibilityRules {
    VisibilityRules(
      try holding(in: snapshot, declared).map(\.rule),
      groups: groups,
      memberIdentities: memberIdentities,
      isUnderstood: isUnderstood && unknownFields(declared).isEmpty
    )
  }

  /// Whether a person is meant by a group that has their id: another who has it now is not.
  ///
  /// - Parameters:
  ///   - id: The person's.
  ///   - row: Where the person is.
  ///   - group: The group's name.
  ///   - snapshot: All of the state.
  /// - Returns: Whether the person is in the group.
  /// - Throws: `SnapshotError.damaged`.
  func isMember(
    _ id: UserID,
    row: Int,
    of group: String,
    in snapshot: DirectorySnapshot
  ) throws(SnapshotError) -> Bool {
    guard groups[group]?.contains(id) == true else { return false }
    guard let identity = memberIdentities[group]?[id] else { return true }
    let own = try snapshot.parts().users.identities[row]
    return own.isEmpty || RecordIdentity(own) == identity
  }
}

extension VisibilityRule {
  /// How a state has what targets and viewers name.
  ///
  /// - Throws: `SnapshotError.damaged`.
  func standing(
    in snapshot: DirectorySnapshot,
    _ declared: [Field]
  ) throws(SnapshotError) -> (targets: ReferenceStanding, viewers: ReferenceStanding) {
    (
      targetIdentity == nil
        ? .present : try snapshot.standing(of: target(declared), targetIdentity),
      viewerIdentity == nil
        ? .present : try snapshot.standing(of: viewer(declared), viewerIdentity)
    )
  }
}
