/// What an encoding has in place of another one's characters, where ICU has a converter for that one only.
struct EncodingVariant: Sendable {
  /// The encoding that ICU knows.
  let base: String
  /// Characters of the other one, and what its bytes mean here.
  let scalars: [UInt32: UInt32]
  /// Whether marks follow their letters, and become one character with them.
  let composes: Bool

  /// The variant of a name, in which case and signs do not count; `nil` for an encoding that is none.
  init?(_ name: String) {
    let plain = name.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
    guard let found = Self.all.first(where: { $0.names.contains(plain) }) else { return nil }
    base = found.base
    composes = found.from.isEmpty
    scalars = Dictionary(
      uniqueKeysWithValues: zip(found.from.unicodeScalars, found.to.unicodeScalars).map {
        ($0.value, $1.value)
      }
    )
  }

  /// ISO/IEC 8859-16, IBM's 720, and Apple's tables for Romanian, Croatian and Icelandic as Unicode has
  /// them (Public/MAPPINGS); and windows-1258, which has Vietnamese tones as marks behind the letters.
  private static let all: [(names: [String], base: String, from: String, to: String)] = [
    (
      ["iso885916", "885916", "latin10", "l10"], "ISO-8859-1",
      "¡¢£¤¥¦¨ª¬®¯²³´µ¸¹º¼½¾¿ÃÅÐÑÕ×ØÝÞãåðñõ÷øýþ", "ĄąŁ€„ŠšȘŹźŻČłŽ”žčșŒœŸżĂĆĐŃŐŚŰĘȚăćđńőśűęț"
    ),
    (
      ["cp720", "ibm720", "720"], "cp437",
      "ÇüäåìÄÅÉæÆöòÿÖÜ¢¥₧ƒáíóúñÑªº¿⌐¬½¼¡αßΓπΣστΦΘΩδ∞φε∩±≥≤⌠⌡÷",
      "\u{80}\u{81}\u{84}\u{86}\u{8D}\u{8E}\u{8F}\u{90}\u{651}\u{652}¤ـءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىي\u{64B}\u{64C}\u{64D}\u{64E}\u{64F}\u{650}"
    ),
    (["xmacromanian", "macromanian"], "macintosh", "ÆØæøﬁﬂ", "ĂȘășȚț"),
    (
      ["xmaccroatian", "maccroatian"], "macintosh", "©Æ¥πæ∆»–ÿŸﬁﬂ‡ÊË\u{F8FF}˘˙˝˛",
      "ŠŽ∆šžĆČĐ\u{F8FF}©Æ»–ćčđπËÊæ"
    ),
    (
      ["xmacicelandic", "xmaciceland", "maciceland", "macicelandic"], "macintosh", "†‹›ﬁﬂ‡",
      "ÝÐðÞþý"
    ),
    (["windows1258", "cp1258"], "windows-1258", "", ""),
  ]

  /// What UTF-8 of the other encoding means here.
  func finished(_ bytes: [UInt8]) -> [UInt8] {
    let text = String(decoding: bytes, as: UTF8.self)
    if composes { return Array(Folding.composed(text).utf8) }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      result.append(scalars[scalar.value].flatMap(Unicode.Scalar.init) ?? scalar)
    }
    return Array(String(result).utf8)
  }

  /// How many of the first bytes can be composed, whatever follows them.
  func settled(_ bytes: [UInt8]) -> Int {
    var end = bytes.count
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars.reversed() {
      end -= UTF8.width(scalar)
      if !ScalarTraits.table[scalar.value].isMark { break }
    }
    return max(0, end)
  }
}
