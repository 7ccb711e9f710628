import DirectoryModel
import DirectorySnapshot
import OutlineEngine
import TextRules

/// What an index knows of one term, quality after quality: which documents have it so well or better.
///
/// It is of one search and one thread.
final class TermMatches {
  let matcher: TermMatcher
  private let index: SearchIndex
  private let parts: SearchColumns
  private let rules: DialingPlan
  /// Where it is over, what is found is not all; who asks looks at it afterwards.
  private let patience: SearchDeadline

  /// The documents that have the term in their names.
  private var inName: DocumentSet
  /// The same for other fields, but for departments and contacts that are only looked at where it
  /// matters (`mayBeElsewhere(_:)`).
  private var elsewhere: DocumentSet
  /// Those that have it in a title, where titles are kept apart.
  private var titles: DocumentSet
  private var contacts: ContactSearch?
  private var departmentSearch: DepartmentSearch

  /// How many documents were found, some repeatedly.
  private(set) var foundCount = 0
  /// How often something was added to names, and to the rest: nothing new needs no new look.
  private(set) var nameChanges = 0
  private(set) var otherChanges = 0

  /// What is found at once and counts later.
  private var laterPhones: [UInt32] = []
  private var laterReadings: [PendingMatch] = []
  /// Whether whole readings were looked for, and whether all were.
  private var (hasWholeReadings, hasReadings) = (false, false)
  private var laterErrors: [PendingMatch] = []

  /// What was found in titles, and is not yet in `elsewhere`.
  private var pendingTitles: [PendingMatch] = []
  /// Departments whose names have no room in the dictionary, and how the term is found there; `nil`
  /// until it was looked up.
  private var unindexedDepartments: [(ordinal: Int, quality: MatchQuality)]?

  /// The dictionaries of a field in one of the index's segments.
  private struct Source {
    var field: SearchField
    var segment = 0
  }

  private struct PendingMatch {
    var quality: MatchQuality
    var source: Source
    var set: Set

    enum Set {
      case words(Range<Int>)
      case variants(Range<Int>)
      case readings([UInt32])
    }
  }

  init(
    _ matcher: TermMatcher,
    _ index: SearchIndex,
    _ parts: SearchColumns,
    _ rules: DialingPlan,
    _ patience: SearchDeadline
  ) {
    self.patience = patience
    self.matcher = matcher
    self.index = index
    self.parts = parts
    self.rules = rules
    inName = DocumentSet(index)
    elsewhere = inName
    titles = inName
    contacts = ContactSearch(matcher.term, index)
    departmentSearch = DepartmentSearch(index, parts)
  }

  private var term: SearchTerm { matcher.term }

  /// How the term is found in the names of departments.
  var departments: DepartmentMatches { departmentSearch.matches }

  /// `false` where it is known that no document has the term, or none so well as was asked for yet.
  var mayFind: Bool {
    switch term.means {
    case .all, .digits, .whole, .beginnings, .parts: true
    case .readings: !laterReadings.isEmpty
    case .errors, .misread, .sounds: !laterErrors.isEmpty
    }
  }
  private var text: [UInt8] { matcher.term.text }

  /// Whether it is known at once that nothing has the term: a whole word of names that is none of theirs.
  func isHopeless() throws(SnapshotError) -> Bool {
    guard term.means == .whole, term.field == .name, index.unindexedDocuments.count == 0 else {
      return false
    }
    var isThere = false
    try forEachDictionary { (_, dictionaries) throws(SnapshotError) in
      let range = try dictionaries.words.range(beginningWith: text)
      if try !dictionaries.words.wholeRanges(of: text, in: range).isEmpty { isThere = true }
    }
    if isThere { return false }
    try findReadings(.whole)
    return laterReadings.isEmpty && !patience.isOver
  }

