import DirectoryExchange
import DirectoryModel
import DirectorySnapshot

/// Reads rows of the tree as the bytes that they are made of.
struct RowReader {
  private let directory: Directory
  private let departmentIDs: TextRows
  private let departmentNames: TextRows
  private let descriptions: TextRows
  private let userIDs: TextRows
  private let userNames: TextRows
  private let titles: TextRows
  private let contacts: (emails: TextRows, phones: TextRows)?
  private let withPaths: Bool

  /// The department whose rows are being read: what is the same for all of them.
  private var parent = Parent()

  private struct Parent {
    var node: Int?
    var isRead = false
    var id: [UInt8] = []
    var path: [UInt8] = []
  }

  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(bytes of the columns) where nobody proved them before.
  init(_ directory: Directory, withContacts: Bool, withPaths: Bool) throws(SnapshotError) {
    self.directory = directory
    self.withPaths = withPaths
    departmentIDs = try directory.departments.ids.verified()
    departmentNames = try directory.departments.names.verified()
    descriptions = try directory.departments.descriptions.verified()
    userIDs = try directory.users.ids.verified()
    userNames = try directory.users.names.verified()
    titles = try directory.memberships.titles.verified()
    guard withContacts else {
      contacts = nil
      return
    }
    let part = try directory.snapshot.contacts()
    contacts = (try part.emails.verified(), try part.phones.verified())
  }

  /// Lends a row for the time of `body`.
  ///
  /// - Complexity: O(1), and O(level) for the first row of a department.
  mutating func withRow(
    at place: TreePlace,
    _ body: (RowFields) throws -> Void
  ) throws {
    try read(parentOf: place.node)
    if directory.unplacedCount > 0,
      let reason = try directory.tree.unplacedReason(of: place.node)
    {
      try withUnplacedRow(at: place, reason: reason, body)
    } else if place.isDepartment {
      try withDepartment(at: place, body)
    } else {
      try withPerson(at: place, body)
    }
  }

  private func withDepartment(
    at place: TreePlace,
    _ body: (RowFields) throws -> Void
  ) throws {
    let record = try directory.tree.departmentRecord(of: place.node)
    let people = try directory.departments.people(of: record)
    try departmentIDs.withBytes(at: record) { id in
      try departmentNames.withBytes(at: record) { name in
        try descriptions.withBytes(at: record) { description in
          var row = RowFields(kind: .department, id: id, name: name)
          row.people = people
          row.description = description
          try complete(row, at: place, body)
        }
      }
    }
  }

  private func withPerson(at place: TreePlace, _ body: (RowFields) throws -> Void) throws {
    let record = try directory.tree.record(of: place.node)
    let user = try directory.memberships.user(of: record)
    try userIDs.withBytes(at: user) { id in
      try userNames.withBytes(at: user) { name in
        try titles.withBytes(at: record) { title in
          var row = RowFields(kind: .user, id: id, name: name)
          row.title = title
          guard let contacts else { return try complete(row, at: place, body) }
          try contacts.emails.withBytes(at: user) { email in
            try contacts.phones.withBytes(at: user) { phone in
              row.email = email
              row.phone = phone
              try complete(row, at: place, body)
            }
          }
        }
      }
    }
  }

  /// What could not be placed says why.
  private func withUnplacedRow(
    at place: TreePlace,
    reason: String,
    _ body: (RowFields) throws -> Void
  ) throws {
    let contacts = contacts == nil ? nil : try directory.snapshot.contacts()
    let row = try directory.row(at: place.node, contacts: contacts)
    try row.withFields { try complete($0, at: place, body) }
  }

  private func complete(
    _ row: RowFields,
    at place: TreePlace,
    _ body: (RowFields) throws -> Void
  ) throws {
    var row = row
    row.level = try directory.tree.level(of: place.node)
    row.disclosure = place.disclosure
    row.place.node = place.node
    row.place.depth = place.depth
    row.place.isLastSibling = place.isLastSibling
    row.place.isFolded = place.isFolded
    row.place.hasRowsBelow = place.hasRowsBelow
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

  private mutating func read(parentOf node: Int) throws(SnapshotError) {
    let above = try directory.tree.parent(of: node)
    guard !parent.isRead || above != parent.node else { return }
    parent.node = above
    parent.isRead = true
    parent.id.removeAll(keepingCapacity: true)
    guard let above else {
      parent.path.removeAll(keepingCapacity: true)
      return
    }
    let record = try directory.tree.departmentRecord(of: above)
    departmentIDs.withBytes(at: record) { parent.id.append(contentsOf: $0) }
    if withPaths { try readPath(to: above) }
  }

  private mutating func readPath(to department: Int) throws(SnapshotError) {
    var records: [Int] = []
    var node: Int? = department
    while let current = node, records.count < PathText.longest {
      records.append(try directory.tree.departmentRecord(of: current))
      node = try directory.tree.parent(of: current)
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
