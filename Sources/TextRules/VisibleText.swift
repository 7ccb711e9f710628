/// Text from outside, made harmless for one line of a terminal.
///
/// Nothing in the result moves the cursor, breaks the line, reorders what stands beside it or hides.
///
/// | text | on a Unicode terminal | on an ASCII one |
/// | --- | --- | --- |
/// | tab, line feed, carriage return, other C0 controls, delete | control pictures `␉ ␊ ␍ ␛ ␡` | `\t \n \r \u{1B} \u{7F}` |
/// | next line, line and paragraph separator (U+0085, 2028, 2029) | `␤` | `\u{85}` … |
/// | other C1 controls | `\u{9B}` | the same |
/// | bidi marks, embeddings, overrides, isolates | `\u{202E}` | the same |
/// | other invisible format characters, blank letters, noncharacters | `\u{AD}`, `\u{3164}`, `\u{FFFE}` | the same |
/// | ZWJ, ZWNJ, variation selectors, U+034F, Hangul jamo fillers | kept: names are spelt with them | `\u{200D}` … |
/// | tag characters in an emoji flag (🏴 … U+E007F) | kept | `\u{E0067}` … |
/// | tag characters elsewhere | `\u{E0041}` | the same |
/// | private use and unassigned scalars | kept: names of China and Japan hold them | `\u{E000}` … |
/// | everything else beyond ASCII | kept | `\u{FC}`: nothing is lost, two names stay two |
///
/// A backslash stays itself, so the signs are for the eye and not to be read back.
package enum VisibleText {
  /// The text with a sign for everything that is not safe to show.
  ///
  /// - Parameters:
  ///   - text: Any text; several lines become one.
  ///   - ascii: Whether the terminal shows only ASCII.
  /// - Returns: One line of text.
  /// - Complexity: O(n); text that needs nothing is returned as it is, without a copy.
  package static func visible(_ text: String, ascii: Bool = false) -> String {
    let safe = text.withUTF8Bytes { safePrefix($0, ascii: ascii) }
    guard safe < text.utf8.count else { return text }
    var shown: [UInt8] = []
    shown.reserveCapacity(text.utf8.count + 16)
    appendVisible(text, ascii: ascii, to: &shown)
    return String(decoding: shown, as: UTF8.self)
  }

  /// Appends the text with a sign for everything that is not safe to show.
  package static func appendVisible(
    _ text: String,
    ascii: Bool = false,
    to shown: inout [UInt8]
  ) {
    text.withUTF8Bytes { utf8 in
      let safe = safePrefix(utf8, ascii: ascii)
      shown.append(contentsOf: UnsafeRawBufferPointer(rebasing: utf8[..<safe]))
      if safe < utf8.count { appendSigns(utf8, from: safe, ascii: ascii, to: &shown) }
    }
  }

  /// The text in a bidi isolate (U+2068 … U+2069) if it holds anything right-to-left.
  ///
  /// Then the order within it is its own, and the columns beside it stay where they are. Arabic
  /// digits count as right-to-left, since two groups of them swap the signs between them. For
  /// text that is visible already: a stray U+2069 would end the isolate.
  package static func isolated(_ text: String) -> String {
    holdsRightToLeft(text) ? "\u{2068}\(text)\u{2069}" : text
  }

  /// Whether a scalar of the text has the bidirectional class R, AL or AN (UAX #9).
  package static func holdsRightToLeft(_ text: String) -> Bool {
    text.withUTF8Bytes { utf8 in
      let table = ScalarTraits.table
      var index = UTF8Scan.printableASCIIPrefix(utf8)
      while index < utf8.count {
        let (scalar, length) = UTF8Scan.scalar(at: index, in: utf8)
        if table[scalar].isRightToLeft { return true }
        index += max(length, 1)
      }
      return false
    }
  }

  // MARK: - Signs

  /// Length of what can be shown as it is.
  private static func safePrefix(_ utf8: UnsafeRawBufferPointer, ascii: Bool) -> Int {
    var index = UTF8Scan.printableASCIIPrefix(utf8)
    guard index < utf8.count, !ascii else { return index }
    let table = ScalarTraits.table
    while index < utf8.count {
      let (scalar, length) = UTF8Scan.scalar(at: index, in: utf8)
      guard length > 0, !table[scalar].isHidden else { break }
      index += length
    }
    return index
  }

  private static func appendSigns(
    _ utf8: UnsafeRawBufferPointer,
    from: Int,
    ascii: Bool,
    to shown: inout [UInt8]
  ) {
    let table = ScalarTraits.table
    // A flag's base may be the last of what was safe.
    var flagEnd = 0
    var index = from >= 4 ? from - 4 : 0
    if UTF8Scan.scalar(at: index, in: utf8).value == blackFlag {
      flagEnd = endOfTags(utf8, from: from)
    }
    index = from
    while index < utf8.count {
      var (scalar, length) = UTF8Scan.scalar(at: index, in: utf8)
      if length == 0 { (scalar, length) = (0xFFFD, 1) }
      let next = index + length
      if scalar == blackFlag { flagEnd = endOfTags(utf8, from: next) }
      let isSafe =
        ascii ? 0x20...0x7E ~= scalar : !table[scalar].isHidden || index < flagEnd
      if isSafe {
        shown.append(contentsOf: UnsafeRawBufferPointer(rebasing: utf8[index..<next]))
      } else {
        shown.append(contentsOf: sign(for: scalar, ascii: ascii).utf8)
      }
      index = next
    }
  }

  private static func sign(for scalar: UInt32, ascii: Bool) -> String {
    switch scalar {
    case 0x09 where ascii: "\\t"
    case 0x0A where ascii: "\\n"
    case 0x0D where ascii: "\\r"
    case 0x00...0x1F where !ascii: picture(0x2400 + scalar)
    case 0x7F where !ascii: picture(0x2421)
    case 0x85 where !ascii, 0x2028 where !ascii, 0x2029 where !ascii: picture(0x2424)
    default: "\\u{\(String(scalar, radix: 16, uppercase: true))}"
    }
  }

  private static func picture(_ value: UInt32) -> String {
    Unicode.Scalar(value).map { String($0) } ?? ""
  }

  // MARK: - Flags

  private static var blackFlag: UInt32 { 0x1F3F4 }

  /// End of the tags of an emoji tag sequence (UTS #51 ED-14a): three to six letters or digits and
  /// the cancel tag; the start itself when they are anything else.
  private static func endOfTags(_ utf8: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    var letters = 0
    while index < utf8.count {
      let (scalar, length) = UTF8Scan.scalar(at: index, in: utf8)
      index += length
      switch scalar {
      case 0xE0030...0xE0039, 0xE0061...0xE007A: letters += 1
      case 0xE007F: return 3...6 ~= letters ? index : start
      default: return start
      }
    }
    return start
  }
}
