import DirectoryModel
import OutlineEngine

/// A stored snapshot compared by content with everything read again.
///
///     let comparison = try SnapshotComparison(of: snapshot, with: tree, metadata: metadata)
///     if !comparison.summary.isEmpty { try tree.write(to: path, metadata: metadata) }
///
/// Records are matched by their ids and compared where they lie; no text is made for what is equal.
package struct SnapshotComparison: Sendable {
  /// What differs; empty when the stored snapshot says exactly what the new one would.
  package let summary: ChangeSummary

  /// Compares.
  ///
  /// - Parameters:
  ///   - old: The stored state; every byte of it is verified.
  ///   - tree: The new state.
  ///   - metadata: What the new file would say of locale and collation.
  /// - Throws: `SnapshotError.damaged`, or `.interrupted` in a cancelled task.
  /// - Complexity: O(records), expected; 8 bytes for each record.
  package init(
    of old: DirectorySnapshot,
    with tree: DirectoryTree,
    metadata: SnapshotMetadata
  ) throws(SnapshotError) {
    let comparing = ContentComparison(try StoredDirectory(old), tree)
    var summary = comparing.unchanged()
    try SnapshotError.checkCancellation()
    comparing.compareDepartments(&summary)
    comparing.compareUsers(&summary)
    try SnapshotError.checkCancellation()
    let hasSameOrder =
      old.metadata.locale == metadata.locale
      && old.metadata.collationVersion == metadata.collationVersion
    if !hasSameOrder {
      summary.differsOtherwise = true
    } else if summary.isEmpty, comparing.hasUnplaced {
      // Ids may be there twice, and reasons belong to no record.
      summary.differsOtherwise = try !comparing.isSame(old.tree())
    }
    if old.isOfFormerVersion { summary.hasOtherIdentities = true }
    summary.declaresOtherwise = comparing.declaresOtherwise
    summary.hasOtherRules = comparing.hasOtherRules
    self.summary = summary
  }
}

/// The work of a `SnapshotComparison`.
struct ContentComparison: Sendable {
  private static let none: Int32 = -1

  let stored: StoredDirectory
  let tree: DirectoryTree
  /// The stored row of each new department.
  private let departmentMatches: [Int32]
  /// Stored departments that no new one matches.
  private let removedDepartments: [Int]

  init(_ stored: StoredDirectory, _ tree: DirectoryTree) {
    self.stored = stored
    self.tree = tree
    let found = Self.match(tree.records.departments.ids, stored.departmentIDs) {
      stored.departmentRow(of: $0)
    }
    departmentMatches = found.matches
    removedDepartments = found.unmatched
  }

  /// The summary before anything is found.
  func unchanged() -> ChangeSummary {
    // *Unplaced* has no id, by which it could be found.
    let ids = stored.departmentIDs
    let unplaced = (0..<ids.count).count { ids.range(of: $0).isEmpty }
    return ChangeSummary(
      departments: stored.departmentCount - unplaced,
      users: stored.userCount,
      sides: self
    )
  }

  var declaresOtherwise: Bool { stored.fields != tree.records.fields }
  var hasOtherRules: Bool { stored.visibility != tree.records.visibility }

  var hasUnplaced: Bool { stored.unplacedCount > 0 || !tree.unplacedNodes.isEmpty }

  // MARK: Matching

  /// The stored row of each new one, `none` without, and the stored rows that no one matches.
  ///
  /// Rows mostly come in the order in which they came before, so the one behind the last match is
  /// tried before the index. A stored row is matched once.
  private static func match(
    _ new: StringColumn,
    _ old: TextRows,
    find: (UnsafeRawBufferPointer) -> Int?
  ) -> (matches: [Int32], unmatched: [Int]) {
    var matches: [Int32] = []
    matches.reserveCapacity(new.count)
    var isMatched = [Bool](repeating: false, count: old.count)
    var next = 0
    for row in 0..<new.count {
      let found = new.withBytes(at: row) { id in
        next < old.count && old.withBytes(at: next, { sameBytes($0, id) }) ? next : find(id)
      }
      if let found, !isMatched[found] {
        isMatched[found] = true
        matches.append(Int32(truncatingIfNeeded: found))
        next = found + 1
      } else {
        matches.append(none)
      }
    }
    return (matches, isMatched.indices.filter { !isMatched[$0] })
  }

