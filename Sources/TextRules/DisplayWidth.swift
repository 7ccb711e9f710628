import Synchronization

/// Columns that text takes on a terminal.
///
/// Counted by grapheme cluster, as terminals of today draw:
///
/// | cluster | columns |
/// | --- | --- |
/// | East Asian Wide or Fullwidth (UAX #11) | 2 |
/// | emoji: by default, with variation selector 16, joined by ZWJ, flags, keycaps, skin tones | 2 |
/// | combining, zero-width, default ignorable, controls alone | 0 |
/// | ambiguous width (UAX #11), such as Greek and Cyrillic | 1, or 2 where the terminal draws them so |
/// | a soft hyphen, everything else | 1 |
/// | several spacing scalars in one cluster, as Devanagari or Tamil syllables | their sum, at most 2 |
///
/// Controls count 0 because they do not belong on a line: pass text through ``VisibleText`` first.
package enum DisplayWidth {
  /// Whether the terminal draws characters of ambiguous width in two columns, as some do in Chinese,
  /// Japanese and Korean settings.
  ///
  /// A process has one terminal: its front says so before it draws.
  package static var ambiguousIsWide: Bool {
    get { ambiguous.load(ordering: .relaxed) }
    set { ambiguous.store(newValue, ordering: .relaxed) }
  }

  private static let ambiguous = Atomic(false)

  /// Columns of a text.
  ///
  /// - Complexity: O(n); a few tenths of a nanosecond a byte for ASCII, some nanoseconds a scalar
  ///   where each scalar is a cluster, and Swift's grapheme breaking otherwise.
  package static func columns(
    of text: String,
    ambiguousIsWide: Bool = Self.ambiguousIsWide
  ) -> Int {
    let plain = text.withUTF8Bytes { measure($0, limit: .max, ambiguousIsWide) }
    return plain?.columns ?? text.reduce(0) { $0 + columns(of: $1, ambiguousIsWide) }
  }

  /// The longest beginning of a text that fits in so many columns, cut between grapheme clusters.
  package static func prefix(of text: String, columns limit: Int) -> Substring {
    guard limit > 0 else { return text.prefix(0) }
    let isWide = ambiguousIsWide
    if let plain = text.withUTF8Bytes({ measure($0, limit: limit, isWide) }) {
      return text[..<text.utf8.index(text.startIndex, offsetBy: plain.bytes)]
    }
    var used = 0
    let end = text.indices.first {
      used += columns(of: text[$0], isWide)
      return used > limit
    }
    return text[..<(end ?? text.endIndex)]
  }

  /// Columns of one grapheme cluster: 0, 1 or 2.
  package static func columns(of cluster: Character) -> Int {
    columns(of: cluster, ambiguousIsWide)
  }

  private static func columns(of cluster: Character, _ ambiguousIsWide: Bool) -> Int {
    let table = ScalarTraits.table
    let scalars = cluster.unicodeScalars
    guard let first = scalars.first else { return 0 }
    let base = table[first.value]
    var columns = base.columns(ambiguousIsWide: ambiguousIsWide)
    var last = base
    for scalar in scalars.dropFirst() {
      let traits = table[scalar.value]
      switch scalar {
      case "\u{FE0F}" where last.isEmoji: return 2
      case "\u{200D}" where base.isPictographic: return 2
      case "\u{1F1E6}"..."\u{1F1FF}": return 2
      default: columns += traits.columns
      }
      last = traits
    }
    return min(columns, 2)
  }

  /// Measures text in which each scalar is a cluster of its own, but for accents.
  ///
  /// - Returns: The bytes and columns of the longest beginning within the limit, or `nil` when
  ///   clusters must be found first.
  private static func measure(
    _ utf8: UnsafeRawBufferPointer,
    limit: Int,
    _ ambiguousIsWide: Bool
  ) -> (bytes: Int, columns: Int)? {
    let ascii = UTF8Scan.printableASCIIPrefix(utf8)
    if ascii == utf8.count, ascii <= limit { return (ascii, ascii) }

    let table = ScalarTraits.table
    var columns = 0
    var index = 0
    // The last ASCII letter may be the base of a mark, so it is left to the loop below.
    if ascii > 1, ascii <= limit {
      index = ascii - 1
      columns = index
    }
    while index < utf8.count {
      let (scalar, length) = UTF8Scan.scalar(at: index, in: utf8)
      let traits = table[scalar]
      guard length > 0, traits.standsAlone || traits.joinsBase else { return nil }
      let own = traits.columns(ambiguousIsWide: ambiguousIsWide)
      guard columns + own <= limit else { return (index, columns) }
      columns += own
      index += length
    }
    return (index, columns)
  }
}
