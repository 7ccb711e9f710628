/// A rule, or a person in a group, before and after.
package struct VisibilityChange: Hashable, Sendable {
  package enum Subject: Hashable, Sendable, Comparable {
    /// A rule by its number.
    case rule(Int64)
    case member(UserID, group: String)

    /// Rules by number, then people by group and id.
    package static func < (left: Subject, right: Subject) -> Bool {
      switch (left, right) {
      case (.rule(let one), .rule(let other)): one < other
      case (.rule, .member): true
      case (.member, .rule): false
      case (.member(let one, let group), .member(let other, let otherGroup)):
        group.utf8.elementsEqual(otherGroup.utf8)
          ? one < other : group.utf8.lexicographicallyPrecedes(otherGroup.utf8)
      }
    }
  }

  /// One of the two sides.
  package struct State: Hashable, Sendable {
    /// `nil` for a rule of a kind that this program does not know, and for a person in a group.
    package var rule: VisibilityRule?
    /// Where the rule is in the list: smaller comes first; says nothing else.
    package var place: Int64
    /// The person in a group who is meant by the id; `nil` where the id alone counts, and for a rule, which
    /// has identities of its own.
    package var identity: RecordIdentity?

    package init(
      rule: VisibilityRule? = nil,
      place: Int64 = 0,
      identity: RecordIdentity? = nil
    ) {
      (self.rule, self.place, self.identity) = (rule, place, identity)
    }

    /// The rule as a sentence.
    package var text: String { rule.map { "\($0)" } ?? "a rule of an unknown kind" }

    /// The state with the identities of another one, where it names the same and does not say who is
    /// meant: history has no identities of what was changed before it kept any.
    fileprivate func keepingIdentities(of other: State?) -> State {
      guard let other else { return self }
      var kept = self
      kept.identity = identity ?? other.identity
      if let rule, let known = other.rule { kept.rule = rule.keepingIdentities(of: known) }
      return kept
    }
  }

  package var subject: Subject
  /// `nil` for what is added.
  package var before: State?
  /// `nil` for what is removed.
  package var after: State?

  package init(_ subject: Subject, from before: State?, to after: State?) {
    (self.subject, self.before, self.after) = (subject, before, after)
  }

  /// A rule that is another and moved, too, is changed.
  package var action: Change.Action {
    guard let before else { return .added }
    guard let after else { return .removed }
    return before.rule == after.rule && before.place != after.place ? .moved : .changed
  }

  /// The rule afterwards, of what is removed the last one; or the person's id.
  package var name: String {
    switch subject {
    case .rule: (after ?? before)?.text ?? ""
    case .member(let user, _): user.rawValue
    }
  }
}

extension VisibilityRules {
  package typealias States = [VisibilityChange.Subject: VisibilityChange.State]

  /// The list that rules in places and people in groups make up.
  package init(_ states: States) {
    self.init([])
    for (subject, state) in states.sorted(by: Self.precedes) {
      switch subject {
      case .member(let user, let group):
        groups[group, default: []].insert(user)
        if let identity = state.identity {
          memberIdentities[group, default: [:]][user] = identity
        }
      case .rule:
        guard let rule = state.rule else {
          isUnderstood = false
          continue
        }
        rules.append(rule)
      }
    }
  }

  private static func precedes(_ left: States.Element, _ right: States.Element) -> Bool {
    left.value.place == right.value.place
      ? left.key < right.key : left.value.place < right.value.place
  }
}

/// What undoing changes of rules and groups comes to.
///
/// A rule's sentence and its place are taken back each for itself: what was changed again since stays.
package struct VisibilityUndoPlan {
  /// As it would be.
  package private(set) var states: VisibilityRules.States
  /// What was changed again since, and is left as it is.
  package private(set) var conflicts: [VisibilityChange] = []
  private let force: Bool

  /// - Parameters:
  ///   - present: Rules and groups as they are.
  ///   - force: Whether what was changed again since is taken back, too.
  package init(present: VisibilityRules.States, force: Bool) {
    (states, self.force) = (present, force)
  }

  /// Takes one change back, after all later ones.
  package mutating func takeBack(_ change: VisibilityChange) {
    let now = states[change.subject]
    let change = VisibilityChange(
      change.subject,
      from: change.before?.keepingIdentities(of: now),
      to: change.after?.keepingIdentities(of: now)
    )
    guard !force, now != change.before else {
      states[change.subject] = change.before
      return
    }
    guard let before = change.before, let after = change.after, var state = now else {
      if now == change.after {
        states[change.subject] = change.before
      } else {
        conflicts.append(change)
      }
      return
    }
    var isFree = true
    func back<Value: Equatable>(_ item: WritableKeyPath<VisibilityChange.State, Value>) {
      guard before[keyPath: item] != after[keyPath: item] else { return }
      if state[keyPath: item] == after[keyPath: item] {
        state[keyPath: item] = before[keyPath: item]
      } else if state[keyPath: item] != before[keyPath: item] {
        isFree = false
      }
    }
    back(\.rule)
    back(\.place)
    back(\.identity)
    states[change.subject] = state
    if !isFree { conflicts.append(change) }
  }
}
