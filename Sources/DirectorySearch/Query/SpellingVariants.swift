import TextRules

/// Words that stand otherwise in names: pinyin with numbers for tones, surnames as they are spelled in
/// Hong Kong and Taiwan, `st` for saint, `and` for &.
enum SpellingVariants {
  /// The queries that a query may stand for.
  ///
  /// - Complexity: O(bytes of the query).
  static func readings(of terms: [SearchTerm]) -> [[SearchTerm]] {
    guard terms.count <= mostWords else { return [] }
    var readings: [[SearchTerm]] = []
    if let apart = withoutConjunctions(terms) { readings.append(apart) }
    readings += saints(terms) + surnames(terms)
    return readings.filter { $0 != terms }
  }

  private static let mostWords = 6

  // MARK: - Pinyin

  /// `zhang1 wei3` and `zhang1wei3` without the numbers.
  ///
  /// - Returns: `nil` where there is none, or a word that is not pinyin.
  static func toneless(_ terms: [SearchTerm]) -> [SearchTerm]? {
    var plain: [SearchTerm] = []
    var isToned = false
    for term in terms {
      guard term.isPlain, term.phone == nil, let letters = toneless(term.text) else { return nil }
      if letters.count < term.text.count { isToned = true }
      plain.append(SearchTerm(text: letters, field: term.field))
    }
    return isToned ? plain.uniqued : nil
  }

  /// Syllables, each with a tone behind it but perhaps the last.
  private static func toneless(_ word: [UInt8]) -> [UInt8]? {
    var letters: [UInt8] = []
    var syllable = 0
    for byte in word {
      if byte &- 0x61 < 26 || byte == UInt8(ascii: ":") {
        // `lu:4` as `lv4`.
        if byte == UInt8(ascii: ":") {
          guard letters.last == UInt8(ascii: "u") else { return nil }
          letters[letters.count - 1] = UInt8(ascii: "v")
          continue
        }
        letters.append(byte)
      } else {
        guard 0x30...0x35 ~= byte, isSyllable(letters[syllable...]) else { return nil }
        syllable = letters.count
      }
    }
    return syllable == letters.count || isSyllable(letters[syllable...]) ? letters : nil
  }

  /// Syllables of one letter are none here: `u1` and `a2` are ids.
  private static func isSyllable(_ letters: ArraySlice<UInt8>) -> Bool {
    guard letters.count > 1, let first = letters.first, !"iuv".utf8.contains(first) else {
      return false
    }
    let text = String(decoding: letters, as: UTF8.self)
    let initial = initials.first { text.hasPrefix($0) } ?? ""
    return finals.contains(String(text.dropFirst(initial.count)))
  }

  private static let initials = [
    "zh", "ch", "sh", "b", "p", "m", "f", "d", "t", "n", "l", "g", "k", "h", "j", "q", "x", "r",
    "z",
    "c", "s", "y", "w",
  ]

  private static let finals: Set<String> = [
    "a", "o", "e", "ai", "ei", "ao", "ou", "an", "en", "ang", "eng", "ong", "er", "i", "ia", "ie",
    "iao", "iu", "ian", "in", "iang", "ing", "iong", "u", "ua", "uo", "uai", "ui", "uan", "un",
    "uang",
    "v", "ve", "ue", "van", "vn",
  ]

  // MARK: - Conjunctions

  /// `research and development` for Research & Development, and the other way round.
  private static func withoutConjunctions(_ terms: [SearchTerm]) -> [SearchTerm]? {
    guard terms.count > 2 else { return nil }
    let rest = terms.enumerated().filter { index, term in
      let isBetween = index > 0 && index < terms.count - 1
      let text = String(decoding: term.text, as: UTF8.self)
      return !(isBetween && term.isPlain && conjunctions.contains(text))
    }.map(\.element)
    return rest.count < terms.count && rest.count > 1 ? rest : nil
  }

  /// In the languages that write & for them, folded.
  static let conjunctions: Set<String> = [
    "&", "+", "and", "und", "et", "y", "e", "i", "och", "og", "ja", "en", "a", "es", "ve", "va",
    "si", "si", "un", "ir", "dan", "at", "и", "та", "й", "і", "и", "και", "및", "和", "与", "及", "と",
  ]

  // MARK: - Saints

  private static func saints(_ terms: [SearchTerm]) -> [[SearchTerm]] {
    for (index, term) in terms.enumerated() where term.isPlain && term.field != .title {
      let words = term.text.split { "-.'".utf8.contains($0) }.map { Array($0) }
      guard let first = words.first, saintForms.contains(first),
        words.count > 1 || index + 1 < terms.count
      else { continue }
      return saintForms.filter { $0 != first }.flatMap { form in
        let named = replacing(index, of: terms, by: [form] + words.dropFirst())
        return [named] + withoutEnding(named, behind: index)
      }
    }
    return []
  }

  private static func replacing(
    _ index: Int,
    of terms: [SearchTerm],
    by words: [[UInt8]]
  ) -> [SearchTerm] {
    var changed = terms
    changed.replaceSubrange(
      index..<index + 1,
      with: words.enumerated().map { place, word in
        var word = SearchTerm(text: word, field: .name)
        word.means = place == 0 ? .whole : .beginnings
        return word
      }
    )
    return changed.uniqued
  }

