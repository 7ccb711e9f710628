/// Why no connection came about, taken from libpq's message of full verbosity.
///
/// There the server's words are `FATAL:  28P01: password authentication failed`, with lines behind
/// them that say where in its source that was. (libpq: PQsetErrorVerbosity)
struct ConnectionFailure: Equatable {
  /// The message as libpq gives it by default.
  var reason: String
  /// What the server said; of several hosts, that one does not let us in before all else.
  var sqlstate: SQLState?

  init(verbose message: String) {
    var lines: [String] = []
    for line in message.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("LOCATION:  ") { continue }
      let (line, found) = Self.parted(line)
      lines.append(line)
      if let found, sqlstate?.errorClass != "28" { sqlstate = found }
    }
    reason = lines.joined(separator: "\n")
  }

  /// A line without the SQLSTATE behind its severity, which ends with a colon and two blanks.
  private static func parted(_ line: Substring) -> (String, SQLState?) {
    let bytes = Array(line.utf8)
    let marker = Array(":  ".utf8)
    var start = 0
    while start + marker.count + 7 <= bytes.count {
      let code = start + marker.count
      if bytes[start..<code].elementsEqual(marker), bytes[code..<code + 5].allSatisfy(isCode),
        bytes[code + 5] == UInt8(ascii: ":"), bytes[code + 6] == UInt8(ascii: " ")
      {
        let rest = bytes[..<code] + bytes[(code + 7)...]
        let state = String(decoding: bytes[code..<code + 5], as: UTF8.self)
        return (String(decoding: rest, as: UTF8.self), SQLState(rawValue: state))
      }
      start += 1
    }
    return (String(line), nil)
  }

  private static func isCode(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }
}
