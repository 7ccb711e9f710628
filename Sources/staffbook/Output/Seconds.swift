extension Duration {
  /// The duration as a number of seconds.
  var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}

extension Double {
  /// A duration in seconds for people: 3.2 s, or 32 ms below a second.
  var asDuration: String {
    if self < 1 { return "\(Int((self * 1_000).rounded())) ms" }
    let tenths = Int((self * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) s"
  }
}
