import DirectoryModel
import DirectoryReading

/// What becomes of the visibility rules and groups that are about a person who is merged with another one.
///
/// Those that hide go on for the one who stays, without a question: nothing that was hidden appears by a
/// merge. What such a rule says about the one who goes stays beside it, since it hides their past. Those
/// that show, and places in groups, follow or are dropped.
package struct MergedRules: Sendable {
  /// What is done with the rules that show, and with places in groups.
  package enum Choice: String, Sendable, CaseIterable {
    /// They are about the one who stays.
    case follow
    /// They are removed.
    case drop
  }

  private let former: VisibilityRules
  private let double: UserID
  private let stays: UserID
  private let declared: [Field]
  private let identity: RecordIdentity?
  /// Where rules are whose targets, and whose viewers, name the one who goes.
  private var targets: Set<Int> = []
  private var viewers: Set<Int> = []
  /// Groups that the one who goes is in.
  private var groups: [String] = []

  /// - Parameters:
  ///   - former: The list as it is.
  ///   - double: The person who goes.
  ///   - stays: The person who stays.
  ///   - directory: Knows who is meant by the ids.
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(rules and groups).
  init(
    _ former: VisibilityRules,
    _ double: UserID,
    into stays: UserID,
    _ directory: Directory
  ) throws {
    (self.former, self.double, self.stays) = (former, double, stays)
    declared = directory.declaredFields
    identity = try directory.identity(of: .user(stays))
    let own = try directory.identity(of: .user(double))
    // A rule that hides is about whoever has the id.
    func isMeant(_ other: RecordIdentity?, _ effect: VisibilityRule.Effect?) -> Bool {
      other == nil || own == nil || other == own || effect.map { $0 != .show } ?? false
    }
    for (index, rule) in former.rules.enumerated() {
      if rule.target(declared) == .user(double), isMeant(rule.targetIdentity, rule.effect) {
        targets.insert(index)
      }
      if rule.viewer(declared) == .user(double), isMeant(rule.viewerIdentity, rule.effect) {
        viewers.insert(index)
      }
    }
    groups = former.groups.filter { name, people in
      people.contains(double) && isMeant(former.memberIdentities[name]?[double], nil)
    }.keys.sorted()
  }

  private var named: [Int] { targets.union(viewers).sorted() }

  var isEmpty: Bool { named.isEmpty && groups.isEmpty }

  /// All of it, a line each.
  var lines: [String] { lines(named) }

  /// What has to be decided, a line each.
  var openLines: [String] { lines(named.filter { former.rules[$0].effect == .show }) }

  private func lines(_ indices: [Int]) -> [String] {
    indices.map { "rule \($0 + 1): \(former.rules[$0])" }
      + groups.map { "group \(VisibilityRule.quoted($0))" }
  }

  /// The list afterwards.
  ///
  /// - Parameter choice: What is done with what shows, and with places in groups.
  /// - Returns: A list in which no rule occurs because of the merge that stood further up already.
  func rules(_ choice: Choice) -> VisibilityRules {
    var new = former
    new.rules = []
    for (index, rule) in former.rules.enumerated() {
      let (isTarget, isViewer) = (targets.contains(index), viewers.contains(index))
      guard isTarget || isViewer else {
        new.rules.append(rule)
        continue
      }
      var following = following(rule, isTarget, isViewer)
      // One further down decides less.
      let isNew = !former.rules[..<index].contains {
        $0.description == following.description && $0.targetIdentity == following.targetIdentity
          && $0.viewerIdentity == following.viewerIdentity
      }
      if rule.effect == .show {
        if choice == .follow, isNew { new.rules.append(following) }
        continue
      }
      // What it says of the one who goes hides what history has of them.
      if isTarget {
        new.rules.append(rule)
        following.id = 0
      }
      if isNew { new.rules.append(following) }
    }
    for group in groups {
      new.groups[group]?.remove(double)
      new.memberIdentities[group]?[double] = nil
      guard choice == .follow else { continue }
      new.groups[group]?.insert(stays)
      new.memberIdentities[group, default: [:]][stays] = identity
    }
    return new
  }

  /// The rule about the one who stays.
  private func following(
    _ rule: VisibilityRule,
    _ isTarget: Bool,
    _ isViewer: Bool
  ) -> VisibilityRule {
    var following = rule
    if isTarget {
      following.targetIdentity = identity
      if case .people(let field, _) = rule.targets {
        following.targets = .people(field: field, value: stays.rawValue)
      } else {
        following.targets = .person(stays)
      }
    }
    if isViewer {
      following.viewerIdentity = identity
      if case .people(let field, _) = rule.viewers {
        following.viewers = .people(field: field, value: stays.rawValue)
      } else {
        following.viewers = .person(stays)
      }
    }
    return following
  }
}

extension VisibilityRules {
  /// What differs from rules and groups as the database has them; rules that it does not have yet have
  /// numbers below 0.
  func changes(from former: States) -> [VisibilityChange] {
    var states: States = [:]
    for (index, rule) in rules.enumerated() {
      let subject = VisibilityChange.Subject.rule(rule.id == 0 ? -1 - Int64(index) : rule.id)
      states[subject] = VisibilityChange.State(rule: rule, place: former[subject]?.place ?? 0)
    }
    for (group, people) in groups {
      for person in people {
        states[.member(person, group: group)] = VisibilityChange.State(
          identity: memberIdentities[group]?[person]
        )
      }
    }
    return Set(states.keys).union(former.keys).filter { states[$0] != former[$0] }.sorted()
      .map { VisibilityChange($0, from: former[$0], to: states[$0]) }
  }
}
