import DirectoryExchange
import DirectoryModel
import DirectorySnapshot

/// Reads rows of the tree as the bytes that they are made of.
///
/// A class, since a copy would retain every column, and a row takes less time than that; for the same
/// reason it has the parts of the state itself. Two threads that retain the same columns for each row
/// are no faster than one.
final class RowReader {
  private let directory: Directory
  private let tree: TreePart
  private let departments: DepartmentPart
  private let memberships: MembershipPart
  private let unplacedCount: Int
  private let departmentIDs: TextRows
  private let departmentNames: TextRows
  private let descriptions: TextRows
  private let userIDs: TextRows
  private let userNames: TextRows
  private let titles: TextRows
  private let contacts: ContactValues<TextRows>?
  /// `nil` where there are no values of declared fields, or they are not asked for.
  private let userValues: TextRows?
  private let departmentValues: TextRows?
  private let withPaths: Bool
  private let withOrder: Bool
  private let withFamily: Bool

  private var batch = Batch()
  /// The department whose rows are being read: what is the same for all of them.
  private var parent = Parent()

  private struct Parent {
    var node: Int?
    var isRead = false
    var family: SiblingPositions.Family?
    var id: [UInt8] = []
    var path: [UInt8] = []
  }

  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(bytes of the columns) where they were not verified before.
  init(
    _ directory: Directory,
    withContacts: Bool,
    withPaths: Bool,
    withOrder: Bool = false,
    withFamily: Bool = false
  ) throws(SnapshotError) {
    self.directory = directory
    tree = directory.tree
    departments = directory.departments
    memberships = directory.memberships
    unplacedCount = directory.unplacedCount
    self.withPaths = withPaths
    self.withOrder = withOrder
    self.withFamily = withFamily
    departmentIDs = try directory.departments.ids.verified()
    departmentNames = try directory.departments.names.verified()
    descriptions = try directory.departments.descriptions.verified()
    userIDs = try directory.users.ids.verified()
    userNames = try directory.users.names.verified()
    titles = try directory.memberships.titles.verified()
    departmentValues = try directory.fields.verifiedOfDepartments()
    guard withContacts else {
      contacts = nil
      userValues = nil
      return
    }
    userValues = try directory.fields.verifiedOfUsers()
    contacts = try directory.state.contacts.map { (column) throws(SnapshotError) in
      try column.verified()
    }
  }

  /// Rows that are worth being read together.
  static let batchSize = 128

  /// Lends rows, one after the other, each for the time of a call of `body`.
  ///
  /// - Complexity: O(rows), and O(level) for each department above one of them.
  func forEachRow(
    at places: [TreePosition],
    _ body: (RowFields) throws -> Void
  ) throws {
    var batch = Batch()
    swap(&batch, &self.batch)
    defer { swap(&batch, &self.batch) }
    try read(places, into: &batch)
    // A variable would be copied for each row.
    let lent = batch
    var department = 0
    var person = 0
    try lent.texts.lend { text in
      for place in places {
        try read(parentOf: place.node)
        if let reason = try unplacedReason(at: place) {
          try withUnplacedRow(at: place, reason: reason, body)
        } else if place.isDepartment {
          try complete(lent.department(department, text), at: place, body)
          department += 1
        } else {
          try complete(lent.person(person, text), at: place, body)
          person += 1
        }
      }
    }
  }

  private func unplacedReason(at place: TreePosition) throws(SnapshotError) -> String? {
    guard unplacedCount > 0 else { return nil }
    return try tree.unplacedReason(of: place.node)
  }

  private func read(_ places: [TreePosition], into batch: inout Batch) throws(SnapshotError) {
    batch.removeAll()
    for place in places {
      if unplacedCount > 0, try unplacedReason(at: place) != nil { continue }
      let record = try tree.record(of: place.node)
      if place.isDepartment {
        batch.departments.append(record)
      } else {
        batch.memberships.append(record)
      }
    }
    for record in batch.memberships {
      batch.users.append(try memberships.user(of: record))
    }
    try readNumbers(into: &batch)
    batch.departmentIDs = batch.texts.append(departmentIDs, rows: batch.departments)
    batch.departmentNames = batch.texts.append(departmentNames, rows: batch.departments)
    batch.descriptions = batch.texts.append(descriptions, rows: batch.departments)
    batch.userIDs = batch.texts.append(userIDs, rows: batch.users)
    batch.userNames = batch.texts.append(userNames, rows: batch.users)
    batch.titles = batch.texts.append(titles, rows: batch.memberships)
    if let userValues { batch.userValues = batch.texts.append(userValues, rows: batch.users) }
    if let departmentValues {
      batch.departmentValues = batch.texts.append(departmentValues, rows: batch.departments)
    }
    batch.contacts = contacts?.map { batch.texts.append($0, rows: batch.users) }
    batch.hiddenOfDepartments = try hidden(directory.hiddenOfDepartments, batch.departments)
    batch.hiddenOfUsers = try hidden(directory.hiddenOfUsers, batch.users)
  }

  private func hidden(
    _ part: HiddenValues,
    _ rows: [Int]
  ) throws(SnapshotError) -> [HiddenFields] {
    guard !part.sets.isEmpty else { return [] }
    return try rows.map { (row) throws(SnapshotError) in try part.of(row) }
  }

