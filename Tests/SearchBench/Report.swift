import Platform

/// Prints figures as `scripts/bench` does: a table, or lines of JSON.
struct Report {
  let isJSON: Bool

  /// - Parameters:
  ///   - name: `search.<what>`.
  ///   - value: What was measured.
  ///   - unit: Its unit.
  ///   - baseline: The same measure of what it is compared with.
  func figure(_ name: String, _ value: Double, _ unit: String, baseline: Double? = nil) {
    let ratio = baseline.map { $0 == 0 ? 0 : value / $0 }
    // So that what was measured is there when the rest is interrupted.
    defer { fflush(nil) }
    guard isJSON else {
      print(
        pad(name, -34) + " " + pad(round(value), 12) + " " + pad(unit, -4) + " "
          + pad(baseline.map(round) ?? "-", 12) + " " + pad(ratio.map(round) ?? "-", 8)
      )
      return
    }
    print(
      "{\"name\":\"\(name)\",\"value\":\(round(value)),\"unit\":\"\(unit)\","
        + "\"baseline\":\(baseline.map(round) ?? "null"),\"ratio\":\(ratio.map(round) ?? "null")}"
    )
  }

  /// To the right of a positive width, to the left of a negative one.
  private func pad(_ text: String, _ width: Int) -> String {
    let blanks = String(repeating: " ", count: max(0, abs(width) - text.count))
    return width < 0 ? text + blanks : blanks + text
  }

  /// Three digits after the point.
  private func round(_ value: Double) -> String {
    let scaled = Int((value * 1_000).rounded())
    let digits = String(scaled % 1_000)
    return "\(scaled / 1_000)." + String(repeating: "0", count: 3 - digits.count) + digits
  }
}

/// Times of one kind of query, in milliseconds.
struct Latencies {
  private let sorted: [Double]

  init(_ times: [Double]) { sorted = times.sorted() }

  /// The time that so large a share of the queries needs at most; 0 without any.
  func percentile(_ share: Double) -> Double {
    guard !sorted.isEmpty else { return 0 }
    return sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
  }

  var max: Double { sorted.last ?? 0 }
}

extension Duration {
  var milliseconds: Double {
    Double(components.seconds) * 1e3 + Double(components.attoseconds) / 1e15
  }
}
