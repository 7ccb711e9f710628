import SystemPackage
import TestSupport
import Testing

/// Import, sync, tree, staff, search and export on real directories, against numbers that
/// PostgreSQL computes by itself.
@Suite("Real directories")
struct RealDataTests {
  static let sets = ["rust-team", "cn-divisions", "us-congress", "jp-councillors", "cldr-world"]

  /// Every node in preorder, by a recursive query: kind, id, level, and the path of sort keys.
  private static let nodes = """
    with recursive sibling as (
      select 'department' as kind, d.id, d.parent_id, d.name,
             array['0' || to_char(d.sort_order::numeric + 9223372036854775808,
               'FM00000000000000000000') || d.name || chr(1) || d.id] as key
        from staffbook.departments d
      union all
      select 'user', u.id, m.department_id, u.name,
             array['1' || to_char(m.sort_order::numeric + 9223372036854775808,
               'FM00000000000000000000') || u.name || chr(1) || u.id]
        from staffbook.memberships m join staffbook.users u on u.id = m.user_id
    ), node as (
      select s.kind, s.id, 0 as level, s.key as path, array[]::text[] as names, s.name
        from sibling s where s.kind = 'department' and s.parent_id is null
      union all
      select s.kind, s.id, n.level + 1, n.path || s.key, n.names || n.name, s.name
        from node n join sibling s on s.parent_id = n.id and n.kind = 'department'
    )
    """

  @Test(arguments: sets)
  func `are shown, listed, found and exported as the database has them`(
    _ name: String
  ) async throws {
    try await withBook { book in
      let folder = try TestData.directory(named: name).string
      try await book.lines("import", "--no-sync", folder)
      try await book.lines("sync")
      try await checkTree(book)
      try await checkPeople(book)
      try await checkStaff(book)
      try await checkSearch(book)
      try await checkExport(book)
    }
  }

  private func checkTree(_ book: Book) async throws {
    let expected = try book.query(
      Self.nodes + #" select kind, id, level from node order by path collate "C""#
    )
    let rows = try await book.lines("tree", "--all", "--json")
    #expect(rows.count == expected.count)
    #expect(values(of: "kind", in: rows) == expected.map { $0[0] })
    #expect(values(of: "id", in: rows) == expected.map { $0[1] })
    #expect(values(of: "level", in: rows) == expected.map { $0[2] })
  }

  /// Distinct people of every subtree.
  private func checkPeople(_ book: Book) async throws {
    let expected = try book.query(
      """
      with recursive above as (
        select id as department, id as ancestor from staffbook.departments
        union all
        select a.department, d.parent_id from above a
          join staffbook.departments d on d.id = a.ancestor where d.parent_id is not null
      ), people as (
        select a.ancestor, count(distinct m.user_id) as count
          from above a join staffbook.memberships m on m.department_id = a.department
          group by a.ancestor
      )
      select d.id, coalesce(p.count, 0) from staffbook.departments d
        left join people p on p.ancestor = d.id
      """
    )
    let rows = try await book.lines("tree", "--all", "--departments", "--json")
    let shown = Dictionary(
      zip(values(of: "id", in: rows), values(of: "people", in: rows)),
      uniquingKeysWith: { "\($0) and \($1)" }
    )
    #expect(shown == Dictionary(uniqueKeysWithValues: expected.map { ($0[0], $0[1]) }))
  }

  /// The people of the largest departments, in order, and those of their subtrees.
  private func checkStaff(_ book: Book) async throws {
    let departments = try book.query(
      """
      select department_id from staffbook.memberships group by 1 order by count(*) desc, 1 limit 3
      """
    )
    for department in departments.map({ $0[0] }) {
      let quoted = department.split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "''")
      let expected = try book.query(
        """
        select u.id from staffbook.memberships m join staffbook.users u on u.id = m.user_id
          where m.department_id = '\(quoted)'
          order by m.sort_order, u.name collate "C", u.id
        """
      )
      let rows = try await book.lines("staff", "id:\(department)", "--json")
      #expect(values(of: "id", in: rows) == expected.map { $0[0] })
      let below = try book.query(
        """
        with recursive below as (
          select id from staffbook.departments where id = '\(quoted)'
          union all
          select d.id from below b join staffbook.departments d on d.parent_id = b.id
        )
        select distinct user_id from staffbook.memberships join below on id = department_id
        """
      )
      let all = try await book.lines("staff", "id:\(department)", "-r", "--json")
      #expect(Set(values(of: "id", in: all)) == Set(below.map { $0[0] }))
      #expect(all.count == below.count)
    }
  }

  /// What PostgreSQL finds by lower() is found; ids of ten people spread over the set find them.
  private func checkSearch(_ book: Book) async throws {
    let samples = try book.query(
      """
      select id, name from staffbook.users
        where name = lower(upper(name)) or name ~ '^[ -~]+$'
        order by md5(id) limit 10
      """
    )
    for sample in samples {
      let word = String(sample[1].split(separator: " ").last ?? "")
      guard !word.isEmpty else { continue }
      let quoted = word.split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "''")
      let expected = try book.query(
        "select id from staffbook.users where position(lower('\(quoted)') in lower(name)) > 0"
      )
      let found = try await book.lines("search", "--limit", "0", "--json", word)
      let people = found.filter { $0.hasPrefix(#"{"kind":"user""#) }
      #expect(Set(expected.map { $0[0] }).isSubset(of: values(of: "id", in: people)), "\(word)")
      #expect(values(of: "id", in: people).contains(sample[0]))
    }
  }

  /// Ancestors as paths, and exports of exactly what is seen.
  private func checkExport(_ book: Book) async throws {
    let nodes = try book.query(Self.nodes + " select count(*) from node")
    let all = try await book.lines("export", "--all", "--format", "jsonl")
    #expect(String(all.count) == nodes[at: 0]?[at: 0])
    let seen = try await book.lines("tree", "--json")
    // An export's rows have more at their end: what makes the same tree again.
    let exported = try await book.lines("export", "--format", "jsonl")
    #expect(exported.count == seen.count)
    for (exported, seen) in zip(exported, seen) {
      #expect(exported.utf8.starts(with: seen.utf8.dropLast()))
      #expect(exported.contains("\"sort_order\":"))
    }
    let deepest = try book.query(
      Self.nodes
        + """
         select id, array_to_string(names, chr(31)) from node where kind = 'department'
          order by level desc, id collate "C" limit 1
        """
    )
    let found = try #require(deepest.first)
    let card = try await book.lines("show", "id:\(found[0])", "--json")
    let path = found[1].split(separator: "\u{1F}").map { "\"\($0)\"" }
    #expect(card[at: 0]?.contains("\"path\":[\(path.joined(separator: ","))]") == true)
  }
}
