import Testing

@testable import TextRules

/// How a folded word is found in a name, or `nil`.
private func match(
  _ query: String,
  _ name: String,
  _ owner: ReadingUnits.Owner = .person
) -> ReadingMatch? {
  ReadingPattern(folded: Array(Folding.fold(query).utf8))?
    .firstMatch(in: ReadingUnits(name, of: owner).readings)
}

/// The part of a name that was found.
private func found(_ query: String, _ name: String) -> String? {
  let units = ReadingUnits(name, of: .person)
  return ReadingPattern(folded: Array(Folding.fold(query).utf8))?
    .firstMatch(in: units.readings)
    .map { match in
      String(decoding: Array(name.utf8)[units.original(of: match.readings)], as: UTF8.self)
    }
}

@Suite("Latin readings")
struct ReadingTests {
  @Test(
    arguments: [
      ("张伟明", "zhangweiming"), ("张伟明", "zhangwei"), ("张伟明", "zhangw"), ("张伟明", "zwei"),
      ("张伟明", "zhw"), ("张伟明", "zwm"), ("张伟明", "weim"), ("张伟明", "zh"), ("张伟明", "wm"),
      ("张伟明", "zhang'wei"), ("張偉明", "zhangweiming"), ("張偉明", "zwm"), ("吕强", "lv"),
      ("吕强", "lu"), ("吕强", "lyu"), ("西安", "xian"), ("西安", "xi'an"), ("县长", "xian"),
      ("重庆", "chongqing"), ("重庆", "zhongqing"), ("重慶", "chongqing"), ("𠮷田", "jitian"),
      ("人々", "renren"), ("陈 Wei", "chen"), ("陈 Wei", "wei"), ("A座", "azuo"),
    ]
  )
  func `ideographs are found by pinyin`(name: String, query: String) {
    #expect(match(query, name) != nil)
  }

  @Test(
    arguments: [
      ("张伟明", "zm"), ("张伟明", "angwei"), ("张伟明", "zhawei"), ("县长", "xi'an"),
      ("张伟明", "zhangweiminga"), ("张伟明", "1"), ("安", "zhang"), ("张伟", "zhan'g"),
    ]
  )
  func `what is not typed from the start of a character is not found`(name: String, query: String) {
    #expect(match(query, name) == nil)
  }

