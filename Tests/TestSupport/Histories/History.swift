import Seeds
import LibPQ
import Synchronization

/// Many writers and one reader at the same time; every state that the reader comes to hold is
/// compared with what its own transaction saw.
package struct History: Sendable {
  /// Where the writers write.
  package var primary: String
  /// Where the reader reads: each time one of these, by chance.
  package var sources: [String]
  package var writers: Int
  package var syncs: Int
  /// How long the reader rests between two syncs, at most.
  package var rest: Duration
  package var seed: UInt64

  package init(
    primary: String,
    sources: [String],
    writers: Int = 8,
    syncs: Int,
    rest: Duration = .milliseconds(20),
    seed: UInt64 = .random(in: .min ... .max)
  ) {
    self.primary = primary
    self.sources = sources
    self.writers = writers
    self.syncs = syncs
    self.rest = rest
    self.seed = seed
  }

  /// Plays it.
  ///
  /// - Parameter reader: Who reads; what it holds already counts.
  /// - Returns: What came of it; the first sync, which has to read everything, counts too.
  /// - Throws: When writing fails for another reason than a conflict.
  package func play(to reader: some HistoryReader) async throws -> HistoryOutcome {
    let end = EndOfHistory()
    return try await withThrowingTaskGroup(of: HistoryOutcome.self) { group in
      for number in 0..<writers {
        group.addTask {
          var writer = try await HistoryWriter(primary, seed: seed &+ UInt64(number))
          while !end.isReached { try await writer.writeOnce() }
          return HistoryOutcome(commits: writer.commits, rollbacks: writer.rollbacks)
        }
      }
      group.addTask {
        defer { end.reach() }
        return try await read(reader)
      }
      return try await group.reduce(into: HistoryOutcome(seed: seed)) { $0.add($1) }
    }
  }

  private func read(_ reader: some HistoryReader) async throws -> HistoryOutcome {
    var random = SeededGenerator(seed: seed ^ 0x5EED)
    var outcome = HistoryOutcome()
    for number in 0..<syncs {
      let source = sources.randomElement(using: &random) ?? primary
      let witness = SnapshotWitness(source)
      do {
        let sync = try await reader.sync(with: source) { connection throws(PostgresError) in
          try witness.look(&connection)
        }
        outcome.count(sync, against: witness.rows, number: number)
      } catch {
        // A server that is restarted may refuse; what the reader holds must then be what it was.
        outcome.failures.append("\(error)")
      }
      let pause = UInt64.random(in: 0...1000, using: &random)
      try await Task.sleep(for: rest * Int(pause) / 1000)
    }
    return outcome
  }
}

/// Tells the writers when the reader is through.
private final class EndOfHistory: Sendable {
  private let reached = Atomic(false)

  var isReached: Bool { reached.load(ordering: .relaxed) }

  func reach() { reached.store(true, ordering: .relaxed) }
}

/// What came of a history.
package struct HistoryOutcome: Sendable, CustomStringConvertible {
  package var seed: UInt64 = 0
  package var syncs = 0
  /// Syncs that read only what changed, by their own report.
  package var incremental = 0
  /// Syncs whose rows were other than at the one before.
  package var changed = 0
  package var commits = 0
  package var rollbacks = 0
  /// Why everything was read, and how often.
  package var reasons: [String: Int] = [:]
  /// What was held and was not in the database, and the other way round.
  package var mismatches: [String] = []
  /// Syncs that did not come about.
  package var failures: [String] = []
  private var last: DirectoryRows?

  package init(seed: UInt64 = 0, commits: Int = 0, rollbacks: Int = 0) {
    self.seed = seed
    self.commits = commits
    self.rollbacks = rollbacks
  }

  package var incrementalShare: Double { syncs == 0 ? 0 : Double(incremental) / Double(syncs) }

  mutating func count(_ sync: HistorySync, against truth: DirectoryRows?, number: Int) {
    syncs += 1
    if let reason = sync.comparedBecause {
      reasons[reason, default: 0] += 1
    } else {
      incremental += 1
    }
    if last != sync.rows { changed += 1 }
    last = sync.rows
    guard let truth else {
      mismatches.append("sync \(number): it has no witness")
      return
    }
    if let difference = sync.rows.difference(from: truth) {
      mismatches.append("sync \(number): \(difference)")
    }
  }

  mutating func add(_ other: HistoryOutcome) {
    syncs += other.syncs
    incremental += other.incremental
    changed += other.changed
    commits += other.commits
    rollbacks += other.rollbacks
    reasons.merge(other.reasons, uniquingKeysWith: +)
    mismatches += other.mismatches
    failures += other.failures
  }

  package var description: String {
    "\(syncs) syncs, \(incremental) incremental, \(changed) brought something, "
      + "\(mismatches.count) mismatches, \(failures.count) did not come about; "
      + "\(commits) commits, \(rollbacks) rollbacks; compared: \(reasons); seed \(seed)"
  }
}
