import DirectoryModel
import OutlineEngine
import TextRules

extension DirectorySnapshot {
  /// A snapshot of what a sight shows of this one, as if nothing else had ever been there.
  ///
  /// People without a place are not in it, and neither are those who are unlisted. Whose primary place
  /// is not shown has the first that is as the primary one. Siblings whose order is hidden stand as if they had none. Values of fields of the
  /// kind `person` that name a person who is not there are left out themselves, and so are values
  /// that were not declared, of which nothing is known. The group *Unplaced* is never in it: its
  /// reasons name records that may not be shown.
  ///
  /// - Parameters:
  ///   - sight: What is shown.
  ///   - present: What is there now, where this is a former state: of each record and place is shown
  ///     what is then and, where that is there now, now.
  /// - Returns: A snapshot that lies in a file without a name, and goes with it.
  /// - Throws: `SnapshotError.damaged`, and `.cannotWrite` where there is no room for it.
  /// - Complexity: O(bytes of what is shown), which are in memory meanwhile, and O(1) for each
  ///   department and person that the sight names.
  package func excerpt(
    _ sight: Sight,
    present: CurrentState? = nil
  ) throws(SnapshotError) -> DirectorySnapshot {
    let excerpt: DirectoryTree
    do {
      var work = try SnapshotExcerpt(self, sight, present)
      excerpt = try work.tree()
    } catch let error as SnapshotError {
      throw error
    } catch {
      // Text that was there had room.
      throw file.damaged(.metadataText)
    }
    var metadata = metadata
    metadata.watermark = [:]
    return try excerpt.scratch(metadata: metadata, path: path)
  }
}

/// What is there now, for an excerpt of a former state.
package struct CurrentState {
  /// All of the state as it is.
  package var snapshot: DirectorySnapshot
  /// What is shown of records that are not there any more, and what the others were called.
  package var visibility: Visibility
  /// The time of the former state, in microseconds since 1970, UTC.
  package var time: Int64

  package init(_ snapshot: DirectorySnapshot, _ visibility: Visibility, since time: Int64) {
    (self.snapshot, self.visibility, self.time) = (snapshot, visibility, time)
  }
}

/// Copies what a sight shows of a snapshot; rows of departments and memberships in the order of its
/// tree, users in the order of their rows.
private struct SnapshotExcerpt {
  private let snapshot: DirectorySnapshot
  private let nodeTree: TreePart
  private let memberships: MembershipPart
  private let declared: [Field]
  private var fields: SightFields
  private let seen: (nodes: [Int32], parents: [Int32], stubs: Set<Int32>)
  /// What is copied: rows of the snapshot.
  private var departmentRows: [Int] = []
  private var membershipRows: [Int] = []
  private let userRows: [Int]
  /// A bit for each user of the snapshot where many are shown, so that none is sought.
  private var seenUsers: [UInt64] = []
  /// For each node the number of its department or membership.
  private var nodeRecords: [UInt32] = []
  private var membershipUsers: [UInt32] = []
  private var departmentSets = RecordSets()
  private var userSets = RecordSets()
  private var records = DirectoryRecords()
  /// Nodes that stand elsewhere among their siblings than in the snapshot.
  private var familiesInDisorder: Set<Int32> = []