  /// Takes in what is found in names by one quality more; qualities come in their order.
  func extend(to quality: MatchQuality) throws(SnapshotError) {
    try addOddDepartments(quality)
    guard term.means.mayFind(quality), term.means != .digits else { return }
    switch quality {
    case .whole: try addWhole()
    case .start: try addStart()
    case .inside: try addInside()
    case .wholeReading:
      try findReadings(.whole)
      try add(&laterReadings, quality)
    case .reading, .readingWithin, .otherReading:
      try findReadings(term.means)
      try add(&laterReadings, quality)
    case .oneError:
      try findErrors()
      try add(&laterErrors, quality)
    case .twoErrors: try add(&laterErrors, quality)
    }
  }

  /// Takes in what is found so outside names, which is only asked for when names do not suffice.
  func extendElsewhere(to quality: MatchQuality) throws(SnapshotError) {
    try addTitles(quality)
    if departmentSearch.hasPending(quality) { otherChanges += 1 }
    try departmentSearch.takePending(quality).withUnsafeBufferPointer { insert(elsewhere: $0) }
    try addNumbersAndContacts(quality)
  }

  private func addNumbersAndContacts(_ quality: MatchQuality) throws(SnapshotError) {
    guard term.means.mayFind(quality) else { return }
    switch quality {
    case .whole: try addPhones()
    case .start:
      laterPhones.withUnsafeBufferPointer { insert(elsewhere: $0) }
      otherChanges += 1
    case .inside: try addPhonesInside()
    default: return
    }
    try openContacts(quality)
  }

  /// Takes in everything that the term finds without a typing error, but no one for the names of
  /// departments above; titles apart (`titled(_:)`).
  func extendToOwn() throws(SnapshotError) {
    let isPlain = term.means == .all
    // What is a word, or begins one, is found within words too.
    if isPlain {
      contacts = ContactSearch(term, index, enough: .inside)
      try addInside()
    }
    for quality in MatchQuality.allCases where quality < .oneError {
      switch quality {
      case .whole, .start, .inside:
        if isPlain { try addOddDepartments(quality) } else { try extend(to: quality) }
      default: try extend(to: quality)
      }
      try addNumbersAndContacts(quality)
    }
    for found in pendingTitles {
      try withDocuments(found.set, found.source) { titles.insert($0) }
    }
    pendingTitles = []
  }

  /// Takes in everything that holds the term letter for letter, or its digits, in any field.
  func extendToLetters() throws(SnapshotError) {
    try addInside()
    for quality in [MatchQuality.whole, .start, .inside] {
      try addOddDepartments(quality)
      try extendElsewhere(to: quality)
    }
  }

  /// Takes in everything that may hold a phrase of several words: each of its words anywhere.
  func extendToPhrase() throws(SnapshotError) {
    var all: (names: DocumentSet, others: DocumentSet)?
    let words = text.split(separator: 0x20)
    for (place, word) in words.enumerated() {
      inName = DocumentSet(index)
      elsewhere = inName
      departmentSearch.removeAll()
      try forEachDictionary { (source, dictionaries) throws(SnapshotError) in
        // A dictionary's words end at blanks: with what stands before one, and begin behind one.
        if place > 0 {
          try add(.words(dictionaries.words.range(beginningWith: Array(word))), source, .inside)
          return
        }
        var found: [Int] = []
        if patience.isOver { return }
        try dictionaries.words.forEachWord(endingWith: Array(word)) { found.append($0) }
        for word in found where !patience.isOver {
          try add(.words(word..<word + 1), source, .inside)
        }
      }
      try addTitles(.inside)
      all?.names.formIntersection(inName)
      all?.others.formIntersection(elsewhere)
      if all == nil { all = (inName, elsewhere) }
    }
    if let all { (inName, elsewhere) = all }
    departmentSearch.replace(
      by: try index.departments(holding: matcher, parts),
      withPeople: term.mayMatch(.department)
    )
    try addPhones()
    laterPhones.withUnsafeBufferPointer { insert(elsewhere: $0) }
    try addPhonesInside()
    try openContacts(.inside)
  }

