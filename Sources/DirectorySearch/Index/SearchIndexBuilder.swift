import DirectorySnapshot
import Outlines
import SystemPackage
import TextRules

/// Makes the search index of a snapshot.
///
/// The whole of it is worked out in memory, some 200 bytes for each person, and then written.
package enum SearchIndexBuilder {
  /// Writes the index of a snapshot beside it, atomically.
  ///
  /// The caller holds the writer's lock of the folder.
  ///
  /// - Parameters:
  ///   - snapshot: What is searched; it is in place already.
  ///   - path: Where the index goes.
  ///   - phones: How telephone numbers are dialled where the directory is.
  /// - Returns: The written file.
  /// - Throws: `SnapshotError`: the snapshot is damaged, or the index cannot be written.
  /// - Complexity: O(bytes of the snapshot), and sorting people by name length and distinct words.
  @discardableResult
  package static func write(
    of snapshot: DirectorySnapshot,
    to path: FilePath,
    phones: PhoneRules
  ) throws(SnapshotError) -> WrittenFile {
    let parts = try SearchParts(snapshot)
    var writer = try SnapshotFileWriter(
      target: path,
      format: SearchIndexFormat.format,
      sectionCount: IndexSection.allCases.count + 3 * DictionarySection.allCases.count
    )
    var work = IndexWork(parts, try DepartmentShape(parts), phones)
    try work.readTexts()
    try work.numberDocuments()
    try work.writeDocuments(checksum: snapshot.checksum, to: &writer)
    try work.writeContacts(to: &writer)
    try work.writeDictionaries(to: &writer)
    return try writer.commit()
  }
}

/// What is known while an index is made.
private struct IndexWork {
  private let parts: SearchParts
  private let shape: DepartmentShape
  private let phones: PhoneRules
  private var names = FieldBuilder(.person)
  private var titles = FieldBuilder(.other)
  private var departments = FieldBuilder(.other)
  /// Number of the name's text by user, of the title's by membership, of the name's by ordinal.
  private var userNames: [UInt32] = []
  private var membershipTitles: [UInt32] = []
  private var departmentNames: [UInt32] = []
  /// By user: where the memberships begin, in the order of the leaves; one more.
  private var membershipStarts: [UInt32] = [0]
  private var memberships: [UInt32] = []
  /// By membership in that order: the ordinal of the department.
  private var places: [UInt32] = []
  private var mainLeaves: [Int32] = []
  /// By document: row of the user, or ordinal of the department with the upper bit.
  private var records: [UInt32] = []
  private var userDocuments: [UInt32] = []
  private var departmentDocuments: [UInt32] = []

  private static let departmentBit: UInt32 = 1 << 31
  private static let noDocument = UInt32.max

  init(_ parts: SearchParts, _ shape: DepartmentShape, _ phones: PhoneRules) {
    self.parts = parts
    self.shape = shape
    self.phones = phones
  }

  // MARK: - Reading

  mutating func readTexts() throws(SnapshotError) {
    let rows = try parts.users.names.verified()
    userNames.reserveCapacity(rows.count)
    for user in 0..<rows.count {
      userNames.append(UInt32(rows.withBytes(at: user) { names.add($0) }))
    }
    let titleRows = try parts.memberships.titles.verified()
    membershipTitles.reserveCapacity(titleRows.count)
    for membership in 0..<titleRows.count {
      membershipTitles.append(UInt32(titleRows.withBytes(at: membership) { titles.add($0) }))
    }
    for row in shape.rows {
      let text = try parts.departments.names.withBytes(at: Int(row)) { departments.add($0) }
      departmentNames.append(UInt32(text))
    }
    try readPlaces()
  }

  private mutating func readPlaces() throws(SnapshotError) {
    for user in 0..<parts.users.count {
      let leaves = try parts.leaves.nodes(of: user)
      mainLeaves.append(Int32(try parts.mainLeaf(among: leaves) ?? -1))
      for leaf in leaves {
        memberships.append(UInt32(try parts.tree.record(of: leaf)))
        guard let parent = try parts.tree.parent(of: leaf) else {
          places.append(.max)
          continue
        }
        places.append(shape.ordinals[try parts.tree.departmentRecord(of: parent)])
      }
      membershipStarts.append(UInt32(memberships.count))
    }
  }

  // MARK: - Documents

  mutating func numberDocuments() throws(SnapshotError) {
    // Length of the name, then node; a node is of one document only.
    var keys: [(key: UInt64, record: UInt32)] = []
    keys.reserveCapacity(userNames.count + shape.count)
    for user in userNames.indices where mainLeaves[user] >= 0 {
      let length = UInt64(names.lengths[Int(userNames[user])])
      keys.append((length << 32 | UInt64(mainLeaves[user]), UInt32(user)))
    }
    for (ordinal, row) in shape.rows.enumerated() {
      let length = UInt64(departments.lengths[Int(departmentNames[ordinal])])
      let node = UInt64(try parts.departments.node(of: Int(row)))
      keys.append((length << 32 | node, UInt32(ordinal) | Self.departmentBit))
    }
    keys.sort { $0.key < $1.key }
    records = keys.map(\.record)
    userDocuments = [UInt32](repeating: Self.noDocument, count: userNames.count)
    departmentDocuments = [UInt32](repeating: 0, count: shape.count)
    for (document, record) in records.enumerated() {
      if record & Self.departmentBit == 0 {
        userDocuments[Int(record)] = UInt32(document)
      } else {
        departmentDocuments[Int(record & ~Self.departmentBit)] = UInt32(document)
      }
    }
  }

