import Seeds
import OutlineModel

/// How many steps to take, and from which seed on.
struct HistorySettings {
  var steps = 1_000_000
  var seed = UInt64.random(in: 0...UInt64.max)
  var workers = 2
  /// Size of one history that is repeated, as a failure names it.
  var size: Int?

  /// - Parameter arguments: `--steps N`, `--seed N`, `--workers N`, `--size N`.
  init(_ arguments: some Sequence<String>) {
    var rest = Array(arguments)[...]
    while let name = rest.popFirst(), let value = rest.popFirst() {
      switch name {
      case "--steps": steps = Int(value) ?? steps
      case "--seed": seed = UInt64(value) ?? seed
      case "--workers": workers = Int(value) ?? workers
      case "--size": size = Int(value)
      default: fatalError("no option \(name)")
      }
    }
  }
}

/// What came of it.
struct HistoryReport: Sendable {
  var counts: [String: Int] = [:]
  var refusals = 0
  var histories = 0
  var failures: [HistoryFailure] = []

  mutating func add(_ other: HistoryReport) {
    counts.merge(other.counts, uniquingKeysWith: +)
    refusals += other.refusals
    histories += other.histories
    failures += other.failures
  }

  func printCounts() {
    for (kind, count) in counts.sorted(by: { $0.key < $1.key }) { print("\(kind): \(count)") }
    let total = counts.values.reduce(0, +)
    print("\(total) steps in \(histories) histories, \(refusals) refused edits and batches")
  }
}

/// Each worker takes histories of random sizes until its share of the steps is made.
func runHistories(_ settings: HistorySettings) async -> HistoryReport {
  print("seed \(settings.seed)")
  return await withTaskGroup(of: HistoryReport.self) { group in
    for worker in 0..<settings.workers {
      let steps = settings.steps / settings.workers
      group.addTask { runShare(settings, worker: worker, steps: steps) }
    }
    return await group.reduce(into: HistoryReport()) { $0.add($1) }
  }
}

private func runShare(_ settings: HistorySettings, worker: Int, steps: Int) -> HistoryReport {
  var report = HistoryReport()
  var random = SeededGenerator(seed: settings.seed &+ UInt64(worker))
  var done = 0
  while done < steps, report.failures.isEmpty {
    let size = settings.size ?? randomSize(&random)
    // Large trees get short histories: a step costs what the tree does.
    let share = min(steps - done, size > 500 ? 40 : 400)
    let seed = settings.size == nil ? random.next() : settings.seed
    do {
      var history = try History(seed: seed, size: size)
      try history.run(steps: share)
      report.counts.merge(history.counts, uniquingKeysWith: +)
      report.refusals += history.refusals
    } catch let failure as HistoryFailure {
      report.failures.append(failure)
    } catch {
      fatalError("\(error)")
    }
    done += share
    report.histories += 1
  }
  return report
}

private func randomSize(_ random: inout SeededGenerator) -> Int {
  switch Int.random(in: 0..<40, using: &random) {
  case 0..<24: Int.random(in: 0...16, using: &random)
  case 24..<38: Int.random(in: 10...60, using: &random)
  case 38: Int.random(in: 100...300, using: &random)
  default: Int.random(in: 500...2_000, using: &random)
  }
}
