import DirectoryModel
import TextRules

/// Reads a query from front to back; all that it refuses is a field that is none.
struct QueryParser {
  private let scalars: [Unicode.Scalar]
  private let phones: DialingPlan
  /// The declared fields.
  private let fields: [Field]
  private var position = 0
  /// Whether what follows is the rest of a link to an address or a number (RFC 6068, RFC 3966).
  private var isLink = false
  private(set) var query = SearchQuery()
  /// What must be found as it stands in the query, repetitions too.
  private(set) var sequence: [SearchTerm] = []
  private var seen: Set<SearchTerm> = []

  /// Letters of the longest name before a colon that may mean a field.
  private let longestName: Int

  init(_ text: String, phones: DialingPlan, fields: [Field]) {
    scalars = Array(text.unicodeScalars)
    self.phones = phones
    self.fields = fields
    longestName = fields.reduce(12) { max($0, $1.name.utf8.count) }
  }

  mutating func parse() {
    while position < scalars.count {
      if isSpace(position) || isNothing(position) {
        position += 1
      } else if isEndOfOptions {
        position += 2
      } else {
        parseItem()
      }
    }
  }

  /// Whether two hyphens stand alone, as a shell's users write them before what is not an option.
  private var isEndOfOptions: Bool {
    let end = position + 2
    return end <= scalars.count && scalars[position] == "-" && scalars[position + 1] == "-"
      && (end == scalars.count || isSpace(end))
  }

  // MARK: - Items

  /// What a field's name before a colon means.
  private enum Prefix {
    case field(SearchField)
    case scope
    /// A declared field, `has` or `is`.
    case condition(String)
  }

  private mutating func parseItem() {
    let start = position
    // Only the hyphen of a keyboard: other dashes come with what was copied.
    let isExcluded = scalars[position] == "-" && hasWord(at: position + 1)
    if isExcluded { position += 1 }
    let beginning = position
    isLink = false
    let prefix = parsePrefix()
    let quoted = parseQuoted()
    let text = quoted ?? (isLink ? parseLink() : parseWord())
    switch prefix {
    case .condition(let name):
      let condition = FieldCondition(
        name,
        text,
        isPhrase: quoted != nil,
        isExcluded: isExcluded,
        fields,
        phones
      )
      if let condition {
        if !query.conditions.contains(condition) { query.conditions.append(condition) }
      } else {
        position = beginning
        add(parseWord(), nil, isPhrase: false, isExcluded: isExcluded)
      }
    case .scope: add(scope: text, isExcluded: isExcluded)
    case .field(let field): add(text, field, isPhrase: quoted != nil, isExcluded: isExcluded)
    case nil: add(text, nil, isPhrase: quoted != nil, isExcluded: isExcluded)
    }
    precondition(position > start, "a query is read forward")
  }

  /// Reads `title:` and the like where something follows at once.
  private mutating func parsePrefix() -> Prefix? {
    var end = position
    var name = ""
    while end < scalars.count, scalars[end].isASCII, name.utf8.count < longestName,
      scalars[end].properties.isAlphabetic || scalars[end] == "-"
        || !fields.isEmpty && (scalars[end] == "_" || ("0"..."9").contains(scalars[end]))
    {
      name.unicodeScalars.append(scalars[end])
      end += 1
    }
    guard end > position, sign(at: end) == 0x3A, hasWord(at: end + 1) else { return nil }
    let folded = Folding.fold(name)
    let prefix: Prefix
    switch folded {
    case "in": prefix = .scope
    case "department": prefix = .field(.department)
    // Underscores are not letters to a search, and fold to nothing that is one.
    case _ where FieldCondition.isName(name.lowercased(), fields):
      prefix = .condition(name.lowercased())
    case "mailto" where scalars[(end + 1)...].prefix { !$0.properties.isWhitespace }.contains("@"):
      (prefix, isLink) = (.field(.address), true)
    // RFC 3966 §5.1.4: without a plus a number is of some place, which a link has to name.
    case "tel" where scalars[end + 1] == "+":
      (prefix, isLink) = (.field(.phone), true)
    default:
      guard let field = SearchField(rawValue: folded) else {
        if query.refusal == nil, let meant = SearchField(meantBy: folded) {
          query.refusal = .unknownField(name, meant: meant)
        }
        return nil
      }
      prefix = .field(field)
    }
    position = end + 1
    return prefix
  }

