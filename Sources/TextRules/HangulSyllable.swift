/// A Hangul syllable in its parts, and the ways to write them in Latin.
///
/// The first spelling of each part is Revised Romanisation (Ministry of Culture 2000-8, each
/// syllable on its own); the others are those of McCune–Reischauer without its marks, and of
/// surnames as their bearers write them (Kim, Lee, Park, Choi, Lim).
struct HangulSyllable {
  /// Ordinals as in Unicode 15 §3.12: 19 initials, 21 vowels, 28 finals of which the first is none.
  let initial: Int
  let vowel: Int
  let final: Int
  private let scalar: UInt16

  init(_ scalar: UInt16) {
    let ordinal = Int(scalar) - 0xAC00
    self.scalar = scalar
    initial = ordinal / 588
    vowel = ordinal / 28 % 21
    final = ordinal % 28
  }

  var initials: [StaticString] { Self.initials[initial] }
  var vowels: [StaticString] { Self.vowels[vowel] }
  var finals: [StaticString] { Self.finals[final] }

  /// Spellings that are not made of those of the parts.
  var whole: [StaticString] {
    switch scalar {
    case 0xC774: ["lee", "rhee", "yi"]
    case 0xBC15: ["park", "pak"]
    case 0xC784: ["lim", "rim"]
    case 0xC720: ["ryu", "yoo"]
    case 0xB178: ["noh", "roh"]
    case 0xC624: ["oh"]
    case 0xC548: ["ahn"]
    case 0xC2E0: ["shin"]
    case 0xC870: ["cho", "joe"]
    case 0xC815: ["chung", "jung"]
    case 0xBC31: ["back", "paik", "baik"]
    default: []
    }
  }

  /// Every spelling, Revised Romanisation first.
  func spellings() -> [String] {
    var all: [String] = []
    for initial in initials {
      for vowel in vowels {
        for final in finals { all.append("\(initial)\(vowel)\(final)") }
      }
    }
    for text in whole.map({ "\($0)" }) where !all.contains(text) { all.append(text) }
    return all
  }

  /// Letters that syllables with each initial may begin with; any for the one without a sound.
  static let beginnings: [UInt64] = initials.enumerated().map { ordinal, spellings in
    // 노 is also Roh.
    var bits = ordinal == 2 ? ReadingTable.bit(of: UInt8(ascii: "r")) : 0
    for spelling in spellings {
      spelling.withUTF8Buffer { bits |= $0.first.map(ReadingTable.bit(of:)) ?? (1 << 26) - 1 }
    }
    return bits
  }

  private static let initials: [[StaticString]] = [
    ["g", "k"], ["kk", "gg"], ["n"], ["d", "t"], ["tt", "dd"], ["r", "l"], ["m"], ["b", "p"],
    ["pp", "bb"], ["s", "sh"], ["ss"], [""], ["j", "ch"], ["jj", "tch"], ["ch"], ["k"], ["t"],
    ["p"], ["h"],
  ]

  private static let vowels: [[StaticString]] = [
    ["a", "ah"], ["ae", "ai"], ["ya"], ["yae"], ["eo", "u", "o"], ["e"],
    ["yeo", "you", "yu", "yo"],
    ["ye"], ["o"], ["wa"], ["wae"], ["oe", "oi", "we"], ["yo"], ["u", "oo", "woo"], ["wo", "weo"],
    ["we"], ["wi", "wee"], ["yu", "yoo"], ["eu", "u"], ["ui", "eui", "ee", "i"], ["i", "ee"],
  ]

  private static let finals: [[StaticString]] = [
    [""], ["k", "g", "ck"], ["k", "kk"], ["k"], ["n"], ["n"], ["n"], ["t", "d"], ["l", "r"],
    ["k", "lk"],
    ["m", "lm"], ["l", "lb"], ["l"], ["l"], ["p"], ["l"], ["m"], ["p", "b"], ["p"], ["t", "s"],
    ["t", "ss"], ["ng"], ["t", "j"], ["t", "ch"], ["k"], ["t"], ["p"], ["t", "h", ""],
  ]
}
