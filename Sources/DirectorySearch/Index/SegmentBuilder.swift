import DirectoryModel
import DirectorySnapshot
import OutlineEngine
import TextRules

/// Documents on their way into a file: who they are, in which order, and what they are found by.
struct SegmentBuilder: Sendable {
  /// Someone who becomes a document.
  struct Candidate: BitwiseCopyable {
    /// Length of the name, then what comes first of equal names (`HitOrder`).
    var order: UInt64
    /// Row of the user, or ordinal of the department with the upper bit.
    var record: UInt32
    /// In the order of adding.
    var number: UInt32
  }

  private let parts: SearchColumns
  private let shape: DepartmentShape
  private let departments: DepartmentTexts
  private let names: FieldBuilder
  private let titles: FieldBuilder
  /// In the order of documents.
  private let candidates: [Candidate]
  /// By document: the text of a person's name in `names`.
  private let nameTexts: NumberLists
  /// By document: the text of each place's title in `titles`, and the department's ordinal.
  private let titleTexts: NumberLists
  private let places: NumberLists

  /// Takes those people who have a place, and departments, and puts them in their order.
  ///
  /// - Throws: `SnapshotError.damaged`.
  init(
    _ parts: SearchColumns,
    _ shape: DepartmentShape,
    _ departments: DepartmentTexts,
    users: some Sequence<Int> & Sendable,
    ordinals: some Sequence<Int>
  ) throws(SnapshotError) {
    self.parts = parts
    self.shape = shape
    self.departments = departments
    var (people, work) = try ConcurrentPair.run { () throws(SnapshotError) in
      try PeopleBuilder(parts, of: users)
    } _: { () throws(SnapshotError) in
      try PlaceBuilder(parts, shape, of: users)
    }
    for ordinal in ordinals {
      let node = try parts.departments.node(of: Int(shape.rows[ordinal]))
      people.append(
        UInt32(ordinal) | SearchIndex.departmentBit,
        text: SearchIndex.none,
        HitOrder.key(length: departments.length(of: ordinal), HitOrder.place(department: node))
      )
      work.append(department: UInt32(ordinal))
    }
    people.candidates.radixSort { $0.order }
    let numbers = people.candidates.map(\.number)
    candidates = people.candidates
    names = people.field
    titles = work.field
    nameTexts = NumberLists(numbers.map { people.texts[Int($0)] }, none: SearchIndex.none)
    titleTexts = work.texts.runs(at: numbers)
    places = work.places.runs(at: numbers)
  }

  var count: Int { candidates.count }

  // MARK: - Documents

  func order(of document: Int) -> UInt64 { candidates[document].order }

  /// Row of the user, or ordinal of the department with the upper bit.
  func record(of document: Int) -> UInt32 { candidates[document].record }

  /// The ordinals of the departments that a document is in.
  func places(of document: Int) -> ArraySlice<UInt32> {
    places.elements[places.range(of: document)]
  }

  /// Whether a dictionary has no room for all of some document's words.
  var hasOdd: Bool { names.hasOdd || titles.hasOdd || departments.hasOdd }

  /// Whether a dictionary has no room for all of a document's words.
  func isOdd(_ document: Int) -> Bool {
    let record = record(of: document)
    if record & SearchIndex.departmentBit != 0 {
      return departments.isOdd(Int(record & ~SearchIndex.departmentBit))
    }
    return nameTexts.range(of: document).contains { names.isOdd[Int(nameTexts.elements[$0])] }
      || titleTexts.range(of: document).contains { titles.isOdd[Int(titleTexts.elements[$0])] }
  }

  /// The lengths of the documents' names.
  var lengths: LengthGroups {
    var runs = LengthGroups()
    for candidate in candidates { runs.append(UInt32(candidate.order >> 32)) }
    return runs
  }

  // MARK: - Sections

  /// Rows of the filter that is among the sections.
  var filterRows: Int { GramFilter.rowCount(documents: count) }

  /// Writes contacts, telephone numbers, and the dictionaries of names and titles, worked out on two
  /// threads.
  ///
  /// - Parameters:
  ///   - first: The number of the first document.
  ///   - phones: How telephone numbers are dialled.
  ///   - writer: Where to.
  /// - Throws: `SnapshotError`: the snapshot is damaged, or the file cannot be written.
  func write(
    from first: Int,
    _ phones: DialingPlan,
    to writer: inout SnapshotFileWriter
  ) throws(SnapshotError) {
    let middle = count / 2 / SearchIndexFormat.blockSize * SearchIndexFormat.blockSize
    var (contacts, rest) = try ConcurrentPair.run { () throws(SnapshotError) in
      try self.contacts(of: 0..<middle, from: first, phones)
    } _: { () throws(SnapshotError) in
      try self.contacts(of: middle..<count, from: first, phones)
    }
    contacts.append(&rest)
    try contacts.write(to: &writer)
    let (nameSections, titleSections) = try ConcurrentPair.run { () throws(SnapshotError) in
      DictionaryWriter.sections(.names, names, from: first, texts: nameTexts)
    } _: { () throws(SnapshotError) in
      DictionaryWriter.sections(.titles, titles, from: first, texts: titleTexts)
    }
    try nameSections.write(to: &writer)
    try titleSections.write(to: &writer)
  }

