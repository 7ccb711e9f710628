import TestSupport
import Testing

/// Runs the queries of `Tests/Relevance`, and prints how well they are answered, by kind and in all.
@Suite("What people look for", .serialized)
struct RelevanceTests {
  /// Means by kind, and what is not answered as it should be.
  private struct Report {
    var all = RelevanceMean()
    var byKind: [String: RelevanceMean] = [:]
    var misses: [String] = []

    mutating func add(_ query: RelevanceQuery, found: [String]) {
      let score = query.score(found)
      all.add(score)
      byKind[query.kind, default: RelevanceMean()].add(score)
      guard !score.isFull else { return }
      misses.append(
        "\(query.data), \(query.kind): “\(query.text)” wants \(query.expected.sorted()), "
          + "finds \(found)"
      )
    }

    func show() {
      for miss in misses { print(miss) }
      for (kind, mean) in byKind.sorted(by: { $0.key < $1.key }) { print("\(kind): \(mean)") }
      print("all: \(all)")
    }
  }

  @Test func `is among the first ten hits, mostly the first, the same without an index`()
    async throws
  {
    var report = Report()
    for data in RelevanceQuery.dataSets {
      try await withTemporaryDirectory { folder in
        let directory = try RelevanceDirectory(data, in: folder)
        let queries = try RelevanceQuery.all(of: data)
        for query in queries { report.add(query, found: try directory.search(query.text)) }
        for query in Self.toScan(queries, directory) {
          #expect(try directory.isSameByScan(query.text), "\(data): “\(query.text)”")
        }
      }
    }
    report.show()
    #expect(report.all.count >= 300)
    #expect(report.all.recall >= 0.99, "\(report.all)")
    #expect(report.all.reciprocalRank >= 0.95, "\(report.all)")
  }

  /// Others each time: looking at every record takes, built for debugging, 20 µs for each of them.
  private static func toScan(
    _ queries: [RelevanceQuery],
    _ directory: RelevanceDirectory
  ) -> ArraySlice<RelevanceQuery> {
    let looks = environmentValue("STAFFBOOK_RELEVANCE_SCANS").flatMap(Int.init) ?? 40_000
    return queries.shuffled().prefix(max(1, looks / max(1, directory.recordCount)))
  }
}