  init(
    _ snapshot: DirectorySnapshot,
    _ sight: Sight,
    _ present: CurrentState?
  ) throws {
    self.snapshot = snapshot
    nodeTree = try snapshot.tree()
    memberships = try snapshot.memberships()
    declared = try snapshot.fields().declared
    let former = try present.map { try $0.visibility.sight(at: $0.time) } ?? sight
    fields = try SightFields(former, snapshot)
    var places = try present.map { try VisiblePlaces(sight, of: snapshot, $0) }
    let visible = try VisibleNodes(SightPlaces(former, snapshot), snapshot, places)
    seen = (visible.nodes, visible.parents, visible.stubs)
    var users: [Int] = []
    for node in seen.nodes {
      let record = try nodeTree.record(of: Int(node))
      if try nodeTree.isDepartment(Int(node)) {
        nodeRecords.append(UInt32(truncatingIfNeeded: departmentRows.count))
        departmentRows.append(record)
      } else {
        nodeRecords.append(UInt32(truncatingIfNeeded: membershipRows.count))
        membershipRows.append(record)
        users.append(try memberships.user(of: record))
      }
    }
    if users.count > Self.fewUsers {
      var bits = [UInt64](repeating: 0, count: (try snapshot.users().count + 63) / 64)
      for user in users { bits[user >> 6] |= 1 << UInt64(user & 63) }
      seenUsers = bits
    }
    userRows = seenUsers.isEmpty ? Self.sorted(users) : Self.rows(in: seenUsers)
    membershipUsers = Self.numbers(of: users, among: userRows, seenUsers)
    try findSets(&places)
  }

  private static let fewUsers = 4_096

  private static func rows(in bits: [UInt64]) -> [Int] {
    var rows: [Int] = []
    for (word, bits) in bits.enumerated() {
      var rest = bits
      while rest != 0 {
        rows.append(word << 6 | rest.trailingZeroBitCount)
        rest &= rest &- 1
      }
    }
    return rows
  }

  /// For each of some rows its number among all that are shown.
  private static func numbers(of users: [Int], among rows: [Int], _ bits: [UInt64]) -> [UInt32] {
    guard !bits.isEmpty else { return users.map { UInt32(index(of: $0, in: rows) ?? 0) } }
    var before: [UInt32] = []
    before.reserveCapacity(bits.count)
    var total: UInt32 = 0
    for word in bits {
      before.append(total)
      total += UInt32(word.nonzeroBitCount)
    }
    return users.map { user in
      let below = bits[user >> 6] & (1 << UInt64(user & 63) &- 1)
      return before[user >> 6] + UInt32(below.nonzeroBitCount)
    }
  }

  /// Rising, each once.
  private static func sorted(_ rows: [Int]) -> [Int] {
    var sorted: [Int] = []
    for row in rows.sorted() where row != sorted.last { sorted.append(row) }
    return sorted
  }

  private static func index(of row: Int, in rows: [Int]) -> Int? {
    var (low, high) = (0, rows.count)
    while low < high {
      let middle = (low + high) / 2
      if rows[middle] < row { low = middle + 1 } else { high = middle }
    }
    return low < rows.count && rows[low] == row ? low : nil
  }

  // MARK: Sets of fields

  private mutating func findSets(_ present: inout VisiblePlaces?) throws {
    for (index, node) in seen.nodes.enumerated() where try nodeTree.isDepartment(Int(node)) {
      if seen.stubs.contains(Int32(truncatingIfNeeded: index)) {
        departmentSets.append(.stub(declared))
        continue
      }
      var hidden = fields.hidden(ofDepartment: Int(node))
      if let names = try present?.hidden(ofDepartment: Int(node)).names {
        hidden.names.formUnion(names)
      }
      departmentSets.append(hidden)
    }
    for row in userRows {
      var hidden = try fields.hidden(ofUser: row)
      if let names = try present?.hidden(ofUser: row).names { hidden.names.formUnion(names) }
      userSets.append(hidden)
    }
  }

  // MARK: What is shown

