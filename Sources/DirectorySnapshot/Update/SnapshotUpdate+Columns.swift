import DirectoryModel
import OutlineEngine

extension SnapshotUpdate {
  // MARK: Text

  var departmentPatches: [RowNumbering.Patch] {
    plans.departments.patches(
      changed: resolved.changedDepartments.values.map { ($0.row, $0.content) },
      additions: resolved.addedDepartments
    )
  }

  var userPatches: [RowNumbering.Patch] {
    plans.users.patches(
      changed: resolved.contentsOfUsers.lazy.filter { $0.key < stored.userCount }
        .map { ($0.key, $0.value) },
      additions: resolved.addedUsers
    )
  }

  var membershipPatches: [RowNumbering.Patch] {
    plans.memberships.patches(
      changed: resolved.changedMemberships,
      additions: resolved.addedMemberships.map(\.content)
    )
  }

  func text(
    _ old: TextRows,
    _ new: StringColumn,
    _ plan: RowNumbering,
    _ patches: [RowNumbering.Patch]
  ) -> TextPatch {
    TextPatch(old: old, new: new, plan: plan, patches: patches)
  }

  /// The columns of `RecordKind.texts`.
  func texts(of kind: RecordKind) -> [TextPatch] {
    let (old, new, plan, patches) =
      switch kind {
      case .department:
        (
          stored.departmentTexts, resolved.records.departments.texts, plans.departments,
          departmentPatches
        )
      case .user: (stored.userTexts, resolved.records.users.texts, plans.users, userPatches)
      case .membership:
        (
          stored.membershipTexts, resolved.records.memberships.texts, plans.memberships,
          membershipPatches
        )
      }
    return zip(old, new).map { text($0, $1, plan, patches) }
  }

  /// All columns of text.
  var textPatches: [TextPatch] {
    [
      text(
        stored.departmentIDs,
        resolved.records.departments.ids,
        plans.departments,
        departmentPatches
      ), text(stored.userIDs, resolved.records.users.ids, plans.users, userPatches),
    ] + RecordKind.allCases.flatMap { texts(of: $0) }
  }

  // MARK: Numbers

  /// `nil` for orders that are as they were.
  func sortOrders(
    _ old: OutlineColumn<Int64>,
    _ new: [Int64],
    _ plan: RowNumbering,
    _ patches: [RowNumbering.Patch]
  ) -> [Int64]? {
    func order(_ source: RowNumbering.Patch.Source) -> Int64 {
      switch source {
      case .old(let row): old[row]
      case .new(let content): new[content]
      }
    }
    if plan.count == plan.oldCount, patches.allSatisfy({ order($0.source) == old[$0.row] }) {
      return nil
    }
    var orders = Self.resized(old, to: plan.count)
    for patch in patches { orders[patch.row] = order(patch.source) }
    return orders
  }

  /// For each membership the row of its user.
  var membershipUsers: [UInt32] {
    let plan = plans.memberships
    var users = Self.resized(stored.membershipUsers, to: plan.count)
    for (old, row) in plan.moved { users[row] = stored.membershipUsers[old] }
    let userPlan = plans.users
    if !userPlan.moved.isEmpty {
      for row in users.indices where Int(users[row]) >= userPlan.count {
        users[row] = UInt32(userPlan.row(ofOld: Int(users[row])))
      }
    }
    // After the others: the added ones' users are renumbered already.
    for (row, membership) in zip(plan.added, resolved.addedMemberships) {
      users[row] = UInt32(userPlan.row(of: membership.user))
    }
    return users
  }

  /// Bit set over memberships.
  var primary: [UInt64] {
    let plan = plans.memberships
    var bits = Self.resized(stored.primary, to: (plan.count + 63) / 64)
    func set(_ row: Int, _ isPrimary: Bool) {
      let bit: UInt64 = 1 << UInt64(row % 64)
      if isPrimary { bits[row / 64] |= bit } else { bits[row / 64] &= ~bit }
    }
    for (old, row) in plan.moved { set(row, stored.isPrimary(old)) }
    for (row, membership) in zip(plan.added, resolved.addedMemberships) {
      set(row, membership.isPrimary)
    }
    for old in resolved.turnedPrimary { set(plan.row(ofOld: old), !stored.isPrimary(old)) }
    // Nothing is set behind the last row.
    if plan.count % 64 > 0 { bits[plan.count / 64] &= (1 << UInt64(plan.count % 64)) - 1 }
    return bits
  }

  /// Bit set over memberships that lead their departments.
  var leads: [UInt64] {
    let plan = plans.memberships
    var bits = Self.resized(stored.leadership, to: (plan.count + 63) / 64)
    for patch in membershipPatches {
      let leads =
        switch patch.source {
        case .old(let row): stored.leads(row)
        case .new(let content): resolved.records.memberships.leads[content]
        }
      let bit: UInt64 = 1 << UInt64(patch.row % 64)
      if leads { bits[patch.row / 64] |= bit } else { bits[patch.row / 64] &= ~bit }
    }
    // Nothing is set behind the last row.
    if plan.count % 64 > 0 { bits[plan.count / 64] &= (1 << UInt64(plan.count % 64)) - 1 }
    return bits
  }

  private static func resized<Element: FixedWidthInteger>(
    _ old: OutlineColumn<Element>,
    to count: Int
  ) -> [Element] {
    var elements = Array(old.prefix(count))
    elements.append(contentsOf: repeatElement(0, count: count - elements.count))
    return elements
  }

  // MARK: Indexes

  var departmentIndex: IdentifierIndex {
    Self.index(
      stored.departmentIndex,
      stored.departmentIDs,
      hash: stored.hash,
      plan: plans.departments,
      removed: resolved.removedDepartments,
      added: resolved.addedDepartments,
      in: resolved.records.departments.ids
    )
  }

  var userIndex: IdentifierIndex {
    Self.index(
      stored.userIndex,
      stored.userIDs,
      hash: stored.hash,
      plan: plans.users,
      removed: resolved.users.lazy.filter(\.isRemoved).map(\.row),
      added: resolved.addedUsers,
      in: resolved.records.users.ids
    )
  }

  /// The stored index with rows taken out, renumbered and added; rebuilt where it must grow.
  private static func index(
    _ slots: OutlineColumn<UInt64>,
    _ ids: TextRows,
    hash: SipHash13,
    plan: RowNumbering,
    removed: [Int],
    added: [Int],
    in newIDs: StringColumn
  ) -> IdentifierIndex {
    var index: IdentifierIndex
    if IdentifierIndex.capacity(for: plan.count) <= slots.count {
      index = IdentifierIndex(slots: Array(slots), hash: hash)
      for row in removed {
        ids.withBytes(at: row) { id in
          index.remove(row, id: id) { ids.withBytes(at: $0) { hash.hash($0) } }
        }
      }
      for (old, row) in plan.moved {
        ids.withBytes(at: old) { index.renumber(old, as: row, id: $0) }
      }
    } else {
      index = IdentifierIndex(count: plan.count, hash: hash)
      let removed = Set(removed)
      for old in 0..<ids.count where !removed.contains(old) {
        ids.withBytes(at: old) { index.add(plan.row(ofOld: old), id: $0) }
      }
    }
    for (row, content) in zip(plan.added, added) {
      newIDs.withBytes(at: content) { index.add(row, id: $0) }
    }
    return index
  }
}
