import CopyFormat
import DirectoryModel
import LibPQ
import OutlineEngine

/// Finds what keeps staged rows from becoming a directory.
struct ImportCheck: Sendable {
  let files: [String]
  let replaces: Bool
  let unreadable: UnreadableFiles
  /// Whether people came as leaves, which may contradict each other.
  let hasLeaves: Bool
  let limit: Int

  func run(_ connection: inout PGConnection) throws(StoreFailure) -> ImportFindings {
    try ImportStaging.prepareForPlanning(&connection)
    try connection.perform(
      """
      create temporary table import_problems (
        file integer not null, line bigint not null, kind text not null,
        id text not null, other text, first_file integer, first_line bigint
      ) on commit drop
      """
    )
    for check in ImportProblemKind.allCases where canJudge(check) {
      try connection.perform(
        "insert into pg_temp.import_problems " + check.query(replaces: replaces)
      )
    }
    let rings = try findRings(&connection)
    let count = try connection.query("select count(*) from pg_temp.import_problems")
    let listed = try listedProblems(&connection) + rings
    return ImportFindings(
      problems: listed.sorted { $0.place < $1.place }.prefix(max(limit, 0)).map(\.problem),
      total: (count.int(row: 0, column: 0) ?? 0) + rings.count
    )
  }

  private func canJudge(_ kind: ImportProblemKind) -> Bool {
    unreadable.isDisjoint(with: kind.judgedBy) && (hasLeaves || !kind.isAboutLeaves)
  }

  private func listedProblems(
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> [LocatedProblem] {
    let result = try connection.query(
      """
      select file, line, kind, id, coalesce(other, ''), coalesce(first_file, 0),
          coalesce(first_line, 0)
        from pg_temp.import_problems order by file, line, kind limit $1::int8
      """,
      [.int64(Int64(max(limit, 0)))]
    )
    var problems: [LocatedProblem] = []
    for row in 0..<result.rowCount {
      guard let kind = ImportProblemKind(rawValue: result.cell(2, row: row)) else { continue }
      let place = InputLocation(
        file: result.int(row: row, column: 0) ?? 0,
        line: result.int(row: row, column: 1) ?? 0
      )
      let first = InputLocation(
        file: result.int(row: row, column: 5) ?? 0,
        line: result.int(row: row, column: 6) ?? 0
      )
      let id = result.cell(3, row: row)
      let reason = kind.reason(
        id: id,
        other: result.cell(4, row: row),
        replaces: replaces,
        lines: { lines(first, place, $0) }
      )
      problems.append(problem(at: place, id: id, reason))
    }
    return problems
  }

  /// Both places of what stands twice: `lines 3 and 7`, or with the file where it is another, and with
  /// what stands there.
  private func lines(
    _ first: InputLocation,
    _ second: InputLocation,
    _ names: (first: String, second: String)?
  ) -> String {
    let (one, other) = (
      names.map { " (\($0.first))" } ?? "", names.map { " (\($0.second))" } ?? ""
    )
    guard first.file != second.file else {
      return "lines \(first.line)\(one) and \(second.line)\(other)"
    }
    return "line \(first.line) of \(fileName(first.file))\(one) and line \(second.line) of "
      + fileName(second.file) + other
  }

  private func fileName(_ index: Int) -> String {
    files.indices.contains(index) ? files[index] : "file \(index + 1)"
  }

  private func problem(at place: InputLocation, id: String, _ reason: String) -> LocatedProblem {
    LocatedProblem(
      place: place,
      problem: InputProblem(
        file: fileName(place.file),
        line: place.line,
        id: id,
        reason: reason
      )
    )
  }
}

/// Where a row stands.
struct InputLocation: Hashable, Comparable {
  var file: Int
  var line: Int

  static func < (left: InputLocation, right: InputLocation) -> Bool {
    (left.file, left.line) < (right.file, right.line)
  }
}

private struct LocatedProblem {
  var place: InputLocation
  var problem: InputProblem
}

extension ImportCheck {
  /// A ring shows up to so many of its members.
  private static let shownMembers = 100

