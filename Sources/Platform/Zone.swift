import SystemPackage

/// A time zone with its summer times: what local clocks show at any moment, and when they show it.
///
/// libc knows one zone, the process's; a value of this is read once and can stand beside others. Its
/// rules are those of the system (RFC 9636, the format of TZif files), so that both say the same.
package struct Zone: Sendable {
  /// As it was asked for, such as `Europe/Berlin`.
  package let name: String
  /// Seconds since 1970, UTC, rising; from each one on clocks are so many seconds ahead of UTC.
  private let changes: [(at: Int64, offset: Int64)]
  /// Before the first of them.
  private let first: Int64
  /// What holds behind the last of them.
  private let rule: ZoneRule?

  package static let utc = Zone("UTC", ZoneRule("UTC0"))

  /// The zone of this process: that of `TZ`, else of `/etc/localtime`, else UTC.
  package static let ofProcess: Zone = {
    guard let text = getenv("TZ").map({ String(cString: $0) }) else {
      return Zone("local time", file: "/etc/localtime") ?? .utc
    }
    let name = text.hasPrefix(":") ? String(text.dropFirst()) : text
    if name.hasPrefix("/") { return Zone(name, file: name) ?? .utc }
    return Zone(name) ?? ZoneRule(name).map { Zone(name, $0) } ?? .utc
  }()

  /// The zone of a name of the IANA's; `nil` where the system does not know it.
  package init?(_ name: String) {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard !parts.contains(where: { $0.isEmpty || $0.hasPrefix(".") }), !name.utf8.contains(0) else {
      return nil
    }
    let folder = getenv("TZDIR").map { String(cString: $0) } ?? "/usr/share/zoneinfo"
    self.init(name, file: "\(folder)/\(name)")
  }

  private init(_ name: String, _ rule: ZoneRule?) {
    self.name = name
    self.rule = rule
    changes = []
    first = 0
  }

  private init?(_ name: String, file: String) {
    guard let file = try? MappedFile(path: FilePath(file)) else { return nil }
    var reader = ZoneReader(Array(file.bytes))
    guard let contents = reader.read() else { return nil }
    self.name = name
    (changes, first, rule) = contents
  }

  /// How far clocks are ahead of UTC.
  ///
  /// - Parameter time: Seconds since 1970, UTC.
  /// - Returns: Seconds; west of Greenwich below 0.
  /// - Complexity: O(log changes).
  package func offset(at time: Int64) -> Int64 {
    let next = changes.indices.partitionPoint { changes[$0].at <= time }
    if next == changes.count, let rule { return rule.offset(at: time) }
    return next == 0 ? first : changes[next - 1].offset
  }

  /// When clocks show something: the first time where they show it twice; where they skip it, what they
  /// would show had they not been set forward.
  ///
  /// - Parameter clock: What clocks show, as seconds since they showed the beginning of 1970.
  /// - Returns: Seconds since 1970, UTC.
  package func time(of clock: Int64) -> Int64 {
    let day: Int64 = 86_400
    let before = offset(at: clock - day)
    let after = offset(at: clock + day)
    for offset in [before, after] where self.offset(at: clock - offset) == offset {
      return clock - offset
    }
    return clock - before
  }
}

extension Zone: Hashable {
  package static func == (left: Zone, right: Zone) -> Bool {
    left.name == right.name && left.first == right.first && left.rule == right.rule
      && left.changes.elementsEqual(right.changes, by: ==)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// Reads TZif files (RFC 9636 §3), of version 2 and later.
private struct ZoneReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  private struct Counts {
    var ends: Int
    var standards: Int
    var leaps: Int
    var changes: Int
    var types: Int
    var letters: Int
  }

  mutating func read() -> (changes: [(at: Int64, offset: Int64)], first: Int64, ZoneRule?)? {
    // What programs of old read comes first, in numbers of four bytes.
    guard let old = header(), skip(size(of: old, 4)), let counts = header() else { return nil }
    guard rest.count >= size(of: counts, 8), counts.types > 0 else { return nil }
    let times = (0..<counts.changes).map { _ in number(8) }
    let types = (0..<counts.changes).map { _ in Int(number(1)) }
    var offsets: [Int64] = []
    for _ in 0..<counts.types {
      offsets.append(Int64(Int32(truncatingIfNeeded: number(4))))
      _ = number(2)
    }
    guard types.allSatisfy({ $0 < offsets.count }),
      zip(times, times.dropFirst()).allSatisfy({ $0 < $1 }),
      skip(counts.letters + counts.leaps * 12 + counts.standards + counts.ends)
    else { return nil }
    let changes = zip(times, types).map { (at: $0, offset: offsets[$1]) }
    let lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true)
    let rule = lines.first.flatMap { ZoneRule(String(decoding: $0, as: UTF8.self)) }
    return (changes, offsets[0], rule)
  }

  private mutating func header() -> Counts? {
    guard rest.count >= 44, rest.starts(with: "TZif".utf8) else { return nil }
    let version = rest[rest.startIndex + 4]
    guard version >= UInt8(ascii: "2"), skip(20) else { return nil }
    let numbers = (0..<6).map { _ in Int(number(4)) }
    guard numbers.allSatisfy({ $0 < 1 << 20 }) else { return nil }
    return Counts(
      ends: numbers[0],
      standards: numbers[1],
      leaps: numbers[2],
      changes: numbers[3],
      types: numbers[4],
      letters: numbers[5]
    )
  }

  private func size(of counts: Counts, _ width: Int) -> Int {
    counts.changes * (width + 1) + counts.types * 6 + counts.letters
      + counts.leaps * (width + 4) + counts.standards + counts.ends
  }

  private mutating func skip(_ count: Int) -> Bool {
    guard rest.count >= count else { return false }
    rest = rest.dropFirst(count)
    return true
  }

  private mutating func number(_ width: Int) -> Int64 {
    defer { rest = rest.dropFirst(width) }
    return rest.prefix(width).reduce(0) { $0 << 8 | Int64($1) }
  }
}
