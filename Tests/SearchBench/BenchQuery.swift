import DirectorySearch

/// What the user does who types a query.
enum QueryKind: String, CaseIterable {
  /// A name, one letter more each time.
  case prefix
  /// Both words of a name.
  case name
  /// One letter of an alphabet.
  case letter
  /// One or two ideographs or Hangul syllables, or a whole name of them.
  case han
  /// A name of ideographs by its syllables, initials, or both.
  case pinyin
  /// A name of another script in Latin letters.
  case latin
  /// The last digits of a number, or the whole.
  case phone
  /// The part of an address before the @, or its beginning.
  case mail
  /// A word of a name with one of the title or of a department above.
  case fields
  /// A word of a title or department alone.
  case words
  /// A few letters from inside a word.
  case inside
  /// A word with a slip of the finger.
  case error
  /// A word without another.
  case exclusion
  /// A word in a subtree.
  case scope

  /// Surname, comma, first name; with a form of address; first and last name in one; in quotes with an
  /// address behind; with dots; letters of a department's name; a slip in a Latin reading; typed with
  /// a Russian keyboard layout; with a word that is not in use; a short form of a first name.
  case comma, titled, joined, pasted, dotted, initials, misread, keyboard, surplus, nickname

  /// What is found by tiers behind exact matches, as `SearchTier` has them; none of the 10,000.
  static let ofTiers: [QueryKind] = [
    .comma, .titled, .joined, .pasted, .dotted, .initials, .misread, .keyboard, .surplus, .nickname,
  ]

  /// How many of 10,000 queries.
  var share: Int {
    switch self {
    case .prefix: 2_500
    case .name, .pinyin: 1_000
    case .phone, .fields, .error: 800
    case .han, .latin, .mail: 600
    case .words: 300
    case .letter, .inside: 200
    case .exclusion, .scope: 300
    default: 200
    }
  }
}

/// A query of the benchmark.
struct BenchQuery {
  var kind: QueryKind
  var text: String
  /// The department looked in.
  var scope: SearchScope = .everywhere

  /// The search, as a front asks for its first screen.
  func request() -> SearchRequest {
    SearchRequest(SearchQuery(text), in: scope, limit: 20)
  }
}