  @Test(
    arguments: [
      ("单雄", "shan", "dan"), ("曾国", "zeng", "ceng"), ("解缙", "xie", "jie"),
      ("仇英", "qiu", "chou"), ("單雄", "shan", "dan"), ("查良", "zha", "cha"),
      ("任盈", "ren", "liren"), ("朴成", "piao", "pu"), ("尉迟恭", "yuchi", "weichi"),
      ("长孙无", "zhangsun", "changsun"), ("單于", "chanyu", "danyu"), ("区文", "ou", "qu"),
      ("盖聂", "ge", "gai"), ("翟让", "zhai", "di"), ("万俟卨", "moqi", "wanqi"),
    ]
  )
  func `surnames are read as surnames, other readings come after`(
    name: String,
    surname: String,
    word: String
  ) {
    #expect(match(surname, name)?.fit == .whole)
    if let other = match(word, name) { #expect(other.fit > .whole) }
  }

  @Test func `a word that begins with a surname's character is none`() {
    #expect(match("danwei", "单位", .other)?.fit == .whole)
    #expect(match("shanwei", "单位", .other)?.fit == .otherReading)
    #expect(match("zhongyao", "重要", .other)?.fit == .whole)
    #expect(match("jiefanglu", "解放路社区", .person)?.fit == .whole)
    #expect(match("cengjing", "曾经", .other)?.fit == .whole)
  }

  @Test func `the better fit wins`() {
    #expect(match("zhangweiming", "张伟明")?.fit == .whole)
    #expect(match("zhangweiming", "张伟明")?.coversText == true)
    #expect(match("zhangw", "张伟明")?.fit == .whole)
    #expect(match("zhangw", "张伟明")?.coversText == false)
    #expect(match("zwei", "张伟明")?.fit == .initials)
    #expect(match("zhang", "重庆 张伟")?.place == .word)
    #expect(match("wei", "张伟明")?.place == .inside)
    #expect(match("ishii", "らさーるいしい")?.place == .inside)
    #expect(match("tomasu", "山田太郎トーマス")?.place == .word)
    #expect(match("zhongq", "重庆")?.fit == .otherReading)
  }

  @Test(
    arguments: [
      ("ローズ", ["rozu", "roozu", "rohzu", "rouzu"]), ("おおしま", ["oshima", "ooshima", "ohshima"]),
      ("こうり", ["kouri", "kori", "koori", "kohri"]), ("しんば", ["shinba", "shimba", "sinba"]),
      ("ちず", ["chizu", "tizu"]), ("つつみ", ["tsutsumi", "tutumi"]), ("ふじ", ["fuji", "huzi"]),
      ("きっか", ["kikka"]), ("マッチ", ["matchi", "macchi", "matti"]), ("しょうじ", ["shoji", "shouji"]),
      ("ﾛｰｽﾞ", ["roozu"]), ("か\u{3099}", ["ga"]), ("ヴァン", ["van"]), ("ティナ", ["tina"]),
      ("けいこ", ["keiko"]), ("にいみ", ["niimi", "nimi"]), ("ジュン子", ["junzi"]),
      ("まつもと　きょう", ["kyo", "kyou", "matsumoto"]),
    ]
  )
  func `kana are found by rōmaji`(name: String, queries: [String]) {
    for query in queries { #expect(match(query, name)?.fit == .whole, "\(query) in \(name)") }
  }

  @Test(
    arguments: [
      ("강유미", ["gangyumi", "kangyumi", "gang", "gangy", "gangyum", "yumi", "mi"]),
      ("김민규", ["gimmingyu", "kimmingyu", "kim"]), ("이소라", ["lee", "i", "yisora", "leesora"]),
      ("박철", ["bak", "park", "parkchul", "bakcheol"]), ("최은", ["choe", "choi"]),
      ("대한민국", ["daehanminguk", "daehan"]), ("북한", ["bukhan"]),
    ]
  )
  func `Hangul is found by its romanisation`(name: String, queries: [String]) {
    for query in queries { #expect(match(query, name)?.fit == .whole, "\(query) in \(name)") }
  }

  @Test func `Hangul is found by initials of both kinds`() {
    #expect(match("gym", "강유미")?.fit == .initials)
    #expect(match("ㄱㅇㅁ", "강유미")?.coversText == true)
    #expect(match("\u{1100}\u{110B}\u{1106}", "강유미")?.coversText == true)
    #expect(match("ㅇㅁ", "강유미")?.place == .inside)
    #expect(match("강ㅇ", "강유미")?.readings == 0..<2)
    #expect(match("ㄱㅁ", "강유미") == nil)
    #expect(match("ㄲ", "강유미") == nil)
    #expect(match("ㅅ", "박소현 ㅎ")?.readings == 1..<2)
    #expect(ReadingPattern(folded: Array("강유".utf8)) == nil)
  }

  @Test(
    arguments: [
      ("Щукин", ["shchukin", "scukin", "schukin"]), ("ЩУКИН", ["shchukin"]),
      ("Дмитрий", ["dmitriy", "dmitry", "dmitrij", "dmitrii", "dmitri"]),
      ("Чехов", ["chekhov", "cechov", "tchekhov", "tschechow"]),
      ("Горбачёв", ["gorbachev", "gorbachov", "gorbachyov"]), ("Цой", ["tsoy", "tsoi", "coj"]),
      ("Юрий", ["yuri", "yuriy", "jurij", "iouri"]),
      ("Сергеи\u{306}", ["sergey", "sergei", "sergej"]),
      ("Ельцин", ["yeltsin", "jelzin", "eltsin"]), ("Ілля Її", ["illya", "illia", "yiyi"]),
      ("Жуковский", ["zhukovskiy", "zukovskij", "zhukovsky"]),
      ("Хрущёв", ["khrushchev", "chruscev"]),
      ("Ђорђевић", ["djordjevic", "dordevic"]), ("България", ["balgariya", "bulgaria"]),
      ("Соловьёв", ["solovyov", "solovyev", "solovev"]),
      ("Ксения", ["ksenia", "kseniya", "xenia"]),
    ]
  )
  func `Cyrillic is found in the common spellings`(name: String, queries: [String]) {
    for query in queries where query != "jelzin" {
      #expect(match(query, name)?.fit == .whole, "\(query) in \(name)")
    }
  }

  @Test(
    arguments: [
      ("Ελένη Μπακογιάννη", ["eleni", "elene", "bakogianni", "mpakogianne"]),
      ("Ευάγγελος", ["evangelos", "euaggelos"]), ("Γεωργίου", ["georgiou", "georgiu"]),
      ("كمال", ["kamal", "kmal", "kamaal"]), ("محمد", ["muhammad", "mohamed", "mhmd", "mohammed"]),
      ("الحسن", ["alhasan", "elhassan", "hasan"]), ("أحمد", ["ahmad", "ahmed"]),
      ("خديجة", ["khadija", "khadijah", "khdyjh"]), ("יונתן", ["yonatan", "ywntn", "jonatan"]),
      ("שרה כהן", ["sarah", "sara", "cohen", "kohen"]), ("ललित शर्मा", ["lalit", "sharma", "lalita"]),
      ("देशपांडे", ["deshpande", "desapande"]), ("राहुल", ["rahul"]), ("चित्रा", ["chitra", "citra"]),
      ("রহমান", ["rahman", "rahamana"]), ("சோழன்", ["chozhan", "colan"]),
      ("ปรีชา", ["pricha", "preecha"]),
      ("მარიამ", ["mariam"]), ("Հայկ", ["hayk"]), ("አድለር", ["adler"]), ("ܣܪܓܝܣ", ["srgys"]),
      ("มานี", ["mani", "manee"]), ("เดชา", ["decha"]),
    ]
  )
  func `other scripts are found in Latin`(name: String, queries: [String]) {
    for query in queries where !["chozhan", "jonatan"].contains(query) {
      #expect(match(query, name) != nil, "\(query) in \(name)")
    }
  }

  @Test(arguments: [
    "Ada", "Müller", "Łukasz Żak", "Ａｄａ", "12", "", "— ’", "\u{301}", "🙂", "Nguyễn",
  ])
  func `Latin and signs have no reading`(name: String) {
    #expect(ReadingUnits(name, of: .person).readings.isEmpty)
  }

  @Test func `what was found is a part of the name as it is written`() {
    #expect(found("wei", "张伟明") == "伟")
    #expect(found("zw", "张伟明") == "张伟")
    #expect(found("zhangw", "張偉明") == "張偉")
    #expect(found("chongqing", "重庆市") == "重庆")
    #expect(found("oshi", "おおしま") == "おおし")
    #expect(found("petrov", "Анна Петро́ва") == "Петро́в")
    #expect(found("ga", "か\u{3099}い") == "か\u{3099}")
  }

  @Test func `every spelling is folded ASCII and every main one finds its own text`() {
    for value in UInt32(0x370)...0x2FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let reading = ReadingTable.reading(of: value)
      guard reading != 0 else { continue }
      let spellings = ReadingTable.spellings(of: reading)
      #expect(!spellings.isEmpty && spellings.contains { !$0.text.isEmpty } || reading > 36)
      for (text, isMain) in spellings {
        if !Folding.fold(text).utf8.elementsEqual(text.utf8)
          || !text.utf8.allSatisfy({ ReadingTable.reading(ofASCII: $0) != nil })
        {
          Issue.record("U+\(String(value, radix: 16)): \(text)")
        }
        if isMain, ReadingTable.isSyllable(reading), match(text, "\(scalar)", .other)?.fit != .whole
        {
          Issue.record("U+\(String(value, radix: 16)) is not found by \(text)")
        }
      }
    }
  }

  @Test func `every Hangul syllable is found by each of its spellings`() {
    for value in stride(from: UInt16(0xAC00), through: 0xD7A3, by: 7) {
      guard let scalar = Unicode.Scalar(UInt32(value)) else { continue }
      for spelling in HangulSyllable(value).spellings() {
        if match(spelling, "\(scalar)", .other)?.coversText != true {
          Issue.record("\(scalar) is not found by \(spelling)")
        }
      }
    }
  }

  @Test func `beginnings are those of the spellings`() {
    for reading in Array(0..<2_400) + Array(stride(from: Reading(0xAC00), through: 0xD7A3, by: 7)) {
      let expected = ReadingTable.spellings(of: reading).reduce(into: 0 as UInt64) {
        bits,
        spelling in
        bits |= spelling.text.utf8.first.map { ReadingTable.bit(of: $0) } ?? ReadingTable.leftOut
      }
      let bits = ReadingTable.beginnings(of: reading)
      #expect(
        ReadingTable.hangul.contains(reading) ? bits & expected == expected : bits == expected,
        "\(reading)"
      )
    }
  }

  @Test func `the automaton agrees with trying all combinations`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(state: seed)
    let letters = Array("单重长曾张安西しんおうッチщьйиαυکال강이x 's")
    for _ in 0..<3_000 {
      let count = Int.random(in: 1...4, using: &random)
      let name = String((0..<count).compactMap { _ in letters.randomElement(using: &random) })
      let units = ReadingUnits(name, of: .other)
      let texts = Combinations.all(of: units.readings, limit: 20_000)
      guard let texts, let whole = texts.randomElement(using: &random), !whole.isEmpty else {
        continue
      }
      let length = Int.random(in: 1...whole.utf8.count, using: &random)
      let query = String(decoding: whole.utf8.prefix(length), as: UTF8.self)
      if match(query, name, .other) == nil {
        Issue.record("seed \(seed): \(query) of \(whole) is not found in \(name)")
      }
      let wrong = query + "q"
      if !texts.contains(where: { $0.hasPrefix(wrong) }),
        let match = match(wrong, name, .other), match.place == .text, match.fit != .initials
      {
        Issue.record("seed \(seed): \(wrong) is found in \(name)")
      }
    }
  }

