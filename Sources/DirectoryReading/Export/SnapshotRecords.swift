import DirectoryExchange
import DirectoryModel
import DirectorySnapshot

/// The records of a directory, for those who write them.
final class SnapshotRecords: RecordLookup {
  private let directory: Directory
  private let departmentIDs: TextRows
  private let departmentNames: TextRows
  private let userIDs: TextRows
  private let userNames: TextRows
  private let titles: TextRows
  private let contacts: ContactValues<TextRows>
  private let leaves: LeafPart
  /// `nil` where there are no values of declared fields.
  private let values: TextRows?
  private let written: NodeSet

  /// - Parameters:
  ///   - directory: Where the records are.
  ///   - written: The nodes whose rows are written.
  /// - Throws: `SnapshotError.damaged`.
  init(_ directory: Directory, written: NodeSet) throws(SnapshotError) {
    self.directory = directory
    self.written = written
    departmentIDs = try directory.departments.ids.verified()
    departmentNames = try directory.departments.names.verified()
    userIDs = try directory.users.ids.verified()
    userNames = try directory.users.names.verified()
    titles = try directory.memberships.titles.verified()
    contacts = try directory.state.contacts.map { (column) throws(SnapshotError) in
      try column.verified()
    }
    leaves = directory.state.leaves
    values = try directory.fields.verifiedOfUsers()
  }

  var personCount: Int { userIDs.count }

  func isWritten(_ node: Int) -> Bool { written.contains(node) }

  func forEachWritten(_ body: (Int) throws -> Void) throws { try written.forEach(body) }

  func isDepartment(_ node: Int) throws -> Bool { try directory.tree.isDepartment(node) }

  func unplacedReason(of node: Int) throws -> String? {
    try directory.tree.unplacedReason(of: node)
  }

  func level(of node: Int) throws -> Int { try directory.tree.level(of: node) }

  func department(above node: Int) throws -> Int? { try directory.tree.parent(of: node) }

  func forEachChild(of department: Int, _ body: (Int) throws -> Void) throws {
    var children = try directory.tree.children(of: department)
    while let child = try children.next() { try body(child) }
  }

  func sortOrder(of node: Int) throws -> Int64? {
    if try directory.hiddenFields(at: node).contains(.sortOrder) { return nil }
    let record = try directory.tree.record(of: node)
    return try directory.tree.isDepartment(node)
      ? directory.departments.sortOrders[record] : directory.memberships.sortOrders[record]
  }

  func withText(
    _ text: RecordColumn,
    of node: Int,
    _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let record = try directory.tree.record(of: node)
    if try directory.tree.isDepartment(node) {
      try (text == .id ? departmentIDs : departmentNames).withBytes(at: record, body)
      return
    }
    switch text {
    case .title: try titles.withBytes(at: record, body)
    case .id: try userIDs.withBytes(at: directory.memberships.user(of: record), body)
    case .name: try userNames.withBytes(at: directory.memberships.user(of: record), body)
    case .contact(let field):
      try contacts[field].withBytes(at: directory.memberships.user(of: record), body)
    default: preconditionFailure("no text of a place: \(text)")
    }
  }

  func person(at place: Int) throws -> Int { try directory.user(at: place) }

  func place(ofPerson id: String) throws -> Int? {
    guard let user = try directory.state.userIndex.row(of: id) else { return nil }
    return try leaves.nodes(of: user).first
  }

  func allPlaces(ofPersonAt place: Int) throws -> [Int] {
    try leaves.nodes(of: directory.user(at: place))
  }

  func isPrimary(_ place: Int) throws -> Bool { try directory.isPrimary(place) }

  func leads(_ place: Int) throws -> Bool {
    try directory.memberships.leads(directory.tree.record(of: place))
  }

  func withValues(
    ofPersonAt place: Int,
    _ body: (UnsafeRawBufferPointer?) throws -> Void
  ) throws {
    guard let values else { return try body(nil) }
    try values.withBytes(at: directory.user(at: place), body)
  }
}
