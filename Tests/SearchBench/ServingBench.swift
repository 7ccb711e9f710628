import DirectoryExchange
import DirectoryModel
import DirectoryReading
import DirectorySearch
import DirectorySnapshot
import Dispatch
import Platform
import Synchronization
import SystemPackage

/// What a server answers, in process: its searches and rows of the tree as JSON, by two threads.
struct ServingBench {
  let snapshot: DirectorySnapshot
  let indexPath: FilePath
  let queries: [BenchQuery]
  let report: Report

  private static let threads = 2
  private static let screens = 10_000

  /// Prints requests in a second and how long they take, and writes the questions beside the index, for
  /// a request to a server for the same.
  func run() throws {
    let state = try DirectoryState(snapshot, for: .everything, SearchSupport(index: indexPath))
    let directory = DirectoryReading.Directory(state)
    // From everywhere, since a path of the interface names departments by id.
    let texts = queries.filter { $0.scope == .everywhere }
    let prefixes = texts.filter { $0.kind == .prefix }.map(\.text)
    for (name, texts) in [("queries", texts.map(\.text)), ("prefixes", prefixes)] {
      try write(texts, to: name)
      try measure(name, texts) { text in
        var options = SearchOptions(text)
        options.limit = 20
        var rows = RowStream(.jsonl)
        var bytes: [UInt8] = []
        _ = try directory.searcher().forEachHit(of: options) { try rows.append($0.row, to: &bytes) }
        consume(bytes)
      }
    }
    var outline = try DirectoryOutline(directory, SavedView(expanded: []))
    outline.apply(.expandAll)
    let opened = outline
    var random = Numbers(state: 7)
    let starts = (0..<Self.screens).map { _ in String(random.below(opened.rowCount)) }
    try write(starts, to: "rows")
    try measure("rows", starts) { text in
      let start = Int(text) ?? 0
      var bytes: [UInt8] = []
      try opened.write(start..<start + 100, as: .json, to: &bytes)
      consume(bytes)
    }
  }

  private func write(_ lines: [String], to name: String) throws {
    let file = try FileDescriptor.open(
      FilePath(indexPath.string + "." + name),
      .writeOnly,
      options: [.create, .truncate],
      permissions: .ownerReadWrite
    )
    try file.closeAfter { _ = try file.writeAll((lines.joined(separator: "\n") + "\n").utf8) }
  }

  private func measure(
    _ name: String,
    _ texts: [String],
    _ ask: @Sendable (String) throws -> Void
  ) throws {
    for text in texts.prefix(100) { try ask(text) }
    let times = Mutex<[Double]>([])
    let clock = ContinuousClock()
    let start = clock.now
    DispatchQueue.concurrentPerform(iterations: Self.threads) { thread in
      var own: [Double] = []
      for index in stride(from: thread, to: texts.count, by: Self.threads) {
        let time = clock.measure { try? ask(texts[index]) }
        own.append(time.milliseconds)
      }
      times.withLock { $0 += own }
    }
    let seconds = (clock.now - start).milliseconds / 1e3
    let all = Latencies(times.withLock { $0 })
    report.figure("inprocess.\(name).rate", Double(texts.count) / seconds, "r/s")
    report.figure("inprocess.\(name).p50", all.percentile(0.5), "ms")
    report.figure("inprocess.\(name).p99", all.percentile(0.99), "ms")
  }
}
