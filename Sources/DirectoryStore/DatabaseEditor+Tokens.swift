import DirectoryModel
import LibPQ

/// Tokens and devices, for members of `staffbook_admin`.
extension DatabaseEditor {
  /// Keeps a new token.
  ///
  /// - Parameters:
  ///   - hash: Of its text.
  ///   - holder: A person or a device.
  ///   - purpose: What it is for.
  ///   - scope: What its holder may do.
  ///   - lifetime: As PostgreSQL reads an interval; `nil` for ever.
  /// - Returns: The token.
  /// - Throws: `.notFound` where the holder is not there, `.usage` for a purpose that is none,
  ///   `.notPermitted` for those who are not members of `staffbook_admin`.
  package func add(
    _ hash: TokenHash,
    of holder: Viewer,
    for purpose: String,
    may scope: TokenScope,
    lifetime: String?
  ) async throws(DirectoryError) -> Token {
    let doing = "add a token"
    let (user, device) = holder.columns
    return try await writeTokens(doing) { (connection) throws(StoreFailure) in
      do throws(StoreFailure) {
        let id = try connection.query(
          """
          insert into staffbook.tokens (user_id, device, purpose, may, hash, expires)
            values ($1, normalize($2), $3, $4, $5, clock_timestamp() + $6::interval) returning id
          """,
          [
            .text(user), .text(device), .text(purpose), .text(scope.rawValue),
            .bytes(hash.bytes), .text(lifetime),
          ]
        ).cell(0)
        return try Self.tokens(&connection, where: "t.id = \(id)")[0]
      } catch .postgres(.refused(let diagnostic)) {
        throw Self.refusal(diagnostic, of: user ?? device ?? "", doing)
          ?? .postgres(.refused(diagnostic))
      }
    }
  }

  private static func refusal(
    _ diagnostic: PGDiagnostic,
    of holder: String,
    _ doing: String
  ) -> StoreFailure? {
    let (kind, reason, advice): (DirectoryError.Kind, String, Advice?) =
      switch diagnostic.constraint {
      case "tokens_user":
        (.notFound, "the person \(holder) is not in the database", "run: \(.sync)")
      case "tokens_device":
        (
          .notFound, "there is no device \(holder)",
          "add it with: \(.run(["device", "add", holder]))"
        )
      case "tokens_purpose":
        (.usage, "the purpose must be one line of 1 to 200 characters", nil)
      default: (.bug, "", nil)
      }
    guard kind != .bug else { return nil }
    return .directory(DirectoryError(kind, "cannot \(doing): \(reason)", advice: advice))
  }

  /// All tokens, in the order in which they were made.
  package func tokens() async throws(DirectoryError) -> [Token] {
    try await lookAtTokens("list the tokens") { (connection) throws(StoreFailure) in
      try Self.tokens(&connection, where: "true")
    }
  }

  private static func tokens(
    _ connection: inout PGConnection,
    where condition: String
  ) throws(StoreFailure) -> [Token] {
    let found = try connection.query(
      """
      select t.id, t.user_id, t.device, u.name, t.purpose, t.may, \(seconds("t.created")),
          t.created_by, \(seconds("t.expires")), \(seconds("t.last_used"))
        from staffbook.tokens t left join staffbook.users u on u.id = t.user_id
        where \(condition) order by t.id
      """
    )
    return (0..<found.rowCount).compactMap { row in
      guard
        let holder = Viewer(user: found.text(row: row, column: 1), found.text(row: row, column: 2)),
        let scope = TokenScope(rawValue: found.cell(5, row: row))
      else { return nil }
      return Token(
        id: Int64(found.cell(0, row: row)) ?? 0,
        holder: holder,
        name: found.text(row: row, column: 3),
        purpose: found.cell(4, row: row),
        scope: scope,
        created: Int64(found.cell(6, row: row)) ?? 0,
        createdBy: found.cell(7, row: row),
        expires: Int64(found.cell(8, row: row)),
        lastUsed: Int64(found.cell(9, row: row))
      )
    }
  }

  private static func seconds(_ column: String) -> String {
    "floor(extract(epoch from \(column)))::int8"
  }

