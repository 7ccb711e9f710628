import DirectoryStore

/// Which of the database's transactions a state contains, as every node of a service understands it.
///
/// It names a position of the ledger and no file: the newest transactions that are in. Where nothing
/// tracks changes there is none, and states of two nodes cannot be compared.
package struct StatePosition: Hashable, Sendable {
  /// Renewed when a table is truncated.
  fileprivate let epoch: String
  /// The newest of the ledger's transactions that are in, rising.
  fileprivate let newest: [UInt64]

  /// - Returns: `nil` where the source tracks no changes, or an older version read it.
  init?(_ watermark: SourceWatermark?) {
    guard let watermark, let newest = watermark.newest else { return nil }
    (epoch, self.newest) = (watermark.epoch, newest)
  }

  /// The form in headers: letters, digits, hyphens and dots.
  package var text: String {
    ([epoch] + newest.map { String($0, radix: 36) }).joined(separator: ".")
  }

  /// Reads `text`; `nil` for what is none.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.mostBytes else { return nil }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.dropFirst().compactMap { UInt64($0, radix: 36) }
    guard let epoch = parts.first, !epoch.isEmpty, numbers.count == parts.count - 1,
      numbers == numbers.sorted()
    else { return nil }
    (self.epoch, newest) = (String(epoch), numbers)
  }

  private static let mostBytes = 1_024
}

/// What a node knows of the ledger, to compare with what a client has seen at another.
struct LedgerKnowledge: Sendable {
  let position: StatePosition
  private let epoch: String
  private let xmin: UInt64
  private let seen: Set<UInt64>

  /// - Returns: `nil` as `StatePosition.init(_:)`.
  init?(_ watermark: SourceWatermark?) {
    guard let watermark, let position = StatePosition(watermark) else { return nil }
    self.position = position
    (epoch, xmin) = (watermark.epoch, watermark.xmin)
    seen = Set(watermark.seen.map(\.transaction))
  }

  /// How a state that a client has seen stands to this one.
  enum Relation: Sendable {
    /// Everything in it is in this one.
    case contained
    /// Something in it may not be here yet.
    case ahead
    /// It is of tables that were truncated or restored since, or before.
    case unrelated
  }

  func relation(of other: StatePosition) -> Relation {
    guard other.epoch == epoch else { return .unrelated }
    // What is not listed is below the first; below `xmin` all is in.
    let isContained =
      other.newest.first.map { $0 <= xmin } ?? true
      && other.newest.allSatisfy { $0 < xmin || seen.contains($0) }
    return isContained ? .contained : .ahead
  }
}