  /// Reads a phrase, to its closing quote or to the end; `nil` when there is none or it is blank.
  private mutating func parseQuoted() -> String? {
    guard sign(at: position) == 0x22 else { return nil }
    var text = String.UnicodeScalarView()
    var at = position + 1
    while at < scalars.count {
      if sign(at: at) == 0x22 {
        guard sign(at: at + 1) == 0x22 else { break }
        at += 1
      }
      text.append(scalars[at])
      at += 1
    }
    let phrase = String(text)
    guard !Self.folded(phrase).isEmpty else { return nil }
    position = min(at + 1, scalars.count)
    return phrase
  }

  /// Reads a link's address or number without its parameters, but for an extension (RFC 3966 §5.3).
  private mutating func parseLink() -> String {
    let parts = parseWord().prefix { $0 != "?" && $0 != ">" }
      .split(separator: ";", omittingEmptySubsequences: false)
    let mark = parts.dropFirst().first { $0.lowercased().hasPrefix("ext=") }
    return parts[0] + (mark.map { ";" + $0 } ?? "")
  }

  private mutating func parseWord() -> String {
    var text = String.UnicodeScalarView()
    while position < scalars.count, !isSpace(position) {
      text.append(scalars[position])
      position += 1
    }
    return String(text)
  }

  // MARK: - Terms

  private mutating func add(
    _ text: String,
    _ field: SearchField?,
    isPhrase: Bool,
    isExcluded: Bool
  ) {
    let folded = Self.folded(text)
    // Some signs fold to several words.
    let words = isPhrase ? [folded] : Self.words(folded)
    let variants = isPhrase ? [] : Self.words(TextVariant.form(of: text))
    let isLatin = text.unicodeScalars.contains { Self.latinLetters.contains($0) }
    for (index, word) in words.enumerated() where !word.isEmpty {
      var term = SearchTerm(text: word, field: field, isPhrase: isPhrase, phones: phones)
      term.isLatin = isLatin
      if variants.count == words.count { term.variant = variants[index] }
      if !isExcluded { sequence.append(term) }
      var key = term
      // A word asked for and excluded are two things.
      if isExcluded { key.text.append(0xFF) }
      guard seen.insert(key).inserted else { continue }
      if isExcluded { query.excluded.append(term) } else { query.terms.append(term) }
    }
  }

  /// Letters that alphabets have and romanisations do not.
  private static let latinLetters = Set("łŁđĐøØßẞæÆœŒþÞðÐħĦŋŊ".unicodeScalars)

  private mutating func add(scope: String, isExcluded: Bool) {
    if isExcluded { query.excludedScopes.append(scope) } else { query.scopes.append(scope) }
  }

  /// Folded, without the spaces at its ends.
  private static func folded(_ text: String) -> [UInt8] {
    var bytes = Array(Folding.fold(text).utf8)
    while bytes.last == 0x20 { bytes.removeLast() }
    if bytes.first == 0x20 { bytes.removeFirst() }
    return bytes
  }

  private static func words(_ folded: [UInt8]) -> [[UInt8]] {
    folded.split(separator: 0x20).map { Array($0) }
  }

  // MARK: - Characters

  /// What a scalar folds to where that is one ASCII character: typographic quotes mean what the
  /// plain ones do.
  private func sign(at index: Int) -> UInt8? {
    guard index < scalars.count else { return nil }
    let scalar = scalars[index]
    if scalar.isASCII { return UInt8(scalar.value) }
    let folded = Folding.fold(String(scalar)).utf8
    return folded.count == 1 ? folded.first : nil
  }

  private func isSpace(_ index: Int) -> Bool { scalars[index].properties.isWhitespace }

  /// Whether folding leaves nothing of a scalar.
  private func isNothing(_ index: Int) -> Bool {
    !scalars[index].isASCII && Folding.fold(String(scalars[index])).isEmpty
  }

  /// Whether something to look for begins at an index.
  private func hasWord(at index: Int) -> Bool {
    index < scalars.count && !isSpace(index)
  }
}
