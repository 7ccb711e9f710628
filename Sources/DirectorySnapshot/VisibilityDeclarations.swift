import DirectoryModel

/// Who may see whom as a snapshot stores it: a column of text.
///
///     `understood` or `unknown`, number of rules,
///     then each: id, sentence, the identities of targets and viewers, empty where there is none;
///     then each group: name, number of people, then each: id, identity
///
/// Version 4 of the format has `1` or `0` first, and no identities.
enum VisibilityDeclarations {
  /// The rows of rules; none where these are not to be told.
  static func encode(_ rules: VisibilityRules?) -> [String] {
    guard let rules else { return [] }
    var strings = [rules.isUnderstood ? understood : unknown, String(rules.rules.count)]
    for rule in rules.rules {
      strings += [String(rule.id), rule.description]
      strings += [rule.targetIdentity, rule.viewerIdentity].map { $0?.rawValue ?? "" }
    }
    let groups = rules.groups.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    for (name, people) in groups {
      strings += [name, String(people.count)]
      for person in people.sorted() {
        strings += [person.rawValue, rules.memberIdentities[name]?[person]?.rawValue ?? ""]
      }
    }
    return strings
  }

  private static let understood = "understood"
  private static let unknown = "unknown"

  /// A sentence that cannot be read is of a kind that a later program made.
  ///
  /// - Returns: `nil` where nothing is told.
  /// - Throws: `SnapshotError.damaged` for what `encode(_:)` never makes.
  static func read(_ file: SnapshotFile) throws(SnapshotError) -> VisibilityRules? {
    let text = try file.text(.visibilityText, ends: .visibilityEnds)
    guard text.count > 0 else { return nil }
    var row = 0
    func next() throws(SnapshotError) -> String {
      guard row < text.count else { throw file.damaged(.visibilityEnds) }
      defer { row += 1 }
      return try text[row]
    }
    func number<Number: FixedWidthInteger>() throws(SnapshotError) -> Number {
      guard let number = Number(try next()) else { throw file.damaged(.visibilityText) }
      return number
    }
    /// Of things that take as many rows and more.
    func count() throws(SnapshotError) -> Int {
      let count: Int = try number()
      guard (0...text.count - row).contains(count) else { throw file.damaged(.visibilityText) }
      return count
    }
    let first = try next()
    let hasIdentities = [understood, unknown].contains(first)
    func identity() throws(SnapshotError) -> RecordIdentity? {
      let text = hasIdentities ? try next() : ""
      return text.isEmpty ? nil : RecordIdentity(text)
    }
    var rules = VisibilityRules([], isUnderstood: first == "1" || first == understood)
    for _ in 0..<(try count()) {
      let (id, sentence): (Int64, String) = (try number(), try next())
      let targetIdentity = try identity()
      let viewerIdentity = try identity()
      do throws(VisibilityRuleError) {
        var rule = try VisibilityRule(sentence: sentence, id: id)
        (rule.targetIdentity, rule.viewerIdentity) = (targetIdentity, viewerIdentity)
        rules.rules.append(rule)
      } catch {
        rules.isUnderstood = false
      }
    }
    while row < text.count {
      let name = try next()
      var people: Set<UserID> = []
      for _ in 0..<(try count()) {
        let person = UserID(try next())
        people.insert(person)
        if let identity = try identity() {
          rules.memberIdentities[name, default: [:]][person] = identity
        }
      }
      rules.groups[name] = people
    }
    return rules
  }
}