  private func addTitles(_ quality: MatchQuality) throws(SnapshotError) {
    for found in pendingTitles where found.quality <= quality {
      try withDocuments(found.set, found.source) { insert(elsewhere: $0) }
      otherChanges += 1
    }
    pendingTitles.removeAll { $0.quality <= quality }
  }

  // MARK: - Letter for letter

  private func forEachDictionary(
    _ body: (Source, FieldDictionaries) throws(SnapshotError) -> Void
  ) throws(SnapshotError) {
    for segment in index.segments.indices {
      for field in [SearchField.name, .title] where term.mayMatch(field) {
        let source = Source(field: field, segment: segment)
        try body(source, dictionaries(of: source))
      }
    }
    if term.mayMatch(.department) || term.mayMatch(.name) {
      try body(Source(field: .department), index.departments)
    }
  }

  private func dictionaries(of source: Source) -> FieldDictionaries {
    switch source.field {
    case .name: index.segments[source.segment].names
    case .title: index.segments[source.segment].titles
    default: index.departments
    }
  }

  private func addWhole() throws(SnapshotError) {
    try forEachDictionary { (source, dictionaries) throws(SnapshotError) in
      let range = try dictionaries.words.range(beginningWith: text)
      for whole in try dictionaries.words.wholeRanges(of: text, in: range) {
        try add(.words(whole), source, .whole)
      }
    }
  }

  private func addStart() throws(SnapshotError) {
    try forEachDictionary { (source, dictionaries) throws(SnapshotError) in
      try add(.words(dictionaries.words.range(beginningWith: text)), source, .start)
    }
  }

  private func addInside() throws(SnapshotError) {
    try forEachDictionary { (source, dictionaries) throws(SnapshotError) in
      if patience.isOver { return }
      // Words side by side at once: their documents are side by side too.
      var run = 0..<0
      var runs: [Range<Int>] = []
      try dictionaries.words.forEachWord(holding: text) { word in
        if run.upperBound == word {
          run = run.lowerBound..<word + 1
        } else {
          if !run.isEmpty { runs.append(run) }
          run = word..<word + 1
        }
      }
      if !run.isEmpty { runs.append(run) }
      for run in runs { try add(.words(run), source, .inside) }
    }
  }

  private func addOddDepartments(_ quality: MatchQuality) throws(SnapshotError) {
    guard index.unindexedDocuments.count > 0, term.mayMatch(.department) || term.mayMatch(.name)
    else {
      return
    }
    if unindexedDepartments == nil {
      unindexedDepartments = try index.unindexedDepartments(parts) { matcher.best(in: $0) }
    }
    for odd in unindexedDepartments ?? [] where odd.quality == quality {
      try add(department: odd.ordinal, quality)
    }
  }

  private func openContacts(_ quality: MatchQuality) throws(SnapshotError) {
    if try contacts?.open(quality) == true { otherChanges += 1 }
  }

  private func addPhones() throws(SnapshotError) {
    guard let phone = term.phone else { return }
    otherChanges += 1
    var whole: [UInt32] = []
    try forEachPhones { (phones, quality) throws(SnapshotError) in
      try phones.find(phone) { (document) throws(SnapshotError) in
        try quality(phone, Int(document))
      } _: { document, quality in
        switch quality {
        case .whole: whole.append(document)
        case .start: laterPhones.append(document)
        default: break
        }
      }
    }
    whole.withUnsafeBufferPointer { insert(elsewhere: $0) }
  }

  private func addPhonesInside() throws(SnapshotError) {
    guard let phone = term.phone, let digits = phone.inside else { return }
    otherChanges += 1
    var inside: [UInt32] = []
    try forEachPhones { (phones, quality) throws(SnapshotError) in
      try phones.find(inside: digits, patience) { (document) throws(SnapshotError) in
        try quality(phone, Int(document)) != nil
      } _: {
        inside.append($0)
      }
    }
    inside.withUnsafeBufferPointer { insert(elsewhere: $0) }
  }

