/// The records that rules name, and who is meant by their ids.
extension VisibilityRule {
  /// The record that the targets name by its id, or by a value that is a person's id.
  ///
  /// - Parameter declared: The declared fields, by which it is known which values are ids.
  /// - Returns: `nil` where they name none.
  package func target(_ declared: [Field]) -> RecordKey? {
    switch targets {
    case .department(let id): RecordKey.department(id)
    case .person(let id): RecordKey.user(id)
    case .people(let field, let value): Self.person(field, value, declared)
    case .everything, .ownDepartments, .ledDepartments, .colleagues: nil
    }
  }

  /// The same for the viewers.
  package func viewer(_ declared: [Field]) -> RecordKey? {
    switch viewers {
    case .department(let id): RecordKey.department(id)
    case .person(let id): RecordKey.user(id)
    case .people(let field, let value): Self.person(field, value, declared)
    case .everybody, .group, .leads, .device: nil
    }
  }

  private static func person(
    _ field: String,
    _ value: String,
    _ declared: [Field]
  ) -> RecordKey? {
    declared.namesPeople(field) ? RecordKey.user(UserID(value)) : nil
  }

  /// The same rule about the one who is meant, by the key that history has for a record that was removed.
  ///
  /// - Returns: `nil` for a rule whose targets go by an id alone, or name no record.
  package var ofFormerTarget: VisibilityRule? {
    guard let identity = targetIdentity else { return nil }
    var former = self
    switch targets {
    case .department(let id):
      former.targets = .department(DepartmentID.former(id.rawValue, identity))
    case .person(let id): former.targets = .person(UserID.former(id.rawValue, identity))
    case .people(let field, let value):
      former.targets = .people(field: field, value: UserID.former(value, identity).rawValue)
    case .everything, .ownDepartments, .ledDepartments, .colleagues: return nil
    }
    return former
  }

  /// The rule with the identities of another one, where it names the same and does not say who is meant.
  package func keepingIdentities(of former: VisibilityRule) -> VisibilityRule {
    var kept = self
    if targetIdentity == nil, targets == former.targets {
      kept.targetIdentity = former.targetIdentity
    }
    if viewerIdentity == nil, viewers == former.viewers {
      kept.viewerIdentity = former.viewerIdentity
    }
    return kept
  }
}

extension VisibilityRules {
  /// The list in which every rule and member of a group that was there before, and does not say who is
  /// meant, means the same one as before.
  ///
  /// - Parameter former: The list before; rules are the same by their numbers.
  /// - Returns: This list with the identities of that one.
  /// - Complexity: O(rules and people in groups).
  package func keepingIdentities(of former: VisibilityRules) -> VisibilityRules {
    var kept = self
    let known = Dictionary(former.rules.map { ($0.id, $0) }) { first, _ in first }
    for (index, rule) in rules.enumerated() where rule.id != 0 {
      if let before = known[rule.id] { kept.rules[index] = rule.keepingIdentities(of: before) }
    }
    for (group, people) in groups {
      for (person, identity) in former.memberIdentities[group] ?? [:]
      where people.contains(person) && memberIdentities[group]?[person] == nil {
        kept.memberIdentities[group, default: [:]][person] = identity
      }
    }
    return kept
  }
}
