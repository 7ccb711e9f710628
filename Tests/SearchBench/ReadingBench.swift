import DirectoryExchange
import DirectoryModel
import DirectoryReading
import DirectorySnapshot
import Platform
import SystemPackage

/// What fronts ask a directory about one person, or for one screen.
struct ReadingBench {
  let snapshot: DirectorySnapshot
  let indexPath: FilePath
  let people: Directory
  let report: Report
  /// Milliseconds of a clock.
  let now: () -> Double

  private static let questions = 2_000

  /// Prints what a question takes whose like was asked before, in the middle and at worst, and what the
  /// first one takes and keeps.
  func run() throws {
    let support = SearchSupport(index: indexPath)
    let start = now()
    let state = try DirectoryState(snapshot, for: .everything, support)
    report.figure("reading.open", now() - start, "ms")
    let directory = DirectoryReading.Directory(state)
    var random = Numbers(state: 11)
    let ids = try (0..<Self.questions).map { _ in try people.users.ids[random.below(people.count)] }
    let names = try ids.map { try directory.personName($0) ?? "" }
    let addresses = try (0..<Self.questions).map { _ in
      try people.person(random.below(people.count)).address
    }.filter { !$0.isEmpty }
    func card(_ id: String) throws {
      guard let node = try directory.node(of: .person(UserID(id))) else { return }
      consume(try directory.cardFields(of: directory.card(at: node)))
    }
    try measure("card", ids, card)
    try measure("lookup.id", ids) { consume(try directory.lookUp($0, limit: 50)) }
    try measure("lookup.name", names) { consume(try directory.lookUp($0, limit: 50)) }
    try measure("lookup.email", addresses) { consume(try directory.lookUp($0, limit: 50)) }
    try measure("vcard", ids) { id in
      guard let node = try directory.node(of: .person(UserID(id))) else { return }
      consume(try directory.vCard(at: node))
    }
    try measure("rows.list", Array(ids.prefix(200))) { first in
      var rows = RowStream(.jsonl)
      var bytes: [UInt8] = []
      let start = ids.firstIndex(of: first) ?? 0
      for offset in 0..<50 {
        let id = ids[(start + offset * 37) % ids.count]
        guard let node = try directory.node(of: .person(UserID(id))) else { continue }
        try rows.append(directory.listRow(at: node), to: &bytes)
      }
      consume(bytes)
    }
    try measure("rows.tree", try screens()) { id in
      var request = TreeRequest(opening: .all)
      request.root = try directory.node(of: DepartmentID(id))
      request.withContacts = true
      var bytes: [UInt8] = []
      let count = try directory.write(request, as: .jsonl) {
        bytes += $0
        $0.removeAll()
      }
      consume(count)
    }
  }

  /// Departments that are a screen of rows with all that is below them.
  private func screens() throws -> [String] {
    var ids: [String] = []
    for row in 0..<people.departments.count where ids.count < 200 {
      let node = try people.departments.node(of: row)
      if (45...55).contains(try people.tree.subtree(of: node).count) {
        ids.append(try people.departments.ids[row])
      }
    }
    return ids
  }

  private func measure(
    _ name: String,
    _ questions: [String],
    _ ask: (String) throws -> Void
  ) throws {
    let before = anonymousMegabytes
    var times: [Double] = []
    for question in questions {
      let start = now()
      try ask(question)
      times.append(now() - start)
    }
    let first = times.prefix(10)
    report.figure("reading.\(name).first", first.first ?? 0, "ms")
    report.figure("reading.\(name).slowest.of.10", first.max() ?? 0, "ms")
    let later = Latencies(Array(times.dropFirst(10)))
    report.figure("reading.\(name).p50", later.percentile(0.5), "ms")
    report.figure("reading.\(name).p99", later.percentile(0.99), "ms")
    report.figure("reading.\(name).memory", max(0, anonymousMegabytes - before), "MB")
  }

  /// Memory of the process that is not a file's.
  private var anonymousMegabytes: Double {
    guard let descriptor = try? FileDescriptor.open("/proc/self/status", .readOnly) else {
      return 0
    }
    defer { try? descriptor.close() }
    var bytes = [UInt8](repeating: 0, count: 8_192)
    let count = (try? bytes.withUnsafeMutableBytes { try descriptor.read(into: $0) }) ?? 0
    let text = String(decoding: bytes.prefix(count), as: UTF8.self)
    let line = text.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Double($0) }.map { $0 / 1_024 }
      ?? 0
  }
}
