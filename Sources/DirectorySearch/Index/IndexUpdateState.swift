import DirectorySnapshot
import OutlineEngine
import Platform
import SystemPackage

/// What is known while an index is brought up to date.
struct IndexUpdateState {
  private let index: SearchIndex
  private let snapshot: DirectorySnapshot
  private let parts: SearchColumns
  private let shape: DepartmentShape
  private let rows: RowMapping
  /// By old ordinal the one now; all bits for a department that was removed.
  private let ordinals: [UInt32]
  /// Whether the same departments with the same names have the same ordinals.
  private let areDepartmentsSame: Bool
  private let lengths: LengthGroups
  private var departments: DepartmentTexts
  private var segment: SegmentBuilder
  /// By document of the index: its record now; all bits for one that was removed.
  private var records: [UInt32] = []
  /// By document of the index: what it is ordered by; of one that was removed the same as before
  /// it.
  ///
  /// Empty where all who stay are ordered as they were.
  private var orders: [UInt64] = []

  private static let none = SearchIndex.none

  /// `nil` where the changes are not those of the index's snapshot.
  init?(
    _ index: SearchIndex,
    _ snapshot: DirectorySnapshot,
    _ rows: RowMapping
  ) throws(SnapshotError) {
    let parts = try SearchColumns(snapshot)
    guard rows.users.oldCount == index.userDocuments.count,
      rows.departments.oldCount == index.shape.count,
      rows.users.count == parts.users.count, rows.departments.count == parts.departments.count
    else { return nil }
    let shape = try DepartmentShape(parts)
    let departmentRows = rows.departments.rows()
    let ordinals = index.shape.rows.map { row in
      let now = departmentRows[Int(row)]
      return now == Self.none ? Self.none : shape.ordinals[Int(now)]
    }
    self.ordinals = ordinals
    areDepartmentsSame =
      rows.departments.changed.isEmpty && shape.count == ordinals.count
      && ordinals.indices.allSatisfy { ordinals[$0] == UInt32($0) }
    lengths = try index.base.lengths()
    self.index = index
    self.snapshot = snapshot
    self.parts = parts
    self.shape = shape
    self.rows = rows
    departments = try DepartmentTexts(parts, shape, of: EmptyCollection<Int>())
    segment = try SegmentBuilder(parts, shape, departments, users: [], ordinals: [])
  }

  // MARK: - What stays

  /// Finds out which documents of the index stay, in their order.
  mutating func keepDocuments() throws(SnapshotError) {
    records = try keptRecords()
    guard !rows.keepsPlaces else { return }
    try readOrders()
    let kept = records.indices.filter { records[$0] != Self.none }
    for stray in LongestIncreasingSubsequence.strays(in: kept.map { orders[$0] }) {
      records[kept[stray]] = Self.none
    }
    var last: UInt64 = 0
    for document in records.indices {
      if records[document] == Self.none { orders[document] = last }
      last = orders[document]
    }
  }

  /// The records of the index's documents by the rows and ordinals of now.
  private func keptRecords() throws(SnapshotError) -> [UInt32] {
    var users = rows.users.rows()
    for row in rows.users.changed { users[row] = Self.none }
    var departments = ordinals
    for row in rows.departments.changed { departments[Int(index.shape.ordinals[row])] = Self.none }
    var kept: [UInt32] = []
    kept.reserveCapacity(index.base.documentCount)
    for record in try index.records.verified().prefix(index.base.documentCount) {
      guard record != Self.none else {
        kept.append(Self.none)
        continue
      }
      let isDepartment = record & SearchIndex.departmentBit != 0
      let row = Int(record & ~SearchIndex.departmentBit)
      guard row < (isDepartment ? departments.count : users.count) else {
        throw index.records.damaged
      }
      let now = isDepartment ? departments[row] : users[row]
      kept.append(now == Self.none || !isDepartment ? now : now | SearchIndex.departmentBit)
    }
    return kept
  }

