import DirectoryModel
import OutlineEngine
import Platform
import TextRules

/// Which nodes of a stored tree leave their places, and what stands where instead.
///
/// What is renamed or given another order moves like what gets another parent: it is detached and
/// attached again among its siblings, by bisection. All others keep their order without being
/// compared.
struct TreeEdit {
  /// A department with all below it, or a leaf, to be put below a parent.
  struct Attachment {
    /// Universal row of the department; `RowChangeSet.root` for none.
    var parent: Int
    var isDepartment: Bool
    /// Universal row of the department or of the membership.
    var record: Int
    /// Universal row of the user; not used for a department.
    var user: Int
    /// Where it was; `nil` for what is new.
    var node: Int32?
    var sortOrder: Int64
  }

  /// Where attachments go that have an old parent, rising.
  struct Insertion {
    /// They go before the old node at this position, or at the end of the parent that ends here.
    var gap: Int
    /// Position of the parent; −1 for roots.
    var parent: Int
    /// Index of the attachment.
    var attachment: Int

    /// Of parents that end at one gap, the innermost is the last to begin.
    static func precedes(_ left: Insertion, _ right: Insertion) -> Bool {
      if left.gap != right.gap { return left.gap < right.gap }
      if left.parent != right.parent { return left.parent > right.parent }
      return left.attachment < right.attachment
    }
  }

  /// Bit set over old nodes: roots of what goes or is attached elsewhere.
  private(set) var detached: [UInt64]
  /// By parent, siblings in order.
  private(set) var attachments: [Attachment] = []
  private(set) var insertions: [Insertion] = []
  /// The attachments of parents that are new.
  private(set) var families: [Int: Range<Int>] = [:]

  private let resolved: RowChangeSet

  /// - Complexity: O(k log k + k log s) comparisons of names for k attachments among s siblings,
  ///   and O(siblings) steps without one.
  init(
    _ resolved: RowChangeSet,
    order: borrowing Collator
  ) {
    self.resolved = resolved
    detached = [UInt64](repeating: 0, count: (resolved.stored.hierarchy.count + 63) / 64)
    takeDepartments()
    takeUsers()
    sortAttachments(order)
    placeAttachments(order)
  }

  /// Whether every node stays where it is.
  var isEmpty: Bool { attachments.isEmpty && detached.allSatisfy { $0 == 0 } }

  func isDetached(_ node: Int) -> Bool { detached[node / 64] >> UInt64(node % 64) & 1 == 1 }

  /// The first detached node of a range; its end when there is none.
  ///
  /// - Complexity: O(nodes / 64).
  func firstDetached(in range: Range<Int>) -> Int {
    guard !range.isEmpty else { return range.upperBound }
    var word = range.lowerBound / 64
    var bits = detached[word] & ~0 << UInt64(range.lowerBound % 64)
    let last = (range.upperBound - 1) / 64
    while bits == 0, word < last {
      word += 1
      bits = detached[word]
    }
    return bits == 0
      ? range.upperBound : min(range.upperBound, word * 64 + bits.trailingZeroBitCount)
  }

  // MARK: What moves

  private mutating func detach(_ node: Int) {
    detached[node / 64] |= 1 << UInt64(node % 64)
  }

  private mutating func takeDepartments() {
    let stored = resolved.stored
    for row in resolved.removedDepartments { detach(Int(stored.departmentNodes[row])) }
    for change in resolved.changedDepartments.values
    where !change.fields.isDisjoint(with: [.name, .sortOrder, .place]) {
      let node = stored.departmentNodes[change.row]
      detach(Int(node))
      attach(department: change.row, content: change.content, node: node)
    }
    for (index, content) in resolved.addedDepartments.enumerated() {
      attach(department: stored.departmentCount + index, content: content, node: nil)
    }
  }

  private mutating func attach(department row: Int, content: Int, node: Int32?) {
    attachments.append(
      Attachment(
        parent: resolved.parent(of: row),
        isDepartment: true,
        record: row,
        user: 0,
        node: node,
        sortOrder: resolved.records.departments.sortOrders[content]
      )
    )
  }

  private mutating func takeUsers() {
    for user in resolved.users {
      for place in user.left { detach(Int(place.node)) }
      let isRenamed = user.fields.contains(.name)
      for place in user.places where place.node == nil || isRenamed || place.isReordered {
        if let node = place.node { detach(Int(node)) }
        attachments.append(
          Attachment(
            parent: place.department,
            isDepartment: false,
            record: place.membership,
            user: user.row,
            node: place.node,
            sortOrder: place.content.map { resolved.records.memberships.sortOrders[$0] }
              ?? resolved.stored.membershipSortOrders[place.membership]
          )
        )
      }
    }
  }

  // MARK: Where it goes

  private mutating func sortAttachments(_ order: borrowing Collator) {
    let siblings = SiblingKeys(resolved)
    let keyed = attachments.map { ($0, siblings.key(siblings.sibling($0), order)) }
    attachments = keyed.sorted { left, right in
      if left.0.parent != right.0.parent { return left.0.parent < right.0.parent }
      let (leftSibling, rightSibling) = (siblings.sibling(left.0), siblings.sibling(right.0))
      let order = siblings.compare(leftSibling, rightSibling) { (left.1, right.1) }
      return order < 0
    }.map(\.0)
  }