  private func readNumbers(into batch: inout Batch) throws(SnapshotError) {
    for record in batch.departments {
      batch.people.append(try departments.people(of: record))
    }
    for record in batch.memberships {
      batch.leads.append(try memberships.leads(record))
    }
    guard withOrder else { return }
    for record in batch.departments {
      batch.departmentOrders.append(try departments.sortOrders[record])
    }
    for record in batch.memberships {
      batch.membershipOrders.append(try memberships.sortOrders[record])
      batch.primary.append(try memberships.isPrimary(record))
    }
  }

  /// What could not be placed says why.
  private func withUnplacedRow(
    at place: TreePosition,
    reason: String,
    _ body: (RowFields) throws -> Void
  ) throws {
    let row = try directory.row(at: place.node, withContacts: contacts != nil)
    try row.withFields { fields in
      var fields = fields
      fields.unplacedReason = reason
      try complete(fields, at: place, body)
    }
  }

  private func complete(
    _ row: consuming RowFields,
    at place: TreePosition,
    _ body: (RowFields) throws -> Void
  ) throws {
    row.level = try tree.level(of: place.node)
    row.disclosure = place.disclosure
    row.place = place
    row.family = parent.family?.place(of: place.node)
    try parent.id.withUnsafeBytes { id in
      row.parent = parent.node == nil ? nil : id
      guard withPaths else { return try body(row) }
      try parent.path.withUnsafeBytes { path in
        row.pathText = path
        try body(row)
      }
    }
  }

  // MARK: The department above

  private func read(parentOf node: Int) throws(SnapshotError) {
    let above = try tree.parent(of: node)
    guard !parent.isRead || above != parent.node else { return }
    parent.node = above
    parent.isRead = true
    if withFamily { parent.family = try directory.state.siblingPositions.family(below: above) }
    parent.id.removeAll(keepingCapacity: true)
    guard let above else {
      parent.path.removeAll(keepingCapacity: true)
      return
    }
    let record = try tree.departmentRecord(of: above)
    departmentIDs.withBytes(at: record) { parent.id.append(contentsOf: $0) }
    if withPaths { try readPath(to: above) }
  }

  private func readPath(to department: Int) throws(SnapshotError) {
    var records: [Int] = []
    var node: Int? = department
    while let current = node, records.count < PathText.longest {
      records.append(try tree.departmentRecord(of: current))
      node = try tree.parent(of: current)
    }
    parent.path.removeAll(keepingCapacity: true)
    if node != nil { PathText.appendEllipsis(to: &parent.path) }
    for (index, record) in records.reversed().enumerated() {
      departmentNames.withBytes(at: record) {
        PathText.append(name: $0, isFirst: index == 0 && node == nil, to: &parent.path)
      }
    }
  }
}

/// What some rows are made of.
private struct Batch {
  /// Rows of departments, of memberships, and of the users of those.
  var departments: [Int] = []
  var memberships: [Int] = []
  var users: [Int] = []

  var texts = TextBatch()
  /// The number of each column's first text.
  var departmentIDs = 0
  var departmentNames = 0
  var descriptions = 0
  var userIDs = 0
  var userNames = 0
  var titles = 0
  /// `nil` where they are not asked for.
  var contacts: ContactValues<Int>?
  var userValues: Int?
  var departmentValues: Int?

  var people: [Int] = []
  var leads: [Bool] = []
  /// Empty where they are not asked for, as the next two.
  var departmentOrders: [Int64] = []
  var membershipOrders: [Int64] = []
  var primary: [Bool] = []
  /// Empty where nothing is hidden.
  var hiddenOfDepartments: [HiddenFields] = []
  var hiddenOfUsers: [HiddenFields] = []

  mutating func removeAll() {
    departments.removeAll(keepingCapacity: true)
    memberships.removeAll(keepingCapacity: true)
    users.removeAll(keepingCapacity: true)
    texts.removeAll()
    people.removeAll(keepingCapacity: true)
    leads.removeAll(keepingCapacity: true)
    departmentOrders.removeAll(keepingCapacity: true)
    membershipOrders.removeAll(keepingCapacity: true)
    primary.removeAll(keepingCapacity: true)
  }

  func department(_ index: Int, _ text: (Int) -> UnsafeRawBufferPointer) -> RowFields {
    var row = RowFields(
      kind: .department,
      id: text(departmentIDs + index),
      name: text(departmentNames + index)
    )
    row.people = people[index]
    row.description = text(descriptions + index)
    row.values = departmentValues.map { text($0 + index) }
    if !departmentOrders.isEmpty { row.sortOrder = departmentOrders[index] }
    guard !hiddenOfDepartments.isEmpty else { return row }
    let hidden = hiddenOfDepartments[index]
    if hidden.contains(.description) { row.description = nil }
    if hidden.contains(.sortOrder) { row.sortOrder = nil }
    return row
  }

  func person(_ index: Int, _ text: (Int) -> UnsafeRawBufferPointer) -> RowFields {
    var row = RowFields(kind: .user, id: text(userIDs + index), name: text(userNames + index))
    row.title = text(titles + index)
    row.contacts = contacts?.map { Optional(text($0 + index)) }
    row.values = userValues.map { text($0 + index) }
    row.leads = leads[index]
    if !membershipOrders.isEmpty {
      row.sortOrder = membershipOrders[index]
      row.isPrimary = primary[index]
    }
    guard !hiddenOfUsers.isEmpty else { return row }
    let hidden = hiddenOfUsers[index]
    if hidden.contains(.title) { row.title = nil }
    if hidden.contains(.leads) { row.leads = nil }
    if hidden.contains(.sortOrder) { row.sortOrder = nil }
    for field in Field.contacts where hidden.contains(.contact(field)) {
      row.contacts?[field] = nil
    }
    return row
  }
}
