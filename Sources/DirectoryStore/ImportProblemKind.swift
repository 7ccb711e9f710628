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
  case unknownPersonOfDepartment
  case unknownPersonOfUser

  /// Whether only leaves can have it.
  var isAboutLeaves: Bool { self == .leavesContradict || self == .primaryTwice }

  /// Whose fields of the kind person it is about; `nil` where it is about none.
  var personsOf: RecordKind? {
    switch self {
    case .unknownPersonOfDepartment: .department
    case .unknownPersonOfUser: .user
    default: nil
    }
  }

  /// Whose rows must all be there for a verdict.
  var judgedBy: UnreadableFiles {
    switch self {
    case .unknownParent, .unknownDepartmentOfUser, .unknownDepartmentOfMembership: .departments
    case .unknownUserOfMembership, .membershipIsPrimary, .unknownPersonOfDepartment,
      .unknownPersonOfUser:
      .users
    default: []
    }
  }

  /// Selects the problems in the columns of `import_problems`.
  ///
  /// - Parameter replaces: Whether the files alone count, or also what the database holds.
  /// - Returns: SQL of a query.
  func query(replaces: Bool) -> String {
    switch self {
    case .departmentTwice:
      Self.twice(self, in: "staged_departments", key: "s.id", id: "s.id")
    case .userTwice:
      Self.twice(self, in: "staged_users", key: "s.id", id: "s.id")
    case .membershipTwice:
      Self.twice(
        self,
        in: "staged_memberships",
        key: "s.user_id, s.department_id",
        id: "s.user_id",
        other: "s.department_id"
      )
    case .unknownParent:
      Self.unknown(
        self,
        in: "staged_departments",
        id: "s.id",
        reference: "s.parent_id",
        to: "departments",
        replaces
      )
    case .unknownDepartmentOfUser:
      Self.unknown(
        self,
        in: "staged_users",
        id: "s.id",
        reference: "s.department_id",
        to: "departments",
        replaces
      )
    case .unknownDepartmentOfMembership:
      Self.unknown(
        self,
        in: "staged_memberships",
        id: "s.user_id",
        reference: "s.department_id",
        to: "departments",
        replaces
      )
    case .unknownUserOfMembership:
      Self.unknown(
        self,
        in: "staged_memberships",
        id: "s.user_id",
        reference: "s.user_id",
        to: "users",
        replaces
      )
    case .membershipIsPrimary:
      Self.primary(self, replaces)
    case .leavesContradict:
      Self.leaves(
        self,
        """
        (l.name, \(Field.columns("l.")), l.fields)
          is distinct from (p.name, \(Field.columns("p.")), p.fields)
        """
      )
    case .primaryTwice:
      Self.leaves(self, "l.is_primary and (l.file, l.line) <> (p.file, p.line)")
    case .unknownPersonOfDepartment: Self.unknownPerson(self, of: .department, replaces)
    case .unknownPersonOfUser: Self.unknownPerson(self, of: .user, replaces)
    }
  }

  func reason(id: String, other: String, replaces: Bool, lines: String) -> String {
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
    case .leavesContradict:
      "the user \(id.quoted) has different names, \(Field.list { "\($0.name)s" }) or fields on "
        + lines
    case .unknownPersonOfDepartment, .unknownPersonOfUser:
      "a declared field names the user \(other.quoted), who \(nowhere)"
    case .primaryTwice: "the user \(id.quoted) has two primary departments, on \(lines)"
    }
  }

  /// Rows whose key an earlier row has; grouping first spares sorting all of them.
  private static func twice(
    _ kind: Self,
    in table: String,
    key: String,
    id: String,
    other: String = "null"
  ) -> String {
    """
    select file, line, '\(kind.rawValue)', id, other, first_file, first_line from (
      select s.file, s.line, \(id) as id, \(other) as other,
          first_value(s.file) over same as first_file,
          first_value(s.line) over same as first_line, row_number() over same as nth
        from pg_temp.\(table) s
        where (\(key)) in
          (select \(key) from pg_temp.\(table) s group by \(key) having count(*) > 1)
        window same as (partition by \(key) order by s.file, s.line)
    ) duplicates where nth > 1
    """
  }

  /// Rows that refer to what is neither staged nor, unless it is replaced, in the database.
  ///
  /// An empty reference stands where the file had none, which its reader has told already.
  private static func unknown(
    _ kind: Self,
    in table: String,
    id: String,
    reference: String,
    to target: String,
    _ replaces: Bool
  ) -> String {
    var query = """
      select s.file, s.line, '\(kind.rawValue)', \(id), \(reference) from pg_temp.\(table) s
        where \(reference) <> ''
          and not exists (select from pg_temp.staged_\(target) t where t.id = \(reference))
      """
    if !replaces {
      query += " and not exists (select from staffbook.\(target) t where t.id = \(reference))"
    }
    return query
  }

  /// Rows with a value of the kind person that is an unknown id.
  private static func unknownPerson(
    _ kind: Self,
    of owner: RecordKind,
    _ replaces: Bool
  ) -> String {
    var query = """
      select s.file, s.line, '\(kind.rawValue)', s.id, v
        from pg_temp.staged_\(owner.plural) s
          join staffbook.fields f
            on f.of = '\(owner.rawValue)' and f.kind = 'person' and s.fields ? f.name
          cross join lateral staffbook.field_values(s.fields -> f.name) v
        where not exists (select from pg_temp.staged_users t where t.id = v)
      """
    if !replaces {
      query += " and not exists (select from staffbook.users t where t.id = v)"
    }
    return query
  }

  /// Leaves of which something holds beside the one that became the person's row.
  private static func leaves(_ kind: Self, _ condition: String) -> String {
    """
    select l.file, l.line, '\(kind.rawValue)', l.id, null, p.file, p.line
      from pg_temp.staged_leaves l join pg_temp.primary_leaves p on p.id = l.id
      where \(condition)
    """
  }

  /// Further memberships that are the primary one; a staged user has the say over the stored.
  private static func primary(_ kind: Self, _ replaces: Bool) -> String {
    var query = """
      select s.file, s.line, '\(kind.rawValue)', s.user_id, s.department_id
        from pg_temp.staged_memberships s
        where exists (select from pg_temp.staged_users u
          where u.id = s.user_id and u.department_id = s.department_id)
      """
    if !replaces {
      query += """
         union all
        select s.file, s.line, '\(kind.rawValue)', s.user_id, s.department_id
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
