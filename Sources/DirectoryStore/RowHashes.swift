import DirectoryModel
import LibPQ

/// SQL that hashes rows of `t` as `RowHash` does.
enum RowHashes {
  /// What a server must say to `probe` so that its hashes are ours: big-endian ones say otherwise.
  static let probe = "hashtextextended('staffbook' collate \"C\", 20)"
  static let probed: String = {
    var text = "staffbook"
    let hash = text.withUTF8 {
      PostgresHash.extended(UnsafeRawBufferPointer($0), seed: 20)
    }
    return String(Int64(bitPattern: hash))
  }()

  /// The id by which a kind's rows are ranged and put into buckets.
  static func id(_ kind: RecordKind) -> String { kind == .membership ? "t.user_id" : "t.id" }

  /// Count and both sums of the hashes `h`.
  static let sums = """
    count(*), coalesce(sum(h & 4294967295), 0), coalesce(sum((h >> 32) & 4294967295), 0)
    """

  /// The chain of hashes over a row's columns, which begins with its id.
  static func chain(_ kind: RecordKind) -> String {
    columns(kind).reduce("0") { seed, column in
      "hashtextextended((\(column)) collate \"C\", \(seed))"
    }
  }

  /// The beginning of the chain: the hash of the id.
  static func idHash(_ kind: RecordKind) -> String {
    "hashtextextended(\(id(kind)) collate \"C\", 0)"
  }

  private static func columns(_ kind: RecordKind) -> [String] {
    kind.columns.map { $0 == .parent ? "coalesce(t.parent_id, '')" : "t.\($0.name)::text" }
  }

  /// Takes a digest out of three columns of a row.
  static func digest(
    in result: borrowing PGResult,
    row: Int = 0,
    column: Int
  ) throws(StoreFailure) -> RowDigest {
    guard let count = result.int(row: row, column: column),
      let low = UInt64(result.cell(column + 1, row: row)),
      let high = UInt64(result.cell(column + 2, row: row))
    else { throw .postgres(.protocolViolation(reason: "a digest that is not numbers")) }
    return RowDigest(count: count, low: low, high: high)
  }
}

extension SliceRequest {
  /// Digests the rows that were asked for.
  ///
  /// - Returns: The range as far as it came; `nil` where the server hashes in another way.
  /// - Complexity: O(rows), some 0.3 µs each.
  func read(_ connection: inout PGConnection) throws(StoreFailure) -> SourceSlice? {
    let id = RowHashes.id(kind)
    let result = try connection.query(
      """
      select \(RowHashes.probe), max(id), \(RowHashes.sums)
        from (select \(id) as id, \(RowHashes.chain(kind)) as h
          from staffbook.\(kind.rawValue)s t where \(id) >= $1
          order by \(id) fetch first ($2) rows with ties) hashes
      """,
      [.text(first), .int64(Int64(max(rows, 1)))]
    )
    guard result.cell(0) == RowHashes.probed else { return nil }
    let digest = try RowHashes.digest(in: result, column: 2)
    return SourceSlice(
      kind: kind,
      first: first,
      last: digest.count < rows ? nil : result.text(row: 0, column: 1),
      digest: digest
    )
  }
}
