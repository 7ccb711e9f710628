/// Takes a query for what may have been meant by it, where it does not find enough as it was typed.
///
/// Exclusions, departments and conditions on fields are not changed: they only filter.
struct QueryRewriter {
  private let terms: [SearchTerm]
  private let phones: DialingPlan
  /// The query without the signs around its words, and whether that is another query.
  private let plain: UnquotedWords

  init(_ query: SearchQuery, _ phones: DialingPlan) {
    terms = query.terms
    self.phones = phones
    plain = UnquotedWords(query.terms, phones)
  }

  /// What is looked for in a tier.
  ///
  /// - Parameters:
  ///   - tier: The tier.
  ///   - directory: What is known of the words of the directory.
  /// - Returns: `nil` where that is nothing new.
  /// - Throws: What `directory` throws.
  /// - Complexity: O(bytes of the query), and some hundred look-ups of words.
  func stage(
    _ tier: SearchTier,
    _ directory: inout some WordStatistics
  ) throws(SearchError) -> SearchStage? {
    switch tier {
    case .asTyped: nil
    case .address: address
    case .plainWords: plainWords
    case .withoutTitles: withoutTitles
    case .initials: initials
    case .latinLetters: latinLetters
    case .otherSpellings: otherSpellings
    case .nameVariants: nameVariants
    case .joinedWords: try joinedWords(&directory)
    case .number: number
    case .signsAsBlanks: signsAsBlanks
    case .sounds: sounds
    case .misread: misread
    case .keyboard: keyboard
    case .withoutWord: try withoutWord(&directory)
    }
  }

  // MARK: - Signs

  private var address: SearchStage? {
    guard terms.count > 1 || plain.addresses.first.map({ $0 != terms[0].text }) ?? false else {
      return nil
    }
    let readings = plain.addresses.prefix(Self.mostAddresses).map { address in
      var term = SearchTerm(text: address, field: .address)
      term.means = .whole
      return SearchReading(
        terms: [term],
        note: "read as the address \(String(decoding: address, as: UTF8.self))"
      )
    }
    return readings.isEmpty ? nil : SearchStage(.address, readings, need: .room)
  }

  private static let mostAddresses = 8

  private var plainWords: SearchStage? {
    guard plain.isOther else { return nil }
    var readings = [plain.terms]
    if let joined = SearchQuery.joinNumbers(plain.terms, phones: phones) {
      readings = SearchQuery.holdsWholeNumber(joined) ? [joined] : [joined, plain.terms]
    }
    return SearchStage(
      .plainWords,
      readings.map { SearchReading(terms: $0, note: Self.note($0)) },
      need: plain.addresses.isEmpty ? .room : .nothing
    )
  }

  // MARK: - Forms of address

  private var withoutTitles: SearchStage? {
    guard let (rest, titles) = Honorifics.setAside(plain.terms) else { return nil }
    let quoted = titles.map { "\"\($0)\"" }.joined(separator: ", ")
    let reading = SearchReading(terms: rest, note: "without the form of address \(quoted)")
    return SearchStage(.withoutTitles, [reading], need: .room)
  }

  /// The words without signs around them and forms of address.
  private var names: [SearchTerm] { Honorifics.setAside(plain.terms)?.rest ?? plain.terms }

  /// The abbreviation that a query may be.
  var initialLetters: DepartmentInitials? { DepartmentInitials(plain.terms) }

  /// The words that begin with the letters of an abbreviation, for explanations: departments are found
  /// by all their initials (`DepartmentInitials`).
  private var initials: SearchStage? {
    guard let letters = initialLetters?.letters else { return nil }
    let words = String(decoding: letters, as: UTF8.self).unicodeScalars.map { letter in
      var term = SearchTerm(text: Array(String(letter).utf8), field: .name)
      term.means = .beginnings
      return term
    }
    let note = "read as the initials of a department"
    return SearchStage(
      .initials,
      [SearchReading(terms: words.uniqued, note: note)],
      need: .noWholeName
    )
  }

  private var latinLetters: SearchStage? {
    let readings = LatinSpellings.readings(of: names).map {
      SearchReading(terms: $0, note: Self.note($0))
    }
    return readings.isEmpty ? nil : SearchStage(.latinLetters, readings, need: .room)
  }

