import DirectoryModel
import LibPQ

/// One read, to be tried on one connection or several.
struct ReadTask: Sendable {
  let queries: DirectoryQueries?
  let watermark: SourceWatermark?
  /// Why everything is to be read, whatever the watermark proves; `nil` where changes may do.
  var insistence: ComparisonReason?
  let slice: SliceRequest?
  /// Looks at the rows while they arrive, when everything is read.
  let arrivals: (any RecordObserver)?
  let progress: DirectoryRepository.ProgressHandler?
  let observer: DirectoryRepository.Observer?

  private static let doing = DirectoryRepository.doing

  /// Reads in one transaction; `nil` when the standby lacks what was read before and `mayWait`
  /// allows to come back.
  func run(
    _ connection: inout PGConnection,
    mayWait: Bool
  ) throws(StoreFailure) -> SourceReadResult? {
    try inTransaction(&connection) { (connection) throws(StoreFailure) in
      let read = try read(&connection, mayWait: mayWait)
      if read != nil { try observe(&connection) }
      return read
    }
  }

  /// Reads in one transaction, and digests.
  func verify(
    _ connection: inout PGConnection,
    mayWait: Bool,
    differing: @Sendable (SourceReadResult, SourceDigests) throws(DirectoryError) -> [DigestBucket]
  ) throws(StoreFailure) -> SourceVerification? {
    try inTransaction(&connection) { (connection) throws(StoreFailure) in
      guard let read = try read(&connection, mayWait: mayWait) else { return nil }
      var verification = SourceVerification(read: read, digests: nil, rows: DirectoryRecords())
      guard case .changes = read, let digests = try SourceDigests.read(&connection) else {
        return verification
      }
      verification.digests = digests
      let buckets: [DigestBucket]
      do throws(DirectoryError) {
        buckets = try differing(read, digests)
      } catch {
        throw .directory(error)
      }
      if !buckets.isEmpty {
        verification.rows = try SourceDigests.rows(in: buckets, &connection)
      }
      return verification
    }
  }

  private func inTransaction<R>(
    _ connection: inout PGConnection,
    _ body: (inout PGConnection) throws(StoreFailure) -> R
  ) throws(StoreFailure) -> R {
    try ServerRequirements.check(connection, doing: Self.doing)
    var options = PGTransactionOptions.consistentRead
    if queries == nil { options.prologue = SourceFacts.prologue }
    do throws(StoreFailure) {
      return try connection.inTransaction(options, meansOwnTables: queries != nil, body)
    } catch {
      guard error.mayBeAboutSchema else { throw error }
      try connection.inTransaction(.look) { (connection) throws(StoreFailure) in
        try ServerRequirements.checkSchema(&connection, for: .reading, doing: Self.doing)
      }
      throw error
    }
  }

  private func read(
    _ connection: inout PGConnection,
    mayWait: Bool
  ) throws(StoreFailure) -> SourceReadResult? {
    if let queries { return try readUntracked(queries, &connection) }
    let facts = try SourceFacts.read(&connection, since: watermark, doing: Self.doing)
    if let insistence { return try readEverything(because: insistence, facts, &connection) }
    switch IncrementalReadCheck(facts, since: watermark) {
    case .changes(let new):
      // A row that a policy comes to hide leaves no trace for those from whom it is hidden.
      guard facts.access.isEmpty else {
        return try readEverything(because: .hiddenRows, facts, &connection)
      }
      return try readChanges(of: new, facts, &connection)
    case .everything(let reason):
      return try readEverything(because: reason, facts, &connection)
    case .behind(let reason):
      return mayWait ? nil : try readEverything(because: reason, facts, &connection)
    }
  }

  private func readChanges(
    of new: [UInt64],
    _ facts: SourceFacts,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> SourceReadResult {
    guard let watermark else { preconditionFailure("changes since nothing") }
    var changes = DirectoryChanges()
    if !new.isEmpty {
      changes = try ChangeReader(of: new, among: facts.entries)
        .read(&connection, progress: progress)
    }
    changes.records.fields = try FieldQueries.read(&connection)
    changes.records.visibility = try VisibilityQueries.read(&connection)
    let next = try facts.watermark(after: watermark, new: new, &connection)
    var source = source(facts, next, connection)
    if !changes.removedUsers.isEmpty || !changes.removedDepartments.isEmpty {
      source.accepted = try accepted(facts, &connection)
    }
    return .changes(
      changes,
      source,
      slice: try slice?.read(&connection) ?? nil
    )
  }

  private func readEverything(
    because reason: ComparisonReason,
    _ facts: SourceFacts,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> SourceReadResult {
    var loader = RecordLoader(
      expectedRows: try SourceReader.estimatedRows(&connection),
      progress: progress,
      observer: arrivals
    )
    var records = try loader.load(&connection)
    records.fields = try FieldQueries.read(&connection)
    records.visibility = try VisibilityQueries.read(&connection)
    let next = try facts.watermark(&connection)
    var source = source(facts, next, connection)
    source.accepted = try accepted(facts, &connection)
    return .everything(LoadedDirectory(records: records, source: source), because: reason)
  }

  private func accepted(
    _ facts: SourceFacts,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> AcceptedDeletions {
    guard let watermark, watermark.systemIdentifier == facts.systemIdentifier else {
      return AcceptedDeletions()
    }
    // What the user may not read any more must not stay.
    guard facts.hasAccess(of: watermark) else { return .everything }
    return try ImportAcceptance.since(watermark.xmin, seen: watermark.seen, &connection)
  }

  /// Reads a company's own tables; nothing there tracks changes.
  private func readUntracked(
    _ queries: DirectoryQueries,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> SourceReadResult {
    // Their queries mean the tables that their account sees, as in psql.
    let source = try SourceReader.readUntracked(&connection)
    let own = try SourceFields(queries, &connection)
    var loader = RecordLoader(
      RecordQueries(queries, own),
      expectedRows: nil,
      progress: progress,
      observer: arrivals
    )
    var records = try loader.load(&connection)
    records.fields = own.fields
    records.visibility = queries.visibility
    return .everything(LoadedDirectory(records: records, source: source), because: .untracked)
  }

  private func source(
    _ facts: SourceFacts,
    _ watermark: SourceWatermark,
    _ connection: borrowing PGConnection
  ) -> DirectorySource {
    SourceReader.source(
      connection,
      isStandby: facts.isStandby,
      takenAt: facts.takenAt,
      watermark: watermark,
      isAdministrator: facts.isAdministrator
    )
  }

  private func observe(_ connection: inout PGConnection) throws(StoreFailure) {
    guard let observer else { return }
    do throws(PostgresError) { try observer(&connection) } catch { throw .postgres(error) }
  }
}

extension StoreFailure {
  /// Whether the schema may be missing or of another version.
  fileprivate var mayBeAboutSchema: Bool {
    switch self {
    case .wrongSchemaVersion: return true
    case .directory: return false
    case .postgres(let error):
      switch error.sqlstate {
      case .invalidSchemaName?, .undefinedTable?, .undefinedFunction?, .undefinedColumn?:
        return !error.isConnectionGone
      default: return false
      }
    }
  }
}
