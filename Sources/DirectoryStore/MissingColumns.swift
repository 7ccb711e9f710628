import DirectoryModel

/// Columns of one table that files lack.
package struct MissingColumns: Hashable, Sendable {
  /// Of whose rows; people's have what the person is in the primary department, too.
  let kind: RecordKind
  /// Whose columns they are.
  private let stored: RecordKind
  private let columns: [RecordColumn]

  /// Those columns of files with rows of a kind whose names are as asked for.
  package static func all(
    of kind: RecordKind,
    where isMeant: (_ name: String) -> Bool
  ) -> [MissingColumns] {
    (kind == .user ? [.user, .membership] : [kind]).compactMap { stored in
      let columns = stored.valueColumns.filter { isMeant($0.name) }
      return columns.isEmpty ? nil : MissingColumns(kind: kind, stored: stored, columns: columns)
    }
  }

  /// Fills the staged columns of files, `$1`, from the database, for rows that are there, or from other
  /// tables of the same names and columns.
  func statement(from schema: String = "staffbook.") -> String {
    let condition =
      stored == .membership
      ? "t.user_id = s.\(kind == .user ? "id" : "user_id") and t.department_id = s.department_id"
      : "t.id = s.id"
    return """
      update pg_temp.staged_\(kind.plural) s
        set \(columns.map { "\($0.name) = t.\($0.name)" }.joined(separator: ", "))
        from \(schema)\(stored.plural) t
        where \(condition) and s.file in (select unnest($1::int8[]))
      """
  }
}

/// Declared fields that files lack.
package struct MissingFields: Hashable, Sendable {
  /// Whose fields they are.
  package var owner: RecordKind
  package var names: Set<String>

  package init(of owner: RecordKind, _ names: Set<String>) {
    self.owner = owner
    self.names = names
  }

  /// Lets staged rows of files, `$1`, have the stored values of the fields `$2`, likewise.
  func statement(from schema: String = "staffbook.") -> String {
    """
    update pg_temp.staged_\(owner.plural) s
      set fields = s.fields || kept.fields
      from \(schema)\(owner.plural) t cross join lateral (
          select jsonb_object_agg(e.key, e.value) as fields from jsonb_each(t.fields) e
            where e.key = any($2::text[])
        ) kept
      where t.id = s.id and s.file in (select unnest($1::int8[])) and t.fields ?| $2::text[]
        and kept.fields is not null
    """
  }
}