  /// How digits are found in the numbers of a document.
  private typealias PhoneQuality =
    (PhoneQuery, _ document: Int) throws(SnapshotError) -> MatchQuality?

  /// Calls `body` with the numbers that the term may be one of.
  private func forEachPhones(
    _ body: (PhoneColumns, PhoneQuality) throws(SnapshotError) -> Void
  ) throws(SnapshotError) {
    for segment in index.segments {
      try body(segment.phones, quality(of:at:))
      // Where only phones are asked for, those of a declared field are not.
      if term.field == nil { try body(segment.fieldPhones, fieldQuality(of:at:)) }
    }
  }

  /// How digits are found in the number of a document; in none of one that was removed.
  private func quality(
    of phone: PhoneQuery,
    at document: Int
  ) throws(SnapshotError) -> MatchQuality? {
    guard case .user(let user) = try index.presentRecord(of: document) else { return nil }
    var best: MatchQuality?
    for field in ContactsBuilder.numbers {
      let found = try parts.contacts[field].withBytes(at: user) { quality(of: phone, in: $0) }
      if let found { best = best.map { min($0, found) } ?? found }
    }
    return best
  }

  /// How digits are found best in the declared fields of a document; in none of one that was
  /// removed.
  private func fieldQuality(
    of phone: PhoneQuery,
    at document: Int
  ) throws(SnapshotError) -> MatchQuality? {
    switch try index.presentRecord(of: document) {
    case .user(let user):
      return try parts.fields.withValues(ofUser: user) { quality(of: phone, in: $0, .user) }
    case .department(let ordinal):
      let row = Int(index.shape.rows[ordinal])
      return try parts.fields.withValues(ofDepartment: row) {
        quality(of: phone, in: $0, .department)
      }
    case nil: return nil
    }
  }

  private func quality(
    of phone: PhoneQuery,
    in values: UnsafeRawBufferPointer,
    _ owner: RecordKind
  ) -> MatchQuality? {
    var best: MatchQuality?
    var reader = FieldValuesReader(values)
    while reader.next() {
      let isPhone = parts.searchedFields.contains {
        $0.owner == owner && $0.kind == .phone && reader.isNamed(Array($0.name.utf8))
      }
      guard isPhone else { continue }
      reader.forEachValue { text in
        guard let found = quality(of: phone, in: text) else { return }
        best = min(best ?? found, found)
      }
    }
    return best
  }

  private func quality(of phone: PhoneQuery, in text: UnsafeRawBufferPointer) -> MatchQuality? {
    var folded: [UInt8] = []
    Folding.appendFolded(text, to: &folded)
    return phone.quality(in: PhoneDigits(folded, rules: rules))
  }

  // MARK: - Other spellings, readings, errors

  /// Looks for readings that were not looked for, by `.whole` or by the means of the term.
  ///
  /// Most queries have enough of what begins so before any but whole readings count, and looking for the
  /// others costs a short one nearly all its time.
  private func findReadings(_ means: SearchTerm.Mechanism) throws(SnapshotError) {
    guard !term.isPhrase, !hasReadings, means != .whole || !hasWholeReadings else { return }
    let wanted: [MatchQuality] = MatchQuality.allCases.filter {
      $0 == .wholeReading ? !hasWholeReadings : means != .whole
    }
    if means == .whole { hasWholeReadings = true } else { hasReadings = true }
    try forEachDictionary { (source, dictionaries) throws(SnapshotError) in
      if patience.isOver { return }
      if term.means.areLetters {
        try findVariants(in: dictionaries.variants, source, wanted) { .variants($0) }
      }
      if term.variant != text {
        try findVariants(in: dictionaries.words, source, wanted) { .words($0) }
      }
      guard let pattern = matcher.pattern else { return }
      let matches = try dictionaries.readings.matches(of: text, pattern, means, patience)
      for quality in wanted {
        let numbers = matches.filter { $0.quality == quality }.map { UInt32($0.number) }
        guard !numbers.isEmpty else { continue }
        laterReadings.append(
          PendingMatch(quality: quality, source: source, set: .readings(numbers))
        )
      }
    }
  }