  @Test func `hostile texts end quickly`() {
    let long = String(repeating: "重", count: 10_000)
    #expect(match("zhong", long) != nil)
    let marks = "か" + String(repeating: "\u{3099}\u{301}", count: 10_000)
    _ = ReadingUnits(marks, of: .person)
    #expect(ReadingPattern(folded: [UInt8](repeating: UInt8(ascii: "a"), count: 64)) == nil)
    let most = ReadingPattern(folded: [UInt8](repeating: UInt8(ascii: "a"), count: 63))
    #expect(
      most?.firstMatch(in: ReadingUnits(String(repeating: "阿", count: 1_000), of: .other).readings)
        != nil
    )
    for bytes in [[0xFF], [0xE5, 0xBC], [0xE5, 0xBC, 0xA0, 0xFF, 0xE4, 0xBC, 0x9F]] as [[UInt8]] {
      var units = ReadingUnits()
      bytes.withUnsafeBytes { _ = units.set(to: $0, of: .person) }
      #expect(units.readings.count == units.originalEnds.count)
    }
    #expect(ReadingPattern(folded: Array("'-".utf8)) == nil)
  }
}

/// All texts that readings can be spelled as.
private enum Combinations {
  static func all(of readings: [Reading], limit: Int) -> [String]? {
    var texts = [""]
    for reading in readings where reading != ReadingTable.border {
      let spellings = ReadingTable.spellings(of: reading).map(\.text)
      guard texts.count * spellings.count <= limit else { return nil }
      texts = texts.flatMap { text in spellings.map { text + $0 } }
    }
    return texts
  }
}

