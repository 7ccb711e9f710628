import DirectorySearch
import DirectorySnapshot
import TextRules

/// Makes queries about the people of a directory; the same for the same directory.
struct QueryMaker {
  private let directory: Directory
  private var random = Numbers(state: 5)

  init(_ directory: Directory) { self.directory = directory }

  /// 10,000 queries, or as many of each kind as the directory allows, in the order of the kinds.
  mutating func makeQueries() throws -> [BenchQuery] {
    let kinds = QueryKind.allCases.filter { !QueryKind.ofTiers.contains($0) }
    return try makeQueries(of: kinds)
  }

  /// As many queries of each kind as is its share.
  mutating func makeQueries(of kinds: [QueryKind]) throws -> [BenchQuery] {
    var queries: [BenchQuery] = []
    for kind in kinds {
      var made: [BenchQuery] = []
      var attempts = 0
      while made.count < kind.share, attempts < kind.share * 1_000 {
        attempts += 1
        made += try make(kind).filter { !$0.text.isEmpty }
      }
      queries += made.prefix(kind.share)
    }
    return queries
  }

  /// A few queries of a kind; none where the person drawn does not suit.
  private mutating func make(_ kind: QueryKind) throws -> [BenchQuery] {
    let person = try directory.person(random.below(directory.count))
    let words = person.words
    let word = words[random.below(words.count)]
    func query(_ text: String) -> BenchQuery { BenchQuery(kind: kind, text: text) }
    switch kind {
    case .prefix: return (1...max(1, word.count)).prefix(10).map { query(String(word.prefix($0))) }
    case .name: return words.count > 1 ? [query("\(words[0]) \(words[words.count - 1])")] : []
    case .letter: return [query(String(word.prefix(1)))]
    case .han: return person.isEastAsian ? [query(eastAsian(person.name))] : []
    case .pinyin: return person.isHan ? romanized(person).map(query) : []
    case .latin: return person.isOtherScript ? [query(random.pick(person.addressWords))] : []
    case .phone: return person.phone.isEmpty ? [] : [query(digits(of: person.phone))]
    case .mail: return person.address.isEmpty ? [] : [query(part(of: person.address))]
    case .fields: return [query(try fields(person, word))]
    case .words: return [query(try other(person))]
    case .inside:
      guard word.count >= 5 else { return [] }
      let start = 1 + random.below(word.count - 4)
      return [query(String(word.dropFirst(start).prefix(3 + random.below(2))))]
    case .error: return word.count >= 4 ? [query(misspelt(word))] : []
    case .exclusion: return [query("\(word) -\(try other(person))")]
    case .scope:
      return [
        BenchQuery(
          kind: kind,
          text: String(word.prefix(1 + random.below(5))),
          scope: SearchScope(within: [try directory.departmentAbove(person, random.below(4))])
        )
      ]
    default: return try forTier(kind, person, words).map(query)
    }
  }

  // MARK: - Tiers

  private mutating func forTier(
    _ kind: QueryKind,
    _ person: Person,
    _ words: [String]
  ) throws -> [String] {
    if kind == .misread {
      guard person.isHan || person.isOtherScript, person.addressWords.count == 2 else { return [] }
      return [misspelt(person.addressWords[0] + person.addressWords[1])]
    }
    if kind == .initials {
      let name = try directory.departmentName(person, random.below(4))
      return [String(name.split { !$0.isLetter }.compactMap(\.first)).lowercased()].filter {
        $0.count > 1
      }
    }
    guard words.count > 1, person.name.utf8.allSatisfy({ $0 < 0x80 }) else { return [] }
    let (given, family) = (words[0], words[words.count - 1])
    let text =
      switch kind {
      case .comma: "\(family), \(given)"
      case .titled: "Dr. \(given) \(family)"
      case .joined: (given + family).lowercased()
      case .pasted: "\"\(given) \(family)\" <gone@example.org>"
      case .dotted: "\(given)_\(family)".lowercased()
      case .surplus: "\(given) \(family) xanadu"
      case .keyboard: typedInRussian("\(given) \(family)")
      default: Self.nicknames[given].map { "\($0) \(family)" } ?? ""
      }
    return [text]
  }

  private static let nicknames = [
    "Robert": "bob", "William": "bill", "Michael": "mike", "Thomas": "tom", "Andrew": "andy",
    "Katharina": "kathi", "Alexander": "sascha", "Susan": "sue", "David": "dave", "Daniel": "dan",
  ]

  private func typedInRussian(_ text: String) -> String {
    let keys = Array("qwertyuiopasdfghjklzxcvbnm")
    let letters = Array("йцукенгшщзфывапролдячсмить")
    return String(
      text.lowercased().map { letter in keys.firstIndex(of: letter).map { letters[$0] } ?? letter }
    )
  }

  // MARK: - Kinds

  private mutating func eastAsian(_ name: String) -> String {
    let letters = name.filter { $0 != " " }
    switch random.below(4) {
    case 0: return String(letters.prefix(1))
    case 1: return String(letters.suffix(1))
    case 2: return String(letters.prefix(2))
    default: return name
    }
  }

  /// `zhangwei`, `zhang wei`, `zw`, `zhangw`, `zwei`, or the first so many letters.
  private mutating func romanized(_ person: Person) -> [String] {
    guard person.addressWords.count == 2 else { return [] }
    let (given, family) = (person.addressWords[0], person.addressWords[1])
    switch random.below(6) {
    case 0: return [family + given]
    case 1: return ["\(family) \(given)"]
    case 2: return [String(family.prefix(1) + given.prefix(1))]
    case 3: return [family + given.prefix(1)]
    case 4: return [family.prefix(1) + given]
    default: return [String((family + given).prefix(2 + random.below(5)))]
    }
  }

  private mutating func digits(of phone: String) -> String {
    let digits = phone.filter(\.isNumber)
    switch random.below(5) {
    case 0: return String(digits.suffix(3))
    case 1, 2: return String(digits.suffix(4))
    case 3: return String(digits.suffix(6))
    default: return phone
    }
  }

  private mutating func part(of address: String) -> String {
    let local = String(address.prefix { $0 != "@" })
    switch random.below(3) {
    case 0: return local
    case 1: return address
    default: return String(local.prefix(3 + random.below(8)))
    }
  }

  private mutating func fields(_ person: Person, _ word: String) throws -> String {
    let beginning = String(word.prefix(2 + random.below(5)))
    let other = try other(person)
    return random.below(2) == 0 ? "\(beginning) \(other)" : "\(other) \(beginning)"
  }

  /// A word of the title, or of a department above.
  private mutating func other(_ person: Person) throws -> String {
    let text =
      random.below(2) == 0
      ? person.title : try directory.departmentName(person, random.below(4))
    let words = text.split(separator: " ").filter { $0.count > 1 }
    return words.isEmpty ? text : String(words[random.below(words.count)])
  }

  /// Two letters swapped, or one left out, added or another.
  private mutating func misspelt(_ word: String) -> String {
    var letters = Array(word)
    let at = 1 + random.below(letters.count - 2)
    switch random.below(4) {
    case 0: letters.swapAt(at, at + 1)
    case 1: letters.remove(at: at)
    case 2: letters.insert(letters[at], at: at)
    default: letters[at] = letters[at - 1]
    }
    return String(letters)
  }
}

/// A linear congruential generator (Knuth's MMIX): the same numbers everywhere.
struct Numbers {
  var state: UInt64

  mutating func below(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 32).multipliedReportingOverflow(by: UInt64(bound)).partialValue >> 32)
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[below(elements.count)]
  }
}
