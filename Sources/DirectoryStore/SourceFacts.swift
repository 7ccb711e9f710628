import DirectoryModel
import LibPQ

/// What the first query of a read finds out about the state that its snapshot shows.
struct SourceFacts: Sendable {
  var systemIdentifier: String
  var layout: String
  var epoch: String
  var xmin: UInt64
  var xmax: UInt64
  var prunedBelow: UInt64
  var isStandby: Bool
  /// Microseconds since 1970, UTC.
  var takenAt: Int64
  /// More than there can be transactions under way at once.
  var transactionLimit: Int
  /// Ledger entries at or above the old watermark's xmin or this snapshot's, whichever is lower.
  var entries: [LedgerEntry]
  /// The digest that the old watermark's proof is to be compared with.
  var digest: String
  /// Triggers without which the record of changes has holes, as `table.trigger`.
  var brokenTriggers: [String]
  /// Whether the user may write rules: a member of `staffbook_admin`, or of the owner.
  var isAdministrator = false
  /// Digest of the user and the policies that may hide rows from this user; empty where none does.
  var access = ""
}

extension SourceFacts {
  /// What has to happen before the snapshot is taken, sent along with BEGIN.
  ///
  /// The lock waits for sessions that truncate or alters a table. A TRUNCATE that ends between the
  /// snapshot and the first look at a table would show it empty under the old epoch.
  static let prologue = """
    lock table staffbook.epoch, staffbook.ledger, staffbook.tombstones,
      staffbook.departments, staffbook.users, staffbook.memberships in access share mode
    """

  /// Tables whose rows a read goes by.
  private static let tables =
    "departments,users,memberships,fields,visibility_rules,visibility_groups,tombstones,ledger,epoch,"
    + "accepted_deletions"

  /// Yields `access`: a policy that lets every row pass hides none, unless another one is restrictive.
  private static let accessQuery = """
    select case when count(*) > 0 then encode(sha256(convert_to(current_user || E'\\n'
        || string_agg(s.rights, E'\\n' order by s.rights), 'UTF8')), 'hex') else '' end
      from (
        select c.relname || ' ' || coalesce(string_agg(p.polname || ' ' || p.polpermissive || ' '
            || pg_get_expr(p.polqual, p.polrelid), ' ' order by p.polname), '') as rights
          from pg_class c left join pg_policy p on p.polrelid = c.oid and p.polcmd in ('r', '*')
            and (0::oid = any (p.polroles)
              or exists (select from unnest(p.polroles) r(role) where pg_has_role(r.role, 'usage')))
          where c.relnamespace = to_regnamespace('staffbook')
            and c.relname = any ('{\(tables)}'::name[]) and row_security_active(c.oid)
          group by c.oid, c.relname
          having coalesce(bool_or(not p.polpermissive), false) or not coalesce(
            bool_or(p.polpermissive and pg_get_expr(p.polqual, p.polrelid) = 'true'), false)
      ) s(rights)
    """

  /// Beyond that many, prune()'s default would remove entries that a proof rests on; they would
  /// all have to be in the middle of a COMMIT at the same moment.
  private static let transactionLimitCeiling = 1_500

