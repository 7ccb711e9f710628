import Outlines

/// Reads rows whose values hold references, which every reader counts: compared with reading the same
/// values from an array, where nothing but that counting and fetching is done.
struct ReferenceBench {
  private struct Named: Identifiable, Sendable {
    let id: Int
    /// Longer than what a string holds in itself.
    let name: String
  }

  private final class Object: Identifiable, Sendable {
    let id: Int
    init(_ id: Int) { self.id = id }
  }

  let size: Size
  let runs: Int
  let report: Report

  func run() {
    measure("Strings", { Named(id: $0, name: "a department with the number \($0)") }) {
      $0.name.utf8.count
    }
    measure("Objects", { Object($0) }) { $0.id }
  }

  private func measure<Value: Identifiable & Sendable>(
    _ name: String,
    _ make: (Int) -> Value,
    _ read: (Value) -> Int
  ) where Value.ID == Int {
    let nests = Nest.roots(width: size.width, depth: size.depth)
    guard
      var outline = try? Outline(nested: nests, children: \.children, value: { make($0.id) })
    else { fatalError("ids are unique") }
    outline.expandAll()
    let array = Array(outline.values)
    var (rows, values): ([Time], [Time]) = ([], [])
    for _ in 0..<runs {
      rows.append(
        Time.measure {
          var sum = 0
          for row in outline.rows { sum &+= read(row.value) &+ row.level }
          consume(sum)
        }
      )
      values.append(
        Time.measure {
          var sum = 0
          for value in array { sum &+= read(value) }
          consume(sum)
        }
      )
    }
    report.time(
      "outline.readRowsOf\(name).\(size.count)",
      rows,
      baseline: values.map(\.wall).median
    )
  }
}
