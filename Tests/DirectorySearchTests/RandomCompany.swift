import DirectoryTestSupport
import Seeds
import DirectoryModel

/// Random directories and queries, made to hit.
enum RandomCompany {
  /// Ids are numbers; names, titles and contacts are of many scripts.
  static func make(using generator: inout SeededGenerator, people: Int = 40) throws -> Company {
    var company = Company()
    let departmentCount = Int.random(in: 1...12, using: &generator)
    for row in 0..<departmentCount {
      let parent = row == 0 ? nil : Int.random(in: -1..<row, using: &generator)
      try company.department(
        "d\(row)",
        under: parent.flatMap { $0 < 0 ? nil : "d\($0)" },
        name: name(using: &generator)
      )
    }
    for row in 0..<Int.random(in: 0...people, using: &generator) {
      let own = (0..<departmentCount).shuffled(using: &generator)
        .prefix(Int.random(in: 1...3, using: &generator))
      for (index, department) in own.enumerated() {
        let title = RandomText.text(words: 0...2, using: &generator)
        if index > 0 {
          try company.member("u\(row)", of: "d\(department)", title: title)
          continue
        }
        try company.user(
          "u\(row)",
          in: "d\(department)",
          name: name(using: &generator),
          title: title,
          email: email(using: &generator),
          phone: phone(using: &generator)
        )
      }
    }
    return company
  }

  private static let names = [
    "Anna", "Anne Lund", "Hanna Strøm", "Johanna Lund-Berg", "Ann Lee", "Lee Ann", "張偉", "张伟明",
    "Кинщу Анна", "강유미", "佐々木 りさ", "Müller", "Mueller", "Muller", "Annabelle", "Lund Annabele",
    "Storage", "Data Storage", "重庆市", "O'Brien",
  ]

  static func name(using generator: inout SeededGenerator) -> String {
    Bool.random(using: &generator)
      ? names.randomElement(using: &generator) ?? ""
      : RandomText.text(words: 1...3, using: &generator)
  }

  static func email(using generator: inout SeededGenerator) -> String {
    switch Int.random(in: 0...3, using: &generator) {
    case 0: ""
    case 1: RandomText.word(using: &generator)
    default:
      (["anna", "ann.lee", "lund", "a-b"].randomElement(using: &generator) ?? "")
        + "@" + (["lumen.example", "x.example"].randomElement(using: &generator) ?? "")
    }
  }

  static func phone(using generator: inout SeededGenerator) -> String {
    let number = String(Int.random(in: 0...99_999, using: &generator))
    let start = ["", "+49 30 ", "030 ", "+1 (202) 555-", "(0)"].randomElement(using: &generator)
    return Int.random(in: 0...3, using: &generator) == 0 ? "" : (start ?? "") + number
  }

  private static let words = [
    "anna", "ann", "anan", "lund", "lnud", "a", "n", "u1", "d", "@", "lumen", "x.example", ".", "-",
    "zhang", "zw", "zhangwei", "wei", "shchukin", "kin", "mueller", "müller", "muller", "chongqing",
    "zhong", "りさ", "リサ", "佐々木り", "30", "202", "+49", "030", "555", "storage", "stroage",
    "annabelle", "anabele", "ㄱㅇㅁ", "gang", "張", "张",
  ]

  /// Words of the data, pieces of them, and others.
  static func word(_ company: Company, using generator: inout SeededGenerator) -> String {
    let records = company.records
    let source =
      switch Int.random(in: 0...6, using: &generator) {
      case 0 where records.users.count > 0:
        records.users[Int.random(in: 0..<records.users.count, using: &generator)].name
      case 1:
        records.departments[Int.random(in: 0..<records.departments.count, using: &generator)].name
      case 2 where records.memberships.count > 0:
        records.memberships[Int.random(in: 0..<records.memberships.count, using: &generator)].title
      case 3 where records.users.count > 0:
        records.users[Int.random(in: 0..<records.users.count, using: &generator)].contacts[.phone]
      case 4: RandomText.word(using: &generator)
      default: words.randomElement(using: &generator) ?? "a"
      }
    guard Int.random(in: 0...2, using: &generator) > 0 else { return source }
    let count = Int.random(in: 0...source.unicodeScalars.count, using: &generator)
    let start = Int.random(in: 0...source.unicodeScalars.count - count, using: &generator)
    return String(String.UnicodeScalarView(source.unicodeScalars.dropFirst(start).prefix(count)))
  }

  /// Words with everything the query language has.
  static func query(_ company: Company, using generator: inout SeededGenerator) -> String {
    let prefixes = ["name:", "title:", "dept:", "email:", "phone:", "id:"]
    return (0..<Int.random(in: 1...3, using: &generator)).map { _ in
      let word = word(company, using: &generator)
      switch Int.random(in: 0...11, using: &generator) {
      case 0: return "-" + word
      case 1: return (prefixes.randomElement(using: &generator) ?? "") + word
      case 2: return "\"" + word + "\""
      case 3: return "-\"" + word + "\""
      case 4: return (prefixes.randomElement(using: &generator) ?? "") + "\"" + word + "\""
      default: return word
      }
    }.joined(separator: " ")
  }
}
