import DirectoryModel
import LibPQ

/// Values of people that an import changes, counted by what they are.
///
/// A value that was not there before is none, nor are people who come, come back or leave.
package struct ImportValueChanges: Hashable, Sendable {
  /// A name as in `ListSource.values`.
  package var value: String
  /// People in the files who have a value in the directory.
  package var people = 0
  /// Those of them for whom it becomes another one, or none.
  package var changed = 0
  /// Changes that give one person the value that another one had.
  package var exchanged = 0
}

/// A person of whom values change, with what the directory and the files have.
package struct ImportChangedPerson: Sendable {
  package var id: String
  package var name: String
  /// By their names; without those that are empty on both sides.
  package var values: [String: (here: String, listed: String)]

  package init(id: String, name: String, values: [String: (here: String, listed: String)]) {
    (self.id, self.name, self.values) = (id, name, values)
  }
}

/// Counts the values that a plan changes, and reads some of them.
///
///     import_value_changes   id, value, here, listed    values that become others; none is empty here
struct ImportValueChangeReader: Sendable {
  /// Changes that are too few to be a mistake of a whole column.
  static let fewest = 3

  /// Values of people that files have.
  let values: [ImportOwnership.Value]
  /// Names of fields that name people.
  let personFields: [String]
  /// Whether the files are a list.
  let hasSource: Bool

  /// - Parameter connection: In the import's transaction, with its plan.
  /// - Returns: Values of which at least `fewest` change.
  /// - Throws: When the database cannot be asked.
  /// - Complexity: Linear in what changes; linear in the rows of files if there is something to return.
  func run(_ connection: inout PGConnection) throws(StoreFailure) -> [ImportValueChanges] {
    guard !values.isEmpty else { return [] }
    try findChanges(&connection)
    try leaveOutConsequences(&connection)
    let found = try connection.query(
      """
      select c.value, count(*) filter (where c.listed = '' or c.value <> all ($1))
            + count(distinct (c.here, c.listed)) filter (where c.listed <> '' and c.value = any ($1)),
          count(*) filter (where o.here is not null)
        from pg_temp.import_value_changes c
          left join (select distinct value, here from pg_temp.import_value_changes) o
            on o.value = c.value and o.here = c.listed
        group by c.value having count(*) >= \(Self.fewest) order by c.value
      """,
      [.textArray(personFields + ["department"])]
    )
    var changes = (0..<found.rowCount).map { row in
      ImportValueChanges(
        value: found.cell(0, row: row),
        changed: found.int(row: row, column: 1) ?? 0,
        exchanged: found.int(row: row, column: 2) ?? 0
      )
    }.filter { $0.changed >= Self.fewest }
    guard !changes.isEmpty else { return [] }
    let counted = changes.compactMap { change in
      values.first { $0.name == change.value }
    }
    let totals = try connection.query(
      """
      select \(counted.map { "count(*) filter (where \($0.stored) <> '')" }.joined(separator: ", "))
        from pg_temp.staged_users s join \(ImportOwnership.stored) on u.id = s.id
      """
    )
    for index in changes.indices {
      changes[index].people = totals.int(row: 0, column: index) ?? 0
    }
    return changes
  }

  private func findChanges(_ connection: inout PGConnection) throws(StoreFailure) {
    let list = values.map { "('\($0.name)', \($0.staged), \($0.stored))" }.joined(separator: ", ")
    // Those who become former ones are in the files as they are.
    let isLeaver = """
      and not exists (select from pg_temp.import_leavers l where l.id = s.id)
      """
    try connection.perform(
      """
      create temporary table import_value_changes on commit drop as
        select s.id, e.value collate "C" as value, e.here collate "C" as here,
            coalesce(e.listed, '') collate "C" as listed
          from pg_temp.import_people p join pg_temp.staged_users s on s.id = p.id
            join \(ImportOwnership.stored) on u.id = s.id
            cross join lateral (values \(list)) e(value, listed, here)
          where p.action in ('c', 'm') and e.here <> '' and e.here is distinct from e.listed
            \(hasSource ? isLeaver : "")
      """
    )
    try connection.perform("analyze pg_temp.import_value_changes")
  }