  private func findVariants(
    in words: WordDictionary,
    _ source: Source,
    _ wanted: [MatchQuality],
    _ set: (Range<Int>) -> PendingMatch.Set
  ) throws(SnapshotError) {
    guard words.count > 0 else { return }
    let range = try words.range(beginningWith: term.variant)
    if wanted.contains(.wholeReading) {
      for whole in try words.wholeRanges(of: term.variant, in: range) {
        laterReadings.append(PendingMatch(quality: .wholeReading, source: source, set: set(whole)))
      }
    }
    if !range.isEmpty, wanted.contains(.reading), term.means.mayFind(.reading) {
      laterReadings.append(PendingMatch(quality: .reading, source: source, set: set(range)))
    }
    guard wanted.contains(.readingWithin), term.means.mayFind(.readingWithin) else { return }
    var inside: [Int] = []
    try words.forEachWord(holding: term.variant) { inside.append($0) }
    for word in inside where !range.contains(word) {
      laterReadings.append(
        PendingMatch(quality: .readingWithin, source: source, set: set(word..<word + 1))
      )
    }
  }

  private func findErrors() throws(SnapshotError) {
    if term.means == .misread || term.means == .sounds { return try findMisread() }
    guard let errors = matcher.errors else { return }
    try forEachDictionary { (source, dictionaries) throws(SnapshotError) in
      if patience.isOver { return }
      try dictionaries.words.forEachWord(within: errors) { words, count in
        laterErrors.append(
          PendingMatch(quality: TypingErrors.quality(count), source: source, set: .words(words))
        )
      }
    }
  }

  private func findMisread() throws(SnapshotError) {
    try forEachDictionary { (source, dictionaries) throws(SnapshotError) in
      let readings = dictionaries.readings
      let matches =
        if let errors = matcher.misread {
          try readings.matches(within: errors, patience) { matcher.misread(in: $0) }
        } else {
          try readings.matchesInKana(patience) { matcher.misread(in: $0) }
        }
      for quality in [MatchQuality.oneError, .twoErrors] {
        let numbers = matches.filter { $0.quality == quality }.map { UInt32($0.number) }
        guard !numbers.isEmpty else { continue }
        laterErrors.append(PendingMatch(quality: quality, source: source, set: .readings(numbers)))
      }
    }
  }

  private func add(_ later: inout [PendingMatch], _ quality: MatchQuality) throws(SnapshotError) {
    for found in later where found.quality == quality {
      try add(found.set, found.source, quality)
    }
  }

  // MARK: - Documents

  private func add(
    _ set: PendingMatch.Set,
    _ source: Source,
    _ quality: MatchQuality
  ) throws(SnapshotError) {
    switch source.field {
    case .name:
      nameChanges += 1
      try withDocuments(set, source) { insert(inName: $0) }
    case .title: pendingTitles.append(PendingMatch(quality: quality, source: source, set: set))
    default:
      var ordinals: [UInt32] = []
      try withDocuments(set, source) { ordinals.append(contentsOf: $0) }
      for ordinal in ordinals where Int(ordinal) < index.shape.count {
        try add(department: Int(ordinal), quality)
      }
    }
  }

  private func withDocuments(
    _ set: PendingMatch.Set,
    _ source: Source,
    _ body: (UnsafeBufferPointer<UInt32>) -> Void
  ) throws(SnapshotError) {
    let dictionaries = dictionaries(of: source)
    switch set {
    case .words(let range): try dictionaries.words.withDocuments(of: range, body)
    case .variants(let range): try dictionaries.variants.withDocuments(of: range, body)
    case .readings(let numbers): try dictionaries.readings.withDocuments(of: numbers, body)
    }
  }

  private func insert(inName document: UInt32) {
    withUnsafePointer(to: document) { insert(inName: UnsafeBufferPointer(start: $0, count: 1)) }
  }

