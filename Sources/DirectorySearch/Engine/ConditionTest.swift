import DirectoryModel
import DirectorySnapshot
import TextRules

/// Asks of one record after the other whether a condition about fields holds.
struct ConditionTest: Sendable {
  let isExcluded: Bool
  private let test: FieldCondition.Test
  private let parts: SearchColumns
  /// What is asked of the values of declared fields; `nil` where something else is asked.
  private(set) var ofUsers: ValueTest?
  private var ofDepartments: ValueTest?

  init(
    _ condition: FieldCondition,
    _ parts: SearchColumns,
    _ phones: DialingPlan,
    _ index: SearchIndex?
  ) {
    test = condition.test
    isExcluded = condition.isExcluded
    self.parts = parts
    ofUsers = ValueTest(condition.test, of: .user, parts, phones, index)
    ofDepartments = ValueTest(condition.test, of: .department, parts, phones, index)
  }

  mutating func holds(ofUser row: Int) throws(SnapshotError) -> Bool {
    try isTrue(ofUser: row) != isExcluded
  }

  mutating func holds(ofDepartment row: Int) throws(SnapshotError) -> Bool {
    let fields = parts.fields
    return try fields.withValues(ofDepartment: row) { text in
      Result { () throws(SnapshotError) in try ofDepartments?.holds(of: text) ?? false }
    }.get() != isExcluded
  }

  private mutating func isTrue(ofUser row: Int) throws(SnapshotError) -> Bool {
    switch test {
    case .value, .has:
      let fields = parts.fields
      return try fields.withValues(ofUser: row) { text in
        Result { () throws(SnapshotError) in try ofUsers?.holds(of: text) ?? false }
      }.get()
    case .hasContact(let field):
      return try parts.contacts[field].withBytes(at: row) { !$0.isEmpty }
    case .hasTitle:
      for leaf in try parts.leaves.nodes(of: row) {
        let membership = try parts.tree.record(of: leaf)
        if try parts.memberships.titles.withBytes(at: membership, { !$0.isEmpty }) { return true }
      }
      return false
    case .leads:
      for leaf in try parts.leaves.nodes(of: row)
      where try parts.memberships.leads(parts.tree.record(of: leaf)) {
        return true
      }
      return false
    }
  }
}

/// Looks at the values that one record after the other has of a declared field.
struct ValueTest: Sendable {
  private enum Kind {
    case any, letters, number(PhoneQuery), person
  }

  private let name: [UInt8]
  private let kind: Kind
  /// What is looked for; `nil` where any value will do.
  private let matcher: TermMatcher?
  private let field: Field?
  private let phones: DialingPlan
  private let parts: SearchColumns
  private let index: SearchIndex?
  private var texts = FieldTexts()
  /// The people whom the field names, each looked at once: colleagues have the same manager.
  private var people = TextInterner()
  /// Whether id or name of one is as asked for.
  private var answers: [Bool] = []
  /// Who was named last: those who lie side by side mostly name the same person.
  private var last: Int?
  /// The ids of those whose names are as asked for, once the index was asked; `nil` where there is
  /// none, or there are many.
  private var idsByName: Set<[UInt8]>?
  private var hasAskedIndex = false

  init?(
    _ test: FieldCondition.Test,
    of owner: RecordKind,
    _ parts: SearchColumns,
    _ phones: DialingPlan,
    _ index: SearchIndex?
  ) {
    self.parts = parts
    self.phones = phones
    self.index = index
    switch test {
    case .has(let name):
      self.name = Array(name.utf8)
      (kind, matcher, field) = (.any, nil, nil)
    case .value(let name, let term):
      self.name = Array(name.utf8)
      matcher = TermMatcher(term, allowsErrors: false)
      field = parts.fields.declared.first { $0.name == name && $0.owner == owner }
      switch field?.kind {
      case .person: kind = .person
      case .phone: kind = term.phone.map { .number($0) } ?? .letters
      default: kind = .letters
      }
    case .hasTitle, .hasContact, .leads: return nil
    }
  }

  /// Whether a record with these values is one that is asked for.
  mutating func holds(of text: UnsafeRawBufferPointer) throws(SnapshotError) -> Bool {
    var reader = FieldValuesReader(text)
    while reader.next() {
      guard reader.isNamed(name) else { continue }
      if matcher == nil { return true }
      var isHeld = false
      try reader.forEachValue { (value) throws(SnapshotError) in
        if !isHeld { isHeld = try isFound(in: value) }
      }
      return isHeld
    }
    return false
  }

  private mutating func isFound(in value: UnsafeRawBufferPointer) throws(SnapshotError) -> Bool {
    switch kind {
    case .any: return true
    case .letters: return isLiterallyFound(in: value)
    case .number(let number):
      texts.take(value)
      let digits = PhoneDigits(texts.folded, rules: phones)
      return number.quality(in: digits) != nil
        || digits.isSpelled && number.isSpelled && matcher?.literal(in: texts) != nil
    case .person:
      if let last, people.isEqual(last, value) { return answers[last] }
      let (number, isNew) = people.intern(value)
      if isNew { answers.append(try isMeant(value)) }
      last = number
      return answers[number]
    }
  }

