import CopyFormat
import DirectoryModel

/// What one row of an import can have wrong with others; rings are found apart.
enum ImportProblemKind: String, CaseIterable {
  case departmentTwice
  case unknownParent
  case userTwice
  case unknownDepartmentOfUser
  case membershipTwice
  case unknownUserOfMembership
  case unknownDepartmentOfMembership
  case membershipIsPrimary
  case leavesContradict
  case primaryTwice

  /// Whether only leaves can have it.
  var isAboutLeaves: Bool { self == .leavesContradict || self == .primaryTwice }

  /// Whose rows must all be there for a verdict.
  var judgedBy: UnreadableFiles {
    switch self {
    case .unknownParent, .unknownDepartmentOfUser, .unknownDepartmentOfMembership: .departments
    case .unknownUserOfMembership, .membershipIsPrimary: .users
    default: []
    }
  }

  /// Selects the problems in the columns of `import_problems`.
  ///
  /// - Parameter replaces: Whether the files alone count, or also what the database holds.
  /// - Returns: SQL of a query.
  func query(replaces: Bool) -> String {
    switch self {
    case .departmentTwice: twice("departments", "s.id", "s.id")
    case .userTwice: twice("users", "s.id", "s.id")
    case .membershipTwice:
      twice("memberships", "s.user_id, s.department_id", "s.user_id", "s.department_id")
    case .unknownParent: unknown("departments", "s.id", "s.parent_id", "departments", replaces)
    case .unknownDepartmentOfUser:
      unknown("users", "s.id", "s.department_id", "departments", replaces)
    case .unknownDepartmentOfMembership:
      unknown("memberships", "s.user_id", "s.department_id", "departments", replaces)
    case .unknownUserOfMembership:
      unknown("memberships", "s.user_id", "s.user_id", "users", replaces)
    case .membershipIsPrimary: primary(replaces)
    case .leavesContradict:
      leaves(
        """
        (l.name, \(Field.columns("l.")), l.fields)
          is distinct from (p.name, \(Field.columns("p.")), p.fields)
        """,
        other: "case when l.name <> p.name then length(p.name) || ':' || p.name || l.name end"
      )
    case .primaryTwice: leaves("l.is_primary and (l.file, l.line) <> (p.file, p.line)")
    }
  }

  /// - Parameters:
  ///   - id: The id of the row.
  ///   - other: What `query(replaces:)` selects as such.
  ///   - replaces: Whether the files alone count.
  ///   - lines: Both places of what stands twice, each with a name in brackets where there are two.
  /// - Returns: What is wrong.
  func reason(
    id: String,
    other: String,
    replaces: Bool,
    lines: (_ names: (first: String, second: String)?) -> String
  ) -> String {
    let names = self == .leavesContradict ? Self.names(in: other) : nil
    let lines = lines(names)
    let nowhere = replaces ? "is not in the files" : "is neither in the files nor in the database"
    return switch self {
    case .departmentTwice: "the department id \(id.quoted) is used twice, on \(lines)"
    case .userTwice:
      "the user id \(id.quoted) is used twice, on \(lines); list additional departments in "
        + "memberships.csv"
    case .membershipTwice:
      "the user \(id.quoted) is in the department \(other.quoted) twice, on \(lines)"
    case .unknownParent: "the parent department \(other.quoted) \(nowhere)"
    case .unknownDepartmentOfUser, .unknownDepartmentOfMembership:
      "the department \(other.quoted) \(nowhere)"
    case .unknownUserOfMembership: "the user \(other.quoted) \(nowhere)"
    case .membershipIsPrimary:
      "the department \(other.quoted) is already the primary department of the user \(id.quoted)"
    case .leavesContradict where names != nil:
      "\(lines) have the same \(id.allSatisfy(\.isNumber) ? "number" : "id"), \(id)"
    case .leavesContradict:
      "the user \(id.quoted) has different \(Field.list { "\($0.name)s" }) or fields on "
        + lines
    case .primaryTwice: "the user \(id.quoted) has two primary departments, on \(lines)"
    }
  }

  /// Two names of which the first has its length in front.
  private static func names(in text: String) -> (first: String, second: String)? {
    let scalars = text.unicodeScalars
    guard let colon = scalars.firstIndex(of: ":"), let length = Int(text[..<colon]) else {
      return nil
    }
    let rest = scalars[scalars.index(after: colon)...]
    return (String(rest.prefix(length)), String(rest.dropFirst(length)))
  }

  /// Rows whose key an earlier row has; grouping first spares sorting all of them.
  private func twice(
    _ table: String,
    _ key: String,
    _ id: String,
    _ other: String = "null"
  ) -> String {
    """
    select file, line, '\(rawValue)', id, other, first_file, first_line from (
      select s.file, s.line, \(id) as id, \(other) as other,
          first_value(s.file) over same as first_file,
          first_value(s.line) over same as first_line, row_number() over same as nth
        from pg_temp.staged_\(table) s
        where (\(key)) in
          (select \(key) from pg_temp.staged_\(table) s group by \(key) having count(*) > 1)
        window same as (partition by \(key) order by s.file, s.line)
    ) duplicates where nth > 1
    """
  }

  /// Rows that refer to what is neither staged nor, unless it is replaced, in the database.
  ///
  /// An empty reference stands where the file had none, which its reader has told already.
  private func unknown(
    _ table: String,
    _ id: String,
    _ reference: String,
    _ target: String,
    _ replaces: Bool
  ) -> String {
    var query = """
      select s.file, s.line, '\(rawValue)', \(id), \(reference) from pg_temp.staged_\(table) s
        where \(reference) <> ''
          and not exists (select from pg_temp.staged_\(target) t where t.id = \(reference))
      """
    if !replaces {
      query += " and not exists (select from staffbook.\(target) t where t.id = \(reference))"
    }
    return query
  }

  /// Leaves of which something holds beside the one that became the person's row.
  private func leaves(_ condition: String, other: String = "null") -> String {
    """
    select l.file, l.line, '\(rawValue)', l.id, \(other), p.file, p.line
      from pg_temp.staged_leaves l join pg_temp.primary_leaves p on p.id = l.id
      where \(condition)
    """
  }

  /// Further memberships that are the primary one; a staged user has the say over the stored.
  private func primary(_ replaces: Bool) -> String {
    var query = """
      select s.file, s.line, '\(rawValue)', s.user_id, s.department_id
        from pg_temp.staged_memberships s
        where exists (select from pg_temp.staged_users u
          where u.id = s.user_id and u.department_id = s.department_id)
      """
    if !replaces {
      query += """
         union all
        select s.file, s.line, '\(rawValue)', s.user_id, s.department_id
          from pg_temp.staged_memberships s
          where exists (select from staffbook.users u
              where u.id = s.user_id and u.primary_department_id = s.department_id)
            and not exists (select from pg_temp.staged_users u where u.id = s.user_id)
        """
    }
    return query
  }
}

extension String {
  /// The text between quotation marks, so that blanks at its ends can be seen.
  var quoted: String { "\"" + self + "\"" }
}
