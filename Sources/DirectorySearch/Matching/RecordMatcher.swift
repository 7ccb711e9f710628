import DirectoryModel
import DirectorySnapshot
import OutlineEngine
import TextRules

/// What a query finds in one record after the other, by looking at all of its fields.
///
/// This is the meaning of a search; an index only finds the same sooner.
struct RecordMatcher {
  /// How each term was found.
  struct Found {
    var inName: [MatchQuality?]
    var elsewhere: [MatchQuality?]
    /// Characters of the folded name.
    var nameLength: Int
    /// Whether a term was found anywhere but in the path; also without any terms.
    var isOwn: Bool

    /// As `TermInterpretations.ways`.
    fileprivate let ways: [[Int]]

    fileprivate init(_ terms: TermInterpretations, nameLength: Int) {
      inName = terms.matchers.map { _ in nil }
      elsewhere = inName
      self.nameLength = nameLength
      isOwn = terms.matchers.isEmpty
      ways = terms.ways
    }

    /// Whether it matches for a filtered tree.
    var isMatch: Bool { isOwn && rank != nil }

    /// By the best of the ways in which every term was found; `nil` where there is none.
    var rank: SearchRank? {
      ways.compactMap { way in
        SearchRank(inName: way.map { inName[$0] }, elsewhere: way.map { elsewhere[$0] })
      }.min()
    }
  }

  let parts: SearchColumns
  let shape: DepartmentShape
  let phones: DialingPlan
  private let ways: TermInterpretations
  private var terms: [TermMatcher] { ways.matchers }
  let excluded: [TermMatcher]
  /// For each term how it is found in the departments' names.
  let departments: [DepartmentMatches]
  let excludedDepartments: [DepartmentMatches]
  private var texts = FieldTexts()

  /// - Parameters:
  ///   - parts: The snapshot.
  ///   - shape: Its departments.
  ///   - phones: How numbers are dialled.
  ///   - terms: What is looked for.
  ///   - excluded: What must not be there.
  ///   - departments: For each term how it is found in the departments' names.
  ///   - excludedDepartments: The same of the excluded ones.
  init(
    _ parts: SearchColumns,
    _ shape: DepartmentShape,
    _ phones: DialingPlan,
    terms: TermInterpretations,
    excluded: [TermMatcher],
    departments: [DepartmentMatches],
    excludedDepartments: [DepartmentMatches]
  ) {
    self.parts = parts
    self.shape = shape
    self.phones = phones
    ways = terms
    self.excluded = excluded
    self.departments = departments
    self.excludedDepartments = excludedDepartments
  }

