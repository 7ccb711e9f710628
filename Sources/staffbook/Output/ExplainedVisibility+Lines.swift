import DirectoryModel
import DirectorySnapshot
import DirectoryWriting

extension ExplainedVisibility {
  /// The decision about each place, then about each field for which there is one.
  var lines: [String] {
    let isSeen = explanation.places.contains { isShown($0.decision, else: false) }
    var lines = ["\(viewer) \(isSeen ? "sees" : "does not see") \(record)"]
    lines += explanation.places.map { place in
      "  in \(name(place.department)): " + words(place.decision, else: "hidden: no rule fits")
    }
    for field in explanation.fields {
      if field.decision.rule == nil, !hiddenFields.contains(field.name) { continue }
      lines.append("  \(field.name): " + words(field.decision, else: "hidden: declared so"))
    }
    return lines
  }

  private func isShown(_ decision: VisibilityExplanation.Decision, else other: Bool) -> Bool {
    decision.rule.map { rules[$0].effect == .show } ?? other
  }

  private func words(_ decision: VisibilityExplanation.Decision, else other: String) -> String {
    guard let index = decision.rule else { return other }
    let rule = rules[index]
    let effect =
      switch rule.effect {
      case .show: "shown"
      case .hide: "hidden"
      case .unlist: "unlisted"
      }
    var reasons: [String] = []
    if let place = decision.viewersPlace { reasons.append("\(viewer) is in \(name(place))") }
    if let place = decision.place { reasons.append("\(record) is in \(name(place))") }
    let why = reasons.isEmpty ? "" : " (\(reasons.joined(separator: "; ")))"
    return "\(effect) by rule \(index + 1), \(rule)\(why)"
  }

  private func name(_ department: DepartmentID) -> String { names[department] ?? department.rawValue }
}
