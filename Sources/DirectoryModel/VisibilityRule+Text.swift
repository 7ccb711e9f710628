/// A rule as a sentence, such as `hide mobile, email of department board from everybody`.
///
/// `EFFECT [FIELD[, FIELD]… of] TARGETS to|from|for VIEWERS`. Ids, names and values that are not one
/// plain word stand in double quotes, in which a backslash goes before a double quote or backslash.
extension VisibilityRule: CustomStringConvertible {
  package var description: String {
    let fields = fields.isEmpty ? "" : fields.map(Self.quoted).joined(separator: ", ") + " of "
    return "\(effect) \(fields)\(targets) \(effect.preposition) \(viewers)"
  }

  /// - Throws: What is wrong with the sentence, as a clause such as `expected "of" instead of "board"`.
  package init(sentence: String, id: Int64 = 0) throws(VisibilityRuleError) {
    var words = try RuleTokenizer(sentence)
    try self.init(&words, id: id)
  }

  init(_ words: inout RuleTokenizer, id: Int64 = 0) throws(VisibilityRuleError) {
    let effect = try words.next(of: Effect.allCases.map { ($0.rawValue, $0) })
    var fields: [String] = []
    if words.hasWord("of", beforeOneOf: Self.reserved.subtracting(["of"])) {
      repeat { fields.append(try words.name("a field")) } while words.skip(",")
      try words.skip("of", orExpect: true)
    }
    let targets = try Targets(&words)
    try words.skip(effect.preposition, orExpect: true)
    let viewers = try Viewers(&words)
    guard words.isEmpty else { throw words.expected("the end of the rule") }
    if effect == .unlist, !fields.isEmpty || !targets.arePeople {
      throw VisibilityRuleError("only people can be unlisted, with all their fields")
    }
    self.init(id: id, effect, fields: fields, targets, viewers)
  }

  /// Words by which the parts of a sentence are told apart.
  private static let reserved: Set<String> = ["of", "to", "from", "for"]

  /// A name as it stands in a sentence.
  package static func quoted(_ name: String) -> String {
    let isPlain =
      !name.isEmpty
      && name.utf8.allSatisfy {
        $0 >= 0x80 || $0 >= 0x30 && $0 <= 0x39 || $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7a
          || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
          || $0 == UInt8(ascii: "@")
      }
    guard !isPlain || reserved.contains(name) else { return name }
    var quoted = "\""
    for scalar in name.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
  }
}

/// Why a sentence is not a rule.
package struct VisibilityRuleError: Error, Hashable, Sendable {
  package var explanation: String

  package init(_ explanation: String) { self.explanation = explanation }
}

extension VisibilityRule.Effect {
  fileprivate var preposition: String {
    switch self {
    case .show: "to"
    case .hide: "from"
    case .unlist: "for"
    }
  }
}

extension VisibilityRule.Viewers: CustomStringConvertible {
  package var description: String {
    switch self {
    case .everybody: "everybody"
    case .department(let id): "department \(VisibilityRule.quoted(id.rawValue))"
    case .person(let id): "person \(VisibilityRule.quoted(id.rawValue))"
    case .group(let name): "group \(VisibilityRule.quoted(name))"
    case .leads: "leads"
    case .people(let field, let value): peopleWith(field, value)
    case .device(let name): "device \(VisibilityRule.quoted(name))"
    }
  }

  fileprivate init(_ words: inout RuleTokenizer) throws(VisibilityRuleError) {
    let kinds = ["everybody", "department", "person", "group", "leads", "people", "device"]
    switch try words.next(of: kinds.map { ($0, $0) }) {
    case "everybody": self = .everybody
    case "department": self = .department(DepartmentID(try words.name("a department's id")))
    case "person": self = .person(UserID(try words.name("a person's id")))
    case "group": self = .group(try words.name("the name of a group"))
    case "leads": self = .leads
    case "people":
      let (field, value) = try words.fieldAndValue()
      self = .people(field: field, value: value)
    default: self = .device(try words.name("the name of a device"))
    }
  }
}

extension VisibilityRule.Targets: CustomStringConvertible {
  package var description: String {
    switch self {
    case .everything: "everything"
    case .department(let id): "department \(VisibilityRule.quoted(id.rawValue))"
    case .person(let id): "person \(VisibilityRule.quoted(id.rawValue))"
    case .ownDepartments: "own departments"
    case .ledDepartments: "led departments"
    case .colleagues: "colleagues"
    case .people(let field, let value): peopleWith(field, value)
    }
  }

