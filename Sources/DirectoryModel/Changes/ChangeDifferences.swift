/// What differs between the two sides of a change.
///
/// What is added or removed as a whole has no values that differ; a new person has departments that
/// it joined.
package struct ChangeDifferences: Hashable, Sendable {
  /// A value before and after.
  package struct Value: Hashable, Sendable {
    /// A column, or a declared field, by name.
    package var field: String
    /// Where a title or an order belongs to; `nil` for what belongs to the record itself.
    package var department: Change.Place?
    package var old: String
    package var new: String

    package init(field: String, department: Change.Place? = nil, old: String, new: String) {
      self.field = field
      self.department = department
      self.old = old
      self.new = new
    }
  }

  package private(set) var values: [Value] = []
  /// Departments that a person newly belongs to, the primary one left out.
  package private(set) var joined: [Change.Place] = []
  /// Departments that a person belongs to no more, the primary one left out.
  package private(set) var left: [Change.Place] = []

  /// - Complexity: O(values), and O(memberships) squared, which are few.
  package init(of change: Change) {
    guard !change.isForgotten else { return }
    if let id = change.newID {
      values.append(Value(field: RecordColumn.id.name, old: change.id, new: id))
    }
    if let before = change.before, let after = change.after {
      note(change.kind.valueColumns, nil, before.values, after.values)
      note(before.fields, after.fields)
    }
    if change.kind == .user, change.action != .removed { compareMemberships(of: change) }
  }

  private mutating func compareMemberships(of change: Change) {
    let (old, new) = (change.before?.memberships ?? [], change.after?.memberships ?? [])
    var joined: [Change.Membership] = []
    for membership in new {
      guard let former = old.first(where: { $0.place.id == membership.place.id }) else {
        joined.append(membership)
        continue
      }
      note(membership, former)
    }
    var left = old.filter { membership in !new.contains { $0.place.id == membership.place.id } }
    settlePrimary(of: change, &joined, &left)
    self.joined = joined.map(\.place)
    self.left = left.map(\.place)
  }

  /// A move says already that the new primary department is joined and the old one left; what is
  /// left to say is what else differs between the two.
  private mutating func settlePrimary(
    of change: Change,
    _ joined: inout [Change.Membership],
    _ left: inout [Change.Membership]
  ) {
    let new = Self.take(change.to, from: &joined)
    guard change.hasMoved else { return }
    let old = Self.take(change.from, from: &left)
    if let new, let old { note(new, old) }
  }

  private static func take(_ place: Change.Place?, from memberships: inout [Change.Membership])
    -> Change.Membership?
  {
    guard let index = memberships.firstIndex(where: { $0.place.id == place?.id }) else {
      return nil
    }
    return memberships.remove(at: index)
  }

  private mutating func note(_ membership: Change.Membership, _ former: Change.Membership) {
    for (column, (old, new)) in zip(
      RecordKind.membership.valueColumns,
      zip(former.values, membership.values)
    ) {
      // A person who moves away no longer leads the former department.
      note(
        [column],
        column == .leads && new == "false" ? former.place : membership.place,
        [old],
        [new]
      )
    }
  }

  private mutating func note(
    _ columns: [RecordColumn],
    _ department: Change.Place?,
    _ old: [String?],
    _ new: [String?]
  ) {
    for (column, (old, new)) in zip(columns, zip(old, new)) {
      guard let old, let new, !old.utf8.elementsEqual(new.utf8) else { continue }
      values.append(
        Value(field: column.name, department: department, old: old, new: new)
      )
    }
  }

  private mutating func note(_ old: FieldValues, _ new: FieldValues) {
    guard old != new else { return }
    let (before, now) = (old.values ?? [:], new.values ?? [:])
    for name in new.names(differingFrom: old) {
      values.append(
        Value(field: name, old: before[name]?.line ?? "", new: now[name]?.line ?? "")
      )
    }
  }
}

extension Change {
  package var differences: ChangeDifferences { ChangeDifferences(of: self) }
}
