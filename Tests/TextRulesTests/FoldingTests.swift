import Testing

@testable import TextRules

@Suite("Folding")
struct FoldingTests {
  @Test(
    arguments: [
      ("Łukasz", "lukasz"), ("\u{C5}ngstr\u{F6}m", "angstrom"),
      ("A\u{30A}ngstro\u{308}m", "angstrom"), ("\u{212B}ngström", "angstrom"),
      ("STRASSE", "strasse"), ("Straße", "strasse"), ("STRAẞE", "strasse"),
      ("Þórður Ægisson", "thordur aegisson"), ("Bjørn Đorđe", "bjorn dorde"),
      ("Ħal Għaxaq", "hal ghaxaq"), ("Ŧáhka", "tahka"), ("Œuvre", "oeuvre"),
      ("İstanbul Irmak ırmak", "istanbul irmak irmak"), ("Nguyễn Thị Phượng", "nguyen thi phuong"),
      ("Şəhla", "sehla"), ("ŉ", "'n"), ("ﬁnﬂ", "finfl"), ("Ａｄａ　１２", "ada 12"),
      ("Ada\t\n Lund", "ada lund"), ("  x  ", " x "), ("a\u{A0}\u{2003}b", "a b"),
      ("a\u{1}b\u{7F}c", "abc"), ("O’Brien", "o'brien"), ("O`Brien", "o'brien"),
      ("O´Brien", "o'brien"), ("Oʼzbek", "o'zbek"), ("Jean–Luc", "jean-luc"),
      ("Jean‑Luc — x − y ﹣ z", "jean-luc - x - y - z"), ("soft\u{AD}hyphen", "softhyphen"),
      ("zero\u{200B}width\u{FEFF}\u{2060}", "zerowidth"), ("\u{202E}evil\u{2066}", "evil"),
      ("№ ½", "no 1/2"), ("Ⅷ", "viii"),
    ])
  func `folds Latin`(text: String, folded: String) {
    #expect(Folding.fold(text) == folded)
  }

  @Test(
    arguments: [
      ("ΟΔΥΣΣΕΎΣ", "οδυσσευσ"), ("Ὀδυσσεύς", "οδυσσευσ"), ("Ёлкин", "елкин"), ("Йована", "иована"),
      ("שָׁלוֹם", "שלום"), ("בן־גל", "בן-גל"), ("مُحَمَّد", "محمد"), ("أحمد إيمان آدم", "احمد ايمان ادم"),
      ("کیان", "كيان"), ("فاطمة", "فاطمه"), ("محـــمد", "محمد"), ("می\u{200C}خواهم", "ميخواهم"),
      ("٤٢ ४२ ４２", "42 42 42"),
    ])
  func `folds Greek, Cyrillic, Hebrew, Arabic`(text: String, folded: String) {
    #expect(Folding.fold(text) == folded)
  }

  @Test(
    arguments: [
      ("がぎ", "がぎ"), ("か\u{3099}", "が"), ("ｶﾞｷﾞﾊﾟ", "ガギパ"), ("か゛", "が"), ("カ゜", "カ\u{309A}"),
      ("สมชาย ถ้ำ", "สมชาย ถ\u{E49}\u{E4D}\u{E32}"), ("हिन्दी", "हिन्दी"), ("தமிழ்", "தமிழ்"),
      ("\u{1112}\u{1161}\u{11AB}", "한"), ("김철수", "김철수"), ("株式会社", "株式会社"), ("㈱", "(株)"),
      ("葛\u{E0100}", "葛"), ("漢\u{F9D0}", "漢類"),
    ])
  func `keeps the marks of other scripts`(text: String, folded: String) {
    #expect(Array(Folding.fold(text).unicodeScalars) == Array(folded.unicodeScalars))
  }

  @Test func `is idempotent on every scalar, alone and after letters of several scripts`() {
    for scalar in Unicode.Scalar.all {
      for base in ["", "a", "か", "क"] {
        let once = Folding.fold("\(base)\(scalar)")
        let twice = Folding.fold(once)
        if !once.utf8.elementsEqual(twice.utf8) {
          Issue.record("\(base) + U+\(String(scalar.value, radix: 16)): “\(once)” → “\(twice)”")
        }
      }
    }
  }