  mutating func tree() throws -> DirectoryTree {
    records.fields = declared.filter { field in
      let sets = field.owner == .department ? departmentSets.sets : userSets.sets
      return (sets.isEmpty ? [fields.usual(field.owner)] : sets)
        .contains { !$0.names.contains(field.name) }
    }
    let (departments, users) = (try snapshot.departments(), try snapshot.users())
    try copyNumbers(departments)
    let hierarchy = try putInOrder(departments, users)
    let setsOfMemberships = membershipUsers.map { userSets.numbers[Int($0)] }
    let shown = records.fields
    // The values of fields take about as long as all the rest.
    let excerpt = self
    let (values, others) = try ConcurrentPair.run { () throws(SnapshotError) in
      try excerpt.text(.fields, .user, excerpt.userRows, excerpt.userSets.numbers, shown)
    } _: { () throws(SnapshotError) in
      let numbers = excerpt.departmentSets.numbers
      var records = excerpt.records
      records.departments.ids = try excerpt.copy(departments.ids, excerpt.departmentRows)
      records.departments.texts = try RecordKind.department.texts.map {
        (name) throws(SnapshotError) in
        try excerpt.text(name, .department, excerpt.departmentRows, numbers, shown)
      }
      records.users.ids = try excerpt.copy(users.ids, excerpt.userRows)
      records.users.texts = try RecordKind.user.texts.map { (name) throws(SnapshotError) in
        name == .fields
          ? StringColumn()
          : try excerpt.text(name, .user, excerpt.userRows, excerpt.userSets.numbers, shown)
      }
      records.memberships.texts = try RecordKind.membership.texts.map {
        (name) throws(SnapshotError) in
        try excerpt.text(name, .membership, excerpt.membershipRows, setsOfMemberships, shown)
      }
      return records
    }
    records = others
    if let index = RecordKind.user.texts.firstIndex(of: .fields) {
      records.users.texts[index] = values
    }
    return DirectoryTree(
      records,
      hierarchy: hierarchy,
      nodeRecords: nodeRecords,
      membershipUsers: membershipUsers,
      primary: try primary(hierarchy),
      hidden: (departmentSets, userSets)
    )
  }

  /// Calls `body` with the number and the text of each of some rows.
  ///
  /// Where they are many, the column is proved as a whole and not row by row.
  private func forEach(
    _ rows: [Int],
    of column: TextColumn,
    _ body: (Int, UnsafeRawBufferPointer) throws -> Void
  ) throws(SnapshotError) {
    do {
      if rows.count > column.count / 4 {
        try column.verified().withView { view in
          for (index, row) in rows.enumerated() { try body(index, view[row]) }
        }
      } else {
        for (index, row) in rows.enumerated() { try column.lend(at: row) { try body(index, $0) } }
      }
    } catch let error as SnapshotError {
      throw error
    } catch {
      // Text that was there had room.
      throw snapshot.file.damaged(.metadataText)
    }
  }

  private func copy(
    _ column: TextColumn,
    _ rows: [Int],
    where isShown: (Int) -> Bool = { _ in true }
  ) throws(SnapshotError) -> StringColumn {
    var copy = StringColumn()
    copy.reserve(rows: rows.count, bytes: 0)
    try forEach(rows, of: column) { index, text in
      if isShown(index) { copy.appendBytes(text) }
      try copy.endRow()
    }
    return copy
  }

  /// A column of records of a kind without what is hidden.
  ///
  /// - Parameters:
  ///   - name: One of `RecordKind.texts`.
  ///   - kind: What the records are.
  ///   - rows: Their rows in the snapshot.
  ///   - numbers: The number of each one's set of hidden fields.
  ///   - fields: The declared fields that are shown of anything.
  /// - Returns: A text for each row.
  /// - Throws: `SnapshotError.damaged`.
  private func text(
    _ name: RecordColumn,
    _ kind: RecordKind,
    _ rows: [Int],
    _ numbers: [UInt32],
    _ fields: [Field]
  ) throws(SnapshotError) -> StringColumn {
    let sets = kind == .department ? departmentSets.sets : userSets.sets
    let count =
      switch kind {
      case .department: try snapshot.departments().count
      case .user: try snapshot.users().count
      case .membership: memberships.count
      }
    let column = try snapshot.file.text(name, of: kind, count: count)
    // Nobody is shown it, and a declared field may be called so.
    if name == .identity { return try copy(column, rows) }
    if column.isBlank || name != .fields {
      let hides = sets.map { $0.contains(name) }
      return try copy(column, rows) { !hides[Int(numbers[$0])] }
    }
    let values = sets.map { hidden in
      VisibleValues(fields.of(kind).filter { !hidden.names.contains($0.name) })
    }
    let users = try snapshot.userIndex()
    // Those who are side by side mostly name the same person.
    var last: (id: [UInt8], isThere: Bool) = ([], false)
    func isThere(_ id: UnsafeRawBufferPointer) throws(SnapshotError) -> Bool {
      if !last.id.isEmpty, id.elementsEqual(last.id) { return last.isThere }
      last = (Array(id), try users.row(of: id).map { isSeen(user: $0) } ?? false)
      return last.isThere
    }
    var shownTexts = StringColumn()
    shownTexts.reserve(rows: rows.count, bytes: 0)
    try forEach(rows, of: column) { index, text in
      let values = values[Int(numbers[index])]
      if try values.areAll(of: text, isThere) {
        shownTexts.appendBytes(text)
      } else {
        let shown = try values.values(of: text, isThere: isThere)
        shown.withUnsafeBytes { shownTexts.appendBytes($0) }
      }
      try shownTexts.endRow()
    }
    return shownTexts
  }

