import DirectoryModel
import LibPQ

/// Digests of all rows of a source, in buckets by the hash of their ids, so that a difference can
/// be narrowed down to a few rows.
package struct SourceDigests: Hashable, Sendable {
  /// Number of buckets of each kind.
  package static let bucketCount = 256

  /// By kind, then by bucket.
  private var digests: [RecordKind: [RowDigest]]

  /// The digests of no rows.
  package init() {
    let empty = [RowDigest](repeating: RowDigest(), count: Self.bucketCount)
    digests = Dictionary(uniqueKeysWithValues: RecordKind.allCases.map { ($0, empty) })
  }

  package subscript(bucket: DigestBucket) -> RowDigest {
    get { digests[bucket.kind]?[bucket.number] ?? RowDigest() }
    set { digests[bucket.kind]?[bucket.number] = newValue }
  }

  /// The buckets whose rows differ, in order.
  package func differences(from other: SourceDigests) -> [DigestBucket] {
    DigestBucket.all.filter { self[$0] != other[$0] }
  }

  /// Adds a row.
  ///
  /// - Parameters:
  ///   - row: The hash of its columns.
  ///   - bucket: Where its id belongs.
  package mutating func add(_ row: RowHash, to bucket: DigestBucket) { self[bucket].add(row) }
}

/// The rows of one kind whose ids have a hash with the same lowest 8 bits.
package struct DigestBucket: Hashable, Sendable {
  package var kind: RecordKind
  /// From 0 up to, not including, `SourceDigests.bucketCount`.
  package var number: Int

  package init(kind: RecordKind, number: Int) {
    self.kind = kind
    self.number = number
  }

  /// The bucket of an id; a membership goes by its user's.
  package init(kind: RecordKind, id: UnsafeRawBufferPointer) {
    let hash = PostgresHash.extended(id, seed: 0)
    self.init(kind: kind, number: Int(hash % UInt64(SourceDigests.bucketCount)))
  }

  package static let all: [DigestBucket] = RecordKind.allCases.flatMap { kind in
    (0..<SourceDigests.bucketCount).map { DigestBucket(kind: kind, number: $0) }
  }
}

extension SourceDigests {
  /// Digests all rows.
  ///
  /// - Returns: `nil` where the server hashes in another way than we do.
  /// - Complexity: O(rows), one scan of each table.
  static func read(_ connection: inout PGConnection) throws(StoreFailure) -> SourceDigests? {
    let probe = try connection.query("select \(RowHashes.probe)")
    guard probe.cell(0) == RowHashes.probed else { return nil }
    var digests = SourceDigests()
    for kind in RecordKind.allCases { try digests.read(kind, &connection) }
    return digests
  }

  private mutating func read(
    _ kind: RecordKind,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    let result = try connection.query(
      """
      select (b & \(Self.bucketCount - 1))::int, \(RowHashes.sums)
        from (select \(RowHashes.idHash(kind)) as b, \(RowHashes.chain(kind)) as h
          from staffbook.\(kind.rawValue)s t) hashes
        group by 1
      """
    )
    for row in 0..<result.rowCount {
      guard let number = result.int(row: row, column: 0), (0..<Self.bucketCount).contains(number)
      else { throw .postgres(.protocolViolation(reason: "a bucket that does not exist")) }
      let bucket = DigestBucket(kind: kind, number: number)
      self[bucket] = try RowHashes.digest(in: result, row: row, column: 1)
    }
  }

  /// Reads the rows of some buckets.
  static func rows(
    in buckets: [DigestBucket],
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> DirectoryRecords {
    let queries = RecordQueries { kind in
      let numbers = buckets.filter { $0.kind == kind }.map { String($0.number) }
      let wanted = "'{" + numbers.joined(separator: ",") + "}'::int8[]"
      return "(\(RowHashes.idHash(kind)) & \(bucketCount - 1)) = any(\(wanted))"
    }
    var loader = RecordLoader(queries, expectedRows: nil, progress: nil)
    return try loader.load(&connection)
  }
}
