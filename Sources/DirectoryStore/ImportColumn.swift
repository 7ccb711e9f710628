import DirectoryModel

/// A column that a file may lack.
package enum ImportColumn: Sendable, CaseIterable {
  case departmentDescription, departmentSortOrder
  case userTitle, userEmail, userPhone, userSortOrder, userLeads
  case membershipTitle, membershipSortOrder, membershipLeads

  /// Fills the staged column of files, `$1`, from the database, for rows that are there.
  var statement: String { update + " and s.file in (select unnest($1::int8[]))" }

  private var update: String {
    switch self {
    case .departmentDescription: Self.department("description")
    case .departmentSortOrder: Self.department("sort_order")
    case .userEmail: Self.user("email")
    case .userPhone: Self.user("phone")
    case .userTitle: Self.membership("title", of: "staged_users", user: "id")
    case .userSortOrder: Self.membership("sort_order", of: "staged_users", user: "id")
    case .userLeads: Self.membership("leads", of: "staged_users", user: "id")
    case .membershipLeads: Self.membership("leads", of: "staged_memberships", user: "user_id")
    case .membershipTitle: Self.membership("title", of: "staged_memberships", user: "user_id")
    case .membershipSortOrder:
      Self.membership("sort_order", of: "staged_memberships", user: "user_id")
    }
  }

  private static func department(_ column: String) -> String {
    """
    update pg_temp.staged_departments s set \(column) = d.\(column)
      from staffbook.departments d where d.id = s.id
    """
  }

  private static func user(_ column: String) -> String {
    """
    update pg_temp.staged_users s set \(column) = u.\(column)
      from staffbook.users u where u.id = s.id
    """
  }

  private static func membership(_ column: String, of table: String, user: String) -> String {
    """
    update pg_temp.\(table) s set \(column) = m.\(column)
      from staffbook.memberships m
      where m.user_id = s.\(user) and m.department_id = s.department_id
    """
  }
}

/// Declared fields that files lack.
package struct ImportAbsence: Hashable, Sendable {
  /// Whose fields they are.
  package var owner: RecordKind
  package var names: Set<String>

  package init(of owner: RecordKind, _ names: Set<String>) {
    self.owner = owner
    self.names = names
  }

  /// Lets staged rows of files, `$1`, have the stored values of the fields `$2`.
  var statement: String {
    """
    update pg_temp.staged_\(owner.plural) s
      set fields = s.fields || kept.fields
      from staffbook.\(owner.plural) t cross join lateral (
          select jsonb_object_agg(e.key, e.value) as fields from jsonb_each(t.fields) e
            where e.key = any($2::text[])
        ) kept
      where t.id = s.id and s.file in (select unnest($1::int8[])) and t.fields ?| $2::text[]
        and kept.fields is not null
    """
  }
}
