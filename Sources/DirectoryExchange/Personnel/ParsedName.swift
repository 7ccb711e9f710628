import TextRules

/// A name as lists write it, in its parts: `Lund, Ada`, `Dr. LUND Ada`, `Ada Lund, PhD`, `山田, 太郎`.
///
/// A comma stands behind the family name; without one, words in capitals are the family name if the
/// others are not. In Chinese, Japanese and Korean the family name stays in front.
struct ParsedName: Equatable {
  private(set) var prefix = ""
  private(set) var given = ""
  private(set) var family = ""
  private(set) var suffix = ""
  /// The name without titles and degrees, as cards have it.
  private(set) var whole: String

  init(_ text: String) {
    whole = text
    if text.unicodeScalars.contains(where: Self.isEastAsian) {
      takeEastAsian(text)
    } else {
      take(text)
    }
  }

  // MARK: Chinese, Japanese, Korean

  /// Kana, ideographs, Hangul.
  private static func isEastAsian(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x11FF, 0x3040...0x30FF, 0x3400...0x9FFF, 0xAC00...0xD7AF, 0xF900...0xFAFF,
      0x20000...0x323AF:
      true
    default: false
    }
  }

  private mutating func takeEastAsian(_ text: String) {
    var name = text[...]
    for title in ["先生", "女士", "小姐", "さん", "様", "殿", "님", "씨"]
    where name.hasSuffix(title) && name.count > title.count + 1 {
      suffix = title
      name = Self.trimmed(name.dropLast(title.count))
      break
    }
    let parts = name.split { ",，、".contains($0) }.map(Self.trimmed)
    let words = parts.count == 2 ? parts : name.split(separator: " ")
    if words.count == 2 { (family, given) = (String(words[0]), String(words[1])) }
    guard parts.count == 2 else {
      whole = String(name)
      return
    }
    let hasKana = name.unicodeScalars.contains { (0x3040...0x30FF).contains($0.value) }
    whole = family + (hasKana ? " " : "") + given
  }

  // MARK: Other scripts

  private mutating func take(_ text: String) {
    var parts = text.split(separator: ",").map { Self.trimmed($0).split(separator: " ") }
    parts.removeAll(where: \.isEmpty)
    var suffixes: [Substring] = []
    while parts.count > 1, let last = parts.last, last.allSatisfy(Self.isSuffix) {
      suffixes = last + suffixes
      parts.removeLast()
    }
    guard (1...2).contains(parts.count) else { return }
    while let last = parts[parts.count - 1].last, parts[parts.count - 1].count > 1,
      Self.isSuffix(last)
    {
      suffixes.insert(parts[parts.count - 1].removeLast(), at: 0)
    }
    var titles: [Substring] = []
    for place in parts.indices.reversed() {
      while let first = parts[place].first, parts[place].count > 1, Self.isTitle(first) {
        titles.append(parts[place].removeFirst())
      }
    }
    if parts.count == 2 {
      // `Lund, Ada Dr.`
      while let last = parts[1].last, parts[1].count > 1, Self.isTitle(last) {
        titles.append(parts[1].removeLast())
      }
    }
    prefix = titles.joined(separator: " ")
    suffix = suffixes.joined(separator: " ")
    let (given, family) =
      parts.count == 2 ? (parts[1], parts[0]) : Self.capitals(parts[0]) ?? Self.plain(parts[0])
    self.given = given.joined(separator: " ")
    self.family = Self.cased(family, amid: given)
    // A son's name differs from his father's by nothing else.
    let generation = suffixes.filter(Self.isGeneration)
    whole = ([self.given, self.family] + generation.map(String.init)).filter { !$0.isEmpty }
      .joined(separator: " ")
  }

  /// Given and family names where one of both is in capitals.
  private static func capitals(
    _ words: [Substring]
  ) -> (given: [Substring], family: [Substring])? {
    let isCapital = words.map(isInCapitals)
    guard isCapital.contains(true), isCapital.contains(false) else { return nil }
    // A particle belongs to the capitals behind it: `van der BERG Ada`.
    var isFamily = isCapital
    for place in words.indices.reversed().dropFirst()
    where isFamily[place + 1] && particles.contains(String(words[place])) {
      isFamily[place] = true
    }
    let count = isFamily.filter { $0 }.count
    if isFamily.prefix(count).allSatisfy({ $0 }) {
      guard count < words.count else { return nil }
      return (Array(words[count...]), Array(words[..<count]))
    }
    if isFamily.suffix(count).allSatisfy({ $0 }) {
      return (Array(words.dropLast(count)), Array(words.suffix(count)))
    }
    return nil
  }

  /// The last word and the particles before it are the family name.
  private static func plain(
    _ words: [Substring]
  ) -> (given: [Substring], family: [Substring]) {
    guard words.count > 1 else { return ([], words) }
    var start = words.count - 1
    while start > 1, particles.contains(words[start - 1].lowercased()) { start -= 1 }
    return (Array(words[..<start]), Array(words[start...]))
  }

  /// Three letters or more, or two as in `LI`: initials such as `JD` and `AJ` are not.
  private static func isInCapitals(_ word: Substring) -> Bool {
    let letters = word.filter(\.isLetter)
    guard letters.count > 1, !word.contains("."),
      letters.allSatisfy({ $0.isUppercase && !$0.isLowercase })
    else { return false }
    if letters.count > 2 { return true }
    let vowels = letters.map { "AEIOUY".contains($0) }
    return vowels == [false, true] || letters == "NG"
  }

  private static func cased(_ words: [Substring], amid others: [Substring]) -> String {
    guard words.contains(where: isInCapitals), !others.isEmpty, !others.allSatisfy(isInCapitals)
    else { return words.joined(separator: " ") }
    return words.enumerated().map { place, word in
      guard isInCapitals(word) else { return String(word) }
      let lower = word.lowercased()
      if place < words.count - 1, particles.contains(lower),
        !isArticle(lower, at: place)
      {
        return lower
      }
      var text = ""
      var isFirst = true
      for sign in lower {
        text += isFirst ? String(sign).uppercased() : String(sign)
        isFirst = !sign.isLetter || text == "Mc"
      }
      return text
    }.joined(separator: " ")
  }

  /// Whether a word begins a French family name with an article, which has a capital: Le Goff, La
  /// Fontaine, Du Bellay, Des Forêts, but de la Tour.
  private static func isArticle(_ lower: String, at place: Int) -> Bool {
    place == 0 && ["le", "la", "les", "du", "des"].contains(lower)
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }

  // MARK: Words

  /// Lower case without the dot at the end; the dot of those that are names too must be there.
  private static func isTitle(_ word: Substring) -> Bool {
    let lower = word.lowercased()
    if titles.contains(lower.hasSuffix(".") ? String(lower.dropLast()) : lower) { return true }
    return dottedTitles.contains(lower)
  }

  private static func isSuffix(_ word: Substring) -> Bool {
    let bare = word.filter { $0 != "." }
    return isGeneration(word) || degrees.contains(bare.lowercased())
  }

  private static func isGeneration(_ word: Substring) -> Bool {
    let bare = word.filter { $0 != "." }
    return ["II", "III", "IV", "Jr", "Sr", "JR", "SR", "jr", "jun", "sen"].contains(String(bare))
  }

  private static let titles: Set<String> = [
    "dr", "prof", "professor", "mr", "mrs", "ms", "miss", "mx", "sir", "herr", "frau", "mme",
    "mlle", "dra", "sra", "srta", "dott", "dott.ssa", "sig", "sig.ra", "dhr", "mevr", "drs",
    "dipl.-ing", "dipl.-kfm", "dipl.-inf", "dr.-ing", "г-н", "г-жа", "pan", "pani", "bay", "bayan",
  ]
  private static let dottedTitles: Set<String> = [
    "ing.", "mag.", "dipl.", "med.", "jur.", "phil.", "rer.", "nat.", "pol.", "oec.", "habil.",
    "hab.", "h.c.", "h.", "c.", "ir.", "inż.", "mgr.", "sr.", "eng.",
  ]
  private static let degrees: Set<String> = [
    "phd", "md", "mba", "msc", "bsc", "esq", "cpa", "dds", "mph", "llm", "llb", "jd", "pmp",
  ]
  private static let particles: Set<String> = [
    "van", "der", "den", "de", "von", "vom", "zu", "zum", "zur", "la", "le", "du", "des", "di",
    "da", "dos", "das", "del", "della", "ter", "ten", "af", "av", "bin", "ibn", "al", "el",
  ]
}

