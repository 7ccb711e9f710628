/// Measures outlines: `OutlineBench [--json] [--runs N] [--largest NODES] [--links COUNT]
/// [--build-only]`.
var runs = 5
var largest = Int.max
var links = 10_000_000
var isJSON = false
var isBuildOnly = false

var arguments = CommandLine.arguments.dropFirst()
while let name = arguments.popFirst() {
  switch name {
  case "--json": isJSON = true
  case "--build-only": isBuildOnly = true
  case "--runs": runs = arguments.popFirst().flatMap { Int($0) } ?? runs
  case "--largest": largest = arguments.popFirst().flatMap { Int($0) } ?? largest
  case "--links": links = arguments.popFirst().flatMap { Int($0) } ?? links
  default: fatalError("no option \(name)")
  }
}

let report = Report(isJSON: isJSON)
for size in Size.all where size.count <= largest {
  TreeBench(size: size, runs: runs, isBuildOnly: isBuildOnly, report: report).run()
  if !isBuildOnly { ReferenceBench(size: size, runs: runs, report: report).run() }
}
for count in [links / 100, links] where count > 0 {
  LinkBench(count: count, runs: runs, report: report).run()
}