  /// Takes each document's length as it was and its place in the tree as it is.
  private mutating func readOrders() throws(SnapshotError) {
    orders = [UInt64](repeating: 0, count: records.count)
    lengths.forEachRun { length, documents in
      for document in documents { orders[document] = HitOrder.key(length: length, 0) }
    }
    let leaves = try parts.primaryLeaves(of: snapshot)
    for document in records.indices where records[document] != Self.none {
      if let place = try place(of: records[document], leaf: { leaves[$0] }) {
        orders[document] |= UInt64(place)
      } else {
        records[document] = Self.none
      }
    }
  }

  /// What documents with names of one length are ordered by; `nil` for a person without a leaf, which
  /// is −1.
  private func place(
    of record: UInt32,
    leaf: (_ user: Int) throws(SnapshotError) -> Int32
  ) throws(SnapshotError) -> UInt32? {
    let row = Int(record & ~SearchIndex.departmentBit)
    if record & SearchIndex.departmentBit != 0 {
      return HitOrder.place(department: try parts.departments.node(of: Int(shape.rows[row])))
    }
    let leaf = try leaf(row)
    return leaf < 0 ? nil : try HitOrder.place(person: Int(leaf), parts)
  }

  /// What a document of the index is ordered by.
  private func order(of document: Int) throws(SnapshotError) -> UInt64 {
    guard orders.isEmpty else { return orders[document] }
    guard let kept = records[...document].lastIndex(where: { $0 != Self.none }) else { return 0 }
    let place = try place(of: records[kept]) { (user) throws(SnapshotError) in
      Int32(try parts.primaryLeaf(of: user) ?? -1)
    }
    return HitOrder.key(length: lengths.length(of: kept), place ?? 0)
  }

  // MARK: - What is added

  /// Makes new documents for records that have none among those that stay.
  ///
  /// - Returns: `false`, with nothing done, when more are added or removed than may be.
  mutating func addDocuments(limit: Int) throws(SnapshotError) -> Bool {
    var hasUser = [Bool](repeating: false, count: parts.users.count)
    var hasDepartment = [Bool](repeating: false, count: shape.count)
    var kept = 0
    for record in records where record != Self.none {
      kept += 1
      if record & SearchIndex.departmentBit == 0 {
        hasUser[Int(record)] = true
      } else {
        hasDepartment[Int(record & ~SearchIndex.departmentBit)] = true
      }
    }
    let users = hasUser.indices.filter { !hasUser[$0] }
    let ordinals = hasDepartment.indices.filter { !hasDepartment[$0] }
    guard users.count + ordinals.count <= limit, records.count - kept <= limit else { return false }
    departments =
      try areDepartmentsSame
      ? DepartmentTexts(parts, shape, of: ordinals)
      : DepartmentTexts(parts, shape, of: 0..<shape.count)
    segment = try SegmentBuilder(parts, shape, departments, users: users, ordinals: ordinals)
    return true
  }

  /// The document of the index that an added one comes before.
  private func turn(of document: Int) throws(SnapshotError) -> UInt32 {
    let own = segment.order(of: document)
    let turn = try (0..<records.count).partitionPoint { (record) throws(SnapshotError) in
      try order(of: record) <= own
    }
    return UInt32(turn)
  }

  // MARK: - Writing

  func write(to path: FilePath) throws(SnapshotError) -> InstalledFile {
    var writer = try SnapshotFileWriter(
      target: path,
      format: SearchIndexFormat.changesFormat,
      sectionCount: IndexSection.mostSections
    )
    let first = IndexChanges.firstDocument(after: records.count)
    let knowsDepartments = !areDepartmentsSame || index.changes?.hasDepartments == true
    let header: [UInt64] = [
      snapshot.checksum, index.base.file.checksum, UInt64(first + segment.count),
      UInt64(segment.filterRows), knowsDepartments ? 1 : 0,
    ]
    try writer.add(.header, header)
    try tables(first).write(users: parts.users.count, shape, to: &writer)
    let removed = records.indices.lazy.filter { records[$0] == Self.none }.map { UInt32($0) }
    try writer.add(.removedDocuments, Array(removed))
    var turns: [UInt32] = []
    for document in 0..<segment.count { turns.append(try turn(of: document)) }
    try writer.add(.turns, turns)
    try segment.write(from: first, index.rules, to: &writer)
    if !areDepartmentsSame {
      try departments.sections().write(to: &writer)
    } else if let changes = index.changes, changes.hasDepartments {
      try copyDepartments(of: changes.file, to: &writer)
    }
    return try writer.commit()
  }

