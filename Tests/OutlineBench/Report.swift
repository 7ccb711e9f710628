/// Prints figures as a table or as lines of JSON.
struct Report {
  let isJSON: Bool

  /// - Parameters:
  ///   - name: `outline.<operation>.<nodes>`.
  ///   - times: Of each run.
  ///   - baseline: What is compared with, as a rule one pass that sums as many 32-bit integers, in
  ///     milliseconds.
  func time(_ name: String, _ times: [Time], baseline: Double) {
    let (wall, cpu) = (times.map(\.wall).median, times.map(\.user).median)
    line(name, wall, "ms", baseline: baseline, cpu: cpu)
  }

  func bytes(_ name: String, _ bytes: Int, nodes: Int) {
    // The array of as many 32-bit integers.
    line(name, Double(bytes) / 1e6, "MB", baseline: Double(nodes) * 4 / 1e6, cpu: nil)
  }

  private func line(
    _ name: String,
    _ value: Double,
    _ unit: String,
    baseline: Double,
    cpu: Double?
  ) {
    let ratio = round(value / baseline)
    guard isJSON else {
      let cpuText = cpu.map { "\(round($0)) ms of CPU" } ?? ""
      print(
        "\(pad(name, 36))\(pad(round(value) + " " + unit, 18))\(pad("× " + ratio, 14))\(cpuText)"
      )
      return
    }
    let cpuField = cpu.map { ",\"cpu\":\(round($0))" } ?? ""
    print(
      "{\"name\":\"\(name)\",\"value\":\(round(value)),\"unit\":\"\(unit)\","
        + "\"baseline\":\(round(baseline)),\"ratio\":\(ratio)\(cpuField)}"
    )
  }

  private func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }

  /// Four digits after the point.
  private func round(_ value: Double) -> String {
    let scaled = Int((value * 10_000).rounded())
    let digits = String(scaled % 10_000)
    return "\(scaled / 10_000)." + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