  private func differs(_ new: StringColumn, _ row: Int, _ old: TextRows, _ oldRow: Int) -> Bool {
    new.withBytes(at: row) { new in old.withBytes(at: oldRow) { !sameBytes(new, $0) } }
  }

  // MARK: Departments

  func compareDepartments(_ summary: inout ChangeSummary) {
    let table = tree.records.departments
    // *Unplaced* has no id, and belongs to no record.
    for row in 0..<table.count where !table.ids.isEmpty(at: row) {
      let old = Int(departmentMatches[row])
      guard old >= 0 else {
        if table.ids.withBytes(at: row, { stored.departmentRow(of: $0) }) == nil {
          summary.add(DetectedChange(.department, .added, new: row))
        }
        continue
      }
      summary.add(departmentFields(row, old), of: .department, old: old, new: row)
    }
    for old in removedDepartments where isRemoved(department: old) {
      summary.add(DetectedChange(.department, .removed, old: old))
    }
  }

  /// Whether the id is no longer in use; ids may have been there twice.
  private func isRemoved(department old: Int) -> Bool {
    stored.departmentIDs.withBytes(at: old) { id in
      !id.isEmpty && tree.departmentIndex.row(of: id, in: tree.records.departments.ids) == nil
    }
  }

  private func departmentFields(_ row: Int, _ old: Int) -> ChangeSummary.Fields {
    let table = tree.records.departments
    var fields = ChangeSummary.Fields.texts(
      of: .department,
      table.texts,
      row,
      stored.departmentTexts,
      old
    )
    if table.sortOrders[row] != stored.departmentSortOrders[old] { fields.insert(.sortOrder) }
    let parent = parentDepartment(of: row).map { Int(departmentMatches[$0]) }
    if parent != stored.parentDepartment(of: old) { fields.insert(.place) }
    return fields
  }

  func parentDepartment(of row: Int) -> Int? {
    tree.hierarchy.parent(of: Int(tree.departmentNodes[row])).map { Int(tree.nodeRecords[$0]) }
  }

  // MARK: Users

  func compareUsers(_ summary: inout ChangeSummary) {
    let table = tree.records.users
    let found = Self.match(table.ids, stored.userIDs) { stored.userRow(of: $0) }
    for row in 0..<table.count {
      let old = Int(found.matches[row])
      guard old >= 0 else {
        if table.ids.withBytes(at: row, { stored.userRow(of: $0) }) == nil {
          summary.add(DetectedChange(.user, .added, new: row))
        }
        continue
      }
      let fields = ownFields(row, old).union(comparePlaces(row, old))
      summary.add(fields, of: .user, old: old, new: row)
    }
    for old in found.unmatched where isRemoved(user: old) {
      summary.add(DetectedChange(.user, .removed, old: old))
    }
  }

  /// Whether the id is no longer in use; ids may have been there twice.
  private func isRemoved(user old: Int) -> Bool {
    stored.userIDs.withBytes(at: old) {
      tree.userIndex.row(of: $0, in: tree.records.users.ids) == nil
    }
  }

  private func ownFields(_ row: Int, _ old: Int) -> ChangeSummary.Fields {
    .texts(of: .user, tree.records.users.texts, row, stored.userTexts, old)
  }

  func leaves(of user: Int) -> ArraySlice<Int32> {
    tree.userLeafNodes[Int(tree.userLeafStarts[user])..<Int(tree.userLeafStarts[user + 1])]
  }

  /// Row of the department that a new leaf stands in.
  func department(ofLeaf node: Int32) -> Int {
    Int(tree.nodeRecords[Int(tree.hierarchy.parents[Int(node)])])
  }

  func isPrimary(_ membership: Int) -> Bool {
    tree.primary[membership / 64] >> UInt64(membership % 64) & 1 == 1
  }

  private func comparePlaces(_ row: Int, _ old: Int) -> ChangeSummary.Fields {
    let now = leaves(of: row)
    let before = stored.leaves(of: old)
    if now.count == 1, before.count == 1, let new = now.first, let former = before.first {
      return placeFields(new, former)
    }
    return mergedFields(now, before)
  }