  /// `saint marys` as `saint mary`, for Saint Mary’s.
  private static func withoutEnding(_ terms: [SearchTerm], behind index: Int) -> [[SearchTerm]] {
    guard index + 1 < terms.count else { return [] }
    let name = terms[index + 1]
    guard !name.isPhrase, name.phone == nil, name.text.last == UInt8(ascii: "s"),
      name.text.count >= 4
    else { return [] }
    var word = SearchTerm(text: Array(name.text.dropLast()), field: .name)
    word.means = .whole
    var changed = terms
    changed[index + 1] = word
    return [changed]
  }

  private static let saintForms: [[UInt8]] = [
    "st", "saint", "sankt", "ste", "sainte", "sint", "szent", "santa", "san", "sao", "santo",
    "sant",
    "sv", "sveti", "svata", "svaty", "swieta", "swiety", "sta", "sto",
  ].map { Array($0.utf8) }

  // MARK: - Surnames

  /// `wong` as `wang` and `huang`: the same characters, read in Cantonese or spelled by Wade and Giles.
  private static func surnames(_ terms: [SearchTerm]) -> [[SearchTerm]] {
    guard terms.count <= 4 else { return [] }
    var readings: [[SearchTerm]] = []
    // The surname stands first or last.
    for index in Set([0, terms.count - 1]).sorted() where terms[index].isPlain {
      for name in surnames[String(decoding: terms[index].text, as: UTF8.self)] ?? [] {
        var changed = terms
        changed[index] = SearchTerm(text: Array(name.utf8), field: terms[index].field)
        readings.append(changed)
      }
    }
    return readings
  }

  private static let surnames: [String: [String]] = {
    var names: [String: [String]] = [:]
    for line in table.split(whereSeparator: { $0 == "|" || $0 == "\n" }) {
      let words = line.split(separator: " ").map(String.init)
      guard let typed = words.first else { continue }
      names[typed, default: []] += words.dropFirst().filter { $0 != typed }
    }
    return names
  }()

  /// The spelling, then the pinyin of the surnames that are spelled so.
  ///
  /// Source: written for Staffbook from the romanisations that are usual in Hong Kong, Macau, Taiwan,
  /// Malaysia and Singapore; no list was copied.
  private static let table = """
    au ou|auyeung ouyang|chan chen zhan|chang zhang chang zheng|chao zhao chao|chau zhou qiu|chee xu|cheng zheng cheng|cheong zhang jiang|cheuk zhuo|cheung zhang jiang|chi ji qi|chia xie jia
    chiang jiang qiang|chiao jiao qiao|chien qian jian|chik qi|chin jin qin qian|ching cheng jing qing|chiu zhao qiu|cho zhuo cao|choi cai cui|chong zhang zhuang zhong|chou zhou qiu|chow zhou|choy cai
    chu zhu chu|chua cai|chuang zhuang|chui xu cui|chuk zhu|chun qin|chung zhong|dang deng|eng wu|fok huo|fong fang kuang|foo fu|fung feng|goh wu|ha xia|hau hou|heung xiang|ho he|hon han|hsia xia
    hsiang xiang|hsiao xiao|hsieh xie|hsin xin|hsing xing|hsiung xiong|hsu xu|hsueh xue|hsun xun|hui xu hui|hung hong xiong|ip ye|jao rao|jen ren|juan ruan|jung rong|kam jin gan|kan jian gan jin|kao gao
    kau qiu gou|keung jiang qiang|khoo qiu|khor xu|kiu qiao|ko gao ke|koh xu gao|kong jiang gong kuang|koo gu|kot ge|ku gu|kuan guan|kung gong kong|kuo guo|kwan guan|kwok guo|kwong kuang|lai li lai|lam lin lan
    lau liu|law luo|lee li|lei li lei|leong liang|leung liang|liao liao|lien lian|lim lin|ling ling lin|lo luo lu|loh luo|lok luo le|loke lu|lou lou lu|low liu lu|lui lv lei|luk lu|lum lin|mak mai|man wen|mo wu mao
    mok mo|mui mei|nam lan nan|ng wu huang|ngai wei ni|ngan yan|nip nie|on an|ong wang|or ke|ow ou|pai bai|pak bai|pang peng|pao bao|pau bao|pei pei bei|pien bian|po bo|pong pang|poon pan|pu bu|pui bei|pun pan
    quan guan|sek shi|seto situ|sham cen shen|shek shi|shih shi|shing cheng sheng|shiu shao|shum shen cen|sin xian|sit xue|siu xiao shao|so su|soh su|soo su|soon sun|soong song|suen sun|sum shen cen|sun sun|sung song
    sze shi|szeto situ|szu si|ta da|tai dai|tam tan|tang deng tang|tay zheng|teng deng|teo zhang|teoh zhang|tin tian|ting ding|to du tao|tong tang|tsai cai|tsang zeng|tsao cao|tse xie|tseng zeng|tso zuo cao|tsoi cai
    tsou zou|tsui xu cui|tsung zong|tu du tu|tuan duan|tuen duan|tung dong tong|tzeng zeng|wai wei|wan wen yin wan|wat qu|wee huang|wen wen|wong wang huang|woo hu|woon wen yun|wu hu|wun wen|yam ren|yap ye|yau qiu you
    yee yu|yeh ye|yen yan|yeo yang|yeung yang|yick yi|yik yi|yim yan|yip ye|yiu yao|yong yang rong|yow you|yu yu yuan|yue yu|yuen yuan ruan|yun yin|yung weng rong
    """
}
