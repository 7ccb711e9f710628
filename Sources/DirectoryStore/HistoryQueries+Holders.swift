import DirectoryModel
import LibPQ

/// Whose an id was when a change `c` was made, and by what the record is known now.
extension HistoryQueries {
  /// Four columns: identity, the id now, and of a record that is not there the last id and the last moment.
  static let holder = "c.identity::text, live.id, last.key1, last.at"

  /// What `holder` reads, of changes of a kind.
  static func holders(of kind: RecordKind) -> String {
    """
    left join lateral (
        select r.id from staffbook.\(kind.plural) r where r.identity = c.identity) live on true
      left join lateral (
        select l.key1, \(microseconds("o.at")) - 1 as at
          from staffbook.changes l join staffbook.transactions o on o.number = l.transaction
          where l.kind = c.kind and l.identity = c.identity and l.after is null
          order by l.place desc limit 1) last on live.id is null
    """
  }

  /// A term out of an id, its end, and the columns of `holder`.
  ///
  /// - Returns: `nil` where the identity is not known.
  static func term(
    of kind: RecordKind,
    _ found: borrowing PGResult,
    row: Int,
    holder column: Int
  ) -> FormerHolders.Term? {
    guard let identity = found.text(row: row, column: column) else { return nil }
    let key = RecordKey(kind, found.cell(0, row: row))
    let end = Int64(found.cell(1, row: row)) ?? 0
    if let id = found.text(row: row, column: column + 1) {
      return FormerHolders.Term(
        key,
        until: end,
        holder: id,
        last: nil,
        identity: RecordIdentity(identity)
      )
    }
    guard let id = found.text(row: row, column: column + 2),
      let at = found.text(row: row, column: column + 3).flatMap({ Int64($0) })
    else { return nil }
    return FormerHolders.Term(
      key,
      until: end,
      holder: UserID.former(id, RecordIdentity(identity)).rawValue,
      last: RecordMoment(RecordKey(kind, id), at),
      identity: RecordIdentity(identity)
    )
  }

  // MARK: Terms of one record

  /// A time in which a record had an id, transactions that began and ended it included.
  struct Term {
    var id: String
    /// Microseconds since 1970, UTC.
    var since: Int64
    var until: Int64

    /// The transaction that begins history has no earlier one, and now none that is later.
    static let always = (since: Int64.min + 1, until: Int64.max)

    func contains(_ time: Int64) -> Bool { since <= time && time <= until }

    /// Whether a transaction `t` lies in it.
    var condition: String {
      let (begin, end) = (HistoryQueries.time("\(since)"), HistoryQueries.time("\(until)"))
      let bounds =
        (since == Self.always.since ? [] : ["t.at >= \(begin)"])
        + (until == Self.always.until ? [] : ["t.at <= \(end)"])
      return bounds.isEmpty ? "true" : bounds.joined(separator: " and ")
    }
  }

  /// Whose an id is: the identity, and all terms, of the record that has it, otherwise of the last one that
  /// had it.
  struct Terms {
    /// `.department` or `.user`.
    var kind: RecordKind
    /// `nil` where it is not known; then the id alone tells the record.
    var identity: RecordIdentity?
    var all: [Term]

    /// The ids in the order of `all`, and the times.
    var parameters: [PGParameter] {
      [
        .textArray(all.map(\.id)), .int64Array(all.map(\.since)), .int64Array(all.map(\.until)),
      ]
    }
  }

  /// The terms of the record that an id means, or a former key.
  ///
  /// - Complexity: What is recorded of the record's ids.
  static func terms(
    of record: RecordKey,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> Terms {
    let (kind, id, identity) = (record.kind, record.lastID, record.formerIdentity)
    let found = try connection.query(
      """
      with own(identity) as (
        select coalesce(
          $2::uuid,
          (select r.identity from staffbook.\(kind.plural) r where r.id = $1),
          (select c.identity from staffbook.changes c
            where c.kind = '\(kind.rawValue)' and c.key1 = $1 and c.identity is not null
            order by c.place desc limit 1))
      ), terms(id, place, until) as (
        select c.key1, c.place, \(microseconds("t.at"))
          from own join staffbook.changes c on c.identity = own.identity
            join staffbook.transactions t on t.number = c.transaction
          where c.kind = '\(kind.rawValue)' and c.after is null
        union all
        select r.id, \(Int64.max), \(Term.always.until)
          from own join staffbook.\(kind.plural) r on r.identity = own.identity
      )
      select own.identity::text, e.id, e.until, coalesce((
          select max(\(microseconds("t.at")))
            from staffbook.changes c join staffbook.transactions t on t.number = c.transaction
            where c.kind = '\(kind.rawValue)' and c.key1 = e.id and c.before is null
              and c.identity = own.identity and c.place < e.place), \(Term.always.since))
        from own join terms e on true order by e.place
      """,
      [.text(id), .text(identity?.rawValue)]
    )
    guard found.rowCount > 0 else {
      let always = Term(id: id, since: Term.always.since, until: Term.always.until)
      return Terms(kind: kind, identity: nil, all: [always])
    }
    return Terms(
      kind: kind,
      identity: RecordIdentity(found.cell(0)),
      all: (0..<found.rowCount).map { row in
        Term(
          id: found.cell(1, row: row),
          since: Int64(found.cell(3, row: row)) ?? 0,
          until: Int64(found.cell(2, row: row)) ?? 0
        )
      }
    )
  }
}