  @Test func `leaves no upper case, white space but space, control or format scalar`() {
    for scalar in Unicode.Scalar.all {
      for folded in Folding.fold(String(scalar)).unicodeScalars {
        let properties = folded.properties
        // The standard library may know a later Unicode than ICU.
        guard let age = properties.age, age.major <= 15 else { continue }
        // Cherokee folds to its upper case, which is the older (Unicode 15 §4.2).
        let isCherokee = 0x13A0...0x13F5 ~= folded.value
        let isFine =
          (isCherokee || properties.lowercaseMapping == String(folded))
          && (!properties.isWhitespace || folded == " ")
          && properties.generalCategory != .control
          && (!properties.isDefaultIgnorableCodePoint
            || properties.generalCategory == .unassigned)
        if !isFine {
          Issue.record(
            "U+\(String(scalar.value, radix: 16)) → U+\(String(folded.value, radix: 16))"
          )
        }
      }
    }
  }

  @Test func `canonically equivalent texts fold alike`() {
    for scalar in Unicode.Scalar.all {
      let text = String(scalar)
      let decomposed = String(decomposing: text)
      guard !decomposed.utf8.elementsEqual(text.utf8) else { continue }
      if Folding.fold(text) != Folding.fold(decomposed) {
        Issue.record("U+\(String(scalar.value, radix: 16))")
      }
    }
  }

  @Test func `the table and the normalizer agree on random texts`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(state: seed)
    for _ in 0..<20_000 {
      let text = String.random(using: &random)
      var whole: [UInt8] = []
      Folding.appendByNormalizer(text, to: &whole)
      let folded = Folding.fold(text)
      if !folded.utf8.elementsEqual(whole) {
        Issue.record("seed \(seed): \(text.debugDescription): \(folded.debugDescription)")
      }
      if !Folding.fold(folded).utf8.elementsEqual(folded.utf8) {
        Issue.record("seed \(seed): not idempotent: \(text.debugDescription)")
      }
    }
  }

  @Test func `every length and place of ASCII goes through the words rightly`() {
    let pieces: [UInt8] = Array("aZ @[`{~ \t\u{1F}\u{7F}0-".utf8)
    var random = SplitMix64(state: 7)
    for length in 0..<40 {
      for _ in 0..<200 {
        let bytes = (0..<length).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }
        let text = String(decoding: bytes, as: UTF8.self)
        var whole: [UInt8] = []
        Folding.appendByNormalizer(text, to: &whole)
        #expect(Array(Folding.fold(text).utf8) == whole, "\(text.debugDescription)")
      }
    }
  }

  @Test func `appending does not depend on what is there`() {
    var folded = Array("x ".utf8)
    Array(" Ä".utf8).withUnsafeBytes { Folding.appendFolded($0, to: &folded) }
    #expect(String(decoding: folded, as: UTF8.self) == "x  a")
    Array(" e\u{301}".utf8).withUnsafeBytes { Folding.appendFolded($0, to: &folded) }
    #expect(String(decoding: folded, as: UTF8.self) == "x  a e")
    Folding.appendFolded(UnsafeRawBufferPointer(start: nil, count: 0), to: &folded)
    #expect(String(decoding: folded, as: UTF8.self) == "x  a e")
  }

  @Test(
    arguments: [
      [0xFF], [0xC0, 0x80], [0xC3], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
      [0x80],
    ] as [[UInt8]]
  )
  func `reads ill-formed bytes as U+FFFD`(bytes: [UInt8]) {
    var folded: [UInt8] = []
    (Array("A".utf8) + bytes + Array("B".utf8)).withUnsafeBytes {
      Folding.appendFolded($0, to: &folded)
    }
    let text = String(decoding: folded, as: UTF8.self)
    #expect(text.hasPrefix("a\u{FFFD}") && text.hasSuffix("b"))
  }

  @Test func `a text of a megabyte of marks folds in linear time`() {
    let marks = "a" + String(repeating: "\u{301}\u{323}", count: 100_000)
    #expect(Folding.fold(marks) == "a")
  }

  @Test func `many threads may ask a table for its first time at once`() async {
    for _ in 0..<20 {
      let table = ScalarTable<UInt32> { $0 &* 3 }
      let sums = await withTaskGroup(of: UInt32.self) { group in
        for _ in 0..<8 {
          group.addTask {
            (0..<5_000 as Range<UInt32>).reduce(0) { $0 &+ table[$1] }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(sums == [UInt32](repeating: 3 * 4_999 * 5_000 / 2, count: 8))
    }
    let table = ScalarTable<UInt32> { $0 }
    #expect(table[0] == 0 && table[0x10FFFF] == 0x10FFFF)
  }
}
