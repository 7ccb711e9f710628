import DirectoryModel
import LibPQ

/// A token as a server has to know it.
package struct KnownToken: Sendable {
  package var id: Int64
  package var holder: Viewer
  /// The person who holds it, behind the id; `nil` for a device.
  package var identity: RecordIdentity?
  package var scope: TokenScope
  /// In how long it expires, by the database's clock; `nil` for never.
  package var remaining: Duration?
  /// Whether it is on record that it was used in this hour.
  package var isNoted: Bool
}

/// Reads tokens and notes their use, for members of `staffbook_server`.
package struct TokenReader: Sendable {
  private let conninfo: String
  private let access: DatabaseAccess

  package init(conninfo: String, access: DatabaseAccess) {
    self.conninfo = conninfo
    self.access = access
  }

  /// All tokens that are valid now, by their hashes.
  ///
  /// - Complexity: O(tokens).
  package func tokens() async throws(DirectoryError) -> [TokenHash: KnownToken] {
    let doing = "read the tokens"
    let database = try await Database.connect(conninfo: conninfo, doing: doing, access: access)
    return try await database.look { (connection) throws(StoreFailure) in
      do throws(StoreFailure) {
        return try Self.tokens(&connection)
      } catch {
        throw error.ofNoMember(of: "staffbook_server", connection, doing: doing)
      }
    }
  }

  private static func tokens(
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> [TokenHash: KnownToken] {
    let found = try connection.query(
      """
      select encode(t.hash, 'hex'), t.id, t.user_id, t.device, t.may,
          floor(extract(epoch from t.expires - n.now) * 1000)::int8,
          coalesce(t.last_used >= date_trunc('hour', n.now), false), t.identity::text
        from staffbook.tokens t cross join (select clock_timestamp() as now) n
        where (t.expires > n.now or t.expires is null)
          and (t.device is not null
            or exists (select from staffbook.users u
              where u.id = t.user_id and u.identity = t.identity))
      """
    )
    var tokens: [TokenHash: KnownToken] = [:]
    tokens.reserveCapacity(found.rowCount)
    for row in 0..<found.rowCount {
      guard let hash = TokenHash(digits: found.cell(0, row: row)),
        let holder = Viewer(user: found.text(row: row, column: 2), found.text(row: row, column: 3)),
        let scope = TokenScope(rawValue: found.cell(4, row: row))
      else { continue }
      tokens[hash] = KnownToken(
        id: Int64(found.cell(1, row: row)) ?? 0,
        holder: holder,
        identity: found.text(row: row, column: 7).map { RecordIdentity($0) },
        scope: scope,
        remaining: Int64(found.cell(5, row: row)).map { .milliseconds($0) },
        isNoted: found.bool(row: row, column: 6) == true
      )
    }
    return tokens
  }

  /// Notes, to the hour, that tokens were used; of several hosts on the primary.
  package func noteUse(of ids: [Int64]) async throws(DirectoryError) {
    let database = try await Database.connect(
      conninfo: conninfo,
      doing: "note that tokens were used",
      access: access,
      attributes: "read-write"
    )
    try await database.run { (connection) throws(StoreFailure) in
      try connection.inTransaction(.write) { (connection) throws(StoreFailure) in
        _ = try connection.perform(
          """
          update staffbook.tokens set last_used = date_trunc('hour', clock_timestamp())
            where id = any($1::int8[])
              and last_used is distinct from date_trunc('hour', clock_timestamp())
          """,
          [.int64Array(ids)]
        )
      }
    }
  }
}