  /// Removes tokens, all or none.
  ///
  /// - Throws: `.notFound` where one of them is not there; `.notPermitted`.
  package func remove(_ ids: [Int64]) async throws(DirectoryError) {
    let doing = "remove tokens"
    try await writeTokens(doing) { (connection) throws(StoreFailure) in
      for id in ids {
        let rows = try connection.perform(
          "delete from staffbook.tokens where id = $1::int8",
          [.int64(id)]
        )
        guard rows == 0 else { continue }
        throw .directory(
          DirectoryError(
            .notFound,
            "cannot \(doing): there is no token \(id)",
            advice: "nothing was removed; list the tokens with: \(.run(["token", "list"]))"
          )
        )
      }
    }
  }

  /// Adds a device.
  ///
  /// - Throws: `.badData` for a name that is taken or none; `.notPermitted`.
  package func addDevice(_ name: String) async throws(DirectoryError) {
    let doing = "add the device \(name)"
    try await writeTokens(doing) { (connection) throws(StoreFailure) in
      var reason = "there is a device of this name already"
      do throws(StoreFailure) {
        let rows = try connection.perform(
          "insert into staffbook.devices (name) values (normalize($1)) on conflict (name) do nothing",
          [.text(name)]
        )
        if rows == 1 { return }
      } catch .postgres(.refused(let diagnostic)) where diagnostic.constraint == "devices_name" {
        reason = "its name must be one line of 1 to 100 characters"
      }
      throw .directory(DirectoryError(.badData, "cannot \(doing): \(reason)"))
    }
  }

  /// All devices, by name.
  package func devices() async throws(DirectoryError) -> [Device] {
    try await lookAtTokens("list the devices") { (connection) throws(StoreFailure) in
      let found = try connection.query(
        """
        select d.name, \(Self.seconds("d.added")), d.added_by,
            (select count(*) from staffbook.tokens t where t.device = d.name)
          from staffbook.devices d order by d.name
        """
      )
      return (0..<found.rowCount).map { row in
        Device(
          name: found.cell(0, row: row),
          added: Int64(found.cell(1, row: row)) ?? 0,
          addedBy: found.cell(2, row: row),
          tokenCount: found.int(row: row, column: 3) ?? 0
        )
      }
    }
  }

  /// Removes a device with its tokens.
  ///
  /// - Returns: How many tokens it had.
  /// - Throws: `.notFound` where there is no such device; `.notPermitted`.
  package func removeDevice(_ name: String) async throws(DirectoryError) -> Int {
    let doing = "remove the device \(name)"
    return try await writeTokens(doing) { (connection) throws(StoreFailure) in
      let count = try connection.perform(
        "delete from staffbook.tokens where device = normalize($1)",
        [.text(name)]
      )
      let rows = try connection.perform(
        "delete from staffbook.devices where name = normalize($1)",
        [.text(name)]
      )
      guard rows == 1 else {
        throw .directory(
          DirectoryError(
            .notFound,
            "cannot \(doing): there is no such device",
            advice: "list the devices with: \(.run(["device", "list"]))"
          )
        )
      }
      return count
    }
  }

  private func writeTokens<R: Sendable>(
    _ doing: String,
    _ body: @escaping @Sendable (inout PGConnection) throws(StoreFailure) -> R
  ) async throws(DirectoryError) -> R {
    try await write(doing) { (connection) throws(StoreFailure) in
      try Self.asMember(&connection, doing, body)
    }
  }

  private func lookAtTokens<R: Sendable>(
    _ doing: String,
    _ body: @escaping @Sendable (inout PGConnection) throws(StoreFailure) -> R
  ) async throws(DirectoryError) -> R {
    try await look(doing) { (connection) throws(StoreFailure) in
      try Self.asMember(&connection, doing, body)
    }
  }

  private static func asMember<R: Sendable>(
    _ connection: inout PGConnection,
    _ doing: String,
    _ body: (inout PGConnection) throws(StoreFailure) -> R
  ) throws(StoreFailure) -> R {
    do throws(StoreFailure) {
      return try body(&connection)
    } catch {
      throw error.ofNoMember(of: "staffbook_admin", connection, doing: doing)
    }
  }
}

extension Viewer {
  /// The columns `user_id` and `device`.
  fileprivate var columns: (user: String?, device: String?) {
    switch self {
    case .everything: (nil, nil)
    case .person(let id): (id.rawValue, nil)
    case .device(let name): (nil, name)
    }
  }

  init?(user: String?, _ device: String?) {
    guard let viewer = user.map({ Viewer.person(UserID($0)) }) ?? device.map(Viewer.device) else {
      return nil
    }
    self = viewer
  }
}
