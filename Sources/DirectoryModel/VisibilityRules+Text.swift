/// A whole list of rules as a text, in which it is edited.
///
/// A line for each rule, in order, and before them one for each group: `group "works council" = u1, u2`.
/// What is behind a `#` that is not in quotes is a comment.
extension VisibilityRules {
  /// - Parameters:
  ///   - comment: What is noted beside a rule, such as the names of what it has by id.
  ///   - groupComment: What is noted beside a group.
  /// - Returns: Lines, of which each ends with a line feed.
  package func text(
    comment: (VisibilityRule) -> String,
    groupComment: (_ group: String) -> String = { _ in "" }
  ) -> String {
    var lines = groups.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map {
      let note = groupComment($0.key)
      return Self.line(of: $0.key, $0.value) + (note.isEmpty ? "" : "  # \(note)")
    }
    if !lines.isEmpty { lines.append("") }
    for rule in rules {
      let note = comment(rule)
      lines.append(note.isEmpty ? "\(rule)" : "\(rule)  # \(note)")
    }
    return lines.map { $0 + "\n" }.joined()
  }

  /// A group as it stands in a text.
  package static func line(of group: String, _ people: Set<UserID>) -> String {
    let ids = people.map(\.rawValue).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return "group \(VisibilityRule.quoted(group)) = "
      + ids.map(VisibilityRule.quoted).joined(separator: ", ")
  }

  /// Reads a text; a rule that was there before has the same number, and means the same records, as the
  /// people do who stay in a group.
  ///
  /// - Parameters:
  ///   - text: Rules and groups, line by line.
  ///   - former: The list before.
  /// - Throws: Everything that is wrong with it.
  package init(text: String, after former: VisibilityRules) throws(VisibilityTextErrors) {
    self.init([])
    var mistakes: [(line: Int, text: String)] = []
    var lines: [Int] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      do throws(VisibilityRuleError) {
        try read(line)
        while lines.count < rules.count { lines.append(index + 1) }
      } catch {
        mistakes.append((index + 1, error.explanation))
      }
    }
    for (rule, line) in zip(rules, lines) where mistakes.isEmpty {
      if case .group(let name) = rule.viewers, groups[name] == nil {
        mistakes.append((line, "there is no group \(VisibilityRule.quoted(name))"))
      }
    }
    if mistakes.isEmpty, let fault { mistakes.append((lines.last ?? 1, fault)) }
    guard mistakes.isEmpty else { throw VisibilityTextErrors(mistakes: mistakes) }
    keepNumbers(of: former)
    self = keepingIdentities(of: former)
  }

  private mutating func read(_ line: Substring) throws(VisibilityRuleError) {
    var words = try RuleTokenizer(String(line))
    guard !words.isEmpty else { return }
    guard words.skip("group") else { return rules.append(try VisibilityRule(&words)) }
    let name = try words.name("the name of a group")
    try words.skip("=", orExpect: true)
    var people: Set<UserID> = []
    while !words.isEmpty {
      if !people.isEmpty { try words.skip(",", orExpect: true) }
      people.insert(UserID(try words.name("a person's id")))
    }
    guard groups.updateValue(people, forKey: name) == nil else {
      throw VisibilityRuleError("there is a group \(VisibilityRule.quoted(name)) above")
    }
  }

  /// Gives rules that were there before their numbers; of equal ones, in their order.
  private mutating func keepNumbers(of former: VisibilityRules) {
    var numbers: [String: [Int64]] = [:]
    for rule in former.rules.reversed() { numbers[rule.description, default: []].append(rule.id) }
    for index in rules.indices {
      rules[index].id = numbers[rules[index].description]?.popLast() ?? 0
    }
  }
}

/// What is wrong with a text of rules, by lines from 1.
package struct VisibilityTextErrors: Error {
  package var mistakes: [(line: Int, text: String)]
}
