/// Family and given name of a person, told from the whole name by the rules of its script.
///
/// | name | rule |
/// | --- | --- |
/// | `Lund, Ada` | what stands before a comma is the family's |
/// | `山田 太郎`, `김 민준` | Chinese, Japanese and Korean names begin with the family's |
/// | `王小明`, `김민준`, `欧阳明`, `佐藤花子` | without a blank it is a surname that is known (`EastAsianName`) |
/// | `Ada Lund` | otherwise it is the last word |
/// | `Ludwig van der Berg` | and what stands before it in small letters |
/// | `Ada Lund Jr.` | `Jr.`, `Sr.` and Roman numbers behind it are a suffix |
/// | `Ada` | one word alone is the family's, as address books have it |
///
/// Kana without a blank cannot be told apart, nor can a surname that is not known. It is a guess: Hungarian and Vietnamese names, which
/// begin with the family's in Latin letters, come out the other way round.
package struct NameParts: Hashable, Sendable {
  package var family = ""
  package var given = ""
  package var suffix = ""

  package init(_ name: String) {
    // Scalars that stand alone are characters, and looked at much faster.
    let isPlain = name.unicodeScalars.allSatisfy(Self.standsAlone)
    let comma =
      isPlain
      ? name.unicodeScalars.firstIndex { $0 == "," || $0 == "、" || $0 == "，" }
      : name.firstIndex { $0 == "," || $0 == "、" || $0 == "，" }
    if let comma {
      let before = Self.words(name[..<comma], isPlain)
      let behind = Self.words(name[name.index(after: comma)...], isPlain)
      if before.count > 1, behind.count == 1, Self.isSuffix(behind[0]) {
        split(before)
        suffix = behind[0]
        return
      }
      if !before.isEmpty, !behind.isEmpty {
        (family, given) = (before.joined(separator: " "), behind.joined(separator: " "))
        return
      }
    }
    split(Self.words(name[...], isPlain))
  }

  private mutating func split(_ all: [String]) {
    var words = all
    guard let first = words.first, let last = words.last else { return }
    if Self.isEastAsian(first) {
      if words.count > 1 {
        (family, given) = (first, words.dropFirst().joined(separator: " "))
      } else {
        (family, given) = EastAsianName.split(first)
      }
      return
    }
    if words.count > 2, Self.isSuffix(last) {
      suffix = last
      words.removeLast()
    }
    var start = words.count - 1
    while start > 1, Self.isParticle(words[start - 1]) { start -= 1 }
    family = words[start...].joined(separator: " ")
    given = words[..<start].joined(separator: " ")
  }

  private static func words(_ text: Substring, _ isPlain: Bool) -> [String] {
    isPlain
      ? text.unicodeScalars.split { $0 == " " || $0 == "\u{A0}" || $0 == "\u{3000}" }
        .map { String($0) }
      : text.split { $0 == " " || $0 == "\u{A0}" || $0 == "\u{3000}" }.map(String.init)
  }

  /// Whether a scalar is known to make a character with none of its kind (UAX #29): Latin, Greek,
  /// Cyrillic and CJK letters and the signs of ASCII.
  private static func standsAlone(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20...0x7E, 0xA0...0xA8, 0xAA...0xAC, 0xB0...0x24F, 0x391...0x482, 0x48A...0x52F,
      0x3000...0x3029, 0x3041...0x3096, 0x30A1...0x30FC, 0x4E00...0x9FFF, 0xAC00...0xD7A3, 0xFF0C:
      true
    default: false
    }
  }

  /// Written in Han, kana or hangul throughout.
  private static func isEastAsian(_ word: String) -> Bool {
    word.unicodeScalars.allSatisfy {
      switch $0.value {
      case 0x3005, 0x3040...0x30FF, 0x3400...0x9FFF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0x20000...0x323AF:
        true
      default: false
      }
    }
  }

  private static func isParticle(_ word: String) -> Bool {
    word.unicodeScalars.allSatisfy { $0.properties.isLowercase || $0 == "'" || $0 == "’" }
  }

  private static func isSuffix(_ word: String) -> Bool {
    ["Jr", "Jr.", "Sr", "Sr.", "II", "III", "IV", "V"].contains(word)
  }
}
