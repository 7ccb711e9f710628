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
    if change.kind == .user, change.action != .removed { comparePosts(of: change) }
  }

  private mutating func comparePosts(of change: Change) {
    let (old, new) = (change.before?.posts ?? [], change.after?.posts ?? [])
    var joined: [Change.Post] = []
    for post in new {
      guard let former = old.first(where: { $0.place.id == post.place.id }) else {
        joined.append(post)
        continue
      }
      note(post, former)
    }
    var left = old.filter { post in !new.contains { $0.place.id == post.place.id } }
    settlePrimary(of: change, &joined, &left)
    self.joined = joined.map(\.place)
    self.left = left.map(\.place)
  }

  /// A move says already that the new primary department is joined and the old one left; what is
  /// left to say is what else differs between the two.
  private mutating func settlePrimary(
    of change: Change,
    _ joined: inout [Change.Post],
    _ left: inout [Change.Post]
  ) {
    let new = Self.take(change.to, from: &joined)
    guard change.hasMoved else { return }
    let old = Self.take(change.from, from: &left)
    if let new, let old { note(new, old) }
  }

  private static func take(_ place: Change.Place?, from posts: inout [Change.Post]) -> Change.Post?
  {
    guard let index = posts.firstIndex(where: { $0.place.id == place?.id }) else { return nil }
    return posts.remove(at: index)
  }

  private mutating func note(_ post: Change.Post, _ former: Change.Post) {
    for (column, (old, new)) in zip(
      RecordKind.membership.valueColumns,
      zip(former.values, post.values)
    ) {
      // Whoever moves away leads the former department no longer.
      note([column], column == .leads && new == "false" ? former.place : post.place, [old], [new])
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
