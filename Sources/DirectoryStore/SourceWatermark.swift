/// What is remembered of the database: its identity, the point up to which changes are in, and
/// what proves that a later state contains the one that was read.
///
/// The proof has two halves. Ledger entries at or above `xmin` that are in are listed one by one in
/// `seen`. Those between `proof.from` and `xmin` can change no more, since every transaction down
/// there has ended, and one digest stands for them all. A failover that loses a transaction, and
/// one that gives its number to another, change either the one or the other, as long as
/// `proof.from` reaches down to whatever may be lost: see `LedgerProof`.
package struct SourceWatermark: Hashable, Codable, Sendable {
  /// The cluster, as `pg_control_system()` names it.
  package var systemIdentifier: String
  /// Digest of the tables' identity, columns and triggers.
  package var layout: String
  /// Renewed when a table is truncated.
  package var epoch: String
  /// W: every transaction below is in.
  package var xmin: UInt64
  /// The ledger's entries at or above `xmin` that are in as well, rising.
  package var seen: [LedgerEntry]
  package var proof: LedgerProof
  /// The highest of the ledger's entries that are in, rising: all that are in from the first of them on.
  ///
  /// By these another reader's state is compared with this one; `nil` in files of former versions.
  package var newest: [UInt64]?
  /// Digest of the database user and the policies that may have hidden rows from this user; `nil` where
  /// none did, and in files of former versions.
  package var access: String?
}

/// What proves that nothing seen below the watermark's `xmin` was lost.
///
/// A server that lost transactions has a beginning of the history that we saw, in the order of
/// commits. That order is not the one of transaction numbers: what is lost first may have a low
/// number, if it was open for long. Hence `from` lies at or below every entry of the newest
/// batches, in the order in which we came to see them, that together hold more entries than there
/// can be transactions under way at once: only those may become visible in another order than
/// they commit. Of the first read, which is one batch, as many of the highest numbers count.
package struct LedgerProof: Hashable, Codable, Sendable {
  /// The least transaction that the digest reaches down to.
  package var from: UInt64
  /// SHA-256 in hexadecimal of the entries at or above `from` and below the watermark's `xmin`.
  package var digest: String
  /// What the newest reads that brought anything brought, newest first.
  package var batches: [LedgerBatch]
}

/// Ledger entries that came to be seen by one and the same read.
package struct LedgerBatch: Hashable, Codable, Sendable {
  package var count: Int
  /// The least transaction among them.
  package var lowest: UInt64
}

/// A writing transaction and the random token that tells it from another of the same number.
package struct LedgerEntry: Hashable, Sendable {
  package var transaction: UInt64
  package var token: LedgerToken
}

/// As one text, `transaction high low`: a watermark may list thousands.
extension LedgerEntry: Codable {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let numbers = try container.decode(String.self).split(separator: " ").map { UInt64($0) }
    guard numbers.count == 3, let transaction = numbers[0], let high = numbers[1],
      let low = numbers[2]
    else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a ledger entry")
    }
    self.init(transaction: transaction, token: LedgerToken(high: high, low: low))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode("\(transaction) \(token.high) \(token.low)")
  }
}

/// A UUID, as two halves.
package struct LedgerToken: Hashable, Sendable, CustomStringConvertible {
  package var high: UInt64
  package var low: UInt64

  /// The form in which PostgreSQL writes it: 8-4-4-4-12 hexadecimal digits.
  package var description: String {
    let digits = Self.hexadecimal(high) + Self.hexadecimal(low)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { text += "-" }
      text.append(digit)
    }
    return text
  }

  private static func hexadecimal(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
