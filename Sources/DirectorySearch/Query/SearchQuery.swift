import TextRules

/// What somebody looks for, read from what was typed.
///
///     ann storage berlin      every word, in any field and any order
///     "ann lee"  "a ""b"" c"  a phrase, as it stands but for folding; "" inside is a quote
///     -intern                 without whom this word finds
///     name: title: dept: email: phone: id:   only in that field, as in title:engineer or name:"ann lee"
///     in:Engineering          in that department and below; also -in:
///
/// Everything else is literal, also `-`, `:` and `"` inside a word, `%`, `_`, `*` and `\`.
/// Reading never fails; what passes the limits is `refusal`.
package struct SearchQuery: Sendable, Equatable {
  /// What must be found, each once, in the order typed.
  package internal(set) var terms: [SearchTerm] = []
  /// What must not be found.
  package internal(set) var excluded: [SearchTerm] = []
  /// Departments in one of which the hits must be, and those in none of which they may be, as typed.
  package internal(set) var scopes: [String] = []
  package internal(set) var excludedScopes: [String] = []
  /// The terms with numbers that were typed apart as one telephone number (`202 224 3441`).
  ///
  /// `nil` where there are none. This reading comes first; where it finds nothing, the words one by
  /// one are looked for.
  package internal(set) var termsWithJoinedNumber: [SearchTerm]?
  /// Why the query is too much; then there is nothing to look for.
  package internal(set) var refusal: Refusal?

  /// A limit that a query passes.
  package enum Refusal: Sendable, Equatable, CustomStringConvertible {
    case tooLong(bytes: Int)
    case tooManyWords(Int)

    package var description: String {
      switch self {
      case .tooLong(let bytes):
        "the query has \(bytes) bytes, and at most \(SearchQuery.longest) are looked for"
      case .tooManyWords(let count):
        "the query has \(count) words, and at most \(SearchQuery.mostWords) are looked for"
      }
    }
  }

  /// A name has at most 1,000 characters of at most four bytes.
  package static let longest = 8_192
  package static let mostWords = 64

  /// Reads what was typed.
  ///
  /// - Parameters:
  ///   - text: A query, as above.
  ///   - phones: How telephone numbers are dialled where the directory is.
  /// - Complexity: O(n); a text that is too long is not looked at.
  package init(_ text: String, phones: PhoneRules = .unknown) {
    let count = text.utf8.count
    guard count <= Self.longest else {
      refusal = .tooLong(bytes: count)
      return
    }
    var parser = QueryParser(text, phones: phones)
    parser.parse()
    self = parser.query
    let words = terms.count + excluded.count + scopes.count + excludedScopes.count
    if words > Self.mostWords {
      self = SearchQuery(refused: .tooManyWords(words))
      return
    }
    termsWithJoinedNumber = Self.joinNumbers(terms, phones: phones)
  }

  init() {}

  private init(refused refusal: Refusal) { self.refusal = refusal }

  /// Whether there is nothing to look for.
  package var isEmpty: Bool {
    terms.isEmpty && excluded.isEmpty && scopes.isEmpty && excludedScopes.isEmpty
  }

  /// Joins the first run of two or more numbers that together can be a telephone number.
  private static func joinNumbers(_ terms: [SearchTerm], phones: PhoneRules) -> [SearchTerm]? {
    func isNumber(_ term: SearchTerm) -> Bool {
      term.field == nil && !term.isPhrase && PhoneQuery.isWritten(term.text)
    }
    guard
      let start = terms.indices.dropLast().first(where: {
        isNumber(terms[$0]) && isNumber(terms[$0 + 1])
      })
    else { return nil }
    let run = terms[start...].prefix(while: isNumber)
    let text = Array(run.map(\.text).joined(separator: [UInt8(ascii: " ")]))
    guard let phone = PhoneQuery(text, fewestDigits: 5, rules: phones) else { return nil }
    var joined = SearchTerm(text: text, field: .phone, isPhrase: false, phones: phones)
    joined.phone = phone
    return terms[..<start] + [joined] + terms[(start + run.count)...]
  }
}
