import DirectorySearch
import DirectorySnapshot
import Dispatch
import LibPQ
import Platform
import Synchronization
import SystemPackage
import TextRules

/// Everything that is measured on one directory.
struct SearchBench {
  let snapshot: DirectorySnapshot
  let indexPath: FilePath
  let runs: Int
  /// Whether queries are measured by the time of the processor, on a machine that has others to serve.
  let isOfProcessor: Bool
  let report: Report

  private static let clock = ContinuousClock()

  // MARK: - Index

  /// Makes the index; prints time without that of the disk, and bytes for each person.
  func build() throws {
    var seconds: [Double] = []
    var bytes = 0
    for _ in 0..<min(runs, 2) {
      let start = Self.clock.now
      let written = try SearchIndexBuilder.write(of: snapshot, to: indexPath, phones: .unknown)
      seconds.append((Self.clock.now - start - written.synchronizing).milliseconds / 1e3)
      bytes = written.byteCount
    }
    report.figure("search.index.build", seconds.min() ?? 0, "s")
    report.figure("search.index.size", Double(bytes) / Double(try snapshot.users().count), "B/p")
  }

  func open() throws -> SearchEngine {
    switch SearchIndex.open(indexPath, for: snapshot, phones: nil) {
    case .usable(let index): return try SearchEngine(snapshot, phones: index.rules, index: index)
    default: throw BenchError(description: "there is no index of this snapshot at \(indexPath)")
    }
  }

  // MARK: - Queries

  /// Searches with each query, several times over.
  ///
  /// - Parameters:
  ///   - queries: The queries.
  ///   - engine: What searches.
  /// - Returns: The median time of each, in milliseconds; the first time over does not count.
  /// - Throws: `SearchError`.
  func time(_ queries: [BenchQuery], _ engine: SearchEngine) throws -> [Double] {
    var times = queries.map { _ in [Double]() }
    for run in 0...runs {
      for (index, query) in queries.enumerated() {
        let start = now
        let outcome = try engine.search(query.request())
        let time = now - start
        consume(outcome)
        if run > 0 { times[index].append(time) }
      }
    }
    return times.map { $0.sorted()[$0.count / 2] }
  }

  /// Milliseconds of the wall clock, or of this thread.
  var now: Double {
    var time = timespec()
    clock_gettime(isOfProcessor ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }

  /// Prints what each kind of query takes, and all together.
  func report(
    _ queries: [BenchQuery],
    _ times: [Double],
    rival: [Double?],
    name: String = "queries"
  ) {
    func figures(_ name: String, _ indexes: [Int]) {
      guard !indexes.isEmpty else { return }
      let ours = Latencies(indexes.map { times[$0] })
      let theirs = Latencies(indexes.compactMap { rival[$0] })
      func figure(_ part: String, _ value: (Latencies) -> Double) {
        let baseline = value(theirs)
        report.figure("\(name).\(part)", value(ours), "ms", baseline: baseline > 0 ? baseline : nil)
      }
      figure("p50") { $0.percentile(0.5) }
      figure("p99") { $0.percentile(0.99) }
      figure("max") { $0.max }
    }
    figures("search.\(name)", Array(queries.indices))
    for kind in QueryKind.allCases {
      figures("search.\(kind.rawValue)", queries.indices.filter { queries[$0].kind == kind })
    }
  }

  /// Prints the slowest queries of each kind.
  func printSlowest(_ count: Int, of queries: [BenchQuery], _ times: [Double]) {
    for kind in QueryKind.allCases {
      let indexes = queries.indices.filter { queries[$0].kind == kind }
        .sorted { times[$0] > times[$1] }
      for index in indexes.prefix(count) {
        report.figure("slow.\(kind.rawValue) \(queries[index].text)", times[index], "ms")
      }
    }
  }

  /// Prints what each kind of query takes that a tier behind exact matches finds.
  func searchByTiers(_ engine: SearchEngine, _ maker: inout QueryMaker, slow: Int) throws {
    let queries = try maker.makeQueries(of: QueryKind.ofTiers)
    let times = try time(queries, engine)
    if slow > 0 { printSlowest(slow, of: queries, times) }
    report(queries, times, rival: times.map { _ in nil }, name: "tiers")
  }

  // MARK: - Filtered trees

  /// Prints what a filtered tree takes whose query is typed letter after letter.
  ///
  /// - Parameters:
  ///   - engine: What searches.
  ///   - showing: Whether each is printed.
  /// - Throws: `SearchError`.
  func filterAsTyped(_ engine: SearchEngine, showing: Bool) throws {
    var times: [Double] = []
    for text in Self.typed {
      var own: [Double] = []
      for _ in 0..<max(runs, 1) {
        let start = now
        consume(try engine.matchingNodes(for: SearchQuery(text)))
        own.append(now - start)
      }
      times.append(own.sorted()[own.count / 2])
      if showing { report.figure("slow.filter \(text)", times.last ?? 0, "ms") }
    }
    let all = Latencies(times)
    report.figure("search.filter.p50", all.percentile(0.5), "ms")
    report.figure("search.filter.p99", all.percentile(0.99), "ms")
    report.figure("search.filter.max", all.max, "ms")
  }

  private static let typed: [String] = {
    let queries = [
      "anna schmidt", "smith", "zhangwei", "zw", "berlin", "0461234", "lukasz", "иванов",
      "mia.smith",
      "xqzv", "sales lead",
    ]
    return queries.flatMap { query in query.indices.map { String(query[...$0]) } }
  }()

  // MARK: - Threads

  /// Searches on one thread and on two that share the engine, and compares what is found.
  func searchOnTwoThreads(_ queries: [BenchQuery], _ engine: SearchEngine) throws {
    let expected = try queries.map { try engine.search($0.request()) }
    func rate(threads: Int) -> Double {
      let failures = Atomic(0)
      let start = Self.clock.now
      DispatchQueue.concurrentPerform(iterations: threads) { thread in
        for index in stride(from: thread, to: queries.count, by: threads) {
          if (try? engine.search(queries[index].request())) != expected[index] {
            failures.add(1, ordering: .relaxed)
          }
        }
      }
      precondition(failures.load(ordering: .relaxed) == 0, "threads find something else")
      return Double(queries.count) / (Self.clock.now - start).milliseconds * 1e3
    }
    let one = rate(threads: 1)
    report.figure("search.twothreads", rate(threads: 2), "q/s", baseline: one)
  }

  // MARK: - Hostile queries

  /// Prints the slowest of what no one types in earnest.
  ///
  /// - Parameters:
  ///   - engine: What searches.
  ///   - showing: Whether each is printed.
  func searchHostile(_ engine: SearchEngine, showing: Bool) {
    var slowest = 0.0
    for text in Self.hostile {
      let start = now
      _ = try? engine.search(SearchRequest(SearchQuery(text), limit: 20))
      let time = now - start
      slowest = max(slowest, time)
      if showing { report.figure("slow.hostile \(text.prefix(20))", time, "ms") }
    }
    report.figure("search.hostile.max", slowest, "ms")
  }

  static let hostile: [String] = {
    func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }
    let letters = (0x61...0x7A).compactMap { Unicode.Scalar($0).map(String.init) }
    let pairs = letters.prefix(8).flatMap { first in letters.prefix(8).map { first + $0 } }
    return [
      repeated("a ", 4_096), repeated("a", 8_192), repeated("\"", 5_000), repeated("\" ", 4_000),
      letters.joined(separator: " "), (0..<1_000).map { letters[$0 % 26] }.joined(separator: " "),
      pairs.joined(separator: " "), repeated("abcdefghij", 100), repeated("zhang", 200),
      repeated("smith", 12), repeated("ab", 30), repeated("z", 62), repeated("zhangwei", 7),
      "-a", letters.map { "-" + $0 }.joined(separator: " "), "%", "_", "*", "%%%%", "\\", "(a+)+$",
      "\"a b\"", "\"a a\" \"e e\"", repeated("\u{301}", 4_000), repeated("\u{4E00}", 2_000),
      "1 2 3 4 5", repeated("5", 40), "@", ".", "-", "e", "a e i o u", "@fernlicht.example",
      "title:e dept:e email:e name:e", "ㄱ", "ㄱㄴㄷㄹㅁㅂ",
      (0..<64).map { "abcdefgh\($0)" }.joined(separator: " "),
      (0..<64).map { "smith\(letters[$0 % 26])\(letters[$0 / 26])" }.joined(separator: " "),
    ]
  }()

