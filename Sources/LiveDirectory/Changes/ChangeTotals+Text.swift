import DirectoryModel
import Platform

extension ChangeTotals {
  /// The counts of what is about to be done, on one line.
  package var plannedText: String {
    text { $0.text(["add", "change", "move", "remove"], after: "will ") }
  }

  /// The counts of what was done, on one line.
  package var appliedText: String {
    text { $0.text(["added", "changed", "moved", "removed"], after: "") }
  }

  private func text(_ text: (ChangeCounts) -> String) -> String {
    "departments: \(text(departments)); people: \(text(users)); memberships: \(text(memberships))"
  }

  /// The counts of what was found, as `2 people changed, 1 moved; 1 department added`; empty where
  /// no one and nothing differs.
  package var foundText: String {
    [users.text("person", "people"), departments.text("department", "departments")]
      .compactMap { $0 }.joined(separator: "; ")
  }
}

extension ChangeCounts {
  /// What is done, without what is not, and how much stays as it is.
  fileprivate func text(_ verbs: [String], after beginning: String) -> String {
    let done = zip(verbs, Change.Action.allCases.map { self[$0] })
      .filter { $0.1 > 0 }
      .map { "\($0.0) \($0.1)" }
    var parts = done.isEmpty ? [] : [beginning + done.joined(separator: ", ")]
    if unchanged > 0 { parts.append("\(unchanged) unchanged") }
    return parts.isEmpty ? "none" : parts.joined(separator: ", ")
  }

  fileprivate func text(_ one: String, _ many: String) -> String? {
    let actions = Change.Action.allCases.filter { self[$0] > 0 }
    guard let first = actions.first else { return nil }
    let rest = actions.dropFirst().map { "\(self[$0]) \($0)" }
    return ([counted(self[first], one, many) + " \(first)"] + rest).joined(separator: ", ")
  }
}
