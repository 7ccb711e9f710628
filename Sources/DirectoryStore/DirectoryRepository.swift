import DirectoryModel
import LibPQ

/// Reads the directory out of PostgreSQL.
///
/// Connections block on a thread of their own, never one of the cooperative pool.
package actor DirectoryRepository {
  /// What a test may do inside a read's transaction, such as exporting its snapshot.
  package typealias Observer = @Sendable (inout PGConnection) throws(PostgresError) -> Void
  /// Called now and then, on the connection's thread.
  package typealias ProgressHandler = @Sendable (LoadProgress) -> Void

  let conninfo: String
  /// `nil` for our own tables.
  let queries: DirectoryQueries?
  let options: ReadOptions
  let access: DatabaseAccess
  static let doing = "load the directory"

  /// Makes a repository; nothing is connected yet.
  ///
  /// - Parameters:
  ///   - conninfo: Any libpq connection string, also with several hosts.
  ///   - queries: Queries over a company's own tables, in place of ours.
  ///   - options: How to choose among hosts, and how long to wait for them.
  ///   - pool: Where connections come from.
  ///   - notice: Told what is waited for, on other threads.
  package init(
    conninfo: String,
    queries: DirectoryQueries? = nil,
    options: ReadOptions = ReadOptions(),
    pool: ConnectionPool = ConnectionPool(),
    notice: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    access = DatabaseAccess(pool: pool, silenceLimit: options.silenceLimit, notice: notice)
    self.conninfo = conninfo
    self.queries = queries
    self.options = options
  }

  /// Reads everything in one consistent state, straight into columns.
  ///
  /// - Parameters:
  ///   - arrivals: Looks at the rows while they arrive, on the connection's thread.
  ///   - progress: Called now and then, on the connection's thread.
  /// - Returns: The records, where they come from, and what a later sync starts from.
  /// - Throws: `unavailable`, `notPermitted`, or `badData` where there is no directory.
  /// - Complexity: O(bytes); one row at a time beside the records themselves.
  package func load(
    arrivals: (any RecordObserver)? = nil,
    progress: ProgressHandler? = nil
  ) async throws(DirectoryError) -> LoadedDirectory {
    let read = try await read(since: nil, arrivals: arrivals, progress: progress)
    guard case .everything(let loaded, _) = read else {
      throw DirectoryError(.bug, "cannot \(Self.doing): only changes were read")
    }
    return loaded
  }

  /// Reads what changed since an earlier read where that can be proved, otherwise everything, in
  /// one consistent state either way.
  ///
  /// A standby that lacks what was read before is given time to catch up, and other hosts are
  /// tried; only then everything is read. What fails in passing, such as a query that a standby
  /// cancels, is tried again.
  ///
  /// - Parameters:
  ///   - watermark: What the earlier read returned; `nil` reads everything.
  ///   - insistence: Why everything is to be read all the same; `nil` where changes may do.
  ///   - slice: Rows to compare by content besides, after the changes are in.
  ///   - arrivals: Looks at the rows while they arrive, on the connection's thread, when everything
  ///     is read.
  ///   - progress: Called now and then, on the connection's thread.
  ///   - observer: Called in the transaction after everything was read.
  /// - Returns: All or the changes, and the watermark to keep.
  /// - Throws: `unavailable` when no host can be reached or the connection breaks or stalls,
  ///   `notPermitted`, or `badData` where there is no directory of our version.
  /// - Complexity: With changes only, by their number, by that of the ledger's entries since the
  ///   oldest transaction under way, and by the slice's rows.
  package func read(
    since watermark: SourceWatermark?,
    insisting insistence: ComparisonReason? = nil,
    slice: SliceRequest? = nil,
    arrivals: (any RecordObserver)? = nil,
    progress: ProgressHandler? = nil,
    observer: Observer? = nil
  ) async throws(DirectoryError) -> SourceReadResult {
    let work = ReadTask(
      queries: queries,
      watermark: watermark,
      insistence: insistence,
      slice: slice,
      arrivals: arrivals,
      progress: progress,
      observer: observer
    )
    return try await SourceSession.run(conninfo, options, access) {
      (connection, mayWait) throws(StoreFailure) in
      try work.run(&connection, mayWait: mayWait)
    }
  }

  /// Reads like `read(since:)`, and digests of all rows besides, so that the caller can tell
  /// whether what it holds is what the source holds.
  ///
  /// - Parameters:
  ///   - watermark: What an earlier read returned.
  ///   - progress: Called now and then, on the connection's thread.
  ///   - differing: Names the buckets that differ from the caller's own rows, once the changes are
  ///     in; their rows are read in the same state. Called on the connection's thread, and not
  ///     when everything was read, which the caller can compare by itself.
  /// - Returns: What was read; the rows of the buckets that were named.
  /// - Throws: As `read(since:)`.
  package func verify(
    since watermark: SourceWatermark?,
    progress: ProgressHandler? = nil,
    differing:
      @escaping @Sendable (SourceReadResult, SourceDigests) throws(DirectoryError)
      -> [DigestBucket]
  ) async throws(DirectoryError) -> SourceVerification {
    let work = ReadTask(
      queries: queries,
      watermark: watermark,
      slice: nil,
      arrivals: nil,
      progress: progress,
      observer: nil
    )
    return try await SourceSession.run(conninfo, options, access) {
      (connection, mayWait) throws(StoreFailure) in
      try work.verify(&connection, mayWait: mayWait, differing: differing)
    }
  }
}

/// What a verification brought.
package struct SourceVerification: Sendable {
  package var read: SourceReadResult
  /// Digests of all rows; `nil` where everything was read or the server hashes in another way.
  package var digests: SourceDigests?
  /// The rows of the buckets that differ.
  package var rows: DirectoryRecords
}

/// How a repository chooses among hosts and how long it waits for them.
package struct ReadOptions: Sendable, Equatable {
  /// Whether a standby is taken where there is one, unless the connection string, its service or
  /// the environment says something about `target_session_attrs`.
  package var preferStandby: Bool
  /// How long the server may send nothing while an answer is due; then it counts as stalled.
  ///
  /// `nil` waits for ever. One that is known to be at work on the answer, such as a user's own
  /// query that joins and sorts before the first row comes, may take ten times as long.
  package var silenceLimit: Duration?
  /// How long a standby that lacks what was read before may take to catch up.
  package var standbyPatience: Duration

  package init(
    preferStandby: Bool = false,
    silenceLimit: Duration? = .seconds(60),
    standbyPatience: Duration = .seconds(10)
  ) {
    self.preferStandby = preferStandby
    self.silenceLimit = silenceLimit
    self.standbyPatience = standbyPatience
  }
}
