import DirectoryModel
import LibPQ

/// Finds out which records the people of a list are, and lets staged rows have the ids in the
/// database.
///
///     import_matches   alias, id, reason, is_sure      the list's id, the record's, why, and whether nobody doubts
///     import_told      alias, id, reason, outcome, …   what a person may want to read of them
///     import_renames   former, latter                  records that get the list's id in the end
///     import_left      alias, id                       people who left, by the list's word
///     import_units     alias, id                       departments with other ids in the list
///
/// What is certain is matched first, key after key, and only where it fits one person on both sides;
/// any other partial match is doubtful, unless more speaks against it (`ImportEvidence`). People who were
/// removed are thought of only if no present person fits.
struct ImportMatching: Sendable {
  let source: ListSource
  let decisions: [MatchDecision]
  /// Whether people whom the list has no more leave, so that they may be there under another name.
  let replaces: Bool

  /// What matching came to.
  struct Outcome: Sendable {
    /// People about whom the user has to decide.
    var doubts: [ListMatch] = []
    /// New people whom the list puts in no department.
    var homeless = HomelessPeople()
    /// References to people who left, by the list's word, which are left out; with the first ones.
    var references = DroppedReferences()
    /// New people whose id a record of another person has.
    var taken: [ListMatch] = []
    /// People who come back, and get back what was theirs.
    var returning = 0
    /// Doubtful matches that were taken, since the mapping says so.
    var guessed = GuessedMatches()
    /// People who were removed here, and stay away.
    var dismissed = GuessedMatches()
  }

  /// - Complexity: Linear in the rows of files and of the directory, by hashing.
  func run(_ connection: inout PGConnection) throws(StoreFailure) -> Outcome {
    try connection.script(Self.tables)
    try connection.perform("analyze pg_temp.staged_users")
    try takeKnownDepartments(&connection)
    try takeNamedDepartments(&connection)
    try takeDecisions(&connection)
    try matchKnownIDs(&connection)
    var outcome = Outcome()
    if try findCandidates(&connection) {
      try findPairs(&connection)
      for isRemoved in [false, true] {
        for rank in rules.indices { try match(rank, isRemoved: isRemoved, &connection) }
        if !isRemoved { try dropWeakPairs(&connection) }
        outcome.guessed.add(try decide(isRemoved: isRemoved, &connection))
      }
      outcome.doubts = try doubts(&connection)
      outcome.doubts += try removedHere(&connection)
      guard outcome.doubts.isEmpty else { return outcome }
      outcome.dismissed = try dismissRemovedHere(&connection)
    }
    outcome.taken = try takenIDs(&connection)
    guard outcome.taken.isEmpty else { return outcome }
    try findRenamedDepartments(&connection)
    try tell(&connection)
    outcome.references = try rewrite(&connection)
    try bringBack(&connection)
    outcome.returning = try ImportReturning(source: source).find(&connection)
    outcome.homeless = try findHomes(&connection)
    return outcome
  }

  private static let tables = """
    create temporary table import_matches (
      alias text collate "C" not null, id text collate "C" not null, reason text not null,
      is_sure boolean not null default true
    ) on commit drop;
    create temporary table import_refusals (
      alias text collate "C" not null, id text collate "C" not null
    ) on commit drop;
    """

  private static let unmatched = """
    not exists (select from pg_temp.import_matches m where m.alias = s.id)
    """

  private func takeDecisions(_ connection: inout PGConnection) throws(StoreFailure) {
    guard !decisions.isEmpty else { return }
    let same = decisions.filter(\.isSame)
    try connection.perform(
      """
      insert into pg_temp.import_matches
        select d.alias, d.id, d.reason from unnest($1::text[], $2::text[], $3::text[])
            d(alias, id, reason)
          where d.alias collate "C" in (select s.id from pg_temp.staged_users s)
      """,
      [
        .textArray(same.map(\.id)), .textArray(same.map(\.recordedID)),
        .textArray(same.map(\.reason.rawValue)),
      ]
    )
    // Whoever was removed here is the same person, and comes back or stays away.
    let other = decisions.filter { !$0.isSame && $0.reason != .removedHere }
    try connection.perform(
      "insert into pg_temp.import_refusals select * from unnest($1::text[], $2::text[])",
      [.textArray(other.map(\.id)), .textArray(other.map(\.recordedID))]
    )
  }