  /// Looks through the departments' names first.
  ///
  /// - Parameters:
  ///   - parts: The snapshot.
  ///   - shape: Its departments.
  ///   - phones: How numbers are dialled.
  ///   - terms: What is looked for.
  ///   - excluded: What must not be there.
  ///   - ordinals: The departments whose names count: all around the records looked at; `nil` for
  ///     all there are.
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(bytes of the departments' names · terms).
  init(
    _ parts: SearchColumns,
    _ shape: DepartmentShape,
    _ phones: DialingPlan,
    terms: TermInterpretations,
    excluded: [TermMatcher],
    among ordinals: [Int]? = nil
  ) throws(SnapshotError) {
    let ordinals = ordinals ?? Array(0..<shape.count)
    self.init(
      parts,
      shape,
      phones,
      terms: terms,
      excluded: excluded,
      departments: try Self.matches(of: terms.matchers, ordinals, parts, shape, literal: false),
      excludedDepartments: try Self.matches(of: excluded, ordinals, parts, shape, literal: true)
    )
  }

  private static func matches(
    of terms: [TermMatcher],
    _ ordinals: [Int],
    _ parts: SearchColumns,
    _ shape: DepartmentShape,
    literal: Bool
  ) throws(SnapshotError) -> [DepartmentMatches] {
    var own = terms.map { _ in [UInt8](repeating: DepartmentMatches.none, count: shape.count) }
    var texts = FieldTexts()
    for ordinal in ordinals {
      let row = Int(shape.rows[ordinal])
      try parts.departments.names.withBytes(at: row) { texts.take($0, of: .other) }
      for (index, term) in terms.enumerated()
      where term.term.mayMatch(.department) || term.term.mayMatch(.name) {
        let found = literal ? term.literal(in: texts) : term.best(in: texts)
        if let found { own[index][ordinal] = found.rawValue }
      }
    }
    return own.map { DepartmentMatches(own: $0, shape) }
  }

  // MARK: - People

  /// What the query finds in a user.
  ///
  /// - Parameters:
  ///   - user: Row of the user.
  ///   - leaves: The user's leaves that count: all, or one alone in a filtered tree.
  /// - Returns: `nil` when an excluded word is in there.
  /// - Throws: `SnapshotError.damaged`.
  mutating func match(user: Int, leaves: [Int]) throws(SnapshotError) -> Found? {
    try parts.users.names.withBytes(at: user) { texts.take($0, of: .person) }
    var found = Found(ways, nameLength: Self.length(texts.folded))
    if excluded.contains(where: { $0.term.mayMatch(.name) && $0.literal(in: texts) != nil }) {
      return nil
    }
    for (index, term) in terms.enumerated() where term.term.mayMatch(.name) {
      found.inName[index] = term.best(in: texts)
      if found.inName[index] != nil { found.isOwn = true }
    }
    guard try matchValues(of: user, &found), try matchPlaces(leaves, &found) else { return nil }
    return found
  }

  /// - Returns: `false` when an excluded word is in there.
  private mutating func matchValues(
    of user: Int,
    _ found: inout Found
  ) throws(SnapshotError) -> Bool {
    try parts.users.ids.withBytes(at: user) { texts.take($0) }
    guard match(.id, &found) else { return false }
    for field in Field.contacts {
      try parts.contacts[field].withBytes(at: user) { texts.take($0) }
      guard match(.field(field), &found) else { return false }
    }
    if parts.searchedFields.isEmpty { return true }
    return matchDeclared(try parts.fields.values(ofUser: user), of: .user, &found)
  }

  /// Looks for plain words in declared fields.
  ///
  /// - Returns: `false` when an excluded word is in there.
  private mutating func matchDeclared(
    _ values: FieldValues,
    of owner: RecordKind,
    _ found: inout Found
  ) -> Bool {
    guard !values.isEmpty, let all = values.values else { return true }
    for field in parts.searchedFields where field.owner == owner {
      for var text in all[field.name]?.texts ?? [] {
        text.withUTF8 { texts.take(UnsafeRawBufferPointer($0)) }
        guard match(.field(field), &found) else { return false }
      }
    }
    return true
  }

  /// Looks for words letter for letter in what `texts` took of a field, in phones by their digits.
  ///
  /// - Returns: `false` when an excluded word is in there.
  private func match(_ field: SearchField, _ found: inout Found) -> Bool {
    let digits = field.isNumber ? PhoneDigits(texts.folded, rules: phones) : nil
    func quality(_ term: TermMatcher) -> MatchQuality? {
      guard term.term.mayMatch(field) else { return nil }
      guard let digits else { return term.literal(in: texts) }
      let found = term.quality(in: digits)
      guard digits.isSpelled, let literal = term.literal(in: texts) else { return found }
      return found.map { min($0, literal) } ?? literal
    }
    if excluded.contains(where: { quality($0) != nil }) { return false }
    for (index, term) in terms.enumerated() { found.add(quality(term), at: index) }
    return true
  }

  private mutating func matchPlaces(
    _ leaves: [Int],
    _ found: inout Found
  ) throws(SnapshotError) -> Bool {
    for leaf in leaves {
      let membership = try parts.tree.record(of: leaf)
      try parts.memberships.titles.withBytes(at: membership) { texts.take($0, of: .other) }
      if excluded.contains(where: { $0.term.mayMatch(.title) && $0.literal(in: texts) != nil }) {
        return false
      }
      for (index, term) in terms.enumerated() where term.term.mayMatch(.title) {
        found.add(term.best(in: texts), at: index)
      }
      guard let ordinal = try department(of: leaf) else { continue }
      guard matchPath(ordinal, &found) else { return false }
    }
    return true
  }

  private func matchPath(_ ordinal: Int, _ found: inout Found) -> Bool {
    for (index, term) in excluded.enumerated() where term.term.mayMatch(.department) {
      if excludedDepartments[index].path[ordinal] != DepartmentMatches.none { return false }
    }
    for (index, term) in terms.enumerated() where term.term.mayMatch(.department) {
      found.addPath(DepartmentMatches.quality(departments[index].path[ordinal]), at: index)
    }
    return true
  }

  /// The ordinal of the department that a leaf lies in.
  func department(of leaf: Int) throws(SnapshotError) -> Int? {
    guard let parent = try parts.tree.parent(of: leaf) else { return nil }
    return Int(shape.ordinals[try parts.tree.departmentRecord(of: parent)])
  }

  // MARK: - Departments

  /// What the query finds in a department: in its name, its id, and the names above it.
  mutating func match(departmentAt ordinal: Int) throws(SnapshotError) -> Found? {
    let row = Int(shape.rows[ordinal])
    try parts.departments.names.withBytes(at: row) { texts.take($0, of: .other) }
    var found = Found(ways, nameLength: Self.length(texts.folded))
    for (index, term) in excluded.enumerated() {
      let own = excludedDepartments[index].own[ordinal] != DepartmentMatches.none
      let path = excludedDepartments[index].path[ordinal] != DepartmentMatches.none
      if term.term.mayMatch(.department) ? path : term.term.mayMatch(.name) && own { return nil }
    }
    for (index, term) in terms.enumerated() {
      if term.term.mayMatch(.name) || term.term.mayMatch(.department) {
        found.inName[index] = DepartmentMatches.quality(departments[index].own[ordinal])
        if found.inName[index] != nil { found.isOwn = true }
      }
      if term.term.mayMatch(.department) {
        found.addPath(DepartmentMatches.quality(departments[index].path[ordinal]), at: index)
      }
    }
    try parts.departments.ids.withBytes(at: row) { texts.take($0) }
    guard match(.id, &found) else { return nil }
    if parts.searchedFields.isEmpty { return found }
    let values = try parts.fields.values(ofDepartment: row)
    return matchDeclared(values, of: .department, &found) ? found : nil
  }

  private static func length(_ folded: [UInt8]) -> Int {
    folded.reduce(into: 0) { count, byte in if byte & 0xC0 != 0x80 { count += 1 } }
  }
}

extension RecordMatcher.Found {
  /// Notes that a term was found outside the name, but not in the path.
  fileprivate mutating func add(_ quality: MatchQuality?, at index: Int) {
    if quality != nil { isOwn = true }
    addPath(quality, at: index)
  }

  fileprivate mutating func addPath(_ quality: MatchQuality?, at index: Int) {
    guard let quality else { return }
    elsewhere[index] = elsewhere[index].map { min($0, quality) } ?? quality
  }
}
