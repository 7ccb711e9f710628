import DirectorySnapshot
import Platform
import SystemPackage

/// Measures searches of one snapshot: `SearchBench SNAPSHOT [--json] [--runs N]
/// [--database CONNINFO] [--sample N] [--slow N] [--only KIND|filter|tiers|hostile|reading|serving|visibility]
/// [--query TEXT] [--keep-index] [--cpu]`.
///
/// The index is made beside the snapshot. With a database the same queries are asked there, one of
/// every `--sample`; with `--slow` the slowest of each kind are printed too, and
/// with `--cpu` queries are measured by the time that the processor spent on them.
var path = ""
var runs = 3
var sample = 10
var slow = 0
var isJSON = false
var conninfo: String?
var only: String?
var text: String?
var isBuilt = false
var isOfProcessor = false

var arguments = CommandLine.arguments.dropFirst()
while let name = arguments.popFirst() {
  switch name {
  case "--json": isJSON = true
  case "--cpu": isOfProcessor = true
  case "--keep-index": isBuilt = true
  case "--runs": runs = arguments.popFirst().flatMap { Int($0) } ?? runs
  case "--sample": sample = arguments.popFirst().flatMap { Int($0) } ?? sample
  case "--slow": slow = arguments.popFirst().flatMap { Int($0) } ?? slow
  case "--only": only = arguments.popFirst()
  case "--query": text = arguments.popFirst()
  case "--database": conninfo = arguments.popFirst()
  default: path = name
  }
}

let snapshot = try DirectorySnapshot(path: FilePath(path))
let bench = SearchBench(
  snapshot: snapshot,
  indexPath: FilePath(path + ".bench-index"),
  runs: runs,
  isOfProcessor: isOfProcessor,
  report: Report(isJSON: isJSON)
)
if !isBuilt { try bench.build() }
let engine = try bench.open()
if let text {
  let query = BenchQuery(kind: .name, text: text)
  bench.printSlowest(1, of: [query], try bench.time([query], engine))
  exit(0)
}
let directory = try Directory(snapshot)
if only == "reading" {
  let path = FilePath(path + ".bench-index")
  try ReadingBench(
    snapshot: snapshot,
    indexPath: path,
    people: directory,
    report: bench.report,
    now: { bench.now }
  ).run()
  exit(0)
}
if only == "visibility" {
  try VisibilityBench(
    snapshot: snapshot,
    indexPath: FilePath(path + ".bench-index"),
    people: directory,
    report: bench.report,
    now: { bench.now }
  ).run()
  exit(0)
}
if only == "serving" {
  var maker = QueryMaker(directory)
  try ServingBench(
    snapshot: snapshot,
    indexPath: FilePath(path + ".bench-index"),
    queries: maker.makeQueries(),
    report: bench.report
  ).run()
  exit(0)
}
if only == "hostile" {
  bench.searchHostile(engine, showing: slow > 0)
  bench.searchImpatiently(engine, showing: slow > 0)
  exit(0)
}
if only == "tiers" {
  var maker = QueryMaker(directory)
  try bench.searchByTiers(engine, &maker, slow: slow)
  exit(0)
}
try bench.filterAsTyped(engine, showing: slow > 0)
if only == "filter" { exit(0) }
var maker = QueryMaker(directory)
let queries = try maker.makeQueries().filter { only == nil || $0.kind.rawValue == only }
let times = try bench.time(queries, engine)
if slow > 0 { bench.printSlowest(slow, of: queries, times) }
var theirs: [Double?] = queries.map { _ in nil }
if let conninfo {
  var rival = try Rival(conninfo: conninfo, directory)
  theirs = try bench.time(queries, every: sample, &rival)
}
bench.report(queries, times, rival: theirs)
try bench.searchOnTwoThreads(queries, engine)
if only == nil { try bench.searchByTiers(engine, &maker, slow: slow) }
bench.searchHostile(engine, showing: slow > 0)
bench.searchImpatiently(engine, showing: slow > 0)
