import BrowserModel
import Seeds

/// How many keys to take, and from which seed on.
struct WalkSettings: Sendable {
  var steps = 1_000_000
  var seed = UInt64.random(in: 0...UInt64.max)
  var workers = 2

  /// - Parameter arguments: `--steps N`, `--seed N`, `--workers N`.
  init(_ arguments: some Sequence<String>) {
    var rest = Array(arguments)[...]
    while let name = rest.popFirst(), let value = rest.popFirst() {
      switch name {
      case "--steps": steps = Int(value) ?? steps
      case "--seed": seed = UInt64(value) ?? seed
      case "--workers": workers = Int(value) ?? workers
      default: fatalError("no option \(name)")
      }
    }
  }
}

/// What came of it.
struct WalkReport: Sendable {
  var keys = 0
  var walks = 0
  var directories = 0
  var firstMatches = 0

  mutating func add(_ other: WalkReport) {
    keys += other.keys
    walks += other.walks
    directories += other.directories
    firstMatches += other.firstMatches
  }
}

/// Each worker takes walks of some length until its share of the keys is taken.
func runWalks(_ settings: WalkSettings) async throws -> WalkReport {
  print("seed \(settings.seed)")
  return try await withThrowingTaskGroup(of: WalkReport.self) { group in
    for worker in 0..<settings.workers {
      let steps = settings.steps / settings.workers
      group.addTask { try walk(steps, from: settings.seed &+ UInt64(worker)) }
    }
    var report = WalkReport()
    for try await part in group { report.add(part) }
    return report
  }
}

private func walk(_ steps: Int, from seed: UInt64) throws -> WalkReport {
  var random = SeededGenerator(seed: seed)
  var report = WalkReport()
  while report.keys < steps {
    let size = BrowserWalk.sizes[report.walks % BrowserWalk.sizes.count]
    var walk = try BrowserWalk(seed: random.next(), size: size)
    let count = min(2_000, steps - report.keys)
    try walk.run(keys: count, comparing: 10)
    report.add(
      WalkReport(
        keys: count,
        walks: 1,
        directories: walk.directories,
        firstMatches: walk.firstMatches
      )
    )
  }
  return report
}