  private func insert(inName documents: UnsafeBufferPointer<UInt32>) {
    foundCount += documents.count
    inName.insert(documents)
  }

  private func insert(elsewhere documents: UnsafeBufferPointer<UInt32>) {
    foundCount += documents.count
    elsewhere.insert(documents)
  }

  private func add(department ordinal: Int, _ quality: MatchQuality) throws(SnapshotError) {
    let withPeople = term.mayMatch(.department)
    guard departmentSearch.insert(ordinal, quality, withPeople: withPeople) else { return }
    nameChanges += 1
    insert(inName: try index.departmentDocuments[ordinal])
  }

  // MARK: - Blocks

  /// The documents of a block that are known to have the term.
  func known(_ block: Int, nameOnly: Bool) -> BlockBitmap {
    var bits = BlockBitmap()
    inName.addBlock(block, to: &bits)
    if !nameOnly { elsewhere.addBlock(block, to: &bits) }
    return bits
  }

  /// 64 blocks of which some may have documents that have the term.
  ///
  /// - Parameters:
  ///   - word: The first one, divided by 64.
  ///   - nameOnly: Whether the term must be in their names.
  /// - Returns: A bit for each block.
  func blocks(_ word: Int, nameOnly: Bool) -> UInt64 {
    if nameOnly { return inName.blocks(word) }
    if departmentSearch.isOpen { return .max }
    return inName.blocks(word) | elsewhere.blocks(word) | (contacts?.blocks(word) ?? 0)
  }

  /// The documents among some of a block that have the term.
  ///
  /// - Parameters:
  ///   - block: The block.
  ///   - wanted: Whom it matters for.
  ///   - quality: How well at least.
  /// - Returns: Those of the wanted ones that have it.
  /// - Throws: `SnapshotError.damaged`.
  func documents(
    _ block: Int,
    among wanted: BlockBitmap,
    _ quality: MatchQuality
  ) throws(SnapshotError) -> BlockBitmap {
    var documents = known(block, nameOnly: false)
    documents.formIntersection(wanted)
    guard mayBeElsewhere(block) else { return documents }
    var open = wanted
    open.subtract(documents)
    if !open.isEmpty { documents.formUnion(try look(block, among: open, quality)) }
    return documents
  }

  /// Whether other documents of a block have to be looked at.
  func mayBeElsewhere(_ block: Int) -> Bool {
    departmentSearch.isOpen || contacts?.mayHold(block) == true
  }

  /// The documents among some of a block that have the term in their department or contacts.
  ///
  /// - Parameters:
  ///   - block: The block.
  ///   - wanted: Whom it matters for.
  ///   - quality: How well at least.
  /// - Returns: Those of the wanted ones that have it.
  /// - Throws: `SnapshotError.damaged`.
  private func look(
    _ block: Int,
    among wanted: BlockBitmap,
    _ quality: MatchQuality
  ) throws(SnapshotError) -> BlockBitmap {
    var found = try departmentSearch.documents(block, among: wanted, quality)
    var rest = wanted
    rest.subtract(found)
    if !rest.isEmpty, let more = try contacts?.documents(block, among: rest) {
      found.formUnion(more)
    }
    return found
  }

  /// The documents among some of a block that have the term by themselves, after `extendToOwn()`.
  ///
  /// - Throws: `SnapshotError.damaged`.
  func ownDocuments(
    _ block: Int,
    among wanted: BlockBitmap
  ) throws(SnapshotError) -> BlockBitmap {
    var own = known(block, nameOnly: false)
    own.formIntersection(wanted)
    guard contacts?.mayHold(block) == true else { return own }
    var open = wanted
    open.subtract(own)
    if !open.isEmpty, let more = try contacts?.documents(block, among: open) {
      own.formUnion(more)
    }
    return own
  }

  /// The documents of a block that have the term in a title, after `extendToOwn()`.
  func titled(_ block: Int) -> BlockBitmap {
    var bits = BlockBitmap()
    titles.addBlock(block, to: &bits)
    return bits
  }
}