  /// Nearly everybody of a list is known from the month before: by the name, though a date of birth may
  /// be corrected, or by the address.
  private func matchKnownIDs(_ connection: inout PGConnection) throws(StoreFailure) {
    let isEqual = "(s.name = u.name or s.email <> '' and lower(s.email) = lower(u.email))"
    let isOtherBirthday = ImportEvidence.isOtherBirthday(
      "s.fields ->> 'birthday'",
      "u.fields ->> 'birthday'"
    )
    try connection.perform(
      """
      insert into pg_temp.import_matches
        select distinct on (r.id) s.id, r.id, 'known'
          from pg_temp.staged_users s
            join staffbook.source_records r
              on r.source = $1 and r.kind = 'user' and r.alias = s.id
            join staffbook.users u on u.id = r.id
          where (s.name = u.name and not (\(isOtherBirthday) and \(ImportEvidence.isOtherMailbox("u")))
              or (\(isEqual) or \(ImportEvidence.isPartOfName("u"))) and not \(isOtherBirthday))
            and \(Self.unmatched)
            and not exists (select from pg_temp.import_matches m where m.id = r.id)
          order by r.id
      """,
      [.text(source.name)]
    )
    guard source.keys.contains(.id) else { return }
    try connection.perform("analyze pg_temp.import_matches")
    try connection.perform(
      """
      insert into pg_temp.import_matches
        select distinct on (u.id) s.id, u.id, 'id'
          from pg_temp.staged_users s join staffbook.users u on u.id = s.id
          where \(isEqual) and not \(isOtherBirthday) and \(Self.unmatched)
            and not exists (select from pg_temp.import_matches m where m.id = u.id)
          order by u.id
      """
    )
  }

  private static func columns(_ id: String, _ values: (String) -> String) -> String {
    """
    \(id) as id, \(values("name")) as name, lower(coalesce(\(values("email")), '')) as email,
      \(values("number")) as number, \(values("birthday")) as birthday, \(values("joined")) as joined,
      \(ImportEvidence.digits(values("phone"))) as phone,
      \(ImportEvidence.digits(values("mobile"))) as mobile,
      case when \(id) ~ '^[0-9]+$' then ltrim(\(id), '0') end as digits,
      lower(case when strpos(\(values("name")), ',') > 0 then split_part(\(values("name")), ',', 1)
        else regexp_replace(\(values("name")), '^.* ', '') end) as last,
      lower(split_part(regexp_replace(\(values("name")), '^[^,]*, *|^(\\S{2,}\\. +)+', ''), ' ', 1)) as first
    """
  }

  private static func ofRow(_ table: String) -> (String) -> String {
    { value in
      switch value {
      case "number": "\(table).fields ->> 'employee_number'"
      case "birthday", "joined", "mobile": "\(table).fields ->> '\(value)'"
      default: "\(table).\(value)"
      }
    }
  }

  /// Who is not matched yet: of the list, and of the records, those of removed people included.
  ///
  /// - Returns: Whether there is anybody of the list.
  private func findCandidates(_ connection: inout PGConnection) throws(StoreFailure) -> Bool {
    try connection.perform("analyze pg_temp.import_matches")
    let count = try connection.perform(
      """
      create temporary table import_open on commit drop as
        select \(Self.columns("s.id", Self.ofRow("s"))), s.department_id, s.title, s.has_left
          from pg_temp.staged_users s where \(Self.unmatched)
      """
    )
    guard count > 0 else { return false }
    let past: (String) -> String = { value in
      switch value {
      case "number": "c.before -> 'fields' ->> 'employee_number'"
      case "birthday", "joined", "mobile": "(c.before -> 'fields' ->> '\(value)')"
      default: "(c.before ->> '\(value)')"
      }
    }
    try connection.perform(
      """
      create temporary table import_candidates on commit drop as
        select \(Self.columns("u.id", Self.ofRow("u"))), u.primary_department_id as department_id,
            false as is_removed, false as is_long_gone,
            not exists (select from staffbook.source_records r where r.kind = 'user' and r.id = u.id)
              as is_free,
            null::text collate "C" as alias, null::jsonb as said
          from staffbook.users u
          where not exists (select from pg_temp.import_matches m where m.id = u.id)
        union all
        (select distinct on (c.key1) \(Self.columns("c.key1", past)),
            c.before ->> 'primary_department_id', true, coalesce((select t.at < now() - interval '1 year'
              from staffbook.transactions t where t.number = c.transaction), false), false, null, null
          from staffbook.changes c
          where c.kind = 'user' and c.after is null and c.before is not null
            and not c.is_forgotten and c.key1 <> ''
            and not exists (select from staffbook.users u where u.id = c.key1)
            and not exists (select from pg_temp.import_matches m where m.id = c.key1)
            and not exists (select from staffbook.users u where u.identity = c.identity)
            and not exists (select from staffbook.changes l
              where l.kind = 'user' and l.identity = c.identity and l.after is null
                and l.place > c.place)
          order by c.key1, c.place desc)
      """
    )
    try connection.perform(
      """
      update pg_temp.import_candidates p
        set alias = r.alias, said = case when r.is_owner and r.left_at is null then r.hashes end
        from staffbook.source_records r
        where r.source = $1 and r.kind = 'user' and r.id = p.id
      """,
      [.text(source.name)]
    )
    try ImportEvidence.dropCommonValues(&connection)
    try connection.perform("analyze pg_temp.import_open, pg_temp.import_candidates")
    return true
  }