/// Words by which lists say of a person that he or she has left.
enum LeaverWords {
  static func contains(_ text: [UInt8]) -> Bool {
    words.contains(Folding.fold(String(decoding: text, as: UTF8.self)))
  }

  private static let words: Set<String> = Set(
    [
      "terminated", "left", "leaver", "resigned", "dismissed", "retired", "deceased", "departed",
      "former", "former employee", "inactive", "exited", "separated",
      "ausgetreten", "ausgeschieden", "entlassen", "pensioniert", "im ruhestand", "verstorben",
      "inaktiv", "ehemalig",
      "parti", "partie", "sorti", "sortie", "demissionnaire", "licencie", "licenciee", "retraite",
      "inactif", "decede",
      "baja", "de baja", "cesado", "cesada", "despedido", "despedida", "jubilado", "jubilada",
      "inactivo", "inactiva",
      "cessato", "cessata", "dimesso", "licenziato", "pensionato", "inattivo",
      "desligado", "desligada", "demitido", "demitida", "aposentado", "inativo",
      "uit dienst", "vertrokken", "gepensioneerd", "inactief",
      "zwolniony", "zwolniona", "nieaktywny", "nieaktywna", "emerytowany",
      "уволен", "уволена", "уволился", "уволилась", "на пенсии",
      "离职", "已离职", "退休", "已退休", "離職", "已離職", "退職", "退職済", "退職済み", "退社", "定年退職",
      "퇴사", "퇴직",
    ].map(Folding.fold)
  )
}
