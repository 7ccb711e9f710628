extension Change {
  /// One thing about a record that two people may change without being in each other's way.
  package enum Item: Hashable, Sendable {
    /// A value of the record itself, its name included.
    case value(RecordColumn)
    /// A declared field.
    case field(String)
    /// The department above, or the primary one.
    case primary
    /// Whether a person is in a department.
    case membership(DepartmentID)
    /// A value of a person's membership.
    case membershipValue(DepartmentID, RecordColumn)
  }
}

extension Change.State {
  /// Everything that is known of the record, taken apart.
  package func items(of kind: RecordKind) -> [Change.Item: ItemText] {
    var items: [Change.Item: ItemText] = [:]
    for (column, value) in zip(kind.valueColumns, values) {
      if let value { items[.value(column)] = ItemText(value) }
    }
    for (name, value) in fields.values ?? [:] { items[.field(name)] = ItemText(value.line) }
    if let primary { items[.primary] = ItemText(primary.id.rawValue) }
    for membership in memberships {
      items[.membership(membership.place.id)] = ItemText("")
      for (column, value) in zip(RecordKind.membership.valueColumns, membership.values) {
        if let value { items[.membershipValue(membership.place.id, column)] = ItemText(value) }
      }
    }
    return items
  }

  /// The state after the same edit had been made to another state of the record: what differs
  /// between `before` and `after` is as in `after`, everything else stays.
  package func edited(_ before: Change.State, _ after: Change.State, of kind: RecordKind) -> Self {
    var state = self
    let (old, new) = (before.items(of: kind), after.items(of: kind))
    for (index, column) in kind.valueColumns.enumerated() {
      guard let value = new[.value(column)], old[.value(column)] != value else { continue }
      state.values[index] = value.text
      if column == .name { state.name = value.text }
    }
    state.fields = edited(fields, before.fields, after.fields)
    if before.primary?.id != after.primary?.id { state.primary = after.primary }
    state.memberships = editedMemberships(before, after, old, new)
    return state
  }

  private func edited(_ own: FieldValues, _ before: FieldValues, _ after: FieldValues)
    -> FieldValues
  {
    guard before != after else { return own }
    var values = own.values ?? [:]
    let latter = after.values ?? [:]
    for name in after.names(differingFrom: before) { values[name] = latter[name] }
    return FieldValues(values)
  }

  private func editedMemberships(
    _ before: Change.State,
    _ after: Change.State,
    _ old: [Change.Item: ItemText],
    _ new: [Change.Item: ItemText]
  ) -> [Change.Membership] {
    var memberships = memberships.filter { membership in
      let item = Change.Item.membership(membership.place.id)
      return old[item] == nil || new[item] != nil
    }
    for membership in after.memberships {
      guard let index = memberships.firstIndex(where: { $0.place.id == membership.place.id }) else {
        if old[.membership(membership.place.id)] == nil { memberships.append(membership) }
        continue
      }
      for (place, column) in RecordKind.membership.valueColumns.enumerated() {
        let item = Change.Item.membershipValue(membership.place.id, column)
        if let value = new[item], old[item] != value {
          memberships[index].values[place] = value.text
        }
      }
    }
    return memberships
  }
}

/// A value that is equal only byte for byte.
package struct ItemText: Hashable, Sendable {
  package var text: String

  package init(_ text: String) { self.text = text }

  package static func == (left: ItemText, right: ItemText) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    // At once: byte by byte takes many times as long.
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(UInt8(0xFF))
  }
}

/// A department or a person, whichever has this very id.
package struct RecordKey: Hashable, Sendable {
  package var kind: RecordKind
  private var text: ItemText

  package var id: String { text.text }

  package init(_ kind: RecordKind, _ id: String) { (self.kind, text) = (kind, ItemText(id)) }
  package init(_ change: Change) { self.init(change.kind, change.id) }

  package static func user(_ id: UserID) -> RecordKey { RecordKey(.user, id.rawValue) }
  package static func department(_ id: DepartmentID) -> RecordKey {
    RecordKey(.department, id.rawValue)
  }
}

extension Change {
  /// What it makes another, with the values before and afterwards; that a value is empty and was not there
  /// is no difference.
  package var itemsOnBothSides: [Change.Item: [ItemText?]] {
    func items(_ state: Change.State?) -> [Change.Item: ItemText] {
      (state?.items(of: kind) ?? [:]).filter { !$0.value.text.isEmpty }
    }
    let (old, new) = (items(before), items(after))
    let others = Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
    return Dictionary(uniqueKeysWithValues: others.map { ($0, [old[$0], new[$0]]) })
  }

  /// What it makes another, whatever the values are.
  package var items: Set<Change.Item> { Set(itemsOnBothSides.keys) }
}
