import DirectoryModel

/// Why a viewer sees a person or a department, or does not: the rule that decides of each place and field.
package struct VisibilityExplanation: Hashable, Sendable {
  package enum Target: Hashable, Sendable {
    case person(UserID)
    case department(DepartmentID)
  }

  /// Why nothing is shown to a viewer, whatever the rules say.
  package enum Cause: Hashable, Sendable {
    /// A rule is of a kind that this program does not know.
    case unknownRule
    case unknownField(UnknownField)
    /// The viewer is not in the directory.
    case unknownViewer
  }

  /// A rule, and by what it fits.
  package struct Decision: Hashable, Sendable {
    /// Where in the list it is; `nil` where no rule fits, and so a place is hidden, and a field as its
    /// declaration says.
    package var rule: Int?
    /// The place by which the viewer fits, where the rule's viewers are those of a department.
    package var viewerPlace: DepartmentID?
    /// The place by which the target fits, where the rule's targets are departments or who is in them.
    package var targetPlace: DepartmentID?
    /// Whether the rule means another record than the one that has its id now, for which it holds until it
    /// is confirmed.
    package var isOfNamesake = false
  }

  package struct Place: Hashable, Sendable {
    package var department: DepartmentID
    package var outcome: Sight.Outcome
    package var decision: Decision
  }

  package struct Field: Hashable, Sendable {
    package var name: String
    package var isShown: Bool
    package var decision: Decision
  }

  package var cause: Cause?
  /// Of a person each place in the order of the tree; of a department itself.
  package var places: [Place] = []
  /// All fields that can be hidden.
  package var fields: [Field] = []
  /// Whether it is the viewer, whose own card shows all fields that are for oneself.
  package var isOneself = false
  /// Where rules are that fit by their ids, or by those in their groups, and mean others who had them.
  package var sleeping: [Int] = []

  package var isShown: Bool { places.contains { $0.outcome == .shown } }
  package var isUnlisted: Bool { !isShown && places.contains { $0.outcome == .unlisted } }
}

extension VisibilityRules {
  /// Why a viewer sees a record.
  ///
  /// - Parameters:
  ///   - target: The person or department.
  ///   - viewer: A person or a device.
  ///   - snapshot: All of the state as it is now.
  /// - Returns: `nil` where the target is not there, or has no place.
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(rules · places), and what the rules name directly.
  package func explanation(
    of target: VisibilityExplanation.Target,
    for viewer: Viewer,
    in snapshot: DirectorySnapshot
  ) throws(SnapshotError) -> VisibilityExplanation? {
    guard let seen = try ExplainedTarget(target, snapshot) else { return nil }
    let declared = try snapshot.fields().declared
    var explanation = VisibilityExplanation()
    if case .person(let id) = target, viewer == .person(id) { explanation.isOneself = true }
    var fitting: [FittingRule] = []
    if !isUnderstood {
      explanation.cause = .unknownRule
    } else if let field = unknownFields(declared).first {
      explanation.cause = .unknownField(field)
    } else if let viewer = try ResolvedViewer(viewer, snapshot) {
      for found in try holding(in: snapshot, declared)
      where try viewer.fits(found.rule.viewers, in: self) {
        fitting.append(
          FittingRule(
            index: found.index,
            place: try viewer.place(for: found.rule.viewers),
            targets: viewer.targets(found.rule.targets),
            isOfNamesake: found.isOfNamesake
          )
        )
      }
      explanation.sleeping = try sleeping(for: viewer, about: seen, in: snapshot, declared)
    } else {
      explanation.cause = .unknownViewer
    }
    for (department, node) in seen.places {
      var place = VisibilityExplanation.Place(
        department: department,
        outcome: .hidden,
        decision: VisibilityExplanation.Decision()
      )
      for rule in fitting where rules[rule.index].fields.isEmpty {
        guard let found = try seen.place(for: rule.targets, among: [(department, node)]) else {
          continue
        }
        place.outcome = Sight.Outcome(rules[rule.index].effect)
        place.decision = rule.decision(found)
        break
      }
      if seen.isUnplaced(node) { place.outcome = .hidden }
      explanation.places.append(place)
    }
    for name in seen.kind.shownFields(declared) {
      let field = declared.of(seen.kind).first { $0.name == name }
      var decided = VisibilityExplanation.Field(
        name: name,
        isShown: explanation.cause == nil && field?.isVisible ?? true,
        decision: VisibilityExplanation.Decision()
      )
      for rule in fitting where rules[rule.index].fields.contains(name) {
        guard let found = try seen.place(for: rule.targets, among: seen.places) else { continue }
        decided.isShown = rules[rule.index].effect == .show
        decided.decision = rule.decision(found)
        break
      }
      explanation.fields.append(decided)
    }
    return explanation
  }