  /// Prints by how much searches pass a deadline of ten milliseconds that they cannot meet.
  ///
  /// - Parameters:
  ///   - engine: What searches.
  ///   - showing: Whether each is printed.
  func searchImpatiently(_ engine: SearchEngine, showing: Bool) {
    var worst = 0.0
    for text in Self.hostile {
      let start = now
      let deadline = ContinuousClock.now + .milliseconds(10)
      _ = try? engine.search(SearchRequest(SearchQuery(text), limit: 20, deadline: deadline))
      let passed = now - start - 10
      worst = max(worst, passed)
      if showing, passed > 0 { report.figure("late.hostile \(text.prefix(20))", passed, "ms") }
    }
    report.figure("search.deadline.passed", worst, "ms")
  }

  // MARK: - PostgreSQL

  /// Searches with some of the queries in PostgreSQL.
  ///
  /// - Parameters:
  ///   - queries: The queries.
  ///   - step: Each so-manieth is asked.
  ///   - rival: The other.
  /// - Returns: The time of each, in milliseconds, 5,000 for one that was given up; `nil` for one
  ///   that was not asked.
  /// - Throws: `PostgresError`.
  func time(
    _ queries: [BenchQuery],
    every step: Int,
    _ rival: inout Rival
  ) throws -> [Double?] {
    var times: [Double?] = queries.map { _ in nil }
    for index in stride(from: 0, to: queries.count, by: step) {
      // Excluded words are the last ones, and have no quotes.
      let words = queries[index].text.split(separator: " ").map { Folding.fold(String($0)) }
      let excluded = words.filter { $0.hasPrefix("-") && $0 != "-" }.map { String($0.dropFirst()) }
      let wanted = words.filter { !$0.hasPrefix("-") || $0 == "-" }
      let start = Self.clock.now
      let found = try rival.search(wanted, without: excluded)
      times[index] = found == nil ? 5_000 : (Self.clock.now - start).milliseconds
    }
    return times
  }
}

struct BenchError: Error, CustomStringConvertible {
  let description: String
}

/// Keeps the compiler from leaving out what is measured.
@inline(never)
@_optimize(none)
func consume<Value>(_ value: Value) {}
