/// What may stand before a national number, and what takes its place (`NumberingPlans.prefixes`).
///
/// A pattern of digits, classes, groups, `?`, `{m,n}`, `|` and `$` as the strings that it may be, in the order in
/// which a regular expression tries them.
struct PrefixPattern: Sendable {
  private struct Alternative {
    /// The digits that may stand at each place, a bit for each.
    var places: [UInt16] = []
    /// The places of the last group of the pattern.
    var group: Range<Int>?
    var endsNumber = false
  }

  private let alternatives: [Alternative]
  /// Digits before the last group; `nil` where all that matches goes.
  private let replacement: [UInt8]?

  /// - Parameters:
  ///   - pattern: As libphonenumber's `nationalPrefixForParsing`.
  ///   - rule: As its `nationalPrefixTransformRule`: digits and `$` with the last group's number.
  init(_ pattern: some StringProtocol, rule: (some StringProtocol)?) {
    var reader = Reader(pattern: Array(pattern.utf8))
    alternatives = reader.alternatives()
    replacement = rule.map { Array($0.utf8.prefix { $0 != UInt8(ascii: "$") }) }
  }

  /// A number without what stands before it; `nil` where nothing does.
  ///
  /// - Returns: The national number, and the digits that were taken for the prefix.
  /// - Complexity: O(length of the pattern, spelled out).
  func national(_ digits: [UInt8]) -> (number: [UInt8], removed: ArraySlice<UInt8>)? {
    for alternative in alternatives where matches(alternative, digits) {
      let count = alternative.places.count
      guard count > 0 else { return nil }
      guard let replacement, let group = alternative.group else {
        return (Array(digits[count...]), digits[..<count])
      }
      return (replacement + digits[group] + digits[count...], digits[..<count])
    }
    return nil
  }

  /// A national number as it is dialled within the country where digits stand amid it: `15` behind the area
  /// code of a mobile number in Argentina.
  func dialled(_ national: [UInt8]) -> [UInt8]? {
    guard let replacement, national.starts(with: replacement) else { return nil }
    let number = national[replacement.count...]
    for alternative in alternatives {
      guard let group = alternative.group, group.upperBound < alternative.places.count,
        number.count > group.count,
        zip(alternative.places[group], number).allSatisfy({ $0 >> ($1 - 0x30) & 1 == 1 })
      else { continue }
      let before = alternative.places[..<group.lowerBound].compactMap(Self.digit)
      let behind = alternative.places[group.upperBound...].compactMap(Self.digit)
      guard before.count + group.count + behind.count == alternative.places.count else { continue }
      return before + number.prefix(group.count) + behind + number.dropFirst(group.count)
    }
    return nil
  }

  private func matches(_ alternative: Alternative, _ digits: [UInt8]) -> Bool {
    let count = alternative.places.count
    return alternative.endsNumber
      ? digits.count == count
      : digits.count >= count
        && zip(alternative.places, digits).allSatisfy { $0 >> ($1 - 0x30) & 1 == 1 }
  }

  /// The only digit of a place.
  private static func digit(_ place: UInt16) -> UInt8? {
    place.nonzeroBitCount == 1 ? 0x30 + UInt8(place.trailingZeroBitCount) : nil
  }

  /// Reads a pattern; it goes into itself for each group in a group, of which the table has few.
  private struct Reader {
    let pattern: [UInt8]
    private var at = 0

    init(pattern: [UInt8]) { self.pattern = pattern }

    private var next: UInt8? { at < pattern.count ? pattern[at] : nil }

    private mutating func take(_ sign: Character) -> Bool {
      guard next == sign.asciiValue else { return false }
      at += 1
      return true
    }

    mutating func alternatives() -> [Alternative] {
      var all = sequence()
      while take("|") { all += sequence() }
      return all
    }

    private mutating func sequence() -> [Alternative] {
      var found = [Alternative()]
      while let sign = next, sign != UInt8(ascii: "|"), sign != UInt8(ascii: ")") {
        if take("$") {
          for index in found.indices { found[index].endsNumber = true }
          continue
        }
        let part = repeated(part())
        found = found.flatMap { left in part.map { Self.joined(left, $0) } }
      }
      return found
    }

    private static func joined(_ left: Alternative, _ right: Alternative) -> Alternative {
      var joined = left
      joined.places += right.places
      if let group = right.group {
        joined.group = group.lowerBound + left.places.count..<group.upperBound + left.places.count
      }
      joined.endsNumber = right.endsNumber
      return joined
    }

    private mutating func part() -> [Alternative] {
      if take("(") {
        let isGroup = !take("?")
        if !isGroup { at += 1 }
        var inner = alternatives()
        _ = take(")")
        if isGroup {
          for index in inner.indices { inner[index].group = 0..<inner[index].places.count }
        }
        return inner
      }
      var place: UInt16 = 0
      if take("[") {
        while let sign = next, !take("]") {
          at += 1
          var last = sign
          if take("-"), let end = next {
            last = end
            at += 1
          }
          for digit in sign...last { place |= 1 << (digit - 0x30) }
        }
      } else if take("\\") {
        at += 1
        place = 0x3FF
      } else if let digit = next {
        at += 1
        place = 1 << (digit - 0x30)
      }
      return [Alternative(places: [place])]
    }

    /// As often as is asked for behind a part, more before fewer.
    private mutating func repeated(_ part: [Alternative]) -> [Alternative] {
      if take("?") { return part + [Alternative()] }
      guard take("{") else { return part }
      var counts: [Int] = [0]
      while let sign = next, !take("}") {
        at += 1
        if sign == UInt8(ascii: ",") {
          counts.append(0)
        } else {
          counts[counts.count - 1] = counts[counts.count - 1] * 10 + Int(sign - 0x30)
        }
      }
      // Only classes are repeated.
      return (counts[0]...counts[counts.count - 1]).reversed().map { count in
        Alternative(places: Array(repeating: part[0].places[0], count: count))
      }
    }
  }
}