  /// Whether a user is among those who are shown.
  private func isSeen(user row: Int) -> Bool {
    guard seenUsers.isEmpty else { return seenUsers[row >> 6] >> UInt64(row & 63) & 1 == 1 }
    return Self.index(of: row, in: userRows) != nil
  }

  private mutating func copyNumbers(_ departments: DepartmentPart) throws(SnapshotError) {
    let hidesOrder = departmentSets.sets.map { $0.contains(.sortOrder) }
    for (row, set) in zip(departmentRows, departmentSets.numbers) {
      records.departments.sortOrders.append(
        hidesOrder[Int(set)] ? 0 : try departments.sortOrders[row]
      )
    }
    let hidesPlace = userSets.sets.map { $0.contains(.sortOrder) }
    let hidesLead = userSets.sets.map { $0.contains(.leads) }
    for (row, user) in zip(membershipRows, membershipUsers) {
      let set = userSets.numbers[Int(user)]
      records.memberships.sortOrders.append(
        hidesPlace[Int(set)] ? 0 : try memberships.sortOrders[row]
      )
      let leads = try memberships.leads(row)
      records.memberships.leads.append(leads && !hidesLead[Int(set)])
    }
    for (index, node) in seen.nodes.enumerated() {
      let number = Int(nodeRecords[index])
      let isDisplaced =
        try nodeTree.isDepartment(Int(node))
        ? records.departments.sortOrders[number]
          != departments.sortOrders[departmentRows[number]]
        : records.memberships.sortOrders[number]
          != memberships.sortOrders[membershipRows[number]]
      if isDisplaced { familiesInDisorder.insert(seen.parents[index]) }
    }
  }

  // MARK: The tree

  /// Links the nodes, and brings what is copied into their order.
  ///
  /// Siblings stay in their order where all have theirs. Rows in the order of the snapshot would tell an
  /// order that is hidden.
  private mutating func putInOrder(
    _ departments: DepartmentPart,
    _ users: UserPart
  ) throws -> Hierarchy {
    let groups = try seen.nodes.map { try nodeTree.isDepartment(Int($0)) }
    var keys: [Int: (name: [UInt8], id: String)] = [:]
    if !familiesInDisorder.isEmpty {
      let collator = try Collator(locale: snapshot.metadata.locale)
      for (index, parent) in seen.parents.enumerated() where familiesInDisorder.contains(parent) {
        let record = Int(nodeRecords[index])
        let (names, ids, row) =
          groups[index]
          ? (departments.names, departments.ids, departmentRows[record])
          : (users.names, users.ids, userRows[Int(membershipUsers[record])])
        var key: [UInt8] = []
        try names.lend(at: row) { collator.appendKey(of: $0, to: &key) }
        keys[index] = (key, try ids[row])
      }
    }
    let order = Hierarchy.link(parents: seen.parents, isGroup: { groups[$0] }) { left, right in
      guard let key = keys[left], let other = keys[right] else { return false }
      if groups[left] != groups[right] { return groups[left] }
      let (a, b) = (sortOrder(of: left, groups), sortOrder(of: right, groups))
      if a != b { return a < b }
      if key.name != other.name { return key.name.lexicographicallyPrecedes(other.name) }
      return key.id.utf8.lexicographicallyPrecedes(other.id.utf8)
    }
    if !familiesInDisorder.isEmpty { renumber(order) }
    return order.hierarchy
  }