  private func tables(_ first: Int) throws(SnapshotError) -> DocumentTables {
    var tables = DocumentTables()
    tables.reserveCapacity(first + segment.count)
    let places = try index.places.verified()
    let further = try index.furtherPlaces.verified()
    var odd = try index.unindexedDocuments.verified().makeIterator()
    var nextOdd = odd.next()
    for document in records.indices {
      let record = records[document]
      let place = places[document]
      if record == Self.none {
        tables.appendAbsent(upTo: document + 1)
      } else if record & SearchIndex.departmentBit != 0 {
        tables.append(record, place: record & ~SearchIndex.departmentBit)
      } else if place & SearchIndex.departmentBit == 0 {
        tables.append(record, place: try ordinal(now: place))
      } else {
        var own: [UInt32] = []
        let start = Int(place & ~SearchIndex.departmentBit)
        guard start < further.count, Int(further[start]) < further.count - start else {
          throw index.places.damaged
        }
        for index in start + 1..<start + 1 + Int(further[start]) {
          own.append(try ordinal(now: further[index]))
        }
        tables.append(record, places: own)
      }
      if let known = nextOdd, Int(known) <= document {
        if Int(known) == document, record != Self.none { tables.markOdd() }
        nextOdd = odd.next()
      }
    }
    tables.appendAbsent(upTo: first)
    tables.append(segment)
    return tables
  }

  /// The ordinal that a department has now, in which a person stays.
  private func ordinal(now ordinal: UInt32) throws(SnapshotError) -> UInt32 {
    guard Int(ordinal) < ordinals.count, ordinals[Int(ordinal)] != Self.none else {
      throw index.places.damaged
    }
    return ordinals[Int(ordinal)]
  }

  private func copyDepartments(
    of file: SnapshotFile,
    to writer: inout SnapshotFileWriter
  ) throws(SnapshotError) {
    for part in DictionarySection.allCases {
      let id = IndexSection.departments.part(part)
      switch part.elementSize {
      case 1: try writer.add(id, Array(file.column(id, as: UInt8.self).verified()))
      case 4: try writer.add(id, Array(file.column(id, as: UInt32.self).verified()))
      default: try writer.add(id, Array(file.column(id, as: UInt64.self).verified()))
      }
    }
  }
}

extension SearchColumns {
  /// The leaf that stands for each user, −1 for one without a place, as `primaryLeaf(of:)`.
  ///
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(users + memberships).
  func primaryLeaves(of snapshot: DirectorySnapshot) throws(SnapshotError) -> [Int32] {
    let starts = try snapshot.column(.userLeafStarts, as: UInt32.self)
    let nodes = try snapshot.column(.userLeafNodes, as: Int32.self)
    var leaves = [Int32](repeating: -1, count: users.count)
    // Those with several leaves, or stored wrongly.
    var others: [Int] = []
    starts.withUnsafeBufferPointer { starts in
      nodes.withUnsafeBufferPointer { nodes in
        for user in leaves.indices {
          let (start, end) = (Int(starts[user]), Int(starts[user + 1]))
          if start + 1 == end, end <= nodes.count, nodes[start] >= 0 {
            leaves[user] = nodes[start]
          } else if start != end {
            others.append(user)
          }
        }
      }
    }
    for user in others { leaves[user] = Int32(try primaryLeaf(of: user) ?? -1) }
    return leaves
  }
}
