import Testing

@testable import TextRules

@Suite("Columns on a terminal")
struct DisplayWidthTests {
  @Test(
    arguments: [
      ("", 0), ("Ada Lund", 8), ("Łukasz", 6), ("A\u{30A}sa", 3), ("Nguyễn", 6), ("Ελένη", 5),
      ("Йована", 6), ("王小明", 6), ("さとう", 6), ("か\u{3099}", 2), ("ｶﾞ", 2), ("김철수", 6),
      ("\u{1112}\u{1161}\u{11AB}", 2), ("Ａ", 2), ("　", 2), ("שָׁלוֹם", 4), ("مُحَمَّد", 4), ("สมชาย", 5),
      ("กำ", 2), ("नि", 2), ("हिन्दी", 4), ("தமிழ்", 4), ("✓", 1), ("…", 1), ("▾▸▹", 3), ("½", 1),
      ("\u{E000}", 1), ("\u{200D}\u{200C}", 0), ("\u{FFFD}", 1), ("\u{AD}", 1), ("\u{301}", 0),
    ])
  func `of names`(text: String, columns: Int) {
    #expect(DisplayWidth.columns(of: text) == columns)
  }

  @Test(
    arguments: [
      "😀", "❤\u{FE0F}", "👍🏽", "👩‍👩‍👧", "🏳\u{FE0F}‍🌈", "🇩🇪", "1\u{FE0F}\u{20E3}", "#\u{FE0F}\u{20E3}",
      "©\u{FE0F}", "👩🏽‍🚀", "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", "⌚", "☺\u{FE0F}",
    ])
  func `of an emoji is two`(emoji: String) {
    #expect(DisplayWidth.columns(of: emoji) == 2)
    #expect(DisplayWidth.columns(of: "a\(emoji)b\(emoji)") == 6)
  }

  @Test(
    arguments: [
      ("Αδα", 6, 3), ("Йована", 12, 6), ("Ada…", 5, 4), ("★", 2, 1), ("王小明", 6, 6), ("½", 2, 1),
      ("e\u{301}", 1, 1), ("❤\u{FE0F}", 2, 2), ("สมชาย", 5, 5),
    ])
  func `of ambiguous width are as many as the terminal draws`(
    text: String,
    wide: Int,
    narrow: Int
  ) {
    #expect(DisplayWidth.columns(of: text, ambiguousIsWide: true) == wide)
    #expect(DisplayWidth.columns(of: text, ambiguousIsWide: false) == narrow)
  }

  @Test func `a heart without the emoji selector is one`() {
    #expect(DisplayWidth.columns(of: "❤") == 1)
    #expect(DisplayWidth.columns(of: "☺") == 1)
  }

  @Test func `a cluster is whole though one library takes its mark for unassigned`() {
    let text = "\u{309C}\u{1AD2}x"
    #expect(DisplayWidth.prefix(of: text, columns: 2).unicodeScalars.count == 2)
  }

  @Test func `two flags are four`() {
    #expect(DisplayWidth.columns(of: "🇩🇪🇯🇵") == 4)
  }

  @Test func `every scalar takes 0 to 2, controls none`() {
    for scalar in Unicode.Scalar.all {
      let columns = DisplayWidth.columns(of: String(scalar))
      let isFine =
        scalar.properties.generalCategory == .control ? columns == 0 : 0...2 ~= columns
      if !isFine { Issue.record("U+\(String(scalar.value, radix: 16)): \(columns)") }
    }
  }

  @Test func `the fast path and the clusters agree on random texts`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(state: seed)
    for _ in 0..<20_000 {
      let text = String.random(using: &random)
      let clusters = text.reduce(0) { $0 + DisplayWidth.columns(of: $1) }
      if DisplayWidth.columns(of: text) != clusters {
        Issue.record("seed \(seed): \(text.debugDescription)")
      }
    }
  }

  @Test func `a prefix never exceeds its columns, is a prefix, and is the longest`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(state: seed)
    for _ in 0..<20_000 {
      let text = String.random(using: &random)
      let limit = Int.random(in: 0...8, using: &random)
      let prefix = DisplayWidth.prefix(of: text, columns: limit)
      let used = DisplayWidth.columns(of: String(prefix))
      let isPrefix = text.indices.contains(prefix.endIndex) || prefix.endIndex == text.endIndex
      let more = text[prefix.endIndex...].prefix(1)
      let isLongest =
        more.isEmpty || limit == 0 || used + DisplayWidth.columns(of: String(more)) > limit
      if used > limit || !isPrefix || !isLongest {
        Issue.record("seed \(seed): \(text.debugDescription) to \(limit): \(prefix)")
      }
    }
  }

  @Test(
    arguments: [
      ("Ada Lund", 3, "Ada"), ("Ada", 3, "Ada"), ("Ada", 0, ""), ("Ada", -1, ""), ("王小明", 3, "王"),
      ("e\u{301}e\u{301}", 1, "e\u{301}"), ("ab\u{301}", 2, "ab\u{301}"), ("👩‍👩‍👧x", 1, ""),
      ("👩‍👩‍👧x", 2, "👩‍👩‍👧"), ("🇩🇪🇯🇵", 3, "🇩🇪"), ("नि", 1, ""),
    ])
  func `cuts between clusters`(text: String, limit: Int, prefix: String) {
    #expect(DisplayWidth.prefix(of: text, columns: limit) == prefix)
  }
}