  private func isOdd(_ record: UInt32) -> Bool {
    if record & Self.departmentBit != 0 {
      return departments.isOdd[Int(departmentNames[Int(record & ~Self.departmentBit)])]
    }
    return names.isOdd[Int(userNames[Int(record)])]
      || membershipIndexes(of: record).contains {
        titles.isOdd[Int(membershipTitles[Int(memberships[$0])])]
      }
  }

  private func membershipIndexes(of user: UInt32) -> Range<Int> {
    Int(membershipStarts[Int(user)])..<Int(membershipStarts[Int(user) + 1])
  }

  mutating func writeDocuments(
    checksum: UInt64,
    to writer: inout SnapshotFileWriter
  ) throws(SnapshotError) {
    let odd = records.indices.filter { isOdd(records[$0]) }.map { UInt32($0) }
    try writer.add(
      .header,
      [
        checksum, ReadingTable.version, UInt64(records.count), UInt64(userDocuments.count),
        UInt64(shape.count), UInt64(GramFilter.rowCount(documents: records.count)),
      ] as [UInt64]
    )
    try writer.add(.phoneRules, phones.text)
    try writer.add(.documentRecords, records)
    try writer.add(.userDocuments, userDocuments)
    try writer.add(.departmentDocuments, departmentDocuments)
    try writer.add(.departmentRows, Array(shape.rows))
    try writer.add(.departmentEnds, Array(shape.ends))
    try writer.add(.oddDocuments, odd)
    var main: [UInt32] = []
    var further: [UInt32] = []
    for record in records {
      if record & Self.departmentBit != 0 {
        main.append(record & ~Self.departmentBit)
        continue
      }
      let own = places[membershipIndexes(of: record)].filter { $0 != .max }
      if own.count == 1 {
        main.append(own[0])
      } else {
        main.append(UInt32(further.count) | Self.departmentBit)
        further.append(UInt32(own.count))
        further.append(contentsOf: own)
      }
    }
    try writer.add(.places, main)
    try writer.add(.furtherPlaces, further)
  }

  // MARK: - Contacts

  func writeContacts(to writer: inout SnapshotFileWriter) throws(SnapshotError) {
    var contacts = ContactsWork(documents: records.count, phones)
    for (document, record) in records.enumerated() {
      if record & Self.departmentBit != 0 {
        let row = Int(shape.rows[Int(record & ~Self.departmentBit)])
        try parts.departments.ids.withBytes(at: row) { contacts.add(email: nil, id: $0) }
      } else {
        let user = Int(record)
        try parts.contacts.emails.withBytes(at: user) { contacts.add(part: $0) }
        try parts.users.ids.withBytes(at: user) { contacts.add(part: $0) }
        try parts.contacts.phones.withBytes(at: user) {
          contacts.add(phone: $0, document: UInt32(document))
        }
      }
      contacts.endDocument()
    }
    try contacts.write(to: &writer)
  }

  // MARK: - Dictionaries

  func writeDictionaries(to writer: inout SnapshotFileWriter) throws(SnapshotError) {
    let records = records
    func user(_ document: Int) -> Int? {
      records[document] & Self.departmentBit == 0 ? Int(records[document]) : nil
    }
    try DictionaryWriter(.names, names, documentCount: records.count) { document, body in
      if let user = user(document) { body(Int(userNames[user])) }
    }.write(to: &writer)
    try DictionaryWriter(.titles, titles, documentCount: records.count) { document, body in
      guard let user = user(document) else { return }
      for index in membershipIndexes(of: UInt32(user)) {
        body(Int(membershipTitles[Int(memberships[index])]))
      }
    }.write(to: &writer)
    try DictionaryWriter(.departments, departments, documentCount: shape.count) { ordinal, body in
      body(Int(departmentNames[ordinal]))
    }.write(to: &writer)
  }
}

extension SnapshotFileWriter {
  mutating func add<Element: BitwiseCopyable>(
    _ section: IndexSection,
    _ elements: [Element]
  ) throws(SnapshotError) {
    try add(section.rawValue, elements)
  }

  mutating func add<Element: BitwiseCopyable>(
    _ id: UInt32,
    _ elements: [Element]
  ) throws(SnapshotError) {
    try elements.withUnsafeBufferPointer { (elements) throws(SnapshotError) in
      try add(id, elements)
    }
  }
}
