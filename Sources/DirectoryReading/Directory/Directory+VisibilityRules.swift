import DirectoryModel
import DirectorySnapshot
import Platform

extension Directory {
  /// The one person or department that a text means.
  ///
  /// - Parameters:
  ///   - text: As in `lookUp(_:limit:)`.
  ///   - kind: What is meant, where it must be one of a kind.
  /// - Returns: Where it is in the tree.
  /// - Throws: `.notFound` where nothing, or several, are meant.
  package func theNode(of text: String, _ kind: DirectoryRow.Kind? = nil) throws -> Node {
    switch try lookUp(text, limit: 10) {
    case .found(let nodes):
      let meant = try nodes.filter { try kind == nil || listRow(at: $0).kind == kind }
      if let node = meant.first, meant.count == 1 { return node }
      let what = kind == .user ? "person" : "record"
      throw DirectoryError(.notFound, "\"\(text)\" does not name one \(what)")
    case .card(let row): throw DirectoryError(.notFound, "\(row.name) is not in the tree")
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

  /// Who would lose and gain what by other rules, a sentence each.
  ///
  /// - Parameters:
  ///   - rules: Those that hold.
  ///   - other: Those that may come.
  /// - Returns: Sentences without a full stop, and those of them that are hardly meant.
  /// - Throws: `SnapshotError.damaged`.
  package func effects(
    from rules: VisibilityRules,
    to other: VisibilityRules
  ) throws(SnapshotError) -> (sentences: [String], warnings: [String]) {
    let difference = try rules.difference(to: other, in: snapshot)
    let groups = difference.groups
    func people(_ count: Int) -> String { counted(count, "person", "people") }
    func sentence(
      _ verb: String,
      _ what: String = "",
      _ count: (VisibilityDifference.Group) -> Int
    ) -> String? {
      let groups = groups.filter { count($0) > 0 }
      let counts = groups.map(count)
      guard let fewest = counts.min(), let most = counts.max() else { return nil }
      let viewers = groups.reduce(0) { $0 + $1.viewers }
      return "\(people(viewers)) \(verb)\(viewers == 1 ? "s" : "") sight of \(what)"
        + (fewest == most ? people(most) : "up to \(people(most))")
    }
    var sentences = [sentence("lose") { $0.lost }, sentence("gain") { $0.gained }].compactMap { $0 }
    for name in Set(groups.flatMap(\.fields.keys)).sorted() {
      let counted = [
        sentence("lose", "\(name) of ") { $0.fields[name]?.lost ?? 0 },
        sentence("gain", "\(name) of ") { $0.fields[name]?.gained ?? 0 },
      ].compactMap { $0 }
      let viewers = groups.reduce(0) { $0 + ($1.fields[name] == nil ? 0 : $1.viewers) }
      sentences +=
        counted.isEmpty ? ["the rules about \(name) change for \(people(viewers))"] : counted
    }
    var warnings = try Self.firstFew(difference.unseen).map { (id) throws(SnapshotError) in
      "no person would see the department \(try departmentName(id))"
    }
    warnings += try Self.firstFew(difference.leads).map { (lead) throws(SnapshotError) in
      "\(try personName(lead.person.rawValue) ?? lead.person.rawValue) leads "
        + "\(try departmentName(lead.department)), but would not see all the people in it"
    }
    let rest = (difference.unseen.count - Self.mostNamed, difference.leads.count - Self.mostNamed)
    if rest.0 > 0 { warnings.append("no person would see \(rest.0) more departments") }
    if rest.1 > 0 { warnings.append("\(rest.1) more leads would not see all their people") }
    return (sentences, warnings)
  }

  private static let mostNamed = 5

  private static func firstFew<Element>(_ list: [Element]) -> [Element] {
    Array(list.prefix(mostNamed))
  }

  /// Which rules of this state decide what a viewer sees of a record, a line for each place, and for each
  /// field that a rule decides or its declaration hides.
  ///
  /// - Parameters:
  ///   - node: The person or department.
  ///   - viewer: Who looks.
  ///   - name: The viewer's.
  /// - Returns: The lines.
  /// - Throws: `SnapshotError.damaged`.
  package func explanation(
    at node: Node,
    for viewer: Viewer,
    named name: String
  ) throws -> [String] {
    let (row, rules) = (try listRow(at: node), try snapshot.visibilityRules())
    let target: VisibilityExplanation.Target =
      row.kind == .user ? .person(UserID(row.id)) : .department(DepartmentID(row.id))
    guard let explanation = try rules.explanation(of: target, for: viewer, in: snapshot) else {
      return ["\(row.name) is not in the tree"]
    }
    if let cause = explanation.cause { return ["\(name) sees nothing: \(cause.words)"] }
    func reason(_ decision: VisibilityExplanation.Decision, _ other: String) throws -> String {
      guard let index = decision.rule else { return ", \(other)" }
      var reasons: [String] = []
      if let place = decision.viewerPlace {
        reasons.append("\(name) is in \(try departmentName(place))")
      }
      if let place = decision.targetPlace, row.kind == .user {
        reasons.append("\(row.name) is in \(try departmentName(place))")
      }
      if decision.isOfNamesake {
        let others = try namesakes(in: rules.rules[index]).joined(separator: " and ")
        reasons.append("until it is confirmed, since \(others) is another one by now")
      }
      let why = reasons.isEmpty ? "" : " (\(reasons.joined(separator: "; ")))"
      return " by rule \(index + 1), \(rules.rules[index])\(why)"
    }
    let verb =
      explanation.isShown
      ? "sees"
      : explanation.isUnlisted ? "finds only by the whole address or number" : "does not see"
    var lines = ["\(name) \(verb) \(row.name)"]
    if !explanation.isShown, case .department(let id) = target,
      try Directory(snapshot, for: rules.sight(of: viewer, in: snapshot)).node(of: id) != nil
    {
      lines = [
        "\(name) sees only the id, name and parent of \(row.name), since something below it is shown"
      ]
    }
    if explanation.isOneself {
      lines.append("  their own card shows all fields that people may see of themselves")
    }
    for place in explanation.places {
      let department = try departmentName(place.department)
      let why = try reason(place.decision, "because no rule fits")
      lines.append("  in \(department): \(place.outcome)\(why)")
    }
    for field in explanation.fields where field.decision.rule != nil || !field.isShown {
      let why = try reason(field.decision, "as declared")
      lines.append("  \(field.name): \(field.isShown ? "shown" : "hidden")\(why)")
    }
    for index in explanation.sleeping {
      let rule = rules.rules[index]
      let others = try namesakes(in: rule).joined(separator: " and ")
      let why =
        others.isEmpty
        ? "the group means another person, who had the id of \(name)"
        : "\(others) is another one by now"
      lines.append("  rule \(index + 1), \(rule), does not apply: \(why)")
    }
    return lines
  }

  private func departmentName(_ id: DepartmentID) throws(SnapshotError) -> String {
    guard let position = try position(of: id) else { return id.rawValue }
    return try departmentName(of: position)
  }
}

extension VisibilityExplanation.Cause {
  fileprivate var words: String {
    switch self {
    case .unknownRule: "a rule is of a kind that this program does not know"
    case .unknownField(let field): field.text
    case .unknownViewer: "the viewer is not in the directory"
    }
  }
}

extension Directory {
  /// Rules that never decide, since an earlier one fits whatever they fit.
  package func warnings(of rules: VisibilityRules) throws(SnapshotError) -> [String] {
    var warnings: [String] = []
    var asleep: Set<Int> = []
    for (index, rule) in rules.rules.enumerated() {
      if rule.effect == .show, try !namesakes(in: rule).isEmpty { asleep.insert(index) }
      for (other, earlier) in rules.rules[..<index].enumerated() where !asleep.contains(other) {
        guard try covers(earlier, rule) else { continue }
        warnings.append("rule \(index + 1) has no effect: rule \(other + 1) always fits first")
        break
      }
    }
    return warnings
  }

  /// Whether a rule fits whatever another fits.
  private func covers(_ rule: VisibilityRule, _ other: VisibilityRule) throws(SnapshotError) -> Bool
  {
    guard rule.fields.isEmpty == other.fields.isEmpty,
      Set(rule.fields).isSuperset(of: other.fields)
    else { return false }
    guard try covers(rule.viewers, other.viewers) else { return false }
    return try covers(rule.targets, other.targets)
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

extension Directory {
  /// Rules and groups that refer to records or groups that are not there.
  ///
  /// - Returns: What each is called, and what is missing; rules by their place in the list.
  package func missingRecords(
    of rules: VisibilityRules
  ) throws(SnapshotError) -> [(source: String, missing: [String])] {
    func missing(_ id: DepartmentID) throws(SnapshotError) -> [String] {
      try position(of: id) == nil ? ["department \(id)"] : []
    }
    func missing(_ id: UserID) throws(SnapshotError) -> [String] {
      try state.userIndex.row(of: id.rawValue) == nil ? ["person \(id)"] : []
    }
    let naming = declaredFields.of(.user).filter { $0.kind == .person }.map(\.name)
    func missing(_ field: String, _ value: String) throws(SnapshotError) -> [String] {
      let isPerson = field == RecordColumn.id.name || naming.contains(field)
      return isPerson ? try missing(UserID(value)) : []
    }
    var found: [(source: String, missing: [String])] = []
    for (index, rule) in rules.rules.enumerated() {
      var all: [String] = []
      switch rule.targets {
      case .department(let id): all += try missing(id)
      case .person(let id): all += try missing(id)
      case .people(let field, let value): all += try missing(field, value)
      case .everything, .ownDepartments, .ledDepartments, .colleagues: break
      }
      switch rule.viewers {
      case .department(let id): all += try missing(id)
      case .person(let id): all += try missing(id)
      case .group(let name) where rules.groups[name] == nil: all.append("group \(name)")
      case .people(let field, let value): all += try missing(field, value)
      case .everybody, .leads, .device, .group: break
      }
      if !all.isEmpty { found.append(("rule \(index + 1)", all)) }
    }
    for (name, people) in rules.groups.sorted(by: { $0.key < $1.key }) {
      var all: [String] = []
      for id in people.sorted() { all += try missing(id) }
      if !all.isEmpty { found.append(("group \(name)", all)) }
    }
    return found
  }
}
