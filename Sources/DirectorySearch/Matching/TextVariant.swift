import TextRules

/// The form that different spellings of a word share beyond folding: umlauts as ae, oe and ue (for ø
/// and å oe and aa), Simplified ideographs, katakana.
///
/// Data and query are both brought into it, and what is found only so is ranked with readings.
/// `müller` and `mueller` share the form `mueller`; `muller` finds umlaut and plain letter by folding
/// alone, and `samuel` is not taken for `samul`.
enum TextVariant {
  /// The form of a text.
  ///
  /// - Complexity: O(n).
  static func form(of text: String) -> [UInt8] {
    var text = text
    return text.withUTF8 { bytes in
      let bytes = UnsafeRawBufferPointer(bytes)
      var folded: [UInt8] = []
      Folding.appendFolded(bytes, to: &folded)
      return form(of: bytes, folded: folded) ?? folded
    }
  }

  /// The form of a text.
  ///
  /// - Parameters:
  ///   - text: As it is written.
  ///   - folded: The same, folded.
  /// - Returns: `nil` where it is the folded text.
  static func form(of text: UnsafeRawBufferPointer, folded: [UInt8]) -> [UInt8]? {
    guard text.contains(where: { $0 >= 0x80 }) else { return nil }
    let spelled = spelledOut(text) ?? folded
    var form: [UInt8] = []
    spelled.withUnsafeBytes { _ = PlainScript.append($0, to: &form) }
    return form == folded ? nil : form
  }

  /// Folded, with umlauts spelled out, composed ones and decomposed ones; `nil` without any.
  private static func spelledOut(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
    guard mayHoldUmlaut(text) else { return nil }
    var spelled = String.UnicodeScalarView()
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      switch scalar {
      case "ä", "Ä": spelled.append(contentsOf: "ae".unicodeScalars)
      case "ö", "Ö", "ø", "Ø": spelled.append(contentsOf: "oe".unicodeScalars)
      case "ü", "Ü": spelled.append(contentsOf: "ue".unicodeScalars)
      case "å", "Å": spelled.append(contentsOf: "aa".unicodeScalars)
      case "\u{308}" where spelled.last.map({ "aouAOU".unicodeScalars.contains($0) }) ?? false:
        spelled.append("e")
      case "\u{30A}" where spelled.last == "a" || spelled.last == "A":
        spelled.append("a")
      default: spelled.append(scalar)
      }
    }
    return Array(Folding.fold(String(spelled)).utf8)
  }

  /// Whether one of these letters or combining marks may be there: C3 84, 85, 96, 98, 9C, A4, A5,
  /// B6, B8, BC and CC 88, 8A.
  private static func mayHoldUmlaut(_ text: UnsafeRawBufferPointer) -> Bool {
    for index in text.indices.dropLast() {
      switch (text[index], text[index + 1]) {
      case (0xC3, 0x84), (0xC3, 0x85), (0xC3, 0x96), (0xC3, 0x98), (0xC3, 0x9C), (0xC3, 0xA4),
        (0xC3, 0xA5), (0xC3, 0xB6), (0xC3, 0xB8), (0xC3, 0xBC), (0xCC, 0x88), (0xCC, 0x8A):
        return true
      default: continue
      }
    }
    return false
  }
}
