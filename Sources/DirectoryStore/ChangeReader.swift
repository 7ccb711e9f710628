import CopyFormat
import DirectoryModel
import LibPQ

/// Reads what certain transactions left behind: rows they wrote, and keys they removed for good.
struct ChangeReader {
  /// Above that many, a range of transactions is asked for instead of each.
  private static let fewTransactions = 200

  /// An SQL condition about `t.changed_in`.
  private let condition: String

  /// - Parameters:
  ///   - new: The transactions, rising; not none.
  ///   - entries: All ledger entries from the watermark's xmin on, rising.
  init(of new: [UInt64], among entries: [LedgerEntry]) {
    guard new.count > Self.fewTransactions, let first = new.first, let last = new.last else {
      condition = "t.changed_in = any(\(Self.array(new)))"
      return
    }
    let old = Self.others(than: new, among: entries, from: first, through: last)
    condition =
      "t.changed_in >= '\(first)' and t.changed_in <= '\(last)' and not exists "
      + "(select from unnest(\(Self.array(old))) o(changed_in) where o.changed_in = t.changed_in)"
  }

  /// The transactions between the ends that are not new.
  ///
  /// Marks without a ledger entry count as new: reading a row once more does no harm.
  private static func others(
    than new: [UInt64],
    among entries: [LedgerEntry],
    from first: UInt64,
    through last: UInt64
  ) -> [UInt64] {
    var others: [UInt64] = []
    var rest = new[...]
    for entry in entries where (first...last).contains(entry.transaction) {
      if rest.first == entry.transaction {
        rest.removeFirst()
      } else {
        others.append(entry.transaction)
      }
    }
    return others
  }

  private static func array(_ transactions: [UInt64]) -> String {
    "'{" + transactions.map { String($0) }.joined(separator: ",") + "}'::xid8[]"
  }

  /// Reads rows and removed keys, at a cost by what there is of them and by the logarithm of the
  /// tables' size.
  func read(
    _ connection: inout PGConnection,
    progress: (@Sendable (LoadProgress) -> Void)?
  ) throws(StoreFailure) -> DirectoryChanges {
    var changes = DirectoryChanges()
    try readRemovals(&connection, into: &changes)
    var loader = RecordLoader(
      RecordQueries(where: { _ in condition }),
      expectedRows: nil,
      progress: progress
    )
    changes.records = try loader.load(&connection)
    return changes
  }

  /// A key's tombstone counts only where no row of that key lives: a deletion that is read now
  /// may be older than an insertion that was read before.
  private func readRemovals(
    _ connection: inout PGConnection,
    into changes: inout DirectoryChanges
  ) throws(StoreFailure) {
    let sql = """
      copy (
        select distinct t.kind, t.key1, t.key2 from staffbook.tombstones t
          where t.kind = 'department' and \(condition)
            and not exists (select from staffbook.departments l where l.id = t.key1)
        union all
        select distinct t.kind, t.key1, t.key2 from staffbook.tombstones t
          where t.kind = 'user' and \(condition)
            and not exists (select from staffbook.users l where l.id = t.key1)
        union all
        select distinct t.kind, t.key1, t.key2 from staffbook.tombstones t
          where t.kind = 'membership' and \(condition)
            and not exists (select from staffbook.memberships l
              where l.user_id = t.key1 and l.department_id = t.key2)
      ) to stdout
      """
    var column = StringColumn()
    try connection.copyOut(sql) { (line) throws(StoreFailure) in
      do throws(DirectoryError) {
        var fields = try CopyTextFields(line)
        for _ in 0..<3 { try fields.appendNext(to: &column) }
        try fields.finish()
      } catch { throw .directory(error) }
    }
    for row in stride(from: 0, to: column.count, by: 3) {
      try changes.remove(column[row], column[row + 1], column[row + 2])
    }
  }
}

extension DirectoryChanges {
  fileprivate mutating func remove(
    _ kind: String,
    _ key1: String,
    _ key2: String
  ) throws(StoreFailure) {
    switch RecordKind(rawValue: kind) {
    case .department: removedDepartments.append(DepartmentID(key1))
    case .user: removedUsers.append(UserID(key1))
    case .membership:
      removedMemberships.append(MembershipKey(user: UserID(key1), department: DepartmentID(key2)))
    case nil: throw .postgres(.protocolViolation(reason: "a tombstone of the kind \(kind)"))
    }
  }
}
