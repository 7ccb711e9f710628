import Testing

@testable import TextRules

@Suite("Text made harmless")
struct VisibleTextTests {
  @Test(
    arguments: [
      ("Ada Lund", "Ada Lund"), ("王小明 👩‍🚀", "王小明 👩‍🚀"), ("می‌خواهم", "می‌خواهم"),
      ("a\tb\nc\r\nd", "a␉b␊c␍␊d"), ("\u{1B}[31mred", "␛[31mred"), ("\u{7F}\u{0}", "␡␀"),
      ("\u{9B}2J", "\\u{9B}2J"), ("a\u{85}b\u{2028}c\u{2029}", "a␤b␤c␤"),
      ("ab\u{202E}cd", "ab\\u{202E}cd"), ("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}"),
      ("soft\u{AD}", "soft\\u{AD}"), ("\u{FEFF}x", "\\u{FEFF}x"), ("\u{3164}", "\\u{3164}"),
      ("\u{FFF9}", "\\u{FFF9}"),
      ("葛\u{E0100}城", "葛\u{E0100}城"), ("\u{E000}", "\u{E000}"), ("C:\\x", "C:\\x"),
      ("x\u{E0041}\u{E0042}", "x\\u{E0041}\\u{E0042}"), ("٠\u{600}", "٠\u{600}"), ("", ""),
    ])
  func `on a Unicode terminal`(text: String, shown: String) {
    #expect(VisibleText.visible(text) == shown)
  }

  @Test(arguments: [0xFDD0, 0xFFFE, 0x1FFFF, 0x10FFFF] as [UInt32])
  func `noncharacters are shown`(value: UInt32) throws {
    let scalar = try #require(Unicode.Scalar(value))
    let escape = "\\u{\(String(value, radix: 16, uppercase: true))}"
    #expect(VisibleText.visible("a\(scalar)") == "a" + escape)
  }

  @Test func `a flag keeps its tags, stray tags do not hide`() {
    let england = "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}"
    #expect(VisibleText.visible(england) == england)
    #expect(VisibleText.visible("\t\(england)\t") == "␉\(england)␉")
    #expect(VisibleText.visible("🏴\u{E0067}") == "🏴\\u{E0067}")
    #expect(VisibleText.visible("🏴\u{E0041}\u{E007F}") == "🏴\\u{E0041}\\u{E007F}")
    #expect(VisibleText.visible("\(england)\u{E0067}") == "\(england)\\u{E0067}")
  }

  @Test(
    arguments: [
      ("Ada", "Ada"), ("Müller", "M\\u{FC}ller"), ("a\tb\nc\r", "a\\tb\\nc\\r"),
      ("\u{1B}\u{7F}", "\\u{1B}\\u{7F}"), ("王", "\\u{738B}"),
      ("👩‍🚀", "\\u{1F469}\\u{200D}\\u{1F680}"),
      ("🏴\u{E0067}", "\\u{1F3F4}\\u{E0067}"),
    ])
  func `on an ASCII terminal`(text: String, shown: String) {
    #expect(VisibleText.visible(text, ascii: true) == shown)
  }

  @Test func `no scalar leaves a control, a line break or a bidi control`() {
    let bidi: Set<UInt32> = Set(
      [0x061C, 0x200E, 0x200F] + Array(0x202A...0x202E) + Array(0x2066...0x2069)
    )
    for scalar in Unicode.Scalar.all {
      for text in [String(scalar), "a\(scalar)b", "🏴\(scalar)"] {
        let shown = VisibleText.visible(text)
        let isHarmless = shown.unicodeScalars.allSatisfy {
          switch $0.properties.generalCategory {
          case .control, .lineSeparator, .paragraphSeparator: false
          default: !bidi.contains($0.value)
          }
        }
        let ascii = VisibleText.visible(text, ascii: true)
        let isASCII = ascii.utf8.allSatisfy { 0x20...0x7E ~= $0 }
        if !isHarmless || !isASCII { Issue.record("U+\(String(scalar.value, radix: 16))") }
      }
    }
  }

  @Test func `what is invisible or ignorable is shown, but for what spells names`() {
    let kept: Set<UInt32> = [0x200C, 0x200D, 0x34F, 0x115F, 0x1160]
    for scalar in Unicode.Scalar.all {
      let properties = scalar.properties
      guard properties.isDefaultIgnorableCodePoint else { continue }
      let isKept = VisibleText.visible(String(scalar)) == String(scalar)
      let mayBeKept = kept.contains(scalar.value) || properties.isVariationSelector
      if isKept != mayBeKept { Issue.record("U+\(String(scalar.value, radix: 16))") }
    }
  }

  @Test func `showing twice changes nothing`() {
    var random = SplitMix64(state: 11)
    for _ in 0..<10_000 {
      let text = String.random(using: &random)
      for ascii in [false, true] {
        let once = VisibleText.visible(text, ascii: ascii)
        #expect(VisibleText.visible(once, ascii: ascii) == once, "\(text.debugDescription)")
      }
    }
  }

  @Test(
    arguments: [
      ("Ada", false), ("王", false), ("שלום", true), ("Ada محمد", true), ("٣", true), ("42", false),
      ("\u{1E900}", true), ("é", false),
    ])
  func `only right-to-left text is isolated`(text: String, isIsolated: Bool) {
    let expected = isIsolated ? "\u{2068}\(text)\u{2069}" : text
    #expect(VisibleText.isolated(text) == expected)
  }
}