  private var otherSpellings: SearchStage? {
    if let toneless = SpellingVariants.toneless(names) {
      // A number may be part of an id as well.
      let reading = SearchReading(terms: toneless, note: Self.note(toneless))
      return SearchStage(.otherSpellings, [reading], need: .nothing)
    }
    let readings = SpellingVariants.readings(of: names).map {
      SearchReading(terms: $0, note: Self.note($0))
    }
    return readings.isEmpty ? nil : SearchStage(.otherSpellings, readings, need: .noWholeName)
  }

  /// Each word that is a given name as its other forms.
  private var nameVariants: SearchStage? {
    let terms = names
    guard terms.count <= Self.mostWords else { return nil }
    var readings: [SearchReading] = []
    for index in terms.indices where terms[index].isPlain && terms[index].field != .title {
      for form in NameVariants.others(of: String(decoding: terms[index].text, as: UTF8.self)) {
        var term = SearchTerm(text: Array(form.utf8), field: .name)
        term.means = .whole
        var changed = terms
        changed[index] = term
        readings.append(SearchReading(terms: changed, note: Self.note(changed)))
      }
    }
    return readings.isEmpty ? nil : SearchStage(.nameVariants, readings, need: .noWholeName)
  }

  private func joinedWords(
    _ directory: inout some WordStatistics
  ) throws(SearchError) -> SearchStage? {
    let readings = try JoinedNames(names, &directory).readings
    return readings.isEmpty ? nil : SearchStage(.joinedWords, readings, need: .noName)
  }

  // MARK: - Numbers

  /// A number without the zeros in front, which may not be dialled where it is stored, or without its
  /// extension.
  private var number: SearchStage? {
    let terms = SearchQuery.joinNumbers(plain.terms, phones: phones) ?? plain.terms
    if let at = terms.firstIndex(where: { $0.phone?.numberAlone != nil }),
      let number = terms[at].phone?.numberAlone, number.count >= PhoneQuery.fewestNational
    {
      var term = SearchTerm(text: number, field: terms[at].field, phones: phones)
      term.means = .digits
      var changed = terms
      changed[at] = term
      let note = "read as the phone number \(String(decoding: number, as: UTF8.self))"
      return SearchStage(.number, [SearchReading(terms: changed, note: note)], need: .nothing)
    }
    guard let at = terms.firstIndex(where: { !$0.isPhrase && $0.phone?.written.first == 0x30 }),
      let digits = terms[at].phone?.written.drop(while: { $0 == 0x30 }),
      digits.count >= PhoneQuery.fewestNational
    else { return nil }
    var term = SearchTerm(text: Array(digits), field: nil, phones: phones)
    term.means = .digits
    var changed = terms
    changed[at] = term
    let note = "read as the phone number \(String(decoding: digits, as: UTF8.self))"
    return SearchStage(.number, [SearchReading(terms: changed, note: note)], need: .nothing)
  }

  // MARK: - Signs inside

  private var signsAsBlanks: SearchStage? {
    var parted: [SearchTerm] = []
    for term in plain.terms {
      guard term.isPlain, term.phone?.isSpelled ?? true else {
        parted.append(term)
        continue
      }
      // An address that no one has may still have a person's name.
      let name = QueryPunctuation.address(term.text)?.prefix { $0 != UInt8(ascii: "@") }
      let parts = QueryPunctuation.parts(name.map { Array($0) } ?? term.text)
      guard parts.count > 1 || name != nil else {
        parted.append(term)
        continue
      }
      parted += parts.map { part in
        var term = SearchTerm(text: part, field: term.field, phones: phones)
        // A single letter stands for a name that begins with it.
        if part.count == 1 { term.means = .beginnings }
        return term
      }
    }
    parted = parted.uniqued
    guard parted != plain.terms, Self.letterCount(parted) >= Self.fewestLetters else { return nil }
    var readings = [parted]
    if let (rest, _) = Honorifics.setAside(parted) { readings.append(rest) }
    return SearchStage(
      .signsAsBlanks,
      readings.map { SearchReading(terms: $0, note: Self.note($0)) },
      need: .nothing
    )
  }

  // MARK: - Guesses