  private mutating func isLiterallyFound(in text: UnsafeRawBufferPointer) -> Bool {
    texts.take(text)
    return matcher?.literal(in: texts) != nil
  }

  /// Whether a person's id or name is as asked for.
  private mutating func isMeant(_ id: UnsafeRawBufferPointer) throws(SnapshotError) -> Bool {
    if isLiterallyFound(in: id) { return true }
    if !hasAskedIndex {
      hasAskedIndex = true
      idsByName = try index.flatMap { (index) throws(SnapshotError) in try peopleByName(in: index) }
    }
    if let idsByName { return !idsByName.isEmpty && idsByName.contains(Array(id)) }
    let row = try parts.people.row(of: String(decoding: id, as: UTF8.self))
    guard let row else { return false }
    let names = parts.users.names
    return try names.withBytes(at: row) { isLiterallyFound(in: $0) }
  }
}

// MARK: - By the index

extension ValueTest {
  /// The ids of those whose names hold what is looked for; `nil` where there are many.
  ///
  /// - Complexity: O(bytes of distinct words of names, and the people who have them).
  private mutating func peopleByName(
    in index: SearchIndex
  ) throws(SnapshotError) -> Set<[UInt8]>? {
    guard let word = matcher?.term.text.split(separator: 0x20).max(by: { $0.count < $1.count })
    else { return nil }
    var documents: Set<UInt32> = []
    for segment in index.segments {
      var words: [Int] = []
      try segment.names.words.forEachWord(holding: Array(word)) { words.append($0) }
      for word in words {
        try segment.names.words.withDocuments(of: word..<word + 1) { documents.formUnion($0) }
        if documents.count > Self.mostByName { return nil }
      }
    }
    for odd in 0..<index.unindexedDocuments.count {
      documents.insert(try index.unindexedDocuments[odd])
    }
    var ids: Set<[UInt8]> = []
    let (names, allIDs) = (parts.users.names, parts.users.ids)
    for document in documents where document < index.documentCount {
      guard case .user(let user) = try index.presentRecord(of: Int(document)) else { continue }
      if try names.withBytes(at: user, { isLiterallyFound(in: $0) }) {
        ids.insert(try allIDs.withBytes(at: user) { Array($0) })
      }
    }
    return ids
  }

  /// More people are rather looked up one by one, when a field names them.
  private static let mostByName = 16_384

  /// The people of an index of whom it may hold, as a bit for each document; `nil` where it does not
  /// tell.
  ///
  /// - Throws: `SnapshotError.damaged`.
  func documents(in index: SearchIndex) throws(SnapshotError) -> [UInt64]? {
    guard let field, field.isSearched, let matcher else { return nil }
    switch kind {
    case .any, .person: return nil
    // Numbers stand there by their digits.
    case .letters where field.kind == .phone: return nil
    case .letters: return try blocks(holding: matcher.term.text, in: index)
    case .number: return try numbers(matcher.term.text, in: index)
    }
  }

  /// All documents of the blocks where letters may stand.
  private func blocks(
    holding word: [UInt8],
    in index: SearchIndex
  ) throws(SnapshotError) -> [UInt64] {
    let blocks = try index.contactBlocks(holding: word, .inside)
    var documents = [UInt64](repeating: 0, count: index.blockCount * BlockBitmap.wordCount)
    for block in 0..<index.blockCount where blocks[block >> 3] >> UInt8(block & 7) & 1 == 1 {
      let start = block * BlockBitmap.wordCount
      for word in start..<start + BlockBitmap.wordCount { documents[word] = .max }
    }
    return documents
  }

  /// The documents that have some digits in any telephone number; `nil` for fewer digits than the
  /// index looks for.
  private func numbers(
    _ text: [UInt8],
    in index: SearchIndex
  ) throws(SnapshotError) -> [UInt64]? {
    var digits = SearchTerm(text: text, field: nil, phones: phones)
    guard digits.phone != nil else { return nil }
    digits.means = .digits
    let matcher = TermMatcher(digits, allowsErrors: false)
    let state = TermMatches(matcher, index, parts, phones, SearchDeadline(nil))
    for quality in [MatchQuality.whole, .start, .inside] {
      try state.extendElsewhere(to: quality)
    }
    var documents: [UInt64] = []
    documents.reserveCapacity(index.blockCount * BlockBitmap.wordCount)
    for block in 0..<index.blockCount {
      let known = state.known(block, nameOnly: false)
      for word in known.words.indices { documents.append(known.words[word]) }
    }
    return documents
  }
}