  private mutating func placeAttachments(_ order: borrowing Collator) {
    let stored = resolved.stored
    var start = 0
    while start < attachments.count {
      let parent = attachments[start].parent
      var end = start
      while end < attachments.count, attachments[end].parent == parent { end += 1 }
      if parent < stored.departmentCount {
        let node = parent == RowChangeSet.root ? -1 : Int(stored.departmentNodes[parent])
        insert(start..<end, below: node, order)
      } else {
        families[parent] = start..<end
      }
      start = end
    }
    insertions.sort(by: Insertion.precedes)
  }

  /// Finds the place of attachments among the siblings that stay.
  private mutating func insert(
    _ range: Range<Int>,
    below parent: Int,
    _ order: borrowing Collator
  ) {
    let siblings = SiblingKeys(resolved)
    let staying = stayingChildren(of: parent)
    let end =
      parent < 0
      ? resolved.stored.hierarchy.count : resolved.stored.hierarchy.subtree(of: parent).upperBound
    for attachment in range {
      let own = siblings.sibling(attachments[attachment])
      let key = siblings.key(own, order)
      let next = (0..<staying.count).partitionPoint {
        let other = siblings.sibling(ofNode: Int(staying[$0]))
        return siblings.compare(other, own) { (siblings.key(other, order), key) } < 0
      }
      insertions.append(
        Insertion(
          gap: next < staying.count ? Int(staying[next]) : end,
          parent: parent,
          attachment: attachment
        )
      )
    }
  }

  private func stayingChildren(of parent: Int) -> [Int32] {
    let hierarchy = resolved.stored.hierarchy
    var node = parent + 1
    let end = parent < 0 ? hierarchy.count : hierarchy.subtree(of: parent).upperBound
    var children: [Int32] = []
    hierarchy.ends.withUnsafeBufferPointer { ends in
      while node < end {
        if !isDetached(node) { children.append(Int32(node)) }
        node = Int(ends[node])
      }
    }
    return children
  }
}

/// What siblings are ordered by, for old nodes and for attachments alike.
private struct SiblingKeys {
  struct Sibling {
    var isDepartment: Bool
    var sortOrder: Int64
    /// Universal row of the department or user.
    var row: Int
  }

  private let stored: StoredDirectory
  private let records: DirectoryRecords
  private let resolved: RowChangeSet

  init(_ resolved: RowChangeSet) {
    self.resolved = resolved
    stored = resolved.stored
    records = resolved.records
  }

  func sibling(_ attachment: TreeEdit.Attachment) -> Sibling {
    Sibling(
      isDepartment: attachment.isDepartment,
      sortOrder: attachment.sortOrder,
      row: attachment.isDepartment ? attachment.record : attachment.user
    )
  }

  func sibling(ofNode node: Int) -> Sibling {
    let record = Int(stored.nodeRecords[node])
    guard !stored.hierarchy.isGroup(node) else {
      return Sibling(
        isDepartment: true,
        sortOrder: stored.departmentSortOrders[record],
        row: record
      )
    }
    return Sibling(
      isDepartment: false,
      sortOrder: stored.membershipSortOrders[record],
      row: Int(stored.membershipUsers[record])
    )
  }

  /// The sort key of a sibling's name.
  func key(_ sibling: Sibling, _ order: borrowing Collator) -> [UInt8] {
    var key: [UInt8] = []
    withName(sibling) { order.appendKey(of: $0, to: &key) }
    return key
  }

  /// Departments before users, then order, name and id.
  ///
  /// - Parameters:
  ///   - left: A sibling.
  ///   - right: Another one.
  ///   - keys: Their names' sort keys, asked for where nothing before them decides.
  /// - Returns: Below 0, 0 or above 0.
  func compare(
    _ left: Sibling,
    _ right: Sibling,
    keys: () -> (left: [UInt8], right: [UInt8])
  ) -> Int {
    if left.isDepartment != right.isDepartment { return left.isDepartment ? -1 : 1 }
    if left.sortOrder != right.sortOrder { return left.sortOrder < right.sortOrder ? -1 : 1 }
    let keys = keys()
    let names = keys.left.withUnsafeBytes { left in
      keys.right.withUnsafeBytes { compareBytes(left, $0) }
    }
    if names != 0 { return names }
    return withID(left) { left in withID(right) { compareBytes(left, $0) } }
  }

  private func withName<Result>(
    _ sibling: Sibling,
    _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    if sibling.isDepartment {
      if let content = resolved.content(ofDepartment: sibling.row) {
        return records.departments.names.withBytes(at: content, body)
      }
      return stored.departmentNames.withBytes(at: sibling.row, body)
    }
    if let content = resolved.contentsOfUsers[sibling.row] {
      return records.users.names.withBytes(at: content, body)
    }
    return stored.userNames.withBytes(at: sibling.row, body)
  }

  private func withID<Result>(
    _ sibling: Sibling,
    _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    if sibling.isDepartment {
      guard sibling.row >= stored.departmentCount else {
        return stored.departmentIDs.withBytes(at: sibling.row, body)
      }
      let content = resolved.addedDepartments[sibling.row - stored.departmentCount]
      return records.departments.ids.withBytes(at: content, body)
    }
    guard sibling.row >= stored.userCount else {
      return stored.userIDs.withBytes(at: sibling.row, body)
    }
    let content = resolved.addedUsers[sibling.row - stored.userCount]
    return records.users.ids.withBytes(at: content, body)
  }
}
