/// What an update does to the rows of people and departments, for those who keep something by row.
package struct RowMapping: Sendable {
  /// The rows of one table.
  package struct Table: Sendable {
    private let plan: RowNumbering
    private let removed: [Int]
    /// Old rows that stay, of which a search sees something else now.
    package let changed: [Int]

    init(_ plan: RowNumbering, removed: [Int], changed: [Int]) {
      self.plan = plan
      self.removed = removed
      self.changed = changed
    }

    /// How many rows there were.
    package var oldCount: Int { plan.oldCount }

    /// How many rows there are now.
    package var count: Int { plan.count }

    /// By old row the row it is now; all bits for one that was removed.
    ///
    /// - Complexity: O(rows).
    package func rows() -> [UInt32] {
      var rows = (0..<UInt32(plan.oldCount)).map { $0 }
      for (old, row) in plan.moved { rows[old] = UInt32(row) }
      for row in removed { rows[row] = .max }
      return rows
    }
  }

  package let departments: Table
  package let users: Table
  /// Whether all stay where they are, and no one's primary place or lead is another.
  package let keepsPlaces: Bool
}

extension SnapshotUpdate {
  /// What becomes of the stored state's rows.
  ///
  /// People count as changed whose name, contacts, titles, departments or declared fields are others,
  /// departments whose names or declared fields are.
  package var updatedRows: RowMapping {
    let known = resolved.users.prefix { $0.row < stored.userCount }
    let isSearched: ChangeSummary.Fields = [.name, .contacts, .title, .place, .declared]
    return RowMapping(
      departments: RowMapping.Table(
        plans.departments,
        removed: resolved.removedDepartments,
        changed: resolved.changedDepartments.values.lazy
          .filter { !$0.fields.isDisjoint(with: [.name, .declared]) }.map(\.row)
      ),
      users: RowMapping.Table(
        plans.users,
        removed: known.lazy.filter(\.isRemoved).map(\.row),
        changed: known.lazy.filter { !$0.isRemoved && !$0.fields.isDisjoint(with: isSearched) }
          .map(\.row)
      ),
      keepsPlaces: keepsPlaces
        && resolved.users.allSatisfy { $0.fields.isDisjoint(with: [.primary, .leads]) }
    )
  }
}