  private struct Rule {
    var reason: ListMatch.Reason
    /// Joins the list's `s` with the record's `p`.
    var condition: String
    /// What makes it certain.
    var proof: String
    /// Whether it is little unless the list has new numbers for most people.
    var weakness = "false"
    /// What speaks so much against it that no one is asked.
    var objection = "\(ImportEvidence.isOtherBirthday) and lower(s.name) <> lower(p.name)"
  }

  /// In the order of certainty.
  private var rules: [Rule] {
    let proof = ImportEvidence.isSame
    let isBySameID = source.keys.contains(.id)
    var rules = [
      Rule(
        reason: .known,
        condition: "p.alias = s.id" + (isBySameID ? " and p.id <> s.id" : ""),
        proof: proof,
        objection: "false"
      )
    ]
    for key in source.keys {
      switch key {
      case .id:
        rules += [
          Rule(reason: .id, condition: "p.id = s.id", proof: proof, objection: "false"),
          Rule(reason: .zeros, condition: "p.digits = s.digits and p.id <> s.id", proof: proof),
        ]
      case .number:
        rules += [
          Rule(reason: .number, condition: "p.number = s.number", proof: proof),
          Rule(reason: .number, condition: "p.number = s.id", proof: proof),
        ]
      case .email:
        rules.append(
          Rule(
            reason: .email,
            condition: "p.email = s.email and s.email <> ''",
            proof: ImportEvidence.isSameOfAddress
          )
        )
      case .name: rules += rulesOfNames
      }
    }
    // Somebody who marries keeps number, first name and work, though the department may be renamed at
    // once; that is told.
    rules.append(
      Rule(
        reason: .firstNameAndPlace,
        condition: """
          ltrim(p.alias, '0') = ltrim(s.id, '0') and p.first = s.first
            and \(Self.isSaid("title", "title")) and s.title <> ''
            and (\(Self.isSaid("department", "department_id"))
              or not exists (select from staffbook.departments d where d.id = s.department_id)
                and not exists (
                  select from pg_temp.staged_departments d where d.id = p.department_id))
          """,
        proof: "true",
        objection: "p.is_removed or \(ImportEvidence.isContradicted)"
      )
    )
    return rules
  }

  private var rulesOfNames: [Rule] {
    var rules = [
      Rule(
        reason: .birthday,
        condition: "p.last = s.last and p.birthday = s.birthday",
        proof: "lower(p.name) = lower(s.name)",
        objection: ImportEvidence.areTwins
      ),
      Rule(
        reason: .department,
        condition: """
          p.last = s.last and p.department_id = s.department_id and left(p.first, 1) = left(s.first, 1)
          """,
        proof: ImportEvidence.isSameByHand,
        objection: ImportEvidence.areNamesakes
      ),
    ]
    guard replaces else { return rules }
    // A person whom the list no longer has may have married and been given another number. Of everybody
    // who ever left, somebody has the first name and the work of each who joins.
    rules += [
      Rule(
        reason: .firstNameAndBirthday,
        condition: """
          p.said is not null and p.first = s.first and p.birthday = s.birthday
            and left(s.birthday, 2) <> '--'
          """,
        proof: "false",
        objection: "p.is_removed and not \(ImportEvidence.isSupported)"
      ),
      Rule(
        reason: .firstNameAndPlace,
        condition: """
          p.first = s.first and \(Self.isSaid("department", "department_id"))
            and \(Self.isSaid("title", "title")) and s.title <> ''
          """,
        proof: "false",
        weakness: "not \(ImportEvidence.isSupported)",
        objection: """
          p.is_removed or \(ImportEvidence.isOtherBirthday) or \(ImportEvidence.isOtherStart)
          """
      ),
    ]
    return rules
  }

