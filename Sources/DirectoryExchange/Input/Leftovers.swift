/// What a file tells of people and departments and a directory has no place for, counted by name.
struct Leftovers {
  /// Names that a message holds.
  private static let shown = 12

  private var counts: [String: Int] = [:]

  mutating func add(_ name: String, _ count: Int = 1) {
    if count > 0 { counts[name, default: 0] += count }
  }

  mutating func add(contentsOf names: [String]) {
    for name in names { add(name) }
  }

  /// What to tell, the most frequent first; `nil` where nothing was left out.
  var warning: String? {
    guard !counts.isEmpty else { return nil }
    return "left out what Staffbook has no place for: \(list)"
  }

  /// Names and numbers, the largest first.
  var list: String {
    let all = counts.sorted { one, other in
      one.value == other.value
        ? one.key.utf8.lexicographicallyPrecedes(other.key.utf8) : one.value > other.value
    }
    let named = all.prefix(Self.shown).map { name, count in
      "\(QuotedValue.string(name).dropFirst().dropLast()) \(count)"
    }
    let rest = all.count - named.count
    return named.joined(separator: ", ") + (rest > 0 ? ", and \(rest) others" : "")
  }
}
