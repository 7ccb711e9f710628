import DirectoryModel
import DirectoryStore
import LibPQ
import Seeds
import TestSupport
import Testing

/// Keeps the records in memory.
actor StateReader: HistoryReader {
  private var state = DirectoryState()
  private let options: ReadOptions

  init(_ options: ReadOptions = ReadOptions()) { self.options = options }

  func sync(
    with conninfo: String,
    witness: @escaping HistoryWitness
  ) async throws -> HistorySync {
    let repository = DirectoryRepository(conninfo: conninfo, options: options)
    let read = try await repository.read(since: state.watermark, observer: witness)
    state.apply(read)
    var reason: String?
    if case .everything(_, let because) = read { reason = because.description }
    return HistorySync(comparedBecause: reason, rows: state.rows)
  }
}

/// How many syncs a history has.
let historyLength = rounds(60, thorough: 200)

extension HistoryOutcome {
  /// Records what is wrong with it, and prints what was counted.
  func expectSound(_ name: String, incremental share: Double = 0.95, failures limit: Int = 0) {
    print("\(name): \(self)")
    #expect(mismatches.isEmpty, "\(mismatches.prefix(3)) of \(self)")
    #expect(incrementalShare >= share, "\(self)")
    #expect(failures.count <= limit, "\(failures.prefix(3)) of \(self)")
    #expect(changed > syncs / 4, "\(self)")
  }
}

extension PostgresCluster {
  /// A primary with a directory that histories can be played on.
  static func makeDirectory(settings: [String: String] = [:]) async throws -> PostgresCluster {
    let cluster = try await make(settings: settings)
    _ = try await Migrator().migrate(conninfo: cluster.conninfo())
    try await SQLSession(cluster.conninfo()).run(HistoryWriter.beginning)
    return cluster
  }
}

@Suite("A reader beside many writers", .serialized)
struct HistoryTests {
  @Test func `holds at each sync what its transaction sees`() async throws {
    let cluster = try await PostgresCluster.makeDirectory()
    let history = History(
      primary: cluster.conninfo(),
      sources: [cluster.conninfo()],
      syncs: historyLength
    )
    try await history.play(to: StateReader()).expectSound("writers")
  }

  @Test func `does so with one writer open throughout, and a prepared transaction`() async throws {
    let cluster = try await PostgresCluster.makeDirectory()
    let open = try await SQLSession(cluster.conninfo())
    try await open.run(
      "begin; update staffbook.departments set description = 'open' where id = 'open'"
    )
    let prepared = try await SQLSession(cluster.conninfo())
    try await prepared.run(
      """
      begin; update staffbook.departments set description = 'so' where id = 'prepared';
      prepare transaction 'p'
      """
    )
    let history = History(
      primary: cluster.conninfo(),
      sources: [cluster.conninfo()],
      syncs: historyLength
    )
    let reader = StateReader()
    try await history.play(to: reader).expectSound("open and prepared")
    try await open.run("commit")
    try await prepared.run("commit prepared 'p'")
    var after = history
    after.syncs = 20
    try await after.play(to: reader).expectSound("after both ended", incremental: 1)
  }

  @Test func `does so on a hot standby`() async throws {
    let primary = try await PostgresCluster.makeDirectory()
    let standby = try await primary.makeStandby()
    let history = History(
      primary: primary.conninfo(),
      sources: [standby.conninfo()],
      syncs: historyLength
    )
    try await history.play(to: StateReader()).expectSound("hot standby")
  }

  @Test func `does so between a primary and a standby that restarts`() async throws {
    let primary = try await PostgresCluster.makeDirectory()
    // It lags, so that it often lacks what was read from the primary.
    let standby = try await primary.makeStandby(settings: ["recovery_min_apply_delay": "30ms"])
    let history = History(
      primary: primary.conninfo(),
      sources: [primary.conninfo(), standby.conninfo()],
      syncs: historyLength
    )
    let restarts = 4
    let outcome = try await withThrowingTaskGroup(of: HistoryOutcome.self) { group in
      group.addTask { try await history.play(to: StateReader()) }
      for number in 0..<restarts {
        try await Task.sleep(for: .milliseconds(Int.random(in: 300...900)))
        try await standby.restart(number % 2 == 0 ? .immediate : .fast)
      }
      return try await group.next() ?? HistoryOutcome()
    }
    outcome.expectSound("primary and restarting standby", failures: outcome.syncs / 2)
  }
}
