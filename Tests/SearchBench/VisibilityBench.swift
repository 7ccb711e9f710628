import DirectoryModel
import DirectoryReading
import DirectorySearch
import DirectorySnapshot
import Platform
import SystemPackage

/// What it takes to have viewers who see parts of a directory.
struct VisibilityBench {
  let snapshot: DirectorySnapshot
  let indexPath: FilePath
  let people: Directory
  let report: Report
  /// Milliseconds of a clock.
  let now: () -> Double

  /// Departments with about so many people, and how many they are.
  private func departments(with size: Int, _ limit: Int) throws -> [DepartmentID] {
    var found: [DepartmentID] = []
    for row in 0..<people.departments.count where found.count < limit {
      if (size / 2...size * 2).contains(try people.departments.people(of: row)) {
        found.append(DepartmentID(try people.departments.ids[row]))
      }
    }
    return found
  }

  private func shows(_ id: DepartmentID) -> Sight { Sight([Sight.Places(.department(id), .shown)]) }

  /// Everything but a twentieth of the people.
  private func most() throws -> Sight {
    var sight = Sight([])
    var hidden = 0
    for id in try departments(with: people.count / 200, 200) where hidden < people.count / 20 {
      guard let row = try snapshot.departmentIndex().row(of: id.rawValue) else { continue }
      hidden += try people.departments.people(of: row)
      sight.places.append(Sight.Places(.department(id), .hidden))
    }
    sight.places.append(Sight.Places(.everything, .shown))
    sight.fields = [Sight.Fields(.everything, .some(["phone"]), isShown: false)]
    return sight
  }

  func run() throws {
    // What every process has done before.
    _ = try DirectoryState(snapshot, for: shows(departments(with: 100, 1)[0]))
    for size in [100, 10_000] {
      let some = try departments(with: size, 50)
      var times: [Double] = []
      for id in some {
        let start = now()
        let state = try DirectoryState(snapshot, for: shows(id))
        times.append(now() - start)
        consume(state.byteCount)
      }
      times.sort()
      report.figure("class.\(size)", times[times.count / 2], "ms")
      report.figure("class.\(size).worst", times.last ?? 0, "ms")
    }
    let sight = try most()
    var start = now()
    let state = try DirectoryState(snapshot, for: sight)
    report.figure("class.most", now() - start, "ms")
    report.figure("class.most.bytes", Double(state.byteCount), "bytes")
    start = now()
    let seen = try snapshot.excerpt(sight)
    let phones = DialingPlan.unknown
    let index = try SearchIndexBuilder.scratch(of: seen, phones: phones)
    report.figure("class.most.withindex", now() - start, "ms")
    try searches(SearchEngine(seen, phones: phones, index: index), "most")
    if case .usable(let index) = SearchIndex.open(indexPath, for: snapshot, phones: nil) {
      try searches(SearchEngine(snapshot, phones: index.rules, index: index), "all")
    }
    try manyClasses()
    try differences()
  }

  private func searches(_ engine: SearchEngine, _ name: String) throws {
    var maker = QueryMaker(people)
    var times: [Double] = []
    for query in try maker.makeQueries() {
      let request = SearchRequest(SearchQuery(query.text, phones: engine.phones), limit: 50)
      let start = now()
      consume(try engine.search(request).hits.count)
      times.append(now() - start)
    }
    times.sort()
    report.figure("search.\(name).p50", times[times.count / 2], "ms")
    report.figure("search.\(name).p99", times[times.count * 99 / 100], "ms")
  }

  private func manyClasses() throws {
    let before = memory()
    var states: [DirectoryState] = []
    let some = try departments(with: 100, 1_000)
    var start = now()
    for id in some { states.append(try DirectoryState(snapshot, for: shows(id))) }
    report.figure("classes.\(some.count)", now() - start, "ms")
    report.figure("classes.disk", Double(states.reduce(0) { $0 + $1.byteCount }), "bytes")
    report.figure("classes.memory", Double(memory() - before), "bytes")
    states = []
    let busy = try departments(with: 100, 40) + departments(with: 10_000, 9)
    start = now()
    for sight in try busy.map(shows) + [most()] {
      states.append(try DirectoryState(snapshot, for: sight))
    }
    report.figure("classes.swap", now() - start, "ms")
  }

  private func differences() throws {
    let id = try departments(with: 10_000, 1)[0]
    let viewers = try departments(with: 100_000, 1).first ?? id
    let hide = VisibilityRule(.hide, .department(id), .department(viewers))
    let own = VisibilityRule(.show, .ownDepartments, .everybody)
    for (name, rules) in [("rule", [hide, .base]), ("base", [own])] {
      let start = now()
      let difference = try VisibilityRules().difference(to: VisibilityRules(rules), in: snapshot)
      report.figure("difference.\(name)", now() - start, "ms")
      report.figure("difference.\(name).groups", Double(difference.groups.count), "groups")
    }
  }

  /// Bytes of the process that are in memory.
  private func memory() -> Int {
    let text = (try? FileDescriptor.open("/proc/self/statm", .readOnly)).flatMap { file in
      defer { try? file.close() }
      var bytes = [UInt8](repeating: 0, count: 256)
      let count = (try? bytes.withUnsafeMutableBytes { try file.read(into: $0) }) ?? 0
      return String(decoding: bytes[..<count], as: UTF8.self)
    }
    let pages = text?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * 4_096
  }
}