  /// All words as foreign names that are written in kana.
  private var sounds: SearchStage? {
    let terms = names
    guard terms.count <= JoinedNames.mostWords else { return nil }
    var heard: [SearchTerm] = []
    for term in terms {
      guard term.isPlain, let sounds = KanaTransliteration(term.text),
        terms.count > 1 || sounds.isDistinct
      else { return nil }
      var word = SearchTerm(text: term.text, field: .name)
      word.means = .sounds
      heard.append(word)
    }
    let reading = SearchReading(terms: heard, note: "as it sounds in kana")
    // One word alone may be the name of others as well.
    return SearchStage(.sounds, [reading], need: terms.count == 1 ? .room : .noName)
  }

  /// Each word, or all in one, with a typing error in a name of another script.
  private var misread: SearchStage? {
    let terms = names
    guard terms.count <= JoinedNames.mostWords else { return nil }
    func misread(_ text: [UInt8]) -> SearchTerm? {
      guard text.count >= Self.fewestMisread, text.allSatisfy({ $0 &- 0x61 < 26 }) else {
        return nil
      }
      var term = SearchTerm(text: text, field: .name)
      term.means = .misread
      return term
    }
    var readings: [[SearchTerm]] = terms.indices.compactMap { index in
      guard terms[index].isPlain, let term = misread(terms[index].text) else { return nil }
      var changed = terms
      changed[index] = term
      return changed
    }
    if terms.count > 1, terms.allSatisfy({ $0.isPlain && $0.field == nil }),
      let joined = misread(terms.flatMap(\.text))
    {
      readings.append([joined])
    }
    guard !readings.isEmpty else { return nil }
    return SearchStage(
      .misread,
      readings.map { SearchReading(terms: $0, note: "read in Latin letters, with a typing error") },
      need: .noName
    )
  }

  /// Shorter words are near too many readings.
  private static let fewestMisread = 5

  private var keyboard: SearchStage? {
    guard Self.letterCount(terms) >= Self.fewestLetters, terms.allSatisfy(\.isPlain) else {
      return nil
    }
    let readings = KeyboardLayouts.readings(of: terms.map(\.text)).map { reading in
      let words = zip(reading.words, terms).map { word, typed in
        var term = SearchTerm(text: word, field: typed.field)
        term.means = .beginnings
        return term
      }
      return SearchReading(
        terms: words.uniqued,
        note: Self.note(words) + ", as typed with a \(reading.layout) keyboard layout"
      )
    }
    return readings.isEmpty ? nil : SearchStage(.keyboard, readings, need: .nothing)
  }

  /// The words but for one that occurs nowhere: who has all others may be meant.
  private func withoutWord(
    _ directory: inout some WordStatistics
  ) throws(SearchError) -> SearchStage? {
    let terms = SearchQuery.joinNumbers(names, phones: phones) ?? names
    guard (2...Self.mostWords).contains(terms.count) else { return nil }
    var unknown: Int?
    for index in terms.indices where try !directory.isFound(terms[index]) {
      guard unknown == nil, !terms[index].isPhrase else { return nil }
      unknown = index
    }
    guard let unknown else { return withoutMiddleName(terms) }
    var rest = terms
    let word = rest.remove(at: unknown)
    guard rest.count > 1 || Self.letterCount(rest) >= Self.fewestLetters else { return nil }
    let note = "without \"\(String(decoding: word.text, as: UTF8.self))\""
    return SearchStage(
      .withoutWord,
      [SearchReading(terms: rest, note: note)],
      need: .nothing
    )
  }

  /// A middle name that a person does not have in the directory: first and last word are both
  /// there.
  private func withoutMiddleName(_ terms: [SearchTerm]) -> SearchStage? {
    guard (3...JoinedNames.mostWords).contains(terms.count),
      terms.allSatisfy({ $0.isPlain && $0.phone == nil && $0.field != .title })
    else { return nil }
    let readings = terms.indices.dropFirst().dropLast().map { index in
      var rest = terms.map { term in
        var word = SearchTerm(text: term.text, field: .name)
        word.means = .whole
        return word
      }
      let word = String(decoding: rest.remove(at: index).text, as: UTF8.self)
      return SearchReading(terms: rest.uniqued, note: "without \"\(word)\"")
    }
    return SearchStage(.withoutWord, readings, need: .nothing)
  }

  /// Longer queries are sentences.
  private static let mostWords = 8

  // MARK: - Words

  /// Fewer letters than this are found by chance.
  private static let fewestLetters = 3

