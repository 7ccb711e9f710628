import LibPQ

/// Makes users and memberships of leaves: a person in one department each.
enum ImportLeaves {
  /// Settles which of a person's leaves is the primary membership; all others are further ones.
  ///
  /// It is the one that the file marks, else the department that is the main one already, else the
  /// first, also of several on one line: rows lie in the order in which they were staged. So a list of everybody that does not tell leaves main departments as they are.
  ///
  /// - Complexity: A sort of the leaves.
  static func settle(_ connection: inout PGConnection) throws(StoreFailure) {
    try connection.perform("analyze pg_temp.staged_leaves")
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
        select file, line, id, department_id, name, title, email, phone, sort_order
          from pg_temp.primary_leaves
      """
    )
    try connection.perform(
      """
      insert into pg_temp.staged_memberships
        select l.file, l.line, l.id, l.department_id, l.title, l.sort_order
          from pg_temp.staged_leaves l join pg_temp.primary_leaves p on p.id = l.id
          where (l.file, l.line, l.department_id) <> (p.file, p.line, p.department_id)
      """
    )
  }
}