  private mutating func renumber(_ order: LinkedHierarchy) {
    var (departments, memberships): ([Int], [Int]) = ([], [])
    nodeRecords = order.inputs.enumerated().map { node, input in
      let record = Int(nodeRecords[Int(input)])
      if order.hierarchy.isGroup(node) {
        departments.append(record)
        return UInt32(truncatingIfNeeded: departments.count - 1)
      }
      memberships.append(record)
      return UInt32(truncatingIfNeeded: memberships.count - 1)
    }
    departmentRows = departments.map { departmentRows[$0] }
    departmentSets.take(departments)
    records.departments.sortOrders = departments.map { records.departments.sortOrders[$0] }
    membershipRows = memberships.map { membershipRows[$0] }
    membershipUsers = memberships.map { membershipUsers[$0] }
    records.memberships.sortOrders = memberships.map { records.memberships.sortOrders[$0] }
    records.memberships.leads = memberships.map { records.memberships.leads[$0] }
  }

  private func sortOrder(of index: Int, _ groups: [Bool]) -> Int64 {
    let record = Int(nodeRecords[index])
    return groups[index]
      ? records.departments.sortOrders[record] : records.memberships.sortOrders[record]
  }

  /// Bit set over the memberships that are shown.
  private func primary(_ hierarchy: Hierarchy) throws(SnapshotError) -> [UInt64] {
    var primaryOf = [Int](repeating: -1, count: userRows.count)
    for (node, record) in nodeRecords.enumerated() where !hierarchy.isGroup(node) {
      let user = Int(membershipUsers[Int(record)])
      let isPrimary = try memberships.isPrimary(membershipRows[Int(record)])
      if isPrimary || primaryOf[user] < 0 { primaryOf[user] = Int(record) }
    }
    var primary = [UInt64](repeating: 0, count: (membershipRows.count + 63) / 64)
    for membership in primaryOf { primary[membership / 64] |= 1 << UInt64(membership % 64) }
    return primary
  }
}

/// Takes out of a record's values those that are shown.
private struct VisibleValues {
  /// The declared fields that are shown.
  private let fields: [(name: [UInt8], kind: FieldKind)]

  init(_ fields: [Field]) { self.fields = fields.map { (Array($0.name.utf8), $0.kind) } }

  private func kind(_ reader: FieldValuesReader) -> FieldKind? {
    fields.first { reader.isNamed($0.name) }?.kind
  }

  /// Whether nothing is to be taken out.
  func areAll(
    of text: UnsafeRawBufferPointer,
    _ isThere: (UnsafeRawBufferPointer) throws(SnapshotError) -> Bool
  ) throws(SnapshotError) -> Bool {
    var reader = FieldValuesReader(text)
    var areAll = true
    while areAll, reader.next() {
      guard let kind = kind(reader) else { return false }
      guard kind == .person else { continue }
      try reader.forEachValue { (id) throws(SnapshotError) in
        if areAll { areAll = try isThere(id) }
      }
    }
    return areAll && !reader.isMalformed
  }

  func values(
    of text: UnsafeRawBufferPointer,
    isThere: (UnsafeRawBufferPointer) throws(SnapshotError) -> Bool
  ) throws -> [UInt8] {
    var reader = FieldValuesReader(text)
    var writer = FieldValuesWriter()
    while reader.next() {
      guard let kind = kind(reader) else { continue }
      var values: [[UInt8]] = []
      try reader.forEachValue { (value) throws(SnapshotError) in
        let isShown = if kind == .person { try isThere(value) } else { true }
        if isShown { values.append(Array(value)) }
      }
      let name = String(decoding: reader.name, as: UTF8.self)
      if reader.isSeveral {
        if !values.isEmpty { writer.append(name, list: values) }
      } else if let value = values.first {
        writer.append(name, value)
      }
    }
    return writer.finished()
  }
}
