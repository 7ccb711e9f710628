import DirectoryModel
import LibPQ

/// The log of a department: transactions that touched it or what was below it at their time.
///
/// A large department is in most transactions: its newest ones are found by going back from the newest of
/// all. A small one is in few: they are found by its people. Which of them is the shorter way, the first
/// few thousand transactions tell.
extension HistoryQueries {
  /// Transactions that are looked at one by one first, and at most.
  private static let windows = (first: 2_000, largest: 20_000)

  /// - Parameters:
  ///   - parameters: Three that `window` names as `$1` to `$3`, and the department's id as the fourth.
  ///   - window: What is asked of a transaction `t`.
  ///   - limit: At most so many; `nil` is all.
  ///   - connection: In a transaction, some of whose settings are others afterwards.
  /// - Returns: The newest first.
  /// - Throws: What the database says.
  static func transactions(
    below parameters: [PGParameter],
    where window: String,
    _ limit: Int?,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> [RecordedTransaction] {
    try goByIndexes(&connection)
    if try isSmall(parameters[3], &connection) == false {
      var size = windows.first
      while let limit {
        let found = try transactions(
          from: """
            (\(newest(size, where: window))) own
              join staffbook.transactions t on t.number = own.transaction
            """,
          where: "true",
          parameters,
          limit: limit,
          &connection
        )
        if found.count == limit { return found }
        // So many that the rest can be expected among them, if the older ones are like these.
        let next = size * limit * 3 / (max(found.count, 1) * 2)
        if size > windows.first || next > windows.largest { break }
        size = next
      }
    }
    return try transactions(
      from: "(\(below)) own join staffbook.transactions t on t.number = own.transaction",
      where: window,
      parameters,
      limit: limit,
      &connection
    )
  }

  /// Lets the planner read by indexes alone until the transaction ends: it takes a transaction for as
  /// large as the largest ones, knows nothing about what recursions give, and would read the whole
  /// record.
  static func goByIndexes(_ connection: inout PGConnection) throws(StoreFailure) {
    try connection.perform(
      """
      select set_config('enable_' || method, 'off', true)
        from unnest(array['hashjoin', 'mergejoin', 'seqscan']) method
      """
    )
  }

  /// Whether so few people are in a department and below it that their changes are soon read.
  private static func isSmall(
    _ department: PGParameter,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> Bool {
    let found = try connection.query(
      """
      with recursive below(id) as (
        select $1::text collate "C"
        union all
        select d.id from below b join staffbook.departments d on d.parent_id = b.id
      )
      select count(*) < 2000 from (
        select from below b join staffbook.memberships m on m.department_id = b.id limit 2000) people
      """,
      [department]
    )
    return found.bool(row: 0, column: 0) == true
  }

  /// Of the newest transactions those that touched the department $4 or what was below it, before or
  /// after.
  ///
  /// From each department that a change is about, the way goes up to the root: what stands above is what
  /// did before the first later change, or what does today. Transactions of very many changes end it.
  private static func newest(_ size: Int, where window: String) -> String {
    """
    with newest as materialized (
      select n.number, n.at from (
        select t.number, t.at,
            sum(s.total) over (order by t.at desc, t.number desc) - s.total as before
          from (select t.* from staffbook.transactions t where t.at is not null and (\(window))
              order by t.at desc, t.number desc limit \(size)) t
            cross join lateral (
              select coalesce(sum(v.n::int8), 0) as total from jsonb_each(t.counts) k
                cross join lateral jsonb_array_elements_text(k.value) v(n)) s) n
        where n.before < \(3 * size)
    )
    select n.number as transaction from newest n
      where exists (
        select from (values (n.at), (n.at - interval '1 microsecond')) moment(at)
          cross join lateral (
            select c.key1 as id from staffbook.changes c
              where c.transaction = n.number and c.kind = 'department'
            union all
            select c.key2 from staffbook.changes c
              where c.transaction = n.number and c.kind = 'membership'
            union all
            select p.department_id
              from staffbook.changes c cross join lateral (
                select m.department_id from staffbook.memberships m
                  where m.user_id = c.key1 and not exists (
                    select from staffbook.changes l
                        join staffbook.transactions o on o.number = l.transaction
                      where l.key1 = c.key1 and l.kind = 'membership'
                        and l.key2 = m.department_id and o.at > moment.at)
                union all
                select l.key2
                  from staffbook.changes l
                    join staffbook.transactions o on o.number = l.transaction
                  where l.key1 = c.key1 and l.kind = 'membership' and o.at > moment.at
                    and l.before is not null) p
              where c.transaction = n.number and c.kind = 'user'
          ) touched
        where exists (
          with recursive up(id) as (
            select touched.id
            union
            select case when later.parent is null then d.parent_id else later.parent ->> 0 end
              from up left join staffbook.departments d on d.id = up.id
                left join lateral (
                  select jsonb_build_array(l.before ->> 'parent_id') as parent
                    from staffbook.changes l
                      join staffbook.transactions o on o.number = l.transaction
                    where l.key1 = up.id and l.kind = 'department' and o.at > moment.at
                    order by l.place limit 1) later on true
              where up.id is not null and up.id <> $4
          )
          select from up where up.id = $4))
    """
  }

  /// Transactions that touched what was below the department $4 at their time.
  ///
  /// `scope` has the departments that were, each with the times between which it was, and `people`
  /// who is or was in one of them; a person counts where a membership of theirs was there then.
  private static let below = """
    with recursive scope(id, since, until) as (
      select $4::text collate "C", '-infinity'::timestamptz, 'infinity'::timestamptz
      union
      select edge.id, greatest(s.since, edge.since), least(s.until, edge.until)
        from scope s cross join lateral (
          select d.id, coalesce((select max(t.at) from staffbook.changes c
                join staffbook.transactions t on t.number = c.transaction
                where c.kind = 'department' and c.key1 = d.id), '-infinity'),
              'infinity'::timestamptz
            from staffbook.departments d where d.parent_id = s.id
          union all
          select c.id, coalesce((select max(o.at) from staffbook.changes p
                join staffbook.transactions o on o.number = p.transaction
                where p.kind = 'department' and p.key1 = c.id and p.place < c.place),
              '-infinity'), t.at
            from staffbook.former_children(s.id) c
              join staffbook.transactions t on t.number = c.transaction
        ) edge(id, since, until)
        where greatest(s.since, edge.since) <= least(s.until, edge.until)
    ), people as (
      select s.id, s.since, s.until, m.user_id from scope s
        join staffbook.memberships m on m.department_id = s.id
      union
      select s.id, s.since, s.until, c.key1 from scope s
        join staffbook.changes c
          on c.key2 = s.id and c.kind = 'membership' and c.before is not null
    )
    select c.transaction from scope s
      join staffbook.changes c on c.key1 = s.id and c.kind = 'department'
      join staffbook.transactions t on t.number = c.transaction and t.at between s.since and s.until
    union
    select c.transaction from people p
      join staffbook.changes c
        on c.key1 = p.user_id and c.kind = 'membership' and c.key2 = p.id
      join staffbook.transactions t on t.number = c.transaction and t.at between p.since and p.until
    union
    select c.transaction from people p
      join staffbook.changes c on c.key1 = p.user_id and c.kind = 'user'
      join staffbook.transactions t on t.number = c.transaction and t.at between p.since and p.until
      where coalesce(
        (select l.before is not null from staffbook.changes l
          where l.kind = 'membership' and l.key1 = p.user_id and l.key2 = p.id
            and l.place > c.place order by l.place limit 1),
        exists (select from staffbook.memberships m
          where m.user_id = p.user_id and m.department_id = p.id))
    """
}
