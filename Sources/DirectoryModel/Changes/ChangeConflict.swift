/// Something that an edit was to change, and that is another now than the edit took for granted.
package struct ChangeConflict: Hashable, Sendable {
  /// Who made it what it is now, where history knows.
  package struct Trace: Hashable, Sendable {
    /// Who was meant to have done it, or the database's user.
    package var actor: String
    /// When: microseconds since 1970, UTC.
    package var at: Int64

    package init(actor: String, at: Int64) {
      self.actor = actor
      self.at = at
    }
  }

  package enum Cause: Hashable, Sendable {
    /// There is a record of this id already.
    case isThere
    /// The record was removed.
    case isRemoved
    /// The id is another record's now.
    case isAnother
    /// The item has another value. A membership's values are empty; `nil` is none.
    case differs(Change.Item, expected: String?, found: String?, wanted: String?)
  }

  package var kind: RecordKind
  package var id: String
  package var name: String
  package var cause: Cause
  package var trace: Trace?

  package init(kind: RecordKind, id: String, name: String, cause: Cause) {
    self.kind = kind
    self.id = id
    self.name = name
    self.cause = cause
  }
}

extension Change {
  /// What keeps the change from being made to a state of the record: of everything that it alters,
  /// whatever is neither as before nor already as afterwards.
  ///
  /// - Parameter present: The record as it is now; `nil` where it is not there.
  /// - Returns: The conflicts, in a settled order.
  package func conflicts(with present: State?) -> [ChangeConflict] {
    func conflict(_ cause: ChangeConflict.Cause) -> ChangeConflict {
      ChangeConflict(kind: kind, id: id, name: present?.name ?? name, cause: cause)
    }
    guard let before else { return present == nil ? [] : [conflict(.isThere)] }
    guard let present else { return after == nil ? [] : [conflict(.isRemoved)] }
    let (old, new) = (before.items(of: kind), after?.items(of: kind) ?? [:])
    let now = present.items(of: kind)
    var items = Set(old.keys).union(new.keys)
    // What is removed is removed with all that it has.
    if after == nil {
      items.formUnion(now.keys)
    } else {
      items = items.filter { old[$0] != new[$0] }
    }
    // A value that goes with its membership is not a matter of its own.
    items = items.filter { item in
      guard case .membershipValue(let place, _) = item else { return true }
      return new[.membership(place)] != nil && old[.membership(place)] != nil
    }
    return items.filter { now[$0] != old[$0] && (after == nil || now[$0] != new[$0]) }
      .sorted { $0.sortKey < $1.sortKey }
      .map { item in
        conflict(
          .differs(
            item,
            expected: old[item]?.text,
            found: now[item]?.text,
            wanted: new[item]?.text
          )
        )
      }
  }

  /// A change of these two states; `nil` where nothing differs.
  ///
  /// - Parameters:
  ///   - kind: `department` or `user`.
  ///   - id: The id before.
  ///   - newID: The id afterwards, where it is another.
  ///   - before: `nil` for what is added.
  ///   - after: `nil` for what is removed.
  package init?(
    _ kind: RecordKind,
    _ id: String,
    newID: String? = nil,
    from before: State?,
    to after: State?
  ) {
    let action: Action
    switch (before, after) {
    case (nil, nil): return nil
    case (nil, _?): action = .added
    case (_?, nil): action = .removed
    case (let before?, let after?):
      let hasMoved = before.primary?.id != after.primary?.id
      let isForgotten = before.isForgotten || after.isForgotten
      action = hasMoved && !isForgotten ? .moved : .changed
      if !isForgotten, newID == nil, before.items(of: kind) == after.items(of: kind) { return nil }
    }
    self.init(kind: kind, action: action, id: id, newID: newID, before: before, after: after)
  }
}

extension Change.Item {
  /// An order for people: the record's own values first.
  fileprivate var sortKey: String {
    switch self {
    case .value(let column): "0\(column.name)"
    case .field(let name): "1\(name)"
    case .primary: "2"
    case .membership(let place): "3\(place.rawValue)"
    case .membershipValue(let place, let column): "4\(place.rawValue) \(column.name)"
    }
  }
}
