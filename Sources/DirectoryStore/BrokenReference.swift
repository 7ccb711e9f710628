import DirectoryModel
import LibPQ

/// Records that name others which are not there, as writing with constraints switched off leaves them.
package struct BrokenReference: Equatable, Sendable {
  /// What is wrong: `departments below one that does not exist`.
  package var reason: String
  /// How many records.
  package var count: Int
  /// Ids of some of them.
  package var ids: [String]

  private static let namedCount = 5

  /// Looks at every record.
  ///
  /// - Returns: What is wrong, by reason; `nil` where policies hide records from the user, so that those
  ///   who are named may only be hidden.
  /// - Complexity: Linear in the records, which the server reads.
  static func read(_ connection: inout PGConnection) throws(StoreFailure) -> [BrokenReference]? {
    let hidden = try connection.query(
      """
      select bool_or(row_security_active('staffbook.' || t.name)) from (values
        ('departments'), ('users'), ('memberships'), ('fields')) t(name)
      """
    )
    guard hidden.bool(row: 0, column: 0) == false else { return nil }
    let found = try connection.query(
      """
      select place, total, id from (
        select f.place, f.id, count(*) over (partition by f.place) as total,
            row_number() over (partition by f.place order by f.id) as number
          from (\(reasons.indices.map { "select \($0), id from (\(reasons[$0].query)) q\($0)(id)" }
            .joined(separator: " union all "))) f(place, id)) named
        where number <= \(namedCount) order by place, number
      """
    )
    var faults: [BrokenReference] = []
    for row in 0..<found.rowCount {
      let reason = reasons[found.int(row: row, column: 0) ?? 0].reason
      if faults.last?.reason != reason {
        let count = found.int(row: row, column: 1) ?? 0
        faults.append(BrokenReference(reason: reason, count: count, ids: []))
      }
      faults[faults.count - 1].ids.append(found.cell(2, row: row))
    }
    return faults
  }

  private static let reasons: [(reason: String, query: String)] = [
    (
      "departments below one that does not exist",
      """
      select d.id from staffbook.departments d where d.parent_id is not null
        and not exists (select from staffbook.departments p where p.id = d.parent_id)
      """
    ),
    (
      "departments that are below themselves",
      """
      with recursive placed(id) as (
        select d.id from staffbook.departments d where d.parent_id is null
          or not exists (select from staffbook.departments p where p.id = d.parent_id)
        union all
        select d.id from placed p join staffbook.departments d on d.parent_id = p.id
      )
      select d.id from staffbook.departments d left join placed p on p.id = d.id where p.id is null
      """
    ),
    (
      "people who are not in their primary department",
      """
      select u.id from staffbook.users u left join staffbook.memberships m
        on m.user_id = u.id and m.department_id = u.primary_department_id where m.user_id is null
      """
    ),
    (
      "memberships of people who do not exist",
      """
      select m.user_id from staffbook.memberships m
        left join staffbook.users u on u.id = m.user_id where u.id is null
      """
    ),
    (
      "memberships in departments that do not exist",
      """
      select m.user_id from staffbook.memberships m
        left join staffbook.departments d on d.id = m.department_id where d.id is null
      """
    ),
    ("people whose fields name people who do not exist", naming("user", "users")),
    ("departments whose fields name people who do not exist", naming("department", "departments")),
  ]

  private static func naming(_ owner: String, _ table: String) -> String {
    """
    select distinct r.id from staffbook.fields f join staffbook.\(table) r on r.fields ? f.name
        cross join lateral jsonb_array_elements_text(
          case jsonb_typeof(r.fields -> f.name) when 'array' then r.fields -> f.name
            else jsonb_build_array(r.fields -> f.name) end) v(person)
        left join staffbook.users u on u.id = v.person collate "C"
      where f.of = '\(owner)' and f.kind = 'person' and u.id is null
    """
  }
}