  /// What differs between two places in one department, or that they are in two.
  private func placeFields(_ new: Int32, _ former: Int32) -> ChangeSummary.Fields {
    guard Int(departmentMatches[department(ofLeaf: new)]) == stored.department(ofLeaf: Int(former))
    else { return [.place, .primary] }
    let row = Int(tree.nodeRecords[Int(new)])
    let old = Int(stored.nodeRecords[Int(former)])
    var fields = membershipFields(row, old)
    if isPrimary(row) != stored.isPrimary(old) { fields.insert(.primary) }
    return fields
  }

  private func membershipFields(_ row: Int, _ old: Int) -> ChangeSummary.Fields {
    let table = tree.records.memberships
    var fields = ChangeSummary.Fields.texts(
      of: .membership,
      table.texts,
      row,
      stored.membershipTexts,
      old
    )
    if table.sortOrders[row] != stored.membershipSortOrders[old] { fields.insert(.sortOrder) }
    if table.leads[row] != stored.leads(old) { fields.insert(.leads) }
    return fields
  }

  /// The same for people in several departments: both sides by department, merged.
  private func mergedFields(
    _ now: ArraySlice<Int32>,
    _ before: Slice<OutlineColumn<Int32>>
  ) -> ChangeSummary.Fields {
    let new = now.map { (department: Int(departmentMatches[department(ofLeaf: $0)]), leaf: $0) }
      .sorted { ($0.department, $0.leaf) < ($1.department, $1.leaf) }
    let old = before.map { (department: stored.department(ofLeaf: Int($0)), leaf: $0) }
      .sorted { ($0.department, $0.leaf) < ($1.department, $1.leaf) }
    var fields: ChangeSummary.Fields = []
    var (i, j) = (0, 0)
    while i < new.count, j < old.count {
      if new[i].department == old[j].department {
        fields.formUnion(placeFields(new[i].leaf, old[j].leaf))
        i += 1
        j += 1
        continue
      }
      fields.insert(.place)
      if new[i].department < old[j].department { i += 1 } else { j += 1 }
    }
    if i < new.count || j < old.count { fields.insert(.place) }
    if primaryDepartment(now) != primaryDepartment(before) { fields.insert(.primary) }
    return fields
  }

  /// Stored row of the primary department among new leaves; `none` for one that is not stored.
  private func primaryDepartment(_ leaves: ArraySlice<Int32>) -> Int? {
    leaves.first { isPrimary(Int(tree.nodeRecords[Int($0)])) }
      .map { Int(departmentMatches[department(ofLeaf: $0)]) }
  }

  private func primaryDepartment(_ leaves: Slice<OutlineColumn<Int32>>) -> Int? {
    leaves.first { stored.isPrimary(Int(stored.nodeRecords[Int($0)])) }
      .map { stored.department(ofLeaf: Int($0)) }
  }

  // MARK: All at once

  /// Whether both trees say the same in every node.
  func isSame(_ part: TreePart) throws(SnapshotError) -> Bool {
    guard tree.hierarchy.count == stored.hierarchy.count,
      part.unplacedCount == tree.unplacedNodes.count,
      tree.hierarchy.nodes.allSatisfy({ isSame(node: $0) })
    else { return false }
    for index in tree.unplacedNodes.indices {
      let unplaced = try part.unplaced(at: index)
      guard unplaced.node == Int(tree.unplacedNodes[index]),
        unplaced.reason.utf8.elementsEqual(tree.unplacedReasons[index].utf8)
      else { return false }
    }
    return true
  }

  private func isSame(node: Int) -> Bool {
    let isGroup = tree.hierarchy.isGroup(node)
    guard isGroup == stored.hierarchy.isGroup(node),
      tree.hierarchy.parents[node] == stored.hierarchy.parents[node]
    else { return false }
    let row = Int(tree.nodeRecords[node])
    let old = Int(stored.nodeRecords[node])
    if isGroup {
      let table = tree.records.departments
      return !differs(table.ids, row, stored.departmentIDs, old)
        && departmentFields(row, old).subtracting(.place).isEmpty
    }
    let user = Int(tree.membershipUsers[row])
    let oldUser = Int(stored.membershipUsers[old])
    return !differs(tree.records.users.ids, user, stored.userIDs, oldUser)
      && ownFields(user, oldUser).isEmpty && isPrimary(row) == stored.isPrimary(old)
      && membershipFields(row, old).isEmpty
  }
}
