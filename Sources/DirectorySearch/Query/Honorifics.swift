import TextRules

/// Forms of address and academic titles that stand beside a name and are mostly no part of it.
///
/// Source: written for Staffbook from what is usual in letters of these languages. Nothing in it is ever
/// left out of what is looked for first: there are people called Herr, Don and Ma.
enum Honorifics {
  /// The words without forms of address.
  ///
  /// - Returns: The others and what was set aside; `nil` where there is none, or nothing else.
  static func setAside(_ terms: [SearchTerm]) -> (rest: [SearchTerm], titles: [String])? {
    var rest: [SearchTerm] = []
    var titles: [String] = []
    for term in terms {
      let text = String(decoding: term.text, as: UTF8.self)
      if term.isPlain, term.field != .title, isTitle(text) {
        titles.append(text)
      } else if term.isPlain, let (name, title) = parted(text) {
        rest.append(SearchTerm(text: Array(name.utf8), field: term.field))
        titles.append(title)
      } else {
        rest.append(term)
      }
    }
    return titles.isEmpty || rest.isEmpty ? nil : (rest.uniqued, titles)
  }

  private static func isTitle(_ text: String) -> Bool {
    if words.contains(text) { return true }
    // `dr.`, `m.a.`, `dipl.-ing`, `ph.d`
    let letters = String(text.unicodeScalars.filter { $0 != "." && $0 != "-" && $0 != "\"" })
    return letters != text && words.contains(letters)
  }

  /// A name with a title that is written in one with it.
  private static func parted(_ text: String) -> (name: String, title: String)? {
    for title in behind where text.hasSuffix(title) && text.utf8.count > title.utf8.count {
      let name = String(text.dropLast(title.count)).trimmingHyphen
      if !name.isEmpty { return (name, title) }
    }
    for title in inFront where text.hasPrefix(title) {
      let name = String(text.dropFirst(title.count))
      if name.unicodeScalars.count > 1 { return (name, title) }
    }
    return nil
  }

  /// Written behind a name without a blank; the longer ones first.
  private static let behind = [
    // Japanese
    "ちゃん", "先生", "さん", "さま", "くん", "様", "氏", "君", "社長", "部長", "課長", "-san", "-sama", "-sensei",
    "-kun",
    // Chinese
    "女士", "小姐", "老師", "老师", "經理", "经理", "主任", "博士", "教授", "總監", "总监",
    // Korean
    "선생님", "교수님", "과장님", "부장님", "팀장님", "대리님", "사장님", "님", "씨", "-ssi", "-nim",
  ]

  /// Written in front of a name without a blank: Thai.
  private static let inFront = ["นางสาว", "นาง", "นาย", "คุณ", "ดร."]

  /// Folded, without full stops and hyphens.
  private static let words = Set(
    """
    mr mrs ms miss mx dr prof professor doctor sir madam mister missus messrs lord lady rev reverend \
    hon jr sr junior senior esq phd md mba bsc msc ba ma dphil mphil cpa pe ii iii iv \
    herr frau fr hr fräulein fraulein doktor dipl ing diplingenieur diplom magister mag dipling med rer nat phil habil \
    m mm mme mmes mlle mlles monsieur madame mademoiselle me maitre docteur professeur \
    sr sra srta sres don dona señor señora senor senora senorita doctora profesor profesora lic ingeniero \
    srs senhor senhora dom doutor doutora eng arq \
    sig sigra signa signor signora signorina signore dott dottssa dottor dottore dottoressa avv geom rag profssa \
    dhr mevr mw meneer mevrouw drs ir mr \
    fru fröken froken frk herra rouva neiti hra rva \
    pan pani pana panna mgr inz bc judr mudr rndr phdr doc csc \
    ur urhölgy dr ozv \
    domnul doamna domnisoara dl dna \
    bay bayan bey hanim sayin sn \
    господин госпожа г-н г-жа гн гжа гр гражданин гражданка проф др доктор профессор пан пані добродій добродійка \
    κυριος κυρια κος κα κ δρ καθ \
    מר גב גברת דר פרופ אדון \
    السيد السيده الانسه الدكتور الدكتوره دكتور دكتوره الاستاذ الاستاذه استاذ الشيخ المهندس د م ا \
    آقاي اقاي خانم دکتر دكتر مهندس \
    shri sri smt shrimati kumari ji श्री श्रीमती जी सुश्री डॉ डॉक्टर \
    bapak ibu pak bu tuan puan encik cik datuk haji hajjah \
    ông bà anh chi chị cô thầy \
    先生 女士 小姐 太太 夫人 老师 老師 教授 博士 经理 經理 さん さま 様 氏 君 くん ちゃん 殿 님 씨 선생님 교수님 \
    คุณ นาย นาง นางสาว ดร \
    san sama sensei kun xiansheng nushi ssi nim khun
    """.split(separator: " ").map { foldedWord(String($0)) }
  )

  private static func foldedWord(_ word: String) -> String {
    String(Folding.fold(word).unicodeScalars.filter { $0 != "." && $0 != "-" })
  }
}

extension String {
  fileprivate var trimmingHyphen: String { hasSuffix("-") ? String(dropLast()) : self }
}
