import Platform

/// Folded text, borrowed.
typealias BorrowedText = UnsafeBufferPointer<UInt8>

/// Finding a folded word in folded text, letter for letter.
enum WordSearch {
  /// Whether a byte parts words: blank, hyphen, apostrophe and the like, which is ASCII that is
  /// neither letter nor digit.
  @inline(__always)
  static func isSeparator(_ byte: UInt8) -> Bool {
    if byte >= 0x80 { return false }
    return !(byte &- 0x61 < 26 || byte &- 0x30 < 10)
  }

  /// Where a word stands in a text for the first time from an offset on: memchr(3) to its first
  /// byte, then memcmp(3).
  ///
  /// - Complexity: O(n · m) at worst, O(n) where first bytes are rarely followed by a near miss.
  static func position(of word: BorrowedText, in text: BorrowedText, from start: Int = 0) -> Int? {
    guard let base = text.baseAddress, let needle = word.baseAddress else { return nil }
    let last = text.count - word.count
    let first = Int32(needle[0])
    var from = start
    while from <= last {
      guard let found = memchr(base + from, first, last - from + 1) else { return nil }
      let at = UnsafeRawPointer(found) - UnsafeRawPointer(base)
      if memcmp(base + at, needle, word.count) == 0 { return at }
      from = at + 1
    }
    return nil
  }

  /// Whether a word can begin at an offset of a text: at its start, or at a separator or behind one.
  @inline(__always)
  static func beginsWord(_ text: BorrowedText, _ offset: Int) -> Bool {
    offset == 0 || isSeparator(text[offset - 1]) || isSeparator(text[offset])
  }

  /// Whether a word can end before an offset of a text.
  @inline(__always)
  static func endsWord(_ text: BorrowedText, _ offset: Int) -> Bool {
    offset == text.count || isSeparator(text[offset]) || isSeparator(text[offset - 1])
  }

  /// The best place of a word in a text.
  ///
  /// - Returns: `.whole`, `.start` or `.inside`, and the first offset where it stands so.
  static func best(
    of word: BorrowedText,
    in text: BorrowedText
  ) -> (quality: MatchQuality, offset: Int)? {
    guard word.count > 0 else { return nil }
    var best: (quality: MatchQuality, offset: Int)?
    var from = 0
    while let at = position(of: word, in: text, from: from) {
      if beginsWord(text, at) {
        if endsWord(text, at + word.count) { return (.whole, at) }
        if best?.quality != .start { best = (.start, at) }
      } else if best == nil {
        best = (.inside, at)
      }
      from = at + 1
    }
    return best
  }

  /// The words of a text without their separators.
  static func forEachWord(in text: BorrowedText, _ body: (Range<Int>) -> Void) {
    var start = 0
    while start < text.count {
      while start < text.count, isSeparator(text[start]) { start += 1 }
      var end = start
      while end < text.count, !isSeparator(text[end]) { end += 1 }
      if end > start { body(start..<end) }
      start = end
    }
  }
}
