import DirectoryModel
import OutlineEngine
import Platform

/// All columns of a snapshot, proved once, so that they can be read without a check and copied.
///
/// Rows and positions are what the snapshot numbers.
struct StoredDirectory: Sendable {
  let file: SnapshotFile
  let hierarchy: Hierarchy
  let nodeRecords: OutlineColumn<UInt32>

  let departmentIDs: TextRows
  /// The columns of `RecordKind.texts`.
  let departmentTexts: [TextRows]
  let departmentSortOrders: OutlineColumn<Int64>
  let departmentNodes: OutlineColumn<Int32>
  let departmentIndex: OutlineColumn<UInt64>

  let userIDs: TextRows
  /// The columns of `RecordKind.texts`.
  let userTexts: [TextRows]
  let userLeafStarts: OutlineColumn<UInt32>
  let userLeafNodes: OutlineColumn<Int32>
  let userIndex: OutlineColumn<UInt64>

  let membershipUsers: OutlineColumn<UInt32>
  /// The columns of `RecordKind.texts`.
  let membershipTexts: [TextRows]
  let membershipSortOrders: OutlineColumn<Int64>
  let primary: OutlineColumn<UInt64>
  let leadership: OutlineColumn<UInt64>

  /// The declared fields.
  let fields: [Field]
  /// Who may see whom; `nil` in an excerpt.
  let visibility: VisibilityRules?

  let hash: SipHash13
  let unplacedCount: Int

  /// - Complexity: O(bytes of the file), at about the speed of memory.
  init(_ snapshot: DirectorySnapshot) throws(SnapshotError) {
    try snapshot.verify()
    file = snapshot.file
    let departments = try snapshot.departments()
    let users = try snapshot.users()
    hierarchy = try snapshot.hierarchy()
    nodeRecords = try snapshot.column(.nodeRecords, as: UInt32.self)
    departmentIDs = try departments.ids.verified()
    departmentTexts = try snapshot.texts(of: .department, count: departments.count)
    departmentSortOrders = try snapshot.column(.departmentSortOrders, as: Int64.self)
    departmentNodes = try snapshot.column(.departmentNodes, as: Int32.self)
    departmentIndex = try snapshot.column(.departmentIndex, as: UInt64.self)
    userIDs = try users.ids.verified()
    userTexts = try snapshot.texts(of: .user, count: users.count)
    userLeafStarts = try snapshot.column(.userLeafStarts, as: UInt32.self)
    userLeafNodes = try snapshot.column(.userLeafNodes, as: Int32.self)
    userIndex = try snapshot.column(.userIndex, as: UInt64.self)
    membershipUsers = try snapshot.column(.membershipUsers, as: UInt32.self)
    membershipTexts = try snapshot.texts(of: .membership, count: membershipUsers.count)
    membershipSortOrders = try snapshot.column(.membershipSortOrders, as: Int64.self)
    primary = try snapshot.column(.membershipPrimary, as: UInt64.self)
    leadership = try snapshot.column(.membershipLeads, as: UInt64.self)
    fields = try snapshot.fields().declared
    visibility = try VisibilityDeclarations.read(file)
    hash = snapshot.hash
    unplacedCount = try snapshot.tree().unplacedCount
  }

  var departmentNames: TextRows { departmentTexts[0] }
  var userNames: TextRows { userTexts[0] }
  var departmentIdentities: TextRows { departmentTexts[departmentTexts.count - 2] }
  var userIdentities: TextRows { userTexts[userTexts.count - 2] }
  var departmentCount: Int { departmentIDs.count }
  var userCount: Int { userIDs.count }
  var membershipCount: Int { membershipUsers.count }

  // MARK: Rows by id

  /// - Complexity: O(1), expected.
  func departmentRow(of id: UnsafeRawBufferPointer) -> Int? {
    Self.row(of: id, in: departmentIDs, departmentIndex, hash)
  }

  /// - Complexity: O(1), expected.
  func userRow(of id: UnsafeRawBufferPointer) -> Int? {
    Self.row(of: id, in: userIDs, userIndex, hash)
  }

  private static func row(
    of id: UnsafeRawBufferPointer,
    in ids: TextRows,
    _ slots: OutlineColumn<UInt64>,
    _ hash: SipHash13
  ) -> Int? {
    slots.withUnsafeBufferPointer { slots in
      IdentifierIndex.row(of: id, hash: hash, slots: slots) { row in
        row < ids.count && ids.withBytes(at: row) { sameBytes($0, id) }
      }
    }
  }

  // MARK: Places

  /// Row of the department above a department; `nil` for a root.
  func parentDepartment(of row: Int) -> Int? {
    hierarchy.parent(of: Int(departmentNodes[row])).map { Int(nodeRecords[$0]) }
  }

  /// Row of the department that a leaf stands in; every leaf stands in one.
  func department(ofLeaf node: Int) -> Int {
    Int(nodeRecords[Int(hierarchy.parents[node])])
  }

  /// Positions of a user's leaves, rising.
  func leaves(of user: Int) -> Slice<OutlineColumn<Int32>> {
    userLeafNodes[Int(userLeafStarts[user])..<Int(userLeafStarts[user + 1])]
  }

  func isPrimary(_ membership: Int) -> Bool {
    primary[membership / 64] >> UInt64(membership % 64) & 1 == 1
  }

  func leads(_ membership: Int) -> Bool {
    leadership[membership / 64] >> UInt64(membership % 64) & 1 == 1
  }

  /// Row of a user's primary department; `nil` where the source names none of the user's.
  func primaryDepartment(of user: Int) -> Int? {
    leaves(of: user).first { isPrimary(Int(nodeRecords[Int($0)])) }
      .map { department(ofLeaf: Int($0)) }
  }
}

extension DirectorySnapshot {
  /// The columns of `RecordKind.texts`, proved.
  fileprivate func texts(of kind: RecordKind, count: Int) throws(SnapshotError) -> [TextRows] {
    var texts: [TextRows] = []
    for column in kind.texts {
      texts.append(try file.text(column, of: kind, count: count).verified())
    }
    return texts
  }
}

/// Whether two runs of bytes are the same.
@inline(__always)
func sameBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
  guard left.count == right.count else { return false }
  guard let a = left.baseAddress, let b = right.baseAddress else { return true }
  return memcmp(a, b, left.count) == 0
}
