import Testing

@testable import TextRules

/// The part of a text that a folded word is found in.
private func shown(_ word: String, in text: String) -> String? {
  let folded = FoldedText(text)
  let bytes = Array(word.utf8)
  guard
    let at = (0...max(0, folded.bytes.count - bytes.count)).first(where: {
      folded.bytes[$0...].starts(with: bytes)
    })
  else { return nil }
  let source = folded.original(of: at..<at + bytes.count)
  return String(decoding: Array(text.utf8)[source], as: UTF8.self)
}

@Suite("Folded text and where it came from")
struct FoldedTextTests {
  @Test(
    arguments: [
      ("Ada Lund", "lund", "Lund"), ("Ångström", "ang", "Ång"),
      ("A\u{30A}ngström", "a", "A\u{30A}"),
      ("Straße", "s", "S"), ("Straße 1", "ss", "ß"), ("Straße", "tras", "traß"),
      ("Þórður", "t", "Þ"), ("O´Brien", "o'b", "O´B"), ("a \u{3000} b", "a ", "a \u{3000} "),
      ("zero\u{200B}width", "row", "ro\u{200B}w"),
      ("\u{202B}לוי\u{202C}", "לוי", "\u{202B}לוי\u{202C}"),
      ("ｶﾞｰ", "ガ", "ｶﾞ"), ("مُحَمَّد", "مح", "مُحَ"), ("№ 5", "no", "№"), ("x\u{200B}", "x", "x\u{200B}"),
    ]
  )
  func `what is found is shown as it was written`(text: String, word: String, part: String) {
    #expect(shown(word, in: text).map { Array($0.unicodeScalars) } == Array(part.unicodeScalars))
  }

  @Test func `it is what folding makes, and its pieces rise over the whole text`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(state: seed)
    for _ in 0..<10_000 {
      let text = String.random(using: &random)
      let folded = FoldedText(text)
      if folded.bytes != Array(Folding.fold(text).utf8) {
        Issue.record("seed \(seed): \(text.debugDescription)")
      }
      var last = 0
      for offset in folded.bytes.indices {
        let source = folded.original(of: offset..<offset + 1)
        #expect(source.lowerBound <= last && source.upperBound >= last && !source.isEmpty)
        last = source.upperBound
      }
      if !folded.bytes.isEmpty {
        #expect(folded.original(of: 0..<folded.bytes.count) == 0..<text.utf8.count)
      }
    }
  }

  @Test func `no scalar but those with a space of their own folds to a space`() {
    for value in [0x21...0x33FF, 0xF900...0xFFFF].joined() {
      guard let scalar = Unicode.Scalar(UInt32(value)), !scalar.properties.isWhitespace else {
        continue
      }
      let folded = Folding.fold(String(scalar))
      if folded.utf8.contains(0x20), scalar != "\u{FDFA}", scalar != "\u{FDFB}" {
        Issue.record("U+\(String(scalar.value, radix: 16)): “\(folded)”")
      }
    }
  }

  @Test(
    arguments: [
      ("a\u{2D7}b\u{2043}c\u{2212}d\u{30A0}e", "a-b-c-d-e"),
      ("x\u{275B}y\u{275C}z\u{384}", "x'y'z'"),
      ("a\u{A8}b", "ab"), ("\u{AF}", ""), ("a \u{B8} b", "a b"), ("か\u{385}", "か"),
      ("か\u{A8}\u{301}", "か"),
    ]
  )
  func `hyphens, apostrophes and accents that stand alone`(text: String, folded: String) {
    #expect(Folding.fold(text) == folded)
  }

  @Test func `ill-formed bytes fold as one text`() {
    for bytes in [
      [0x41, 0xFF, 0xFE, 0x42], [0xE2, 0x82], [0xC3, 0x41], [0xF0, 0x9F, 0x41, 0xFF],
    ]
      as [[UInt8]]
    {
      var whole: [UInt8] = []
      bytes.withUnsafeBytes { Folding.appendFolded($0, to: &whole) }
      let folded = bytes.withUnsafeBytes { FoldedText($0) }
      #expect(folded.bytes == whole)
      #expect(folded.original(of: 0..<folded.bytes.count) == 0..<bytes.count)
    }
  }
}