  /// Finds departments that are below themselves, once references are known to be whole.
  private func findRings(
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> [LocatedProblem] {
    try keepFirstOfDuplicates(&connection)
    try makeTree(&connection)
    let rings = LinkProblems.find(in: try parentLinks(&connection)).rings
    guard !rings.isEmpty else { return [] }
    let members = try members(of: rings.flatMap { $0 }, &connection)
    var problems: [LocatedProblem] = []
    var start = 0
    for ring in rings {
      problems.append(ringProblem(members[start..<(start + ring.count)]))
      start += ring.count
    }
    return problems
  }

  private func keepFirstOfDuplicates(
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    try connection.perform(
      """
      delete from pg_temp.staged_departments s using pg_temp.import_problems p
        where p.kind = $1 and p.file = s.file and p.line = s.line
      """,
      [.text(ImportProblemKind.departmentTwice.rawValue)]
    )
  }

  /// Numbers all departments as they would be after the import; those that only the database
  /// has are left out when rows are missing that might have changed them.
  private func makeTree(_ connection: inout PGConnection) throws(StoreFailure) {
    var departments = "select id, parent_id, file, line from pg_temp.staged_departments"
    if !replaces, !unreadable.contains(.departments) {
      departments += """
         union all
        select d.id, d.parent_id, null, null from staffbook.departments d
          where exists (select from pg_temp.staged_departments)
            and not exists (select from pg_temp.staged_departments s where s.id = d.id)
        """
    }
    try connection.perform(
      """
      create temporary table import_tree on commit drop as
        select row_number() over () - 1 as place, t.* from (\(departments)) t
      """
    )
  }

  /// Each department's parent by number; `Hierarchy.noParent` where it has none.
  private func parentLinks(
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> [Int32] {
    let count = try connection.query("select count(*) from pg_temp.import_tree")
    var parents = [Int32](repeating: Hierarchy.noParent, count: count.int(row: 0, column: 0) ?? 0)
    try connection.copyOut(
      """
      copy (select child.place, parent.place
        from pg_temp.import_tree child join pg_temp.import_tree parent
          on parent.id = child.parent_id) to stdout
      """
    ) { (line) throws(StoreFailure) in
      do throws(DirectoryError) {
        var fields = try CopyTextFields(line)
        let child = try fields.nextInt64()
        parents[Int(child)] = Int32(try fields.nextInt64())
      } catch { throw .directory(error) }
    }
    return parents
  }

  private struct Member {
    var id: String
    /// `nil` for one that is only in the database.
    var place: InputLocation?
  }

  private func members(
    of places: [Int],
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> [Member] {
    let result = try connection.query(
      """
      select t.id, t.file, t.line
        from unnest($1::int8[]) with ordinality as wanted(place, nth)
          join pg_temp.import_tree t on t.place = wanted.place
        order by wanted.nth
      """,
      [.int64Array(places.map { Int64($0) })]
    )
    var members: [Member] = []
    for row in 0..<result.rowCount {
      var place: InputLocation?
      if let file = result.int(row: row, column: 1), let line = result.int(row: row, column: 2) {
        place = InputLocation(file: file, line: line)
      }
      members.append(Member(id: result.cell(0, row: row), place: place))
    }
    return members
  }

  /// Names a ring at its first row in the files, which it has: the database alone has none.
  private func ringProblem(_ ring: ArraySlice<Member>) -> LocatedProblem {
    let end = InputLocation(file: .max, line: .max)
    let first =
      ring.indices.min { (ring[$0].place ?? end) < (ring[$1].place ?? end) } ?? ring.startIndex
    let ids = (ring[first...] + ring[..<first]).map(\.id)
    return problem(at: ring[first].place ?? end, id: ids[0], Self.ringReason(ids))
  }

  private static func ringReason(_ ids: [String]) -> String {
    guard ids.count > 1 else { return "the department \(ids[0].quoted) is its own parent" }
    var shown = ids.prefix(shownMembers).map(\.quoted)
    if ids.count > shownMembers { shown.append("…") }
    shown.append(ids[0].quoted)
    return "\(ids.count) departments form a cycle: "
      + shown.joined(separator: " → ")
  }
}