  /// Documents whose texts are brought near at once.
  private static let near = 64

  private func contacts(
    of documents: Range<Int>,
    from first: Int,
    _ phones: DialingPlan
  ) throws(SnapshotError) -> ContactsBuilder {
    var contacts = ContactsBuilder(documents, of: count, phones)
    let (departmentIDs, userIDs) = (parts.departments.ids, parts.users.ids)
    let addresses = ContactsBuilder.addresses.map { parts.contacts[$0] }
    let numbers = ContactsBuilder.numbers.map { parts.contacts[$0] }
    let userFields = try SearchedValues(.user, parts)
    let departmentFields = try SearchedValues(.department, parts)
    for document in documents {
      if (document - documents.lowerBound) % Self.near == 0 {
        let next = document..<min(document + Self.near, documents.upperBound)
        let rows = next.map { Int(self.record(of: $0)) }
          .filter { $0 & Int(SearchIndex.departmentBit) == 0 }
        for column in addresses + [userIDs] + numbers { column.fetch(rows) }
        userFields?.fetch(rows)
      }
      let record = record(of: document)
      let number = UInt32(first + document)
      if record & SearchIndex.departmentBit != 0 {
        let row = Int(shape.rows[Int(record & ~SearchIndex.departmentBit)])
        try departmentIDs.withBytes(at: row) { contacts.add(departmentID: $0) }
        try departmentFields?.forEach(at: row) {
          contacts.add(value: $0, isPhone: $1, document: number)
        }
      } else {
        let user = Int(record)
        // By their indexes: a copy of a column counts its owner, which the other thread does, too.
        for index in addresses.indices {
          try addresses[index].withBytes(at: user) { contacts.add(part: $0) }
        }
        try userIDs.withBytes(at: user) { contacts.add(part: $0) }
        for index in numbers.indices {
          try numbers[index].withBytes(at: user) { contacts.add(phone: $0, document: number) }
        }
        try userFields?.forEach(at: user) { contacts.add(value: $0, isPhone: $1, document: number) }
      }
      contacts.endDocument()
    }
    contacts.finish()
    return contacts
  }
}

/// Names and order of people who become documents.
private struct PeopleBuilder: Sendable {
  private(set) var field = FieldBuilder(.person)
  var candidates: [SegmentBuilder.Candidate] = []
  /// By number: the text of the name in `field`; all bits for none.
  private(set) var texts: [UInt32] = []

  init(_ parts: SearchColumns, of users: some Sequence<Int>) throws(SnapshotError) {
    let (leaves, names) = (parts.leaves, parts.users.names)
    for user in users {
      guard let primary = try parts.primaryLeaf(among: leaves.nodes(of: user)) else { continue }
      let name = try names.withBytes(at: user) { field.add($0) }
      append(
        UInt32(user),
        text: UInt32(name),
        HitOrder.key(length: field.lengths[name], try HitOrder.place(person: primary, parts))
      )
    }
  }

  mutating func append(_ record: UInt32, text: UInt32, _ order: UInt64) {
    let number = UInt32(candidates.count)
    candidates.append(SegmentBuilder.Candidate(order: order, record: record, number: number))
    texts.append(text)
  }
}

/// Titles and departments of the same people, by the same numbers.
private struct PlaceBuilder: Sendable {
  private(set) var field = FieldBuilder(.other)
  private(set) var texts = NumberLists()
  private(set) var places = NumberLists()

  init(
    _ parts: SearchColumns,
    _ shape: DepartmentShape,
    of users: some Sequence<Int>
  ) throws(SnapshotError) {
    // Out of the loop: it goes over millions.
    let (tree, leaves, titles) = (parts.tree, parts.leaves, parts.memberships.titles)
    for user in users {
      let leaves = try leaves.nodes(of: user)
      guard !leaves.isEmpty else { continue }
      for leaf in leaves {
        let membership = try tree.record(of: leaf)
        texts.append(UInt32(try titles.withBytes(at: membership) { field.add($0) }))
        guard let parent = try tree.parent(of: leaf) else { continue }
        places.append(shape.ordinals[try tree.departmentRecord(of: parent)])
      }
      endRuns()
    }
  }

  mutating func append(department ordinal: UInt32) {
    places.append(ordinal)
    endRuns()
  }

  private mutating func endRuns() {
    texts.endRun()
    places.endRun()
  }
}
