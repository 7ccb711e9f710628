import DirectoryModel

extension VisibilityRules {
  /// What a viewer may see by these rules.
  ///
  /// Which rules are about the viewer is decided on all of the state, never on what the viewer sees.
  ///
  /// - Parameters:
  ///   - viewer: Who looks.
  ///   - snapshot: All of the state as it is now.
  /// - Returns: What the rules come to: `.everything` exactly where they hide nothing, and `.nothing`
  ///   for a person who is not there, and where a rule or a field that one names is not known.
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(rules and the viewer's places), but for departments that are named directly.
  package func sight(
    of viewer: Viewer,
    in snapshot: DirectorySnapshot
  ) throws(SnapshotError) -> Sight {
    let declared = try snapshot.fields().declared
    if viewer == .everything { return .everything }
    guard isUnderstood, unknownFields(declared).isEmpty else { return .nothing }
    guard let viewer = try ResolvedViewer(viewer, snapshot) else { return .nothing }
    return try held(in: snapshot, declared).sight(of: viewer, declared)
  }

  /// The same for rules of which all is known, as they hold in the viewer's state.
  func sight(of viewer: ResolvedViewer, _ declared: [Field]) throws(SnapshotError) -> Sight {
    var sight = Sight.nothing
    for rule in rules where try viewer.fits(rule.viewers, in: self) {
      for targets in viewer.targets(rule.targets) {
        if rule.fields.isEmpty {
          sight.places.append(Sight.Places(targets, Sight.Outcome(rule.effect)))
        } else {
          let names = Set(rule.fields)
          sight.fields.append(
            Sight.Fields(targets, .some(names), isShown: rule.effect == .show)
          )
        }
      }
    }
    return sight.simplified(declared)
  }
}

extension Sight.Outcome {
  init(_ effect: VisibilityRule.Effect) {
    switch effect {
    case .show: self = .shown
    case .hide: self = .hidden
    case .unlist: self = .unlisted
    }
  }
}

/// A viewer as rules know them.
struct ResolvedViewer {
  private enum Identity {
    case person(row: Int, id: UserID)
    case device(String)
  }

  private let identity: Identity
  private let snapshot: DirectorySnapshot
  /// The departments that the person is in, by their ids.
  private var own: [(id: DepartmentID, node: Int)] = []
  private var led: [DepartmentID] = []

  /// `nil` for a person who is not there.
  init?(_ viewer: Viewer, _ snapshot: DirectorySnapshot) throws(SnapshotError) {
    switch viewer {
    case .everything: return nil
    case .device(let name): self.init(identity: .device(name), snapshot)
    case .person(let id):
      guard let row = try snapshot.parts().userIndex.row(of: id.rawValue) else { return nil }
      try self.init(row: row, id, snapshot)
    }
  }

  private init(identity: Identity, _ snapshot: DirectorySnapshot) {
    (self.identity, self.snapshot) = (identity, snapshot)
  }

  /// The person of a row.
  init(row: Int, _ id: UserID, _ snapshot: DirectorySnapshot) throws(SnapshotError) {
    self.init(identity: .person(row: row, id: id), snapshot)
    let parts = try snapshot.parts()
    for leaf in try parts.leaves.nodes(of: row) {
      guard let node = try parts.tree.parent(of: leaf) else { continue }
      let record = try parts.tree.departmentRecord(of: node)
      let department = DepartmentID(try parts.departments.ids[record])
      own.append((department, node))
      if try parts.memberships.leads(parts.tree.record(of: leaf)) { led.append(department) }
    }
    if own.count > 1 { own.sort { $0.id < $1.id } }
    led.sort()
  }

  func fits(
    _ viewers: VisibilityRule.Viewers,
    in rules: VisibilityRules
  ) throws(SnapshotError) -> Bool {
    guard case .person(let row, let id) = identity else {
      guard case .device(let name) = viewers, case .device(let own) = identity else { return false }
      return name.utf8.elementsEqual(own.utf8)
    }
    switch viewers {
    case .everybody: return true
    case .department: return try place(for: viewers) != nil
    case .person(let person): return person == id
    case .group(let name): return try rules.isMember(id, row: row, of: name, in: snapshot)
    case .leads: return !led.isEmpty
    case .people(let field, let value):
      return try snapshot.person(row, has: field, ItemText(value))
    case .device: return false
    }
  }

  /// The place by which the viewer fits viewers who are those of a department; `nil` for others.
  func place(for viewers: VisibilityRule.Viewers) throws(SnapshotError) -> DepartmentID? {
    guard case .department(let department) = viewers,
      let subtree = try snapshot.subtree(of: department)
    else { return nil }
    return own.first { subtree.contains($0.node) }?.id
  }

  /// What the targets of a rule are for the viewer; for a device there is nothing of its own.
  func targets(_ targets: VisibilityRule.Targets) -> [Sight.Targets] {
    switch targets {
    case .everything: [.everything]
    case .department(let id): [.department(id)]
    case .person(let id): [.person(id)]
    case .ownDepartments: own.map { .department($0.id) }
    case .ledDepartments: led.map { .department($0) }
    case .colleagues: own.map { .peopleDirectly(in: $0.id) }
    case .people(let field, let value): [.people(field: field, value: ItemText(value))]
    }
  }
}

extension Sight {
  /// The same without clauses that decide nothing, so that viewers with equal answers are one class.
  func simplified(_ declared: [Field]) -> Sight {
    var sight = Sight.nothing
    var targets: Set<Targets> = []
    for clause in places where targets.insert(clause.targets).inserted {
      sight.places.append(clause)
      if clause.targets == .everything { break }
    }
    // What comes just before the base and says the same, and a base that says what holds without one.
    while sight.places.count > 1, let last = sight.places.last, last.targets == .everything,
      sight.places[sight.places.count - 2].outcome == last.outcome
    {
      sight.places.remove(at: sight.places.count - 2)
    }
    while let last = sight.places.last, last.outcome == .hidden { sight.places.removeLast() }
    var decided: [Targets: Set<String>] = [:]
    for clause in fields {
      guard case .some(var names) = clause.names else {
        sight.fields.append(clause)
        continue
      }
      names.subtract(decided[.everything] ?? [])
      names.subtract(decided[clause.targets] ?? [])
      decided[clause.targets, default: []].formUnion(names)
      if !names.isEmpty {
        sight.fields.append(Fields(clause.targets, .some(names), isShown: clause.isShown))
      }
    }
    // The last ones that say what the declarations say.
    let unseen = Set(declared.filter { !$0.isVisible }.map(\.name))
    let seen = Set(declared.filter(\.isVisible).map(\.name))
    while let last = sight.fields.last, case .some(let names) = last.names,
      last.isShown
        ? names.isDisjoint(with: unseen) : names.isSubset(of: unseen.subtracting(seen))
    {
      sight.fields.removeLast()
    }
    return sight.isEverything(declared) ? .everything : sight
  }

  /// Whether nothing is hidden.
  private func isEverything(_ declared: [Field]) -> Bool {
    guard places.first == Places(.everything, .shown), fields.allSatisfy(\.isShown) else {
      return false
    }
    let ofAll = fields.filter { $0.targets == .everything }
    return [RecordKind.department, .user].allSatisfy {
      HiddenFields(ofAll, of: $0, declared) == .none
    }
  }
}
