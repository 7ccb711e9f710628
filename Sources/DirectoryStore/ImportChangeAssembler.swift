import DirectoryModel

/// Makes one change of the rows that a department or a person takes in the list.
struct ImportChangeAssembler: Sendable {
  private var pending: Change?

  /// Takes the next row.
  ///
  /// - Returns: The change before, once the row belongs to another one.
  mutating func append(_ row: ImportChangeRow) -> Change? {
    var finished: Change?
    if let pending, pending.kind != row.kind || !pending.id.utf8.elementsEqual(row.id.utf8) {
      finished = finish()
    }
    if pending == nil { pending = start(row) }
    if let place = row.membership { take(row, in: place) } else { takeValues(of: row) }
    return finished
  }

  /// The last change, if there is one.
  mutating func finish() -> Change? { pending.take() }

  private func start(_ row: ImportChangeRow) -> Change {
    let state = Change.State(name: row.name)
    return Change(
      kind: row.kind,
      action: row.action,
      id: row.id,
      before: row.action == .added ? nil : state,
      after: row.action == .removed ? nil : state
    )
  }

  private mutating func takeValues(of row: ImportChangeRow) {
    let columns = row.kind.valueColumns.indices
    if pending?.before != nil {
      pending?.before?.name = row.old(0) ?? row.name
      pending?.before?.values = columns.map { row.old($0) }
      pending?.before?.fields = Self.fields(row.old(columns.count))
      pending?.before?.primary = row.from
    }
    if pending?.after != nil {
      pending?.after?.values = columns.map { row.new($0) }
      pending?.after?.fields = Self.fields(row.new(columns.count))
      pending?.after?.primary = row.to
    }
  }

  private mutating func take(_ row: ImportChangeRow, in place: Change.Place) {
    let columns = RecordKind.membership.valueColumns.indices
    if row.rowAction != .added {
      let membership = Change.Membership(place: place, values: columns.map { row.old($0) })
      pending?.before?.memberships.append(membership)
    }
    if row.rowAction != .removed {
      let membership = Change.Membership(place: place, values: columns.map { row.new($0) })
      pending?.after?.memberships.append(membership)
    }
  }

  private static func fields(_ text: String?) -> FieldValues {
    FieldValues(canonical: text == "{}" ? "" : text ?? "")
  }
}
