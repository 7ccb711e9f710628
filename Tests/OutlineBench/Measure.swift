import Platform

/// A duration by the clock and by the processor, in milliseconds.
struct Time {
  var wall: Double
  var user: Double

  static func measure(_ body: () -> Void) -> Time {
    let (wall, user) = (wallClock(), userClock())
    body()
    return Time(wall: wallClock() - wall, user: userClock() - user)
  }

  private static func wallClock() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }

  /// User and system time of this process.
  private static func userClock() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }
}

extension [Double] {
  var median: Double { sorted()[count / 2] }
}

/// Keeps the compiler from leaving out what is measured.
@inline(never)
@_optimize(none)
func consume<Value>(_ value: Value) {}

/// Memory of this process, in bytes.
enum Memory {
  static var resident: Int { statusBytes("VmRSS:") }
  static var peak: Int { statusBytes("VmHWM:") }

  /// Lets the peak begin again.
  static func resetPeak() {
    guard let file = fopen("/proc/self/clear_refs", "w") else { return }
    fputs("5", file)
    fclose(file)
  }

  private static func statusBytes(_ key: String) -> Int {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
      guard text.hasPrefix(key) else { continue }
      let number = text.dropFirst(key.count).filter(\.isNumber)
      return (Int(number) ?? 0) * 1024
    }
    return 0
  }
}
