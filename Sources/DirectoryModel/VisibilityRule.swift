/// For some viewers, shows or hides some targets: their places in the tree, or some of their fields.
///
/// Rules are an ordered list. The first rule about places that fits a viewer and a place decides about
/// that place; the first that fits a viewer and a record, and names a field, decides about that field.
package struct VisibilityRule: Hashable, Sendable {
  package enum Effect: String, Sendable, CaseIterable {
    case show, hide
    /// The person is found by a whole address or number only, and has no places.
    case unlist
  }

  package enum Viewers: Hashable, Sendable {
    /// Every person; not devices.
    case everybody
    /// People with a place in a department or below.
    case department(DepartmentID)
    case person(UserID)
    /// A named group of people.
    case group(String)
    /// People who lead a department.
    case leads
    /// People one of whose values of a field is this text.
    case people(field: String, value: String)
    /// What is not a person: a program, or a screen in the lobby.
    case device(String)
  }

  package enum Targets: Hashable, Sendable {
    case everything
    /// A department with everything below.
    case department(DepartmentID)
    /// A person in all places.
    case person(UserID)
    /// The departments that the viewer is in, with everything below.
    case ownDepartments
    /// The departments that the viewer leads, with everything below.
    case ledDepartments
    /// The people who are directly in a department that the viewer is directly in, in all places.
    case colleagues
    /// People one of whose values of a field is this text, in all places.
    case people(field: String, value: String)
  }

  /// The rule's number in the database, which it keeps when it is moved; 0 where it has none.
  package var id: Int64
  package var effect: Effect
  /// The names of the fields that the rule is about; empty for a rule about places.
  package var fields: [String]
  package var targets: Targets
  package var viewers: Viewers
  /// The record that is meant by the id in `targets`, which another may have by now; `nil` where the rule
  /// goes by the id alone.
  package var targetIdentity: RecordIdentity?
  /// The same for the id in `viewers`.
  package var viewerIdentity: RecordIdentity?

  package init(
    id: Int64 = 0,
    _ effect: Effect,
    fields: [String] = [],
    _ targets: Targets,
    _ viewers: Viewers,
    targetIdentity: RecordIdentity? = nil,
    viewerIdentity: RecordIdentity? = nil
  ) {
    self.id = id
    self.effect = effect
    self.fields = fields
    self.targets = targets
    self.viewers = viewers
    (self.targetIdentity, self.viewerIdentity) = (targetIdentity, viewerIdentity)
  }

  /// Whether the rule may end a list: it says for every person how places are shown that no other rule
  /// is about.
  package var isBase: Bool {
    guard fields.isEmpty, viewers == .everybody else { return false }
    return targets == .everything && effect != .unlist
      || targets == .ownDepartments && effect == .show
  }
}

/// Who may see whom: the rules in order, and the groups that they name.
package struct VisibilityRules: Hashable, Sendable {
  /// The first that fits decides.
  ///
  /// What no rule about places fits is hidden.
  package var rules: [VisibilityRule]
  /// People by the names of groups.
  package var groups: [String: Set<UserID>]
  /// The people who are meant by the ids in groups; of those who are not here the id alone counts.
  package var memberIdentities: [String: [UserID: RecordIdentity]]
  /// Whether this program understands every rule; where it does not, nothing is shown to anybody.
  package var isUnderstood: Bool

  package init(
    _ rules: [VisibilityRule] = [.base],
    groups: [String: Set<UserID>] = [:],
    memberIdentities: [String: [UserID: RecordIdentity]] = [:],
    isUnderstood: Bool = true
  ) {
    self.rules = rules
    self.groups = groups
    self.memberIdentities = memberIdentities
    self.isUnderstood = isUnderstood
  }
}

extension VisibilityRule {
  /// What holds where no rules were made: everybody sees everything.
  package static let base = VisibilityRule(.show, .everything, .everybody)
}

extension VisibilityRules {
  /// Why a list is not taken as it is; `nil` for a sound one.
  package var fault: String? {
    guard isUnderstood else {
      return "they contain rules of a kind that this program does not know"
    }
    guard rules.last?.isBase == true else {
      return "the last rule must be \"show everything to everybody\", "
        + "\"show own departments to everybody\" or \"hide everything from everybody\""
    }
    let fields = rules.flatMap { rule in
      var fields = rule.fields
      if case .people(let field, _) = rule.targets { fields.append(field) }
      if case .people(let field, _) = rule.viewers { fields.append(field) }
      return fields
    }
    if let wrong = fields.first(where: { !Field.isWellFormed($0) }) {
      return "\"\(wrong)\" is not the name of a field"
    }
    let ids = rules.map(\.id).filter { $0 != 0 }
    return Set(ids).count == ids.count ? nil : "a rule occurs twice"
  }
}

/// A field that a rule names and cannot be about: what was meant is not known, so no one is shown anything.
package struct UnknownField: Hashable, Sendable {
  /// Where in the list the rule is, from 1.
  package var place: Int
  package var name: String
  private var reason: String

  fileprivate init(_ name: String, _ reason: String, place: Int) {
    (self.name, self.reason, self.place) = (name, reason, place)
  }

  /// Such as `rule 2 names the field telephone, which is not declared`.
  package var text: String { "rule \(place) names the field \(name), \(reason)" }
}

extension VisibilityRules {
  /// The fields that no record has, that every record shows, or by whose values no person can be told.
  ///
  /// - Parameter declared: The declared fields.
  /// - Returns: Those of each rule, in order.
  package func unknownFields(_ declared: [Field]) -> [UnknownField] {
    let hidden: Set<String> = RecordKind.shownFields(declared)
    let always = [RecordColumn.id, .name].map(\.name)
    var unknown: [UnknownField] = []
    for (index, rule) in rules.enumerated() {
      func note(_ field: String, _ reason: String) {
        let isKnown = hidden.contains(field) || always.contains(field)
        unknown.append(
          UnknownField(field, isKnown ? reason : "which is not declared", place: index + 1)
        )
      }
      for field in rule.fields where !hidden.contains(field) {
        note(field, "which is always shown")
      }
      var told: [String] = []
      if case .people(let field, _) = rule.targets { told.append(field) }
      if case .people(let field, _) = rule.viewers { told.append(field) }
      for field in told where !RecordKind.isField(ofPeople: field, declared) {
        note(field, "which cannot select people")
      }
    }
    return unknown
  }
}
