import DirectoryModel
import DirectoryStore

/// Reads the transactions of a log a few at a time, newest first: how many of them are seen is known
/// only when they were looked at.
struct TransactionWindow {
  private var filter: HistoryFilter
  /// Those of the last moment that was read, which the next ones may begin with.
  private var last: Set<Int64> = []
  private var isAtEnd = false

  private static let most = 10_000

  /// - Parameters:
  ///   - filter: What is asked for; without a limit everything is read at once.
  ///   - fewest: The size of the first window at least.
  init(_ filter: HistoryFilter, fewest: Int = 100) {
    self.filter = filter
    self.filter.limit = filter.limit.map { max($0, fewest) }
  }

  /// - Returns: The next ones, of which each window has twice as many; `nil` after the last.
  /// - Throws: What the history says.
  mutating func next(_ history: any RecordedHistory) async throws -> [RecordedTransaction]? {
    guard !isAtEnd else { return nil }
    let found = try await history.transactions(filter)
    let transactions = found.filter { !last.contains($0.number) }
    guard let limit = filter.limit, found.count >= limit, let until = found.last?.at else {
      isAtEnd = true
      return transactions
    }
    last = Set(found.filter { $0.at == until }.map(\.number))
    filter.until = until
    filter.limit = max(min(limit * 2, Self.most), last.count * 2)
    return transactions
  }
}