  /// Reads the facts; it must be the transaction's first query.
  static func read(
    _ connection: inout PGConnection,
    since watermark: SourceWatermark?,
    doing: String
  ) throws(StoreFailure) -> SourceFacts {
    let result = try connection.query(
      """
      select (select system_identifier from pg_control_system()), staffbook.layout(), e.epoch,
          pg_snapshot_xmin(s), pg_snapshot_xmax(s), e.pruned_below, pg_is_in_recovery(),
          (extract(epoch from clock_timestamp()) * 1000000)::int8,
          current_setting('max_connections')::int8
            + current_setting('max_prepared_transactions')::int8
            + current_setting('max_worker_processes')::int8 + 1,
          (select string_agg(\(LedgerBytes.row), ''::bytea order by l.changed_in)
            from staffbook.ledger l
            where l.changed_in >= least($1::xid8, pg_snapshot_xmin(s))
              and l.changed_in < pg_snapshot_xmax(s)),
          (select \(LedgerBytes.digest) from staffbook.ledger l
            where l.changed_in >= $2::xid8
              and l.changed_in < least($1::xid8, pg_snapshot_xmax(s))),
          (select max(m.version) from staffbook.migrations m),
          (select max(coalesce(m.min_reader, m.version)) from staffbook.migrations m
            where m.version > $3::int4),
          (select string_agg(b.name, ' ' order by b.name) from (\(BrokenTrigger.query)) b),
          exists (select from pg_roles r where pg_has_role(r.oid, 'usage')
            and (r.rolname = 'staffbook_admin' or r.oid = (select c.relowner from pg_class c
              where c.oid = to_regclass('staffbook.visibility_rules')))),
          (\(accessQuery))
        from pg_current_snapshot() s, staffbook.epoch e
      """,
      [
        .text(watermark.map { String($0.xmin) }),
        .text(watermark.map { String($0.proof.from) }),
        .int64(Int64(Schema.newestVersion)),
      ]
    )
    guard result.rowCount == 1, let xmin = UInt64(result.cell(3)),
      let xmax = UInt64(result.cell(4)), let prunedBelow = UInt64(result.cell(5))
    else {
      throw .refusal(
        .badData,
        "cannot \(doing): the row of staffbook.epoch is missing",
        advice: "have the owner run: insert into staffbook.epoch default values;"
      )
    }
    let known = Schema.newestVersion
    guard let version = result.int(row: 0, column: 11), version >= known,
      result.int(row: 0, column: 12) ?? 0 <= known
    else { throw .wrongSchemaVersion }
    return SourceFacts(
      systemIdentifier: result.cell(0),
      layout: result.cell(1),
      epoch: result.cell(2),
      xmin: xmin,
      xmax: xmax,
      prunedBelow: prunedBelow,
      isStandby: result.bool(row: 0, column: 6) ?? false,
      takenAt: Int64(result.cell(7)) ?? 0,
      transactionLimit: min(result.int(row: 0, column: 8) ?? 0, transactionLimitCeiling),
      entries: try LedgerBytes.entries(in: result, column: 9),
      digest: result.cell(10),
      brokenTriggers: result.cell(13).split(separator: " ").map { String($0) },
      isAdministrator: result.bool(row: 0, column: 14) ?? false,
      access: result.cell(15)
    )
  }
}

/// The ledger's entries as the server packs them: 24 bytes each, rising.
///
///     0   changed_in   u64    big-endian
///     8   token        16 bytes
enum LedgerBytes {
  /// Packs an entry; `l` is the ledger.
  static let row = "(xid8send(l.changed_in) || uuid_send(l.token))"

  /// Digests entries; none at all have a digest too.
  static let digest = """
    encode(sha256(coalesce(string_agg(\(row), ''::bytea order by l.changed_in), ''::bytea)), 'hex')
    """

  private static let entryBytes = 24

  /// Takes a cell of type bytea apart; NULL holds no entries. (manual, "bytea Hex Format")
  static func entries(
    in result: borrowing PGResult,
    column: Int
  ) throws(StoreFailure) -> [LedgerEntry] {
    try result.withBytes(row: 0, column: column) { (text) throws(StoreFailure) in
      guard let text else { return [] }
      let digits = text.dropFirst(2)
      guard text.starts(with: #"\x"#.utf8), digits.count % (2 * entryBytes) == 0 else {
        throw unreadable
      }
      var entries: [LedgerEntry] = []
      entries.reserveCapacity(digits.count / (2 * entryBytes))
      var offset = digits.startIndex
      while offset < digits.endIndex {
        entries.append(
          LedgerEntry(
            transaction: try number(digits[offset..<offset + 16]),
            token: LedgerToken(
              high: try number(digits[offset + 16..<offset + 32]),
              low: try number(digits[offset + 32..<offset + 48])
            )
          )
        )
        offset += 2 * entryBytes
      }
      return entries
    }
  }

  private static func number(
    _ digits: Slice<UnsafeRawBufferPointer>
  ) throws(StoreFailure) -> UInt64 {
    var value: UInt64 = 0
    for byte in digits {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        value = value << 4 | UInt64(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"):
        value = value << 4 | UInt64(byte - UInt8(ascii: "a") + 10)
      default: throw unreadable
      }
    }
    return value
  }

  private static var unreadable: StoreFailure {
    .postgres(.protocolViolation(reason: "the ledger's entries are not in the form asked for"))
  }
}