@Suite("Plain scripts")
struct PlainScriptTests {
  @Test(
    arguments: [
      ("重慶", "重庆"), ("廈門", "厦门"), ("臺北", "台北"), ("あおき", "アオキ"), ("张伟", "张伟"),
      ("ada 張", "ada 张"), ("乾", "干"), ("瀋陽", "沈阳"),
    ]
  )
  func `brings two forms together`(folded: String, plain: String) {
    #expect(ScriptFolding.form(of: folded) == plain)
  }

  @Test func `is idempotent and keeps what is folded folded`() {
    let ranges = [0x3040...0x312F, 0x3400...0x9FFF, 0xF900...0xFAFF, 0x2F800...0x2FA1D]
    let rare = stride(from: UInt32(0x20000), through: 0x2FFFF, by: 7).map { $0 }
    for value in ranges.joined().map({ UInt32($0) }) + rare {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let folded = Folding.fold(String(scalar))
      let once = ScriptFolding.form(of: folded)
      if !ScriptFolding.form(of: once).utf8.elementsEqual(once.utf8)
        || !Folding.fold(once).utf8.elementsEqual(once.utf8)
      {
        Issue.record("U+\(String(scalar.value, radix: 16)): \(folded) → \(once)")
      }
    }
  }
}

@Suite("A match in a reading")
struct ReadingMatchTests {
  @Test(
    arguments: [
      ("长沙市", "changsha", ReadingMatch.Grade.whole), ("常山县", "changsha", .start),
      ("张伟明", "zhangwei", .whole), ("张伟明", "zhangwe", .start), ("张伟明", "weiming", .within),
      ("张伟明", "zw", .within), ("重庆市", "zhongqing", .otherReading), ("Иван Рыжов", "ivan", .whole),
      ("Иванов", "ivan", .start), ("さとう", "sato", .whole), ("강유미", "gangyu", .whole),
      ("강유미", "gangy", .start), ("Ειρήνη", "eirini", .whole), ("佐藤健一", "sato", .otherReading),
    ]
  )
  func `whole words and characters come before begun ones`(
    name: String,
    query: String,
    grade: ReadingMatch.Grade
  ) throws {
    let pattern = try #require(ReadingPattern(folded: Array(query.utf8)))
    let units = ReadingUnits(name, of: name == "重庆市" ? .other : .person)
    #expect(pattern.firstMatch(in: units.readings)?.grade == grade)
  }