  /// Whether nothing but people is meant, as in all that is unlisted.
  package var arePeople: Bool {
    switch self {
    case .person, .colleagues, .people: true
    case .everything, .department, .ownDepartments, .ledDepartments: false
    }
  }

  fileprivate init(_ words: inout RuleTokenizer) throws(VisibilityRuleError) {
    let kinds = ["everything", "department", "person", "own", "led", "colleagues", "people"]
    switch try words.next(of: kinds.map { ($0, $0) }) {
    case "everything": self = .everything
    case "department": self = .department(DepartmentID(try words.name("a department's id")))
    case "person": self = .person(UserID(try words.name("a person's id")))
    case "own":
      try words.skip("departments", orExpect: true)
      self = .ownDepartments
    case "led":
      try words.skip("departments", orExpect: true)
      self = .ledDepartments
    case "colleagues": self = .colleagues
    default:
      let (field, value) = try words.fieldAndValue()
      self = .people(field: field, value: value)
    }
  }
}

private func peopleWith(_ field: String, _ value: String) -> String {
  "people with \(VisibilityRule.quoted(field))=\(VisibilityRule.quoted(value))"
}

/// The words of a sentence, one by one; a comment after `#` is left out.
struct RuleTokenizer {
  private struct Word {
    var text: String
    /// Whether it stood in quotes, and so is a name in any case.
    var isQuoted: Bool
  }

  private var words: [Word] = []
  private var position = 0

  init(_ sentence: String) throws(VisibilityRuleError) {
    var rest = sentence.unicodeScalars[...]
    while let scalar = rest.first {
      switch scalar {
      case " ", "\t": rest.removeFirst()
      case "#": return
      case ",", "=":
        words.append(Word(text: String(scalar), isQuoted: false))
        rest.removeFirst()
      case "\"":
        rest.removeFirst()
        var text = ""
        var isOpen = true
        while isOpen, var next = rest.popFirst() {
          isOpen = next != "\""
          if next == "\\" {
            guard let escaped = rest.popFirst() else { break }
            next = escaped
          }
          if isOpen { text.unicodeScalars.append(next) }
        }
        if isOpen { throw VisibilityRuleError("a double quote is missing at the end") }
        words.append(Word(text: text, isQuoted: true))
      default:
        let word = rest.prefix { ![" ", "\t", ",", "=", "\""].contains($0) }
        words.append(Word(text: String(word), isQuoted: false))
        rest.removeFirst(word.count)
      }
    }
  }

  private var current: Word? { position < words.count ? words[position] : nil }

  func expected(_ what: String) -> VisibilityRuleError {
    guard let current else { return VisibilityRuleError("expected \(what) at the end") }
    return VisibilityRuleError("expected \(what) instead of \"\(current.text)\"")
  }

  /// The value of the next word, which is one of these.
  mutating func next<Value>(of kinds: [(word: String, value: Value)]) throws(VisibilityRuleError)
    -> Value
  {
    guard let current, !current.isQuoted,
      let value = kinds.first(where: { $0.word == current.text })?.value
    else {
      let names = kinds.map { "\"\($0.word)\"" }
      throw expected(names.dropLast().joined(separator: ", ") + " or " + (names.last ?? ""))
    }
    position += 1
    return value
  }

  // `what` is what is named, for the error.
  mutating func name(_ what: String) throws(VisibilityRuleError) -> String {
    guard let current, !current.text.isEmpty, current.isQuoted || current.text != ",",
      current.isQuoted || current.text != "="
    else { throw expected(what) }
    position += 1
    return current.text
  }

  mutating func fieldAndValue() throws(VisibilityRuleError) -> (field: String, value: String) {
    try skip("with", orExpect: true)
    let field = try name("a field")
    try skip("=", orExpect: true)
    return (field, try name("a value"))
  }

  /// Whether a word comes before the first of some others.
  func hasWord(_ word: String, beforeOneOf others: Set<String>) -> Bool {
    words[position...].first { !$0.isQuoted && ($0.text == word || others.contains($0.text)) }?.text
      == word
  }

  mutating func skip(_ word: String) -> Bool {
    guard let current, !current.isQuoted, current.text == word else { return false }
    position += 1
    return true
  }

  mutating func skip(_ word: String, orExpect: Bool) throws(VisibilityRuleError) {
    if !skip(word), orExpect { throw expected("\"\(word)\"") }
  }

  var isEmpty: Bool { position == words.count }
}
