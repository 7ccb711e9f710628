import Outlines

/// Everything that is measured on one tree.
struct TreeBench {
  let size: Size
  let runs: Int
  let report: Report
  let isBuildOnly: Bool
  private let baseline: Double

  init(size: Size, runs: Int, isBuildOnly: Bool, report: Report) {
    self.size = size
    self.runs = runs
    self.report = report
    self.isBuildOnly = isBuildOnly
    baseline = summingPass(size.count)
  }

  func run() {
    let nests = Nest.roots(width: size.width, depth: size.depth)
    var outline = build(nests)
    if isBuildOnly { return }
    expandAndCollapse(&outline)
    readRows(&outline)
    closeAndReopen(&outline)
    filter(&outline)
    edit(&outline)
    batch(&outline)
    reload(&outline)
  }

  private func record(_ operation: String, _ times: [Time]) {
    report.time("outline.\(operation).\(size.count)", times, baseline: baseline)
  }

  private func repeated(_ body: (Int) -> Time) -> [Time] { (0..<runs).map(body) }

  // MARK: - Operations

  private func build(_ nests: [Nest]) -> Outline<Number> {
    func build() -> Outline<Number> {
      guard
        let outline = try? Outline(
          nested: nests,
          children: { $0.children },
          value: { Number(id: $0.id) }
        )
      else { fatalError("ids are unique") }
      return outline
    }
    Memory.resetPeak()
    let before = Memory.resident
    var outline = build()
    let after = Memory.resident
    report.bytes("outline.memory.\(size.count)", after - before, nodes: size.count)
    report.bytes("outline.buildPeak.\(size.count)", Memory.peak - before, nodes: size.count)
    let times = repeated { _ in
      outline = Outline()
      return Time.measure { outline = build() }
    }
    precondition(outline.count == size.count, "another number of nodes")
    record("build", times)
    record(
      "buildByKeyPath",
      repeated { _ in
        Time.measure { consume(try? Outline(nested: nests, children: \.children)) }
      }
    )
    return outline
  }

  private func expandAndCollapse(_ outline: inout Outline<Number>) {
    var (opening, closing): ([Time], [Time]) = ([], [])
    for _ in 0..<runs {
      opening.append(Time.measure { consume(outline.expandAll()) })
      precondition(outline.rowCount == size.count, "rows are missing")
      closing.append(Time.measure { consume(outline.collapseAll()) })
      precondition(outline.rowCount == size.width, "rows are left")
    }
    record("expandAll", opening)
    record("collapseAll", closing)
  }

  private func readRows(_ outline: inout Outline<Number>) {
    var (reading, openingAndReading, keeping, picking): ([Time], [Time], [Time], [Time]) =
      ([], [], [], [])
    for _ in 0..<runs {
      outline.collapseAll()
      openingAndReading.append(
        Time.measure {
          consume(outline.expandAll())
          consume(sum(outline.rows))
        }
      )
      reading.append(Time.measure { consume(sum(outline.rows)) })
      keeping.append(Time.measure { consume(Array(outline.rows)) })
      picking.append(
        Time.measure {
          consume((0..<outline.rowCount).reduce(0) { $0 &+ outline.row(at: $1).level })
        }
      )
    }
    record("expandAllAndRead", openingAndReading)
    record("readRows", reading)
    record("rowsAsArray", keeping)
    record("rowByRow", picking)
  }

  private func sum(_ rows: Outline<Number>.Rows) -> Int {
    var sum = 0
    for row in rows {
      sum &+=
        row.value.id &+ row.level &+ (row.isLastSibling ? 1 : 0)
        &+ (row.disclosure == .expanded ? 1 : 0) &+ (row.childrenState.isLoaded ? 1 : 0)
    }
    return sum
  }

  private func closeAndReopen(_ outline: inout Outline<Number>) {
    outline.expandAll()
    let node = outline.values[1].id
    var (closing, opening): ([Time], [Time]) = ([], [])
    for _ in 0..<runs {
      closing.append(
        Time.measure {
          consume(outline.collapse(node))
          consume(readScreen(outline, from: 1))
        }
      )
      opening.append(
        Time.measure {
          consume(outline.expand(node))
          consume(readScreen(outline, from: 1))
        }
      )
    }
    record("close", closing)
    record("reopen", opening)
  }

  private func filter(_ outline: inout Outline<Number>) {
    var (filtering, clearing): ([Time], [Time]) = ([], [])
    for run in 0..<runs {
      filtering.append(
        Time.measure {
          consume(try? outline.filter { $0.id % 1000 == run })
          consume(readScreen(outline, from: 0))
        }
      )
      clearing.append(
        Time.measure {
          consume(outline.clearFilter())
          consume(readScreen(outline, from: 0))
        }
      )
    }
    record("filter", filtering)
    record("clearFilter", clearing)
  }

  /// The first leaf: everything behind it moves.
  private func edit(_ outline: inout Outline<Number>) {
    outline.expandAll()
    var (removing, inserting, moving): ([Time], [Time], [Time]) = ([], [], [])
    for run in 0..<runs {
      let leaf = outline.values[size.depth - 1].id
      let parent = outline.values[size.depth - 2].id
      removing.append(
        Time.measure {
          consume(try? outline.remove(leaf))
          consume(readScreen(outline, from: 0))
        }
      )
      inserting.append(
        Time.measure {
          consume(try? outline.insert(Number(id: -1 - run), under: parent, at: 0))
          consume(readScreen(outline, from: 0))
        }
      )
      let (first, last) = (outline.values[1].id, outline.values[outline.count - 1].id)
      moving.append(
        Time.measure {
          consume(try? outline.move(first, under: last))
          consume(readScreen(outline, from: 0))
        }
      )
      consume(try? outline.move(first, under: outline.values[0].id, at: 0))
    }
    precondition(outline.count == size.count, "an edit was refused")
    record("removeLeaf", removing)
    record("insertLeaf", inserting)
    record("moveAcross", moving)
  }

  private func batch(_ outline: inout Outline<Number>) {
    let times = repeated { run in
      let step = max(1, outline.count / 1000)
      let parents = stride(from: 0, to: outline.count, by: step).map { outline.values[$0].id }
      let edits = parents.enumerated().map { index, parent in
        OutlineEdit.insert(Number(id: -(run + 1) * 1_000_000 - index), under: parent, at: 0)
      }
      return Time.measure { consume(try? outline.apply(edits)) }
    }
    record("batchOf1000", times)
  }

  private func reload(_ outline: inout Outline<Number>) {
    let twin = outline
    guard let other = try? Outline(twin.hierarchy, values: twin.values) else { return }
    let times = repeated { _ in
      var copy = twin
      return Time.measure { consume(copy.reload(other) { $0.id != $1.id }) }
    }
    record("reloadSame", times)
  }

  private func readScreen(_ outline: Outline<Number>, from row: Int) -> Int {
    outline.rows[row..<min(row + 50, outline.rowCount)].reduce(0) { $0 &+ $1.id &+ $1.level }
  }
}

/// The milliseconds of one pass that sums as many 32-bit integers.
func summingPass(_ count: Int) -> Double {
  let numbers = (0..<count).map { Int32(truncatingIfNeeded: $0) }
  let times = (0..<9).map { _ in
    Time.measure { consume(numbers.reduce(into: Int32(0)) { $0 &+= $1 }) }
  }
  return times.map(\.wall).median
}
