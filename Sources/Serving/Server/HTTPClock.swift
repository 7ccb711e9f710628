import Platform
import Synchronization

/// The time as answers state it: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
final class HTTPClock: Sendable {
  private let last = Mutex((second: Int64(-1), text: ""))

  var date: String {
    let now = Int64(Platform.time(nil))
    return last.withLock { last in
      if last.second != now { last = (now, Self.text(now)) }
      return last.text
    }
  }

  static func text(_ moment: Int64) -> String {
    let civil = CivilTime(clock: moment)
    // The first of 1970 was a Thursday.
    let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][Int(civil.days % 7)]
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    let day = (civil.day < 10 ? "0" : "") + "\(civil.day)"
    return "\(weekday), \(day) \(months[Int(civil.month) - 1]) \(civil.year) \(civil.time) GMT"
  }
}