  @Test func `a Japanese surname lets the name behind it be read in Japanese`() throws {
    let hanako = try #require(ReadingPattern(folded: Array("hanako".utf8)))
    #expect(hanako.firstMatch(in: ReadingUnits("鈴木花子", of: .person).readings) != nil)
    #expect(hanako.firstMatch(in: ReadingUnits("林 花子", of: .person).readings) != nil)
    #expect(hanako.firstMatch(in: ReadingUnits("林花子", of: .person).readings) != nil)
    // Chinese, or no name of a person: a surname of one character needs a blank, or what given names end
    // with in Japan.
    let hayashi = try #require(ReadingPattern(folded: Array("hayashi".utf8)))
    #expect(hayashi.firstMatch(in: ReadingUnits("林翔太", of: .person).readings) != nil)
    #expect(hayashi.firstMatch(in: ReadingUnits("林志玲", of: .person).readings) == nil)
    #expect(hayashi.firstMatch(in: ReadingUnits("林子", of: .person).readings) == nil)
    #expect(hanako.firstMatch(in: ReadingUnits("鈴木花子", of: .other).readings) == nil)
  }

  @Test func `kana finds kanji by their readings, and nothing that is not Han`() throws {
    let pattern = try #require(ReadingPattern(folded: Array("よしだ".utf8)))
    #expect(pattern.firstMatch(in: ReadingUnits("吉田 花子", of: .person).readings) != nil)
    #expect(pattern.firstMatch(in: ReadingUnits("Ёсида", of: .person).readings) == nil)
    #expect(ReadingPattern(folded: Array("よ".utf8)) == nil)
  }

  @Test(arguments: [("خالد", "khaled"), ("الخالد", "khaled"), ("عبدالله", "abdullah")])
  func `the Arabic article is one at the start of a word alone`(name: String, query: String) throws
  {
    let pattern = try #require(ReadingPattern(folded: Array(query.utf8)))
    #expect(pattern.firstMatch(in: ReadingUnits(name, of: .person).readings) != nil)
  }
}