  private static func letterCount(_ terms: [SearchTerm]) -> Int {
    // An ideograph tells as much as two letters.
    terms.reduce(0) { sum, term in
      String(decoding: term.text, as: UTF8.self).unicodeScalars
        .reduce(sum) { $0 + ($1.value < 0x2E80 ? 1 : 2) }
    }
  }

  static func note(_ terms: [SearchTerm]) -> String {
    let words = terms.map { term in
      let text = String(decoding: term.text, as: UTF8.self)
      return term.isPhrase ? "\"\(text)\"" : text
    }
    return "read as: " + words.joined(separator: " ")
  }
}

/// What is known of the words of a directory.
protocol WordStatistics {
  /// Whether a folded word is one of a person's name.
  mutating func isNameWord(_ word: [UInt8]) throws(SearchError) -> Bool
  /// Whether a word of anything begins with what a term asks for.
  mutating func isFound(_ term: SearchTerm) throws(SearchError) -> Bool
}

/// The words of a query without the signs around them.
struct UnquotedWords {
  private(set) var terms: [SearchTerm] = []
  /// Addresses with something around them.
  private(set) var addresses: [[UInt8]] = []
  /// Whether that is another query.
  private(set) var isOther = false

  init(_ typed: [SearchTerm], _ phones: DialingPlan) {
    addresses = typed.filter(\.isPlain).compactMap { QueryPunctuation.address($0.text) }
    // A single address stays what it is.
    let dropsAddresses = typed.count > 1
    for term in typed {
      if term.isPhrase, !addresses.isEmpty, term.field == nil {
        // Mail programs put names in quotes.
        let words = term.text.split(separator: 0x20).map { Array($0) }
        for word in words { append(word, of: SearchTerm(text: word, field: nil), phones) }
      } else if term.isPlain, QueryPunctuation.address(term.text) != nil {
        if !dropsAddresses { terms.append(term) }
      } else if term.isPlain, term.phone?.isSpelled ?? true {
        append(term.text, of: term, phones)
      } else {
        terms.append(term)
      }
    }
    dropLabels()
    terms = terms.uniqued
    // Signs alone are looked for as they are.
    if terms.isEmpty { terms = typed }
    isOther = terms != typed
  }

  private mutating func append(_ word: [UInt8], of term: SearchTerm, _ phones: DialingPlan) {
    if let digits = QueryPunctuation.digits(word) {
      return terms.append(SearchTerm(text: digits, field: term.field, phones: phones))
    }
    guard QueryPunctuation.isWordy(word) else { return terms.append(term) }
    let parts = QueryPunctuation.listed(word).map(QueryPunctuation.trimmed).filter { !$0.isEmpty }
    let variants = QueryPunctuation.listed(term.variant).map(QueryPunctuation.trimmed).filter {
      !$0.isEmpty
    }
    for (index, part) in parts.enumerated() {
      var plain = SearchTerm(text: part, field: term.field, phones: phones)
      if variants.count == parts.count { plain.variant = variants[index] }
      terms.append(plain)
    }
  }

  /// Words such as `tel.` in front of a number.
  private mutating func dropLabels() {
    guard let number = terms.firstIndex(where: { $0.phone != nil }) else { return }
    var first = number
    while first > 0, terms[first - 1].isPlain,
      Self.labels.contains(String(decoding: terms[first - 1].text, as: UTF8.self))
    {
      first -= 1
    }
    terms.removeSubrange(first..<number)
  }

  /// What stands before phone numbers in signatures, folded.
  private static let labels: Set<String> = [
    "tel", "telefon", "telefono", "telefone", "telephone", "telefoon", "puh", "tlf", "phone", "ph",
    "fon", "fone", "fax", "mobil", "mobile", "mobiel", "movil", "celular", "cell", "cellular",
    "mob",
    "handy", "gsm", "call", "ext", "direct", "office", "тел", "телефон", "моб", "τηλ", "טל", "هاتف",
    "电话", "電話", "手机", "手機", "携帯", "전화", "โทร",
  ]
}

extension SearchTerm {
  /// Whether it is a word that may be taken in another way.
  var isPlain: Bool {
    !isPhrase && means == .all && [nil, .name, .title, .department].contains(field)
  }
}

extension [SearchTerm] {
  /// Each once, in their order.
  var uniqued: [SearchTerm] {
    var seen: Set<SearchTerm> = []
    return filter { seen.insert($0).inserted }
  }
}
