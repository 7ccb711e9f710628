import DirectoryModel
import TextRules

/// What the user looks for, read from what was typed.
///
///     ann storage berlin      every word, in any field and any order
///     "ann lee"  "a ""b"" c"  a phrase, as it stands but for folding; "" inside is a quote
///     -intern                 without whom this word finds
///     name: title: dept: id: …   only in that field (`SearchField`), as in title:engineer
///     in:Engineering          in that department and below; also -in:
///     mobile:0172 has:mobile is:lead reports:ada   what was declared (`FieldCondition`); also with a
///                             hyphen in front
///
/// Everything else is literal, also `-`, `:` and `"` inside a word, `%`, `_`, `*` and `\`.
/// What passes the limits, and a field that is none but was meant as one (`mail:`, `nmae:`), is
/// `refusal`.
package struct SearchQuery: Sendable, Equatable {
  /// What must be found, each once, in the order typed.
  package internal(set) var terms: [SearchTerm] = []
  /// What must not be found.
  package internal(set) var excluded: [SearchTerm] = []
  /// Departments in one of which the hits must be, and those in none of which they may be, as typed.
  package internal(set) var scopes: [String] = []
  package internal(set) var excludedScopes: [String] = []
  /// What is asked of declared fields and of who leads.
  package internal(set) var conditions: [FieldCondition] = []
  /// The terms with numbers that were typed apart as one telephone number (`202 224 3441`).
  ///
  /// `nil` where there are none. This reading comes first; where it finds nothing and the number is
  /// short, the words one by one are looked for.
  package internal(set) var termsWithJoinedNumber: [SearchTerm]?
  /// Why the query is not answered; then there is nothing to look for.
  package internal(set) var refusal: Refusal?

  /// A limit that a query passes, or what it asks for and does not exist.
  package enum Refusal: Sendable, Equatable, CustomStringConvertible {
    case tooLong(bytes: Int)
    case tooManyWords(Int)
    case unknownField(String, meant: SearchField)

    package var description: String {
      switch self {
      case .tooLong(let bytes):
        "the query has \(bytes) bytes; the limit is \(SearchQuery.longest)"
      case .tooManyWords(let count):
        "the query has \(count) words; the limit is \(SearchQuery.mostWords)"
      case .unknownField(let name, _): "there is no field \(name):"
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
  ///   - fields: The declared fields.
  /// - Complexity: O(n); a text that is too long is not looked at.
  package init(_ text: String, phones: DialingPlan = .unknown, fields: [Field] = []) {
    let count = text.utf8.count
    guard count <= Self.longest else {
      refusal = .tooLong(bytes: count)
      return
    }
    var parser = QueryParser(text, phones: phones, fields: fields)
    parser.parse()
    if let refusal = parser.query.refusal {
      self = SearchQuery(refused: refusal)
      return
    }
    self = parser.query
    let words =
      terms.count + excluded.count + scopes.count + excludedScopes.count + conditions.count
    if words > Self.mostWords {
      self = SearchQuery(refused: .tooManyWords(words))
      return
    }
    termsWithJoinedNumber = Self.joinNumbers(parser.sequence, phones: phones)
  }

  init() {}

  private init(refused refusal: Refusal) { self.refusal = refusal }

  /// Whether there is nothing to look for.
  package var isEmpty: Bool {
    terms.isEmpty && excluded.isEmpty && scopes.isEmpty && excludedScopes.isEmpty
      && conditions.isEmpty
  }

  /// Whether numbers typed apart can be nothing but a phone number.
  var isWholeNumber: Bool { termsWithJoinedNumber.map(Self.holdsWholeNumber) ?? false }

  /// Whether there is a number of as many digits as phone numbers have.
  static func holdsWholeNumber(_ terms: [SearchTerm]) -> Bool {
    terms.contains { $0.means == .digits && ($0.phone?.written.count ?? 0) >= fewestWholeDigits }
  }

  private static let fewestWholeDigits = 7

  /// Joins the first run of two or more numbers that together can be a telephone number, and the
  /// signs between them; and an extension with the word before it.
  static func joinNumbers(_ terms: [SearchTerm], phones: DialingPlan) -> [SearchTerm]? {
    func isPlain(_ term: SearchTerm) -> Bool { term.field == nil && !term.isPhrase }
    func isNumber(_ term: SearchTerm) -> Bool {
      isPlain(term) && (PhoneQuery.isWritten(term.text) || PhoneQuery.isWithExtension(term.text))
    }
    func isMark(_ term: SearchTerm) -> Bool { isPlain(term) && WrittenPhone.isMark(term.text) }
    func isSigns(_ term: SearchTerm) -> Bool {
      isPlain(term) && PhoneQuery.isWritten(term.text + [UInt8(ascii: "0")])
    }
    guard let number = terms.firstIndex(where: { isNumber($0) }) else { return nil }
    let start = number > 0 && isMark(terms[number - 1]) ? number - 1 : number
    var run = terms[start...].prefix { isSigns($0) || isNumber($0) || isMark($0) }
    while let last = run.last, !isNumber(last) { run.removeLast() }
    let isMarked = run.contains { isMark($0) }
    guard isMarked || run.count(where: { isNumber($0) }) > 1 else { return nil }
    let text = Array(run.map(\.text).joined(separator: [UInt8(ascii: " ")]))
    // Whoever says that it is an extension may have a short one.
    let fewest = start < number ? 1 : 5
    guard let phone = PhoneQuery(text, fewestDigits: fewest, rules: phones) else { return nil }
    var joined = SearchTerm(text: text, field: nil)
    joined.phone = phone
    joined.means = .digits
    var seen: Set<SearchTerm> = []
    return (terms[..<start] + [joined] + terms[run.endIndex...]).filter { seen.insert($0).inserted }
  }
}
