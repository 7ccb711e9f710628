/// A column that a file may lack.
package enum ImportColumn: Sendable, CaseIterable {
  case departmentDescription, departmentSortOrder
  case userTitle, userEmail, userPhone, userSortOrder
  case membershipTitle, membershipSortOrder

  /// Fills the staged column of a file from the database, for rows that are there.
  func statement(file: Int) -> String { update + " and s.file = \(file)" }

  private var update: String {
    switch self {
    case .departmentDescription: Self.department("description")
    case .departmentSortOrder: Self.department("sort_order")
    case .userEmail: Self.user("email")
    case .userPhone: Self.user("phone")
    case .userTitle: Self.membership("title", of: "staged_users", user: "id")
    case .userSortOrder: Self.membership("sort_order", of: "staged_users", user: "id")
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
