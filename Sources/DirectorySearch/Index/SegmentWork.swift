import DirectoryModel
import DirectorySnapshot
import Outlines
import TextRules

/// Documents on their way into a file: who they are, in which order, and what they are found by.
struct SegmentWork {
  /// Someone who becomes a document.
  private struct Candidate {
    /// Length of the name, then position in the tree, which is of one document only.
    var order: UInt64
    var record: UInt32
    /// In the order of adding.
    var number: UInt32
  }

  private let parts: SearchParts
  private let shape: DepartmentShape
  private let departments: DepartmentTexts
  private var names = FieldBuilder(.person)
  private var titles = FieldBuilder(.other)
  /// By document once they are sorted.
  private var candidates: [Candidate] = []
  /// By number: the text of a person's name in `names`.
  private var nameTexts: [UInt32] = []
  /// By number: where the places begin; one more.
  private var placeStarts: [UInt32] = [0]
  /// The text of each place's title in `titles`, and the department's ordinal; all bits for none.
  private var titleTexts: [UInt32] = []
  private var places: [UInt32] = []

  init(_ parts: SearchParts, _ shape: DepartmentShape, _ departments: DepartmentTexts) {
    self.parts = parts
    self.shape = shape
    self.departments = departments
  }

  var count: Int { candidates.count }

  // MARK: - Collecting

  /// What hits of equal quality are ordered by.
  static func order(length: UInt32, node: Int32) -> UInt64 {
    UInt64(length) << 32 | UInt64(UInt32(bitPattern: node))
  }

  /// Takes those people who have a place.
  mutating func add(users: some Sequence<Int>) throws(SnapshotError) {
    // Out of the loop: it goes over millions.
    let (tree, leaves) = (parts.tree, parts.leaves)
    let (texts, titleColumn) = (parts.users.names, parts.memberships.titles)
    for user in users {
      let leaves = try leaves.nodes(of: user)
      guard let main = try parts.mainLeaf(among: leaves) else { continue }
      let name = try texts.withBytes(at: user) { names.add($0) }
      for leaf in leaves {
        let membership = try tree.record(of: leaf)
        let title = try titleColumn.withBytes(at: membership) { titles.add($0) }
        titleTexts.append(UInt32(title))
        guard let parent = try tree.parent(of: leaf) else {
          places.append(SearchIndex.none)
          continue
        }
        places.append(shape.ordinals[try tree.departmentRecord(of: parent)])
      }
      append(
        UInt32(user),
        text: UInt32(name),
        Self.order(length: names.lengths[name], node: Int32(main))
      )
    }
  }

  mutating func add(department ordinal: Int) throws(SnapshotError) {
    let node = try parts.departments.node(of: Int(shape.rows[ordinal]))
    append(
      UInt32(ordinal) | SearchIndex.departmentBit,
      text: SearchIndex.none,
      Self.order(length: departments.length(of: ordinal), node: Int32(node))
    )
  }

  private mutating func append(_ record: UInt32, text: UInt32, _ order: UInt64) {
    candidates.append(
      Candidate(order: order, record: record, number: UInt32(candidates.count))
    )
    nameTexts.append(text)
    placeStarts.append(UInt32(places.count))
  }

  /// Puts the documents in their order.
  mutating func sort() { candidates.sort { $0.order < $1.order } }

  // MARK: - Documents

  func order(of document: Int) -> UInt64 { candidates[document].order }

  /// Row of the user, or ordinal of the department with the upper bit.
  func record(of document: Int) -> UInt32 { candidates[document].record }

  private func placeIndexes(of document: Int) -> Range<Int> {
    let number = Int(candidates[document].number)
    return Int(placeStarts[number])..<Int(placeStarts[number + 1])
  }

  private func nameText(of document: Int) -> Int {
    Int(nameTexts[Int(candidates[document].number)])
  }

  /// The ordinals of the departments that a document is in.
  func places(of document: Int) -> [UInt32] {
    let record = record(of: document)
    if record & SearchIndex.departmentBit != 0 { return [record & ~SearchIndex.departmentBit] }
    return places[placeIndexes(of: document)].filter { $0 != SearchIndex.none }
  }

  /// Whether a dictionary has no room for all of a document's words.
  func isOdd(_ document: Int) -> Bool {
    let record = record(of: document)
    if record & SearchIndex.departmentBit != 0 {
      return departments.isOdd(Int(record & ~SearchIndex.departmentBit))
    }
    return names.isOdd[nameText(of: document)]
      || titleTexts[placeIndexes(of: document)].contains { titles.isOdd[Int($0)] }
  }

  /// The lengths of the documents' names.
  var lengths: LengthRuns {
    var runs = LengthRuns()
    for candidate in candidates { runs.append(UInt32(candidate.order >> 32)) }
    return runs
  }

  // MARK: - Writing

  /// Rows of the filter that `write(from:_:to:)` writes.
  var filterRows: Int { GramFilter.rowCount(documents: count) }

  /// Writes contacts, telephone numbers, and the dictionaries of names and titles.
  ///
  /// - Parameters:
  ///   - first: The number of the first document.
  ///   - phones: How telephone numbers are dialled.
  ///   - writer: Where to.
  /// - Throws: `SnapshotError`: the snapshot is damaged, or the file cannot be written.
  func write(
    from first: Int,
    _ phones: PhoneRules,
    to writer: inout SnapshotFileWriter
  ) throws(SnapshotError) {
    try writeContacts(from: first, phones, to: &writer)
    try DictionaryWriter(.names, names, from: first, documentCount: count) { document, body in
      if record(of: document) & SearchIndex.departmentBit == 0 { body(nameText(of: document)) }
    }.write(to: &writer)
    try DictionaryWriter(.titles, titles, from: first, documentCount: count) { document, body in
      for index in placeIndexes(of: document) { body(Int(titleTexts[index])) }
    }.write(to: &writer)
  }

  private func writeContacts(
    from first: Int,
    _ phones: PhoneRules,
    to writer: inout SnapshotFileWriter
  ) throws(SnapshotError) {
    var contacts = ContactsWork(documents: count, phones)
    let (departmentIDs, userIDs) = (parts.departments.ids, parts.users.ids)
    let addresses = ContactsWork.addresses.map { parts.contacts[$0] }
    let numbers = ContactsWork.numbers.map { parts.contacts[$0] }
    let userFields = try SearchedValues(.user, parts)
    let departmentFields = try SearchedValues(.department, parts)
    for document in 0..<count {
      let record = record(of: document)
      let number = UInt32(first + document)
      if record & SearchIndex.departmentBit != 0 {
        let row = Int(shape.rows[Int(record & ~SearchIndex.departmentBit)])
        try departmentIDs.withBytes(at: row) { contacts.add(departmentID: $0) }
        departmentFields?.forEach(at: row) {
          contacts.add(value: $0, isPhone: $1, document: number)
        }
      } else {
        let user = Int(record)
        for column in addresses { try column.withBytes(at: user) { contacts.add(part: $0) } }
        try userIDs.withBytes(at: user) { contacts.add(part: $0) }
        for column in numbers {
          try column.withBytes(at: user) { contacts.add(phone: $0, document: number) }
        }
        userFields?.forEach(at: user) { contacts.add(value: $0, isPhone: $1, document: number) }
      }
      contacts.endDocument()
    }
    try contacts.write(to: &writer)
  }
}
