import CopyFormat
import DirectoryModel
import LibPQ

/// Makes users and memberships of leaves: a person in one department each.
enum ImportLeaves {
  /// Settles which of a person's leaves is the primary membership; all others are further ones.
  ///
  /// It is the one that the file marks, else the department that is the primary one already, else the
  /// first, also of several on one line: rows lie in the order in which they were staged. So a list
  /// of everybody that does not tell leaves primary departments as they are. Where a file says of
  /// each of a person's departments that it is not the primary one, the primary one is not in the file:
  /// it stays, unless the file stands for everything.
  ///
  /// - Complexity: A sort of the leaves.
  static func settle(
    _ connection: inout PGConnection,
    replaces: Bool
  ) throws(StoreFailure) {
    try connection.perform("analyze pg_temp.staged_leaves")
    try dropPlacesThatWereLeft(&connection)
    if !replaces { try addPrimaryMembershipsElsewhere(&connection) }
    try connection.perform(
      """
      create temporary table primary_leaves on commit drop as
        select distinct on (l.id) l.*
          from pg_temp.staged_leaves l left join staffbook.users u on u.id = l.id
          order by l.id, l.is_primary is true desc,
            u.primary_department_id is not distinct from l.department_id desc,
            l.file, l.line, l.ctid
      """
    )
    try connection.perform(
      """
      insert into pg_temp.staged_users
        select file, line, id, department_id, name, title, \(Field.columns()), sort_order,
            leads, has_left, fields
          from pg_temp.primary_leaves
      """
    )
    try connection.perform(
      """
      insert into pg_temp.staged_memberships
        select l.file, l.line, l.id, l.department_id, l.title, l.sort_order, l.leads
          from pg_temp.staged_leaves l join pg_temp.primary_leaves p on p.id = l.id
          where (l.file, l.line, l.department_id) <> (p.file, p.line, p.department_id)
      """
    )
  }

  /// The user who left one department and is in another has not left: only the place is dropped,
  /// and another one may be the primary one.
  private static func dropPlacesThatWereLeft(
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    try connection.perform(
      """
      with dropped as (
        delete from pg_temp.staged_leaves l where l.has_left
          and l.id in (select id from pg_temp.staged_leaves where not has_left)
          returning l.id
      )
      update pg_temp.staged_leaves l set is_primary = null
        where not l.has_left and l.id in (select id from dropped)
      """
    )
  }

  /// Stages the stored primary membership of people of whose leaves none is the primary one.
  private static func addPrimaryMembershipsElsewhere(
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    try connection.perform(
      """
      insert into pg_temp.staged_leaves
        select l.file, l.line, l.id, u.primary_department_id, l.name, m.title,
            \(Field.columns("l.")), m.sort_order, true, m.leads, l.has_left, l.fields
          from (select distinct on (id) * from pg_temp.staged_leaves
              where id in (select id from pg_temp.staged_leaves group by id
                having bool_and(is_primary is false))
              order by id, file, line, ctid) l
            join staffbook.users u on u.id = l.id
            join staffbook.memberships m
              on m.user_id = u.id and m.department_id = u.primary_department_id
          where not exists (select from pg_temp.staged_leaves s
            where s.id = l.id and s.department_id = u.primary_department_id)
      """
    )
  }
}
