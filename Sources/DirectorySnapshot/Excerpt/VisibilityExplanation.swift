import DirectoryModel

/// Which rules decide what a viewer sees of a record, and why they fit.
package struct VisibilityExplanation: Sendable {
  /// What decides about a place or a field.
  package struct Decision: Hashable, Sendable {
    /// The index of the rule in the list; `nil` where no rule fits.
    package var rule: Int?
    /// The viewer's place by which the rule fits, where that is why.
    package var viewersPlace: DepartmentID?
    /// The record's place by which the rule fits, where that is why.
    package var place: DepartmentID?
  }

  /// The departments that a person is in, or a department itself.
  package var places: [(department: DepartmentID, decision: Decision)] = []
  /// Each field of the record, in the order of cards.
  package var fields: [(name: String, decision: Decision)] = []

  /// The departments that it names.
  package var departments: [DepartmentID] {
    places.map(\.department)
      + (places.map(\.decision) + fields.map(\.decision)).flatMap {
        [$0.viewersPlace, $0.place].compactMap { $0 }
      }
  }
}

extension VisibilityRules {
  /// Explains what these rules let a viewer see of a record.
  ///
  /// - Parameters:
  ///   - kind: `.department` or `.user`.
  ///   - id: The record's id.
  ///   - viewer: A person or a device.
  ///   - snapshot: All of the state as it is now.
  /// - Returns: `nil` where the viewer or the record is not there.
  /// - Throws: `SnapshotError.damaged`.
  package func explanation(
    of kind: RecordKind,
    _ id: String,
    for viewer: Viewer,
    in snapshot: DirectorySnapshot
  ) throws(SnapshotError) -> VisibilityExplanation? {
    guard let viewer = try RuleViewer(viewer, snapshot, self),
      let record = try ExplainedRecord(kind, id, snapshot)
    else { return nil }
    let fitting = try rules.enumerated().compactMap { (index, rule) throws(SnapshotError) in
      try viewer.fits(rule.viewers) ? (index: index, rule: rule) : nil
    }
    func decision(
      _ nodes: [Int],
      _ isAbout: (VisibilityRule) -> Bool
    ) throws(SnapshotError) -> VisibilityExplanation.Decision {
      for (index, rule) in fitting where isAbout(rule) {
        for targets in viewer.targets(rule.targets) {
          guard let fit = try record.fit(targets, nodes) else { continue }
          return VisibilityExplanation.Decision(
            rule: index,
            viewersPlace: try viewer.place(by: rule.viewers),
            place: fit.place
          )
        }
      }
      return VisibilityExplanation.Decision()
    }
    var explanation = VisibilityExplanation()
    for (node, department) in record.places {
      explanation.places.append((department, try decision([node]) { $0.fields.isEmpty }))
    }
    let nodes = record.places.map(\.node)
    for name in kind.shownFields(try snapshot.fields().declared) {
      explanation.fields.append((name, try decision(nodes) { $0.fields.contains(name) }))
    }
    return explanation
  }
}

/// A record as clauses know it.
private struct ExplainedRecord {
  private let kind: RecordKind
  private let id: String
  /// The row of a person.
  private let row: Int
  private let snapshot: DirectorySnapshot
  /// The leaves of a person and their departments, or a department.
  private(set) var places: [(node: Int, department: DepartmentID)] = []

  /// `nil` where it is not there.
  init?(
    _ kind: RecordKind,
    _ id: String,
    _ snapshot: DirectorySnapshot
  ) throws(SnapshotError) {
    (self.kind, self.id, self.snapshot) = (kind, id, snapshot)
    let index = try kind == .user ? snapshot.userIndex() : snapshot.departmentIndex()
    guard let row = try index.row(of: id) else { return nil }
    self.row = row
    guard kind == .user else {
      places = [(try snapshot.departments().node(of: row), DepartmentID(id))]
      return
    }
    let (tree, ids) = (try snapshot.tree(), try snapshot.departments().ids)
    for leaf in try snapshot.leaves().nodes(of: row) {
      guard let parent = try tree.parent(of: leaf) else { continue }
      places.append((leaf, DepartmentID(try ids[tree.departmentRecord(of: parent)])))
    }
  }

  /// Whether targets are about one of these places, and by which; `nil` where they are not.
  func fit(
    _ targets: Sight.Targets,
    _ nodes: [Int]
  ) throws(SnapshotError) -> (place: DepartmentID?, Void)? {
    switch targets {
    case .everything: return (nil, ())
    case .department(let department):
      guard let subtree = try snapshot.subtree(of: department),
        let place = places.first(where: { nodes.contains($0.node) && subtree.contains($0.node) })
      else { return nil }
      return (place.department, ())
    case .peopleDirectly(let department):
      return kind == .user && places.contains { $0.department == department }
        ? (department, ()) : nil
    case .person(let person): return kind == .user && person.rawValue.utf8.elementsEqual(id.utf8) ? (nil, ()) : nil
    case .people(let field, let value):
      return try kind == .user && snapshot.person(row, has: field, value) ? (nil, ()) : nil
    }
  }
}
