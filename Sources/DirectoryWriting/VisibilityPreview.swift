import DirectoryModel

/// What a change of the rules comes to, before it is made.
package struct VisibilityPreview: Sendable {
  /// A rule or group that is added, removed or moved, or means another record by the same words.
  package enum Line: Hashable, Sendable {
    case added(place: Int, String)
    case removed(place: Int, String)
    case moved(from: Int, to: Int, String)
    case confirmed(place: Int, String)
  }

  package var lines: [Line] = []
  /// Who would lose and gain what, a sentence each.
  package var effects: [String] = []
  /// The usual mistakes, each a sentence.
  package var warnings: [String] = []

  package var isEmpty: Bool { lines.isEmpty }
}

extension VisibilityPreview.Line {
  /// Groups without a place.
  package var text: String {
    func place(_ number: Int) -> String { number == 0 ? "" : "\(number)  " }
    return switch self {
    case .added(let number, let text): "+ \(place(number))\(text)"
    case .removed(let number, let text): "- \(place(number))\(text)"
    case .moved(let from, let to, let text): "> \(place(to))\(text) (was \(from))"
    case .confirmed(let number, let text):
      "= \(place(number))\(text) (for those who have the ids now)"
    }
  }
}

extension VisibilityPreview {
  /// What another list changes in a list.
  static func lines(from old: VisibilityRules, to new: VisibilityRules) -> [Line] {
    func groups(_ rules: VisibilityRules, without others: VisibilityRules) -> [String] {
      rules.groups.filter { others.groups[$0.key] != $0.value }
        .map { VisibilityRules.line(of: $0.key, $0.value) }.sorted()
    }
    var lines = groups(old, without: new).map { Line.removed(place: 0, $0) }
    lines += groups(new, without: old).map { .added(place: 0, $0) }
    lines += confirmed(from: old, to: new)
    let difference = new.rules.map(\.description).difference(from: old.rules.map(\.description))
      .inferringMoves()
    for change in difference {
      switch change {
      case .remove(let place, let text, nil): lines.append(.removed(place: place + 1, text))
      case .insert(let place, let text, nil): lines.append(.added(place: place + 1, text))
      case .insert(let place, let text, let former?):
        lines.append(.moved(from: former + 1, to: place + 1, text))
      case .remove: break
      }
    }
    return lines
  }

  /// What stays and means another record.
  private static func confirmed(from old: VisibilityRules, to new: VisibilityRules) -> [Line] {
    let groups = new.groups.filter { name, people in
      people.contains { person in
        old.groups[name]?.contains(person) == true
          && old.memberIdentities[name]?[person] != new.memberIdentities[name]?[person]
      }
    }
    let lines = groups.map { VisibilityRules.line(of: $0.key, $0.value) }.sorted()
      .map { Line.confirmed(place: 0, $0) }
    let known = Dictionary(old.rules.map { ($0.id, $0) }) { first, _ in first }
    return new.rules.enumerated().reduce(into: lines) { lines, entry in
      let (index, rule) = entry
      guard rule.id != 0, let before = known[rule.id], before.description == rule.description,
        before.targetIdentity != rule.targetIdentity
          || before.viewerIdentity != rule.viewerIdentity
      else { return }
      lines.append(.confirmed(place: index + 1, rule.description))
    }
  }
}