  /// Whether the list said the same of a value last.
  private static func isSaid(_ value: String, _ column: String) -> String {
    "p.said ->> '\(value)' = hashtextextended(s.\(column), 0)::text"
  }

  /// Everyone of the list with everyone recorded whom a rule fits.
  private func findPairs(_ connection: inout PGConnection) throws(StoreFailure) {
    let pairs = rules.enumerated().map { rank, rule in
      """
      select s.id as alias, s.name, s.has_left, p.id, p.name as recorded, p.is_removed,
          '\(rule.reason.rawValue)' as reason, \(rank) as rank, \(rule.proof) as is_certain,
          \(rule.weakness) as is_weak
        from pg_temp.import_open s join pg_temp.import_candidates p on \(rule.condition)
        where not (\(rule.objection))
      """
    }.joined(separator: " union all ")
    try connection.perform("create temporary table import_pairs on commit drop as \(pairs)")
    try connection.perform("analyze pg_temp.import_pairs")
  }

  /// Neither is matched, and no one said that they are two.
  private static func isOpen(_ pair: String) -> String {
    """
    not exists (select from pg_temp.import_matches m where m.alias = \(pair).alias)
      and not exists (select from pg_temp.import_matches m where m.id = \(pair).id)
      and not exists (select from pg_temp.import_refusals r
        where r.alias = \(pair).alias and r.id = \(pair).id)
    """
  }

  /// Pairs that may still be one person: with those who were removed, where no one else may be it.
  private static let openPairs = """
    (select p.* from pg_temp.import_pairs p where \(isOpen("p")) and not (p.is_removed and exists (
      select from pg_temp.import_pairs o
        where o.alias = p.alias and not o.is_removed and \(isOpen("o")))))
    """

  private func match(
    _ rank: Int,
    isRemoved: Bool,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    try connection.perform(
      """
      insert into pg_temp.import_matches
        select f.alias, f.id, f.reason from (
          select d.*, count(*) over (partition by d.alias) as people,
              count(*) over (partition by d.id) as rows
            from \(Self.openPairs) d
            where d.rank = $1 and d.is_removed = $2::boolean and d.is_certain) f
          where f.people = 1 and f.rows = 1
      """,
      [.int64(Int64(rank)), .bool(isRemoved)]
    )
  }

  /// Drops pairs that are only a doubt where most people have other numbers than before.
  private func dropWeakPairs(_ connection: inout PGConnection) throws(StoreFailure) {
    try connection.perform(
      """
      delete from pg_temp.import_pairs p where p.is_weak and not coalesce((
        select count(*) filter (where ltrim(m.alias, '0') <> ltrim(r.alias, '0')) * 2 > count(*)
          from pg_temp.import_matches m join staffbook.source_records r
            on r.source = $1 and r.kind = 'user' and r.id = m.id), false)
      """,
      [.text(source.name)]
    )
  }

