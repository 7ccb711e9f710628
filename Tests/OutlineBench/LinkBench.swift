import Outlines

/// A record as a database delivers it: ids of 36 characters that share a long prefix.
struct Record: Identifiable, Sendable {
  let id: String
  let parent: String?
}

/// Builds from unsorted parent links with string ids.
struct LinkBench {
  let count: Int
  let runs: Int
  let report: Report

  func run() {
    let records = makeRecords()
    var times: [Time] = []
    for _ in 0..<runs {
      var outline = Outline<Record>()
      times.append(
        Time.measure {
          if let built = try? Outline(links: records, parent: \.parent) { outline = built }
        }
      )
      precondition(outline.count == count, "not built")
    }
    report.time("outline.buildLinks.\(count)", times, baseline: summingPass(count))
  }

  /// Parents have strings of their own, as rows of a table do.
  private func makeRecords() -> [Record] {
    var order = Array(0..<count)
    var state: UInt64 = 1
    for index in order.indices.reversed() {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      order.swapAt(index, Int(state >> 33) % (index + 1))
    }
    return order.map { number in
      Record(id: Self.name(number), parent: number == 0 ? nil : Self.name((number - 1) / 8))
    }
  }

  /// "urn:example:directory:node:" and nine digits.
  private static func name(_ number: Int) -> String {
    let digits = String(number)
    return "urn:example:directory:node:" + String(repeating: "0", count: 9 - digits.count) + digits
  }
}
