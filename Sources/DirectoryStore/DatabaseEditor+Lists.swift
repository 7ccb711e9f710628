import DirectoryModel
import LibPQ

extension DatabaseEditor {
  /// All lists that were imported, by name.
  ///
  /// - Complexity: O(records of all lists).
  package func lists() async throws(DirectoryError) -> [StoredListSource] {
    try await look(for: .writing, "list the lists that were imported") {
      (connection) throws(StoreFailure) in
      let found = try connection.query(
        """
        select s.name, count(u.id) filter (where r.is_owner),
            count(u.id) filter (where not r.is_owner),
            coalesce((select to_char(max(f.imported_at), 'YYYY-MM-DD HH24:MI')
              from staffbook.source_files f where f.source = s.name), ''),
            array_to_string(s.fields, ' ')
          from staffbook.sources s
            left join staffbook.source_records r on r.source = s.name and r.kind = 'user'
            left join staffbook.users u on u.id = r.id
          group by s.name, s.fields order by s.name
        """
      )
      return (0..<found.rowCount).map { row in
        StoredListSource(
          name: found.cell(0, row: row),
          owned: found.int(row: row, column: 1) ?? 0,
          shared: found.int(row: row, column: 2) ?? 0,
          importedAt: found.cell(3, row: row),
          values: found.cell(4, row: row).split(separator: " ").map(String.init)
        )
      }
    }
  }

  /// - Throws: `.notFound` where there is no such list, `.badData` where the name is another's.
  package func renameList(_ name: String, to other: String) async throws(DirectoryError) {
    let doing = "rename the list \(name)"
    try await change(doing, name) { (connection) throws(StoreFailure) in
      guard (1...100).contains(other.unicodeScalars.count) else {
        throw .refusal(.badData, "cannot \(doing): a name has 1 to 100 characters")
      }
      let taken = try connection.query(
        "select from staffbook.sources where name = $1 and name <> $2",
        [.text(other), .text(name)]
      )
      guard taken.rowCount == 0 else {
        throw .refusal(
          .badData,
          "cannot \(doing): there is a list \(other) already",
          advice: "if they are the same list, first run: \(.run(["source", "remove", other]))"
        )
      }
      return try connection.perform(
        "update staffbook.sources set name = $2 where name = $1",
        [.text(name), .text(other)]
      )
    }
  }

  /// Forgets what is remembered of a list; the records that it brought stay.
  ///
  /// - Throws: `.notFound` where there is no such list.
  package func removeList(_ name: String) async throws(DirectoryError) {
    try await change("remove the list \(name)", name) { (connection) throws(StoreFailure) in
      try connection.perform("delete from staffbook.sources where name = $1", [.text(name)])
    }
  }

  private func change(
    _ doing: String,
    _ name: String,
    _ body: @escaping @Sendable (inout PGConnection) throws(StoreFailure) -> Int
  ) async throws(DirectoryError) {
    try await write(doing) { (connection) throws(StoreFailure) in
      guard try body(&connection) == 0 else { return }
      throw .refusal(
        .notFound,
        "cannot \(doing): no list of this name was imported",
        advice: "list those that were with: \(.run(["source", "list"]))"
      )
    }
  }
}