  /// Decides on those who fit by less, where the mapping says how.
  private func decide(
    isRemoved: Bool,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> GuessedMatches {
    let doubts = """
      (select * from \(Self.openPairs) o where o.is_removed = $1::boolean and not o.has_left) d
      """
    switch source.doubts {
    case .stop: break
    case .add:
      try connection.perform(
        "insert into pg_temp.import_refusals select d.alias, d.id from \(doubts)",
        [.bool(isRemoved)]
      )
    case .match:
      // What fits several people is not guessed.
      return try guess(
        """
          select f.alias, f.id, f.reason, false from (
            select d.*, row_number() over (partition by d.alias order by d.rank) as place,
                min(d.id) over (partition by d.alias) = max(d.id) over (partition by d.alias)
                  and min(d.alias) over (partition by d.id) = max(d.alias) over (partition by d.id)
                  as is_alone
              from \(doubts)) f
            where f.place = 1 and f.is_alone
        """,
        [.bool(isRemoved)],
        &connection
      )
    }
    return GuessedMatches()
  }

  /// Anyone who fits by less and is not decided on, each with the likeliest record.
  private func doubts(_ connection: inout PGConnection) throws(StoreFailure) -> [ListMatch] {
    let found = try connection.query(
      """
      select distinct on (d.alias) d.alias, d.name, d.id, d.recorded, d.reason
        from \(Self.openPairs) d where not d.has_left order by d.alias, d.rank, d.id
      """
    )
    return (0..<found.rowCount).map { ListMatch(found, $0, outcome: .doubtful) }
  }

  /// New people cannot have the id of another person.
  private func takenIDs(_ connection: inout PGConnection) throws(StoreFailure) -> [ListMatch] {
    let found = try connection.query(
      """
      select s.id, s.name, u.id, u.name, 'id' from pg_temp.staged_users s
          join staffbook.users u on u.id = s.id
        where not s.has_left and \(Self.unmatched) order by s.id limit 20
      """
    )
    return (0..<found.rowCount).map { ListMatch(found, $0, outcome: .doubtful) }
  }
}

extension ImportMatching {
  /// An id that the list changed is a change of the person, where both had the same before and no
  /// other list goes by the former one.
  private func tell(_ connection: inout PGConnection) throws(StoreFailure) {
    try connection.perform("analyze pg_temp.import_matches")
    try connection.perform(
      """
      create temporary table import_renames on commit drop as
        select m.id as former, m.alias as latter
          from pg_temp.import_matches m join staffbook.source_records r
            on r.source = $1 and r.kind = 'user' and r.id = m.id and r.alias = m.id and r.is_owner
          where m.alias <> m.id and m.reason not in ('known', 'id', 'zeros')
            and ltrim(m.alias, '0') <> ltrim(m.id, '0')
            and exists (select from staffbook.users u where u.id = m.id)
            and not exists (select from staffbook.users u where u.id = m.alias)
            and not exists (select from staffbook.source_records o
              where o.kind = 'user' and o.id = m.id and o.source <> $1)
      """,
      [.text(source.name)]
    )
    try connection.perform(
      """
      create temporary table import_told on commit drop as
        select m.alias, s.name, m.id,
            coalesce(u.name, (select c.before ->> 'name' from staffbook.changes c
              where c.kind = 'user' and c.key1 = m.id and c.after is null
                and not exists (select from staffbook.users o where o.identity = c.identity)
                and not exists (select from staffbook.changes l where l.kind = 'user'
                  and l.identity = c.identity and l.after is null and l.place > c.place)
              order by c.place desc limit 1), s.name) as recorded,
            m.reason, m.is_sure, '{}'::text[] as regained, '{}'::text[] as lacking,
            case when u.id is null then 'returned' when n.former is not null then 'renamed'
              when m.alias <> m.id or m.reason = '\(ListMatch.Reason.firstNameAndPlace.rawValue)'
              then 'aliased' else 'adopted' end as outcome
          from pg_temp.import_matches m join pg_temp.staged_users s on s.id = m.alias
            left join staffbook.users u on u.id = m.id
            left join pg_temp.import_renames n on n.former = m.id
            left join staffbook.source_records r
              on r.source = $1 and r.kind = 'user' and r.id = m.id
          where not s.has_left
            and (u.id is null or m.reason <> 'known' and (r.id is null or m.alias <> m.id)
              or m.reason = '\(ListMatch.Reason.firstNameAndPlace.rawValue)')
      """,
      [.text(source.name)]
    )
    try connection.perform("create index on pg_temp.import_told (alias)")
  }
}

extension ListMatch {
  /// Columns: the list's id and name, the record's id and name, the reason.
  init(_ result: borrowing PGResult, _ row: Int, outcome: Outcome) {
    self.init(
      id: result.cell(0, row: row),
      name: result.cell(1, row: row),
      recordedID: result.cell(2, row: row),
      recordedName: result.cell(3, row: row),
      reason: Reason(rawValue: result.cell(4, row: row)) ?? .known,
      outcome: outcome
    )
  }
}