  /// A reference to somebody who leaves has to become another one, and so has a department that goes;
  /// people who go to a new department are a department that is split.
  private func leaveOutConsequences(_ connection: inout PGConnection) throws(StoreFailure) {
    let leaves = hasSource ? "or c.here in (select l.id from pg_temp.import_leavers l)" : ""
    try connection.perform(
      """
      delete from pg_temp.import_value_changes c
        where c.value = any ($1) and (c.here not in (select u.id from staffbook.users u)
          or c.here in (select p.id from pg_temp.import_users p where p.action = 'r') \(leaves))
      """,
      [.textArray(personFields)]
    )
    try connection.perform(
      """
      delete from pg_temp.import_value_changes c
        where c.value = 'department' and (c.listed not in (select d.id from staffbook.departments d)
          or c.here in (select p.id from pg_temp.import_departments p where p.action = 'r'))
      """
    )
  }

  /// People of whom some of the values change.
  ///
  /// - Parameters:
  ///   - names: Names of the values.
  ///   - limit: The most people.
  ///   - connection: After `run`.
  /// - Returns: The first ones in the order of ids, with all their values.
  /// - Throws: When the database cannot be asked.
  func people(
    withChanged names: [String],
    atMost limit: Int,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> [ImportChangedPerson] {
    let list = values.map { "('\($0.name)', \($0.staged), \($0.stored))" }.joined(separator: ", ")
    let found = try connection.query(
      """
      select s.id, u.name, e.value, coalesce(e.here, ''), coalesce(e.listed, '')
        from (select distinct c.id from pg_temp.import_value_changes c where c.value = any ($1)
            order by c.id limit \(limit)) c
          join pg_temp.staged_users s on s.id = c.id join \(ImportOwnership.stored) on u.id = s.id
          cross join lateral (values \(list)) e(value, listed, here)
        where coalesce(e.here, '') <> '' or coalesce(e.listed, '') <> ''
        order by s.id
      """,
      [.textArray(names)]
    )
    var people: [ImportChangedPerson] = []
    for row in 0..<found.rowCount {
      let id = found.cell(0, row: row)
      if people.last.map({ $0.id.utf8.elementsEqual(id.utf8) }) != true {
        people.append(ImportChangedPerson(id: id, name: found.cell(1, row: row), values: [:]))
      }
      people[people.count - 1].values[found.cell(2, row: row)] = (
        found.cell(3, row: row), found.cell(4, row: row)
      )
    }
    return people
  }
}

extension DirectoryImporter {
  /// Values of people of which the plan changes some; see `ImportValueChanges`.
  package func valueChanges() async throws(DirectoryError) -> [ImportValueChanges] {
    precondition(state == .planned, "changes without a plan")
    guard !isEmpty, summary.users.changed + summary.users.moved >= ImportValueChangeReader.fewest
    else { return [] }
    let reader = valueChangeReader
    return try await database.run { (connection) throws(StoreFailure) in
      try reader.run(&connection)
    }
  }

  /// The first people of whom some of the values change; comes after `valueChanges`.
  package func people(
    withChanged names: [String],
    atMost limit: Int
  ) async throws(DirectoryError) -> [ImportChangedPerson] {
    let reader = valueChangeReader
    return try await database.run { (connection) throws(StoreFailure) in
      try reader.people(withChanged: names, atMost: limit, &connection)
    }
  }

  private var valueChangeReader: ImportValueChangeReader {
    var source = source ?? ListSource(name: "")
    if self.source == nil {
      source.values =
        ["name", "department", "title"] + Field.contacts.map(\.name) + fields.of(.user).map(\.name)
    }
    let values = ImportOwnership(source: source, replaces: false, fields: fields).values
    return ImportValueChangeReader(
      values: values.filter { !["sort_order", "leads"].contains($0.name) },
      personFields: fields.of(.user).filter { $0.kind == .person }.map(\.name),
      hasSource: self.source != nil
    )
  }
}
