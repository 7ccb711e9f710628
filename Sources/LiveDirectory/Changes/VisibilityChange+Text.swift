import DirectoryModel

extension VisibilityChange {
  /// As a person reads it, on one line, with the signs of `Change.text`.
  ///
  ///     + rule 7: hide mobile of department board from everybody
  ///     ~ rule 7: "hide mobile of department board from everybody" is now "show …"
  ///     > rule 7: show mobile of department board to everybody
  ///     ~ rule 8: hide person u2 from everybody (now about another record with that id)
  ///     - person u1 in the group council
  package var text: String {
    switch subject {
    case .member(let user, let group):
      "\(action.sign) person \(user) in the group \(group)\(meaningText)"
    case .rule(let id):
      "\(action.sign) rule\(id > 0 ? " \(id)" : ""): "
        + (values.first.map { "\"\($0.old)\" is now \"\($0.new)\"" } ?? name + meaningText)
    }
  }

  /// That another record is meant by the same words.
  private var meaningText: String {
    guard action == .changed, values.isEmpty, kind == "group" || before?.rule != nil else {
      return ""
    }
    return " (now about another record with that id)"
  }

  /// What it was about, for what stands in its way.
  package var conflictText: String {
    switch subject {
    case .member(let user, let group): "person \(user) in the group \(group)"
    case .rule(let id): "rule \(id) (\(name))"
    }
  }

  /// The sentence before and after, where it is another.
  package var values: [ChangeDifferences.Value] {
    guard case .rule = subject, let before, let after,
      !before.text.utf8.elementsEqual(after.text.utf8)
    else { return [] }
    return [ChangeDifferences.Value(field: "rule", old: before.text, new: after.text)]
  }

  /// `rule` or `group`.
  package var kind: String { if case .rule = subject { "rule" } else { "group" } }

  /// The rule's number, or the group's name; empty for a rule that has no number yet.
  package var id: String {
    switch subject {
    case .rule(let id): id > 0 ? String(id) : ""
    case .member(_, let group): group
    }
  }
}
