/// What a PostgreSQL server writes about itself into `postmaster.pid`.
///
///     1  process id         5  first socket folder
///     2  data folder        6  first address listened on
///     3  start, Unix time   7  shared memory key and id
///     4  port               8  status: starting, ready, stopping, standby
///
/// Source: PostgreSQL, src/include/utils/pidfile.h.
struct PostmasterFile: Equatable {
  static let name = "postmaster.pid"

  var processID: Int32
  var port: Int
  var socketFolder: String
  var isReady: Bool

  /// `nil` for a file that is not whole, such as one being written or cut short by a full disk.
  init?(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.trimmingBlanks }
    guard lines.count >= 5, let processID = Int32(lines[0]), processID > 0,
      let port = Int(lines[3]), !lines[4].isEmpty
    else { return nil }
    self.processID = processID
    self.port = port
    socketFolder = String(lines[4])
    isReady = lines.count >= 8 && lines[7] == "ready"
  }

  /// The process id alone, which is there even when the rest is not.
  static func processID(in text: String) -> Int32? {
    text.split(separator: "\n").first.flatMap { Int32($0.trimmingBlanks) }
  }
}

extension Substring {
  /// The text without blanks at its ends: the status is padded to a fixed width.
  var trimmingBlanks: Substring {
    var text = self
    while text.last == " " || text.last == "\r" { text.removeLast() }
    while text.first == " " { text.removeFirst() }
    return text
  }
}
