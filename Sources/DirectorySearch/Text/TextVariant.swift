import TextRules

/// The form that different spellings of a word share beyond folding: umlauts as ae, oe and ue (for ø
/// and å oe and aa), đ as dj, Simplified ideographs, katakana, Indic letters without their dot and nasals as
/// anusvara, Cyrillic without the signs that part a consonant from a vowel.
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
    spelled.withUnsafeBytes { _ = ScriptFolding.append($0, to: &form) }
    if let simple = simplified(form) { form = simple }
    return form == folded ? nil : form
  }

  // MARK: - Signs of Indic scripts and Cyrillic

  /// नरेन्द्र as नरेंद्र, ज़ as ज, चाँद as चांद, Мар’яна and Марьяна as Маряна.
  ///
  /// - Returns: `nil` for text of other scripts.
  private static func simplified(_ folded: [UInt8]) -> [UInt8]? {
    guard folded.contains(where: { 0xD0...0xD3 ~= $0 || $0 == 0xE0 }) else { return nil }
    let scalars = Array(String(decoding: folded, as: UTF8.self).unicodeScalars)
    var simple = String.UnicodeScalarView()
    var index = 0
    while index < scalars.count {
      let scalar = scalars[index].value
      let next = index + 1 < scalars.count ? scalars[index + 1].value : 0
      let third = index + 2 < scalars.count ? scalars[index + 2].value : 0
      index += 1
      if isCyrillicSign(scalar), softVowels.contains(next), !simple.isEmpty { continue }
      guard 0x900...0xD7F ~= scalar else {
        simple.append(scalars[index - 1])
        continue
      }
      if scalar & 0x7F == 0x3C { continue }
      let block = scalar & ~0x7F
      if block == 0x900, scalar & 0x7F == 0x01 {
        simple.append("\u{902}")
      } else if anusvaraBlocks.contains(block), next == block | 0x4D, third & ~0x7F == block,
        isNasal(scalar & 0x7F, before: third & 0x7F), let anusvara = Unicode.Scalar(block | 0x02)
      {
        simple.append(anusvara)
        index += 1
      } else {
        simple.append(scalars[index - 1])
      }
    }
    return Array(String(simple).utf8)
  }

  /// Apostrophe, soft and hard sign.
  private static func isCyrillicSign(_ scalar: UInt32) -> Bool {
    scalar == 0x27 || scalar == 0x44C || scalar == 0x44A
  }

  /// е ю я є, and і for ї, which folds so.
  private static let softVowels: Set<UInt32> = [0x435, 0x44E, 0x44F, 0x454, 0x456]

  /// Devanagari, Gujarati, Telugu, Kannada: where anusvara is written for any nasal.
  private static let anusvaraBlocks: Set<UInt32> = [0x900, 0xA80, 0xC00, 0xC80]

  /// Whether a nasal may be written as anusvara before a consonant, both in their block.
  private static func isNasal(_ letter: UInt32, before next: UInt32) -> Bool {
    switch letter {
    case 0x19: 0x15...0x18 ~= next
    case 0x1E: 0x1A...0x1D ~= next
    case 0x23: 0x1F...0x22 ~= next
    case 0x28:
      0x15...0x18 ~= next || 0x1A...0x1D ~= next || 0x24...0x27 ~= next || 0x36...0x38 ~= next
    case 0x2E: 0x2A...0x2D ~= next
    default: false
    }
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
      case "đ", "Đ": spelled.append(contentsOf: "dj".unicodeScalars)
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
  /// B6, B8, BC, C4 90, 91 and CC 88, 8A.
  private static func mayHoldUmlaut(_ text: UnsafeRawBufferPointer) -> Bool {
    for index in text.indices.dropLast() {
      switch (text[index], text[index + 1]) {
      case (0xC3, 0x84), (0xC3, 0x85), (0xC3, 0x96), (0xC3, 0x98), (0xC3, 0x9C), (0xC3, 0xA4),
        (0xC3, 0xA5), (0xC3, 0xB6), (0xC3, 0xB8), (0xC3, 0xBC), (0xC4, 0x90), (0xC4, 0x91),
        (0xCC, 0x88), (0xCC, 0x8A):
        return true
      default: continue
      }
    }
    return false
  }
}
