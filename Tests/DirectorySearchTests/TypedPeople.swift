import DirectoryModel
import DirectoryTestSupport
import TextRules

/// An invented person, with the parts of the name.
struct TypedPerson: Sendable {
  enum Script: Sendable {
    case latin, cyrillic, greek, han, kanji, hangul, arabic, hebrew, devanagari
  }

  var script: Script
  var given: String
  var family: String
  /// How the name is read in Latin letters, given name and family name; the same for Latin.
  var latin: (given: String, family: String)
  var number: Int

  /// As it is written in the directory.
  var name: String {
    switch script {
    case .han, .kanji, .hangul: family + given
    default: given + " " + family
    }
  }

  /// The words of the name in the order in which they are written.
  var words: (String, String) {
    switch script {
    case .han, .kanji, .hangul: (family, given)
    default: (given, family)
    }
  }

  /// The words of the name as keys without accents and signs type them.
  var letters: (given: String, family: String) {
    func plain(_ text: String) -> String {
      String(Folding.fold(text).unicodeScalars.filter { $0.properties.isAlphabetic })
    }
    return (plain(given), plain(family))
  }

  /// Half of the addresses tell the name, the others do not.
  var email: String {
    number.isMultiple(of: 2)
      ? "\(Self.plain(latin.given)).\(Self.plain(latin.family))@lumen.example"
      : "p\(4_000 + number * 7)@lumen.example"
  }

  /// Digits behind the country code; three forms take turns.
  var digits: String { "30" + String(2_000_000 + (number * 76_543 + 1_234_567) % 7_000_000) }

  var phone: String {
    switch number % 3 {
    case 0: "+49 \(digits.prefix(2)) \(digits.dropFirst(2))"
    case 1: "0\(digits.prefix(2)) \(digits.dropFirst(2))"
    default: "+49\(digits)"
    }
  }

  private static func plain(_ text: String) -> String {
    String(
      text.lowercased().unicodeScalars.filter { $0.value < 0x80 && $0.properties.isAlphabetic }
    )
  }

  /// Everybody, in a few departments.
  static func company() throws -> Company {
    var company = Company()
    let departments = [
      ("works", "Telescope Works"), ("optics", "Optics & Lenses"), ("people", "Human Resources"),
      ("storage", "Data Storage"), ("care", "Customer Care"),
    ]
    for (id, name) in departments { try company.department(id, name: name) }
    let titles = ["Engineer", "Head of Glazing", "Assistant", "Clerk", "Analyst", "Warden"]
    for person in all {
      try company.user(
        "n\(1_000 + person.number * 3)",
        in: departments[person.number % departments.count].0,
        name: person.name,
        title: titles[person.number % titles.count],
        email: person.email,
        phone: person.phone
      )
    }
    return company
  }

  static let all: [TypedPerson] = {
    var people: [TypedPerson] = []
    func add(_ script: Script, _ lines: String) {
      for line in lines.split(separator: "\n") {
        let parts = line.split(separator: "|").map(String.init)
        let latin = parts.count == 4 ? (parts[2], parts[3]) : (parts[0], parts[1])
        people.append(
          TypedPerson(
            script: script,
            given: parts[0],
            family: parts[1],
            latin: latin,
            number: people.count
          )
        )
      }
    }
    add(.latin, latinNames)
    add(.cyrillic, cyrillicNames)
    add(.greek, greekNames)
    add(.han, hanNames)
    add(.kanji, kanjiNames)
    add(.hangul, hangulNames)
    add(.arabic, arabicNames)
    add(.hebrew, hebrewNames)
    add(.devanagari, devanagariNames)
    return people
  }()

  private static let latinNames = """
    Ada|Lund
    Anna|Schmidt
    Anton|Schreiber
    Bertha|Holm
    Björn|Åberg
    Brigid|O’Brien
    Siobhan|O'Hara
    Jean-Luc|Marchand
    Marie-Claire|Dubois
    Layla|Al-Khatib
    Omar|El-Sayed
    Pieter|van der Berg
    Saskia|van den Heuvel
    Carmen|de la Cruz
    Ludwig|von Stein
    Rosa|dos Santos
    Giulia|D’Angelo
    John|Smithson
    Jane|Hartley
    Robert|Ashdown
    Katharina|Weiß
    Jürgen|Müller
    Ingrid|Sørensen
    Łukasz|Zając
    Zofia|Wójcik
    José|Castañeda
    María|Peña
    Renée|Lefèvre
    Chloé|Moreau
    Ferenc|Nagy
    Ilona|Kovács
    Jiří|Novák
    Božena|Dvořáková
    Mehmet|Yılmaz
    Ayşe|Öztürk
    Nguyễn|Hương
    Kwame|Mensah
    Amara|Okafor
    Mairead|McAllister
    Fergus|MacLeod
    Elif|Demir
    Harald|Fjeld
    Tuula|Virtanen
    Eero|Nieminen
    Priya|Raman
    Beatriz|Oliveira
    Thiago|Figueira
    Cosmin|Ionescu
    Helga|Brandt
    Tomás|Herrera
    """

  private static let cyrillicNames = """
    Борис|Орлов|boris|orlov
    Анна|Смирнова|anna|smirnova
    Дмитрий|Волков|dmitri|volkov
    Светлана|Морозова|svetlana|morozova
    Николай|Зайцев|nikolai|zaitsev
    Ольга|Соколова|olga|sokolova
    Тарас|Бондаренко|taras|bondarenko
    Оксана|Шевчук|oksana|shevchuk
    Иван|Лебедев|ivan|lebedev
    Полина|Крылова|polina|krylova
    """

  private static let greekNames = """
    Γιώργος|Παππάς|giorgos|pappas
    Ελένη|Νικολάου|eleni|nikolaou
    Δημήτρης|Καραγιάννης|dimitris|karagiannis
    Μαρία|Αντωνίου|maria|antoniou
    Νίκος|Βασιλείου|nikos|vasileiou
    """

  private static let hanNames = """
    伟|张|wei|zhang
    秀英|王|xiuying|wang
    建国|陈|jianguo|chen
    晓梅|林|xiaomei|lin
    志强|刘|zhiqiang|liu
    丽华|赵|lihua|zhao
    海燕|周|haiyan|zhou
    文静|徐|wenjing|xu
    """

  private static let kanjiNames = """
    太郎|佐藤|taro|sato
    花子|鈴木|hanako|suzuki
    健一|田中|kenichi|tanaka
    美咲|山本|misaki|yamamoto
    翔太|中村|shota|nakamura
    """

  private static let hangulNames = """
    민수|김|minsu|kim
    지은|박|jieun|park
    서연|이|seoyeon|lee
    현우|최|hyeonu|choi
    유진|정|yujin|jeong
    """

  private static let arabicNames = """
    محمد|حداد|muhammad|haddad
    ليلى|منصور|layla|mansur
    يوسف|خليل|yusuf|khalil
    مريم|سليمان|maryam|sulayman
    """

  private static let hebrewNames = """
    משה|כהן|moshe|kohen
    רחל|לוי|rachel|levi
    דוד|מזרחי|david|mizrachi
    """

  private static let devanagariNames = """
    अमित|शर्मा|amit|sharma
    प्रिया|वर्मा|priya|varma
    राहुल|गुप्ता|rahul|gupta
    """
}
