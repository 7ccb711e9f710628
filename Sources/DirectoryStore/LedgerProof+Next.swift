import LibPQ

extension LedgerProof {
  /// The proof after a read that brought these transactions.
  ///
  /// - Parameters:
  ///   - new: What was new to the reader, rising.
  ///   - xmin: Where the digest is to end: the new watermark's.
  ///   - limit: How many entries the batches have to hold at least.
  /// - Returns: The range and the batches; the digest is still that of the old range.
  func advanced(by new: [UInt64], below xmin: UInt64, limit: Int) -> LedgerProof {
    var next = self
    if let lowest = new.first {
      next.batches.insert(LedgerBatch(count: new.count, lowest: lowest), at: 0)
    }
    next.trimBatches(to: limit)
    let lowest = next.batches.map(\.lowest).min() ?? from
    next.from = min(lowest, xmin)
    return next
  }

  /// Drops the batches that are older than it takes.
  private mutating func trimBatches(to limit: Int) {
    var held = 0
    var kept = 0
    while kept < batches.count, held < limit {
      held += min(batches[kept].count, limit)
      kept += 1
    }
    batches.removeLast(batches.count - kept)
  }
}

extension SourceFacts {
  /// The watermark after everything was read.
  func watermark(
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> SourceWatermark {
    let batch = try newestEntries(&connection)
    let from = min(batch.lowest, xmin)
    let proof = LedgerProof(
      from: from,
      digest: try Self.digest(&connection, from: from, below: xmin),
      batches: [batch]
    )
    return watermark(proof, newest: try newest(&connection))
  }

  /// The watermark after only these transactions were read.
  func watermark(
    after old: SourceWatermark,
    new: [UInt64],
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> SourceWatermark {
    var proof = old.proof.advanced(by: new, below: xmin, limit: transactionLimit)
    if proof.from != old.proof.from || xmin != old.xmin {
      proof.digest = try Self.digest(&connection, from: proof.from, below: xmin)
    }
    guard let known = old.newest else {
      return watermark(proof, newest: try newest(&connection))
    }
    return watermark(proof, newest: Set(known).union(entries.map(\.transaction)).sorted())
  }

  private func watermark(_ proof: LedgerProof, newest: [UInt64]) -> SourceWatermark {
    SourceWatermark(
      systemIdentifier: systemIdentifier,
      layout: layout,
      epoch: epoch,
      xmin: xmin,
      seen: entries.filter { $0.transaction >= xmin },
      proof: proof,
      newest: newest.suffix(Self.newestCount),
      access: access.isEmpty ? nil : access
    )
  }

  /// How many of the newest entries a watermark lists.
  private static var newestCount: Int { 16 }

  private func newest(_ connection: inout PGConnection) throws(StoreFailure) -> [UInt64] {
    let result = try connection.query(
      """
      select changed_in from staffbook.ledger
        where changed_in < $1::xid8 order by changed_in desc limit $2
      """,
      [.text(String(xmax)), .int64(Int64(Self.newestCount))]
    )
    return (0..<result.rowCount).compactMap { UInt64(result.cell(0, row: $0)) }.reversed()
  }

  /// The entries of the highest numbers, which count as enough however few there are.
  private func newestEntries(
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> LedgerBatch {
    let result = try connection.query(
      """
      select l.changed_in from (select changed_in from staffbook.ledger
          where changed_in < $1::xid8 order by changed_in desc limit $2) l
        order by l.changed_in limit 1
      """,
      [.text(String(xmax)), .int64(Int64(transactionLimit))]
    )
    let lowest = result.rowCount == 1 ? UInt64(result.cell(0)) : nil
    return LedgerBatch(
      count: Int(UInt32.max),
      lowest: lowest ?? (prunedBelow < xmax ? prunedBelow : xmin)
    )
  }

  private static func digest(
    _ connection: inout PGConnection,
    from: UInt64,
    below xmin: UInt64
  ) throws(StoreFailure) -> String {
    let result = try connection.query(
      """
      select \(LedgerBytes.digest) from staffbook.ledger l
        where l.changed_in >= $1::xid8 and l.changed_in < $2::xid8
      """,
      [.text(String(from)), .text(String(xmin))]
    )
    return result.cell(0)
  }
}
