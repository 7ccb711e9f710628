import DirectoryModel

/// Who may see whom as a snapshot stores it: a column of text.
///
///     isUnderstood (1 or 0), number of rules, then each: id, sentence;
///     then each group: name, number of people, ids
enum VisibilityDeclarations {
  /// The rows of rules; none where these are not to be told.
  static func encode(_ rules: VisibilityRules?) -> [String] {
    guard let rules else { return [] }
    var strings = [rules.isUnderstood ? "1" : "0", String(rules.rules.count)]
    for rule in rules.rules { strings += [String(rule.id), rule.description] }
    let groups = rules.groups.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    for (name, people) in groups {
      strings += [name, String(people.count)] + people.sorted().map(\.rawValue)
    }
    return strings
  }

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
    var rules = VisibilityRules([], isUnderstood: try next() == "1")
    for _ in 0..<(try count()) {
      let (id, sentence): (Int64, String) = (try number(), try next())
      do throws(VisibilityRuleError) {
        rules.rules.append(try VisibilityRule(sentence: sentence, id: id))
      } catch {
        rules.isUnderstood = false
      }
    }
    while row < text.count {
      let name = try next()
      var people: Set<UserID> = []
      for _ in 0..<(try count()) { people.insert(UserID(try next())) }
      rules.groups[name] = people
    }
    return rules
  }
}
