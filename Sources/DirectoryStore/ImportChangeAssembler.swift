import DirectoryModel

/// Makes one change of the rows that a department or a person takes in the list.
struct ImportChangeAssembler: Sendable {
  private var pending: ImportChange?
  /// Memberships of the person at hand that come and go.
  private var joined: [Post] = []
  private var left: [Post] = []

  private struct Post: Sendable {
    var place: ImportChange.Place
    /// Title, order and whether the person leads the department.
    var values: [String?]
  }

  /// The columns of the list's values.
  private static let ofDepartments: [RecordColumn] = [.name, .description, .sortOrder]
  private static let ofPeople: [RecordColumn] = [.name, .email, .phone]
  private static let ofMemberships: [RecordColumn] = [.title, .sortOrder, .leads]

  /// Takes the next row.
  ///
  /// - Returns: The change before, once the row belongs to another one.
  mutating func append(_ row: ImportChangeRow) -> ImportChange? {
    var finished: ImportChange?
    if let pending, pending.kind != row.kind || !pending.id.utf8.elementsEqual(row.id.utf8) {
      finished = finish()
    }
    if pending == nil { pending = start(row) }
    if let place = row.membership { take(row, in: place) } else { takeValues(of: row) }
    return finished
  }

  /// The last change, if there is one.
  mutating func finish() -> ImportChange? {
    guard var change = pending.take() else { return nil }
    settleMain(&change)
    change.joined = joined.map(\.place)
    change.left = left.map(\.place)
    joined = []
    left = []
    return change
  }

  private func start(_ row: ImportChangeRow) -> ImportChange {
    ImportChange(
      kind: row.kind,
      action: row.action,
      id: row.id,
      name: row.name,
      from: row.from,
      to: row.to
    )
  }

  private mutating func takeValues(of row: ImportChangeRow) {
    let columns = row.kind == .department ? Self.ofDepartments : Self.ofPeople
    for (index, column) in columns.enumerated() {
      pending?.note(column, row.old(index), row.new(index))
    }
    pending?.note(fieldsOf: row.old(columns.count), row.new(columns.count))
  }

  private mutating func take(_ row: ImportChangeRow, in place: ImportChange.Place) {
    switch row.rowAction {
    case .added:
      joined.append(Post(place: place, values: Self.ofMemberships.indices.map { row.new($0) }))
    case .removed:
      left.append(Post(place: place, values: Self.ofMemberships.indices.map { row.old($0) }))
    case .changed, .moved:
      for (index, column) in Self.ofMemberships.enumerated() {
        pending?.note(column, in: place, row.old(index), row.new(index))
      }
    }
  }

  /// A move says already that the new main department is joined and the old one left; what is
  /// left to say is what else differs between the two.
  private mutating func settleMain(_ change: inout ImportChange) {
    guard change.kind == .user else { return }
    let new = take(change.to, from: &joined)
    guard change.hasMoved else { return }
    let old = take(change.from, from: &left)
    guard let new, let old else { return }
    for (index, column) in Self.ofMemberships.enumerated() {
      change.note(column, in: change.to, old.values[index], new.values[index])
    }
  }

  private func take(_ place: ImportChange.Place?, from posts: inout [Post]) -> Post? {
    guard let index = posts.firstIndex(where: { $0.place.id == place?.id }) else { return nil }
    return posts.remove(at: index)
  }
}

extension ImportChange {
  /// Notes a value that differs; what is new or gone as a whole has no such values.
  fileprivate mutating func note(
    _ column: RecordColumn,
    in department: Place? = nil,
    _ old: String?,
    _ new: String?
  ) {
    guard let old, let new, !old.utf8.elementsEqual(new.utf8) else { return }
    values.append(Value(field: .init(column), department: department, old: old, new: new))
  }

  /// Notes the declared fields whose values differ.
  fileprivate mutating func note(fieldsOf old: String?, _ new: String?) {
    guard let old, let new, !old.utf8.elementsEqual(new.utf8) else { return }
    let (before, now) = (Self.values(old), Self.values(new))
    for name in now.names(differingFrom: before) {
      values.append(
        Value(
          field: .init(rawValue: name),
          old: before.values?[name]?.line ?? "",
          new: now.values?[name]?.line ?? ""
        )
      )
    }
  }

  private static func values(_ text: String) -> FieldValues {
    text == "{}" ? .none : FieldValues(canonical: text)
  }
}