  /// Rules that fit by ids alone, and do not by who is meant.
  private func sleeping(
    for viewer: ResolvedViewer,
    about target: ExplainedTarget,
    in snapshot: DirectorySnapshot,
    _ declared: [Field]
  ) throws(SnapshotError) -> [Int] {
    var byIDs = self
    byIDs.memberIdentities = [:]
    var sleeping: [Int] = []
    for (index, rule) in rules.enumerated() where try viewer.fits(rule.viewers, in: byIDs) {
      let standing = try rule.standing(in: snapshot, declared)
      let isAsleep =
        rule.effect == .show
        && (standing.targets == .namesake || standing.viewers == .namesake)
      if !isAsleep, try viewer.fits(rule.viewers, in: self) { continue }
      let match = try target.place(for: viewer.targets(rule.targets), among: target.places)
      if match != nil { sleeping.append(index) }
    }
    return sleeping
  }
}

/// A rule that fits a viewer.
private struct FittingRule {
  var index: Int
  /// The place by which the viewer fits.
  var place: DepartmentID?
  /// The targets for this viewer.
  var targets: [Sight.Targets]
  var isOfNamesake: Bool

  func decision(_ match: ExplainedTarget.Match) -> VisibilityExplanation.Decision {
    VisibilityExplanation.Decision(
      rule: index,
      viewerPlace: place,
      targetPlace: match.place,
      isOfNamesake: isOfNamesake
    )
  }
}

/// A person or a department as clauses know them.
private struct ExplainedTarget {
  let kind: RecordKind
  let places: [(id: DepartmentID, node: Int)]
  private let user: (row: Int, id: UserID)?
  private let snapshot: DirectorySnapshot
  private let unplaced: Range<Int>

  init?(
    _ target: VisibilityExplanation.Target,
    _ snapshot: DirectorySnapshot
  ) throws(SnapshotError) {
    self.snapshot = snapshot
    unplaced = try snapshot.unplacedNodes()
    let (tree, departments) = (try snapshot.tree(), try snapshot.departments())
    switch target {
    case .department(let id):
      guard let node = try snapshot.subtree(of: id)?.lowerBound else { return nil }
      (kind, user, places) = (.department, nil, [(id, node)])
    case .person(let id):
      guard let row = try snapshot.userIndex().row(of: id.rawValue) else { return nil }
      var places: [(id: DepartmentID, node: Int)] = []
      for leaf in try snapshot.leaves().nodes(of: row) {
        guard let node = try tree.parent(of: leaf) else { continue }
        places.append((DepartmentID(try departments.ids[tree.departmentRecord(of: node)]), node))
      }
      (kind, user, self.places) = (.user, (row, id), places)
    }
    if places.isEmpty { return nil }
  }

  func isUnplaced(_ node: Int) -> Bool { unplaced.contains(node) }

  /// That a target fits, and by which place where it is a matter of places.
  struct Match { var place: DepartmentID? }

  /// By which of some places the target fits one of a rule's targets.
  ///
  /// - Returns: `nil` where it does not fit.
  func place(
    for targets: [Sight.Targets],
    among places: [(id: DepartmentID, node: Int)]
  ) throws(SnapshotError) -> Match? {
    for target in targets {
      switch target {
      case .everything: return Match()
      case .department(let id):
        guard let subtree = try snapshot.subtree(of: id) else { continue }
        if let place = places.first(where: { subtree.contains($0.node) }) {
          return Match(place: place.id)
        }
      case .peopleDirectly(let id):
        if user != nil, self.places.contains(where: { $0.id == id }) { return Match(place: id) }
      case .person(let id): if user?.id == id { return Match() }
      case .people(let field, let value):
        if let user, try snapshot.person(user.row, has: field, value) { return Match() }
      }
    }
    return nil
  }
}
