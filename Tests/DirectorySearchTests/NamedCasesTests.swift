import DirectoryModel
import DirectorySearch
import DirectoryTestSupport
import Testing

@Suite("Names that searches missed once")
struct NamedCasesTests {
  /// What is typed, and whom it means.
  static let missed: [(typed: String, name: String)] = [
    ("alexander bykov", "Александр Быков"), ("kirti azad", "कीर्ति आज़ाद"),
    ("shabana azmi", "शबाना आज़मी"), ("नरेंद्र मोदी", "नरेन्द्र मोदी"), ("नरेन्द्र मोदी", "नरेंद्र मोदी"),
    ("suresh reddy", "सुरेश रेड्डी"), ("anil chaudhry", "अनिल चौधरी"),
    ("tetiana zghurskyi", "Тетяна Згурський"), ("sekiguchi", "関口 健"), ("sekiguchi", "関口健"),
    ("maekawa", "前川 里美"), ("marieluise maier", "Marie-Luise Maier"),
    ("Djordje Petrovic", "Đorđe Petrović"), ("đorđe ilić", "Djordje Ilić"),
    ("Џеко", "Edin Džeko"), ("Ђорђе", "Đorđe Petrović"), ("Љубица", "Ljubica Matić"),
    ("Шевченко", "Oksana Shevchenko"), ("Дмитрий Щербаков", "Dmitriy Shcherbakov"),
    ("Георгиев", "Hristo Georgiev"), ("Παπαδόπουλος", "Nikos Papadopoulos"),
    ("Чайковский", "Pjotr Tschaikowski"),
  ]

  static let missedDepartments: [(typed: String, name: String)] = [
    ("tokyo", "東京支店"), ("hanoi office", "Hà Nội Office"), ("знамянка", "Знам’янка"),
  ]

  /// A directory of these names and of others.
  private static func engines() throws -> (scan: SearchEngine, index: SearchEngine) {
    var company = Company()
    for (row, department) in missedDepartments.enumerated() {
      try company.department("d\(row)", name: department.name)
    }
    for (row, person) in missed.enumerated() {
      try company.user("u\(row)", in: "d\(row % missedDepartments.count)", name: person.name)
    }
    try company.department("other", name: "Machine Learning")
    for (row, person) in TypedPerson.all.enumerated() {
      try company.user("x\(row)", in: "other", name: person.name)
    }
    return try company.engines()
  }

  @Test func `are among the first three`() throws {
    let engines = try Self.engines()
    for (row, person) in Self.missed.enumerated() {
      let request = SearchRequest(SearchQuery(person.typed), limit: 10)
      let hits = try engines.index.search(request).hits
      #expect(try engines.scan.search(request).hits == hits, "“\(person.typed)”")
      let place = hits.firstIndex { !$0.isDepartment && $0.row == row }
      #expect(place.map { $0 < 3 } ?? false, "“\(person.typed)” for \(person.name)")
    }
  }

  @Test func `are departments, too`() throws {
    let engines = try Self.engines()
    for (row, department) in Self.missedDepartments.enumerated() {
      let request = SearchRequest(SearchQuery(department.typed), limit: 10)
      let hits = try engines.index.search(request).hits
      #expect(try engines.scan.search(request).hits == hits, "“\(department.typed)”")
      #expect(
        hits.contains { $0.isDepartment && $0.row == row },
        "“\(department.typed)” for \(department.name)"
      )
    }
  }

  @Test(arguments: [("li na", "李娜"), ("ning", "宁玉兰"), ("he", "何平")])
  func `come before what holds the letters`(typed: String, name: String) throws {
    var company = Company()
    try company.department("it", name: "Machine Learning")
    for (row, other) in ["Lina Helen", "Helena Lind", "Celina Lil", "Henning He-Lin"].enumerated() {
      try company.user("o\(row)", in: "it", name: other)
    }
    try company.user("wanted", in: "it", name: name)
    let engines = try company.engines()
    let request = SearchRequest(SearchQuery(typed))
    let hits = try engines.index.search(request).hits
    #expect(try engines.scan.search(request).hits == hits)
    let place = try #require(hits.firstIndex { !$0.isDepartment && $0.row == 4 })
    // Another user may be called just so.
    #expect(hits.prefix(place).allSatisfy { $0.rank.quality == .whole && !$0.rank.isOutsideName })
  }

  @Test(arguments: [
    ("łu", ["Łucja Zych", "לו כהן"]),
    (
      "anna",
      ["Anna Lund", "Hanna Bo-Johansson-Lindqvist", "Rosanna Li"]
    ),
  ])
  func `stand in this order`(typed: String, names: [String]) throws {
    var company = Company()
    try company.department("it", name: "Machine Learning")
    for (row, name) in names.enumerated() { try company.user("\(row)", in: "it", name: name) }
    let engines = try company.engines()
    for wanted in [1, 20] {
      let request = SearchRequest(SearchQuery(typed), limit: wanted)
      let hits = try engines.index.search(request).hits
      #expect(try engines.scan.search(request).hits == hits)
      let places = hits.filter { !$0.isDepartment }.map(\.row)
      #expect(places == Array(0..<places.count), "“\(typed)”: \(places)")
      #expect(wanted == 1 || typed == "łu" || places.count == names.count)
    }
  }

  @Test func `do not make a number of its fragments`() throws {
    var company = Company()
    try company.department("05", name: "Bureau 24")
    try company.user("61", in: "05", name: "Ada 92", title: "49", email: "a61@x.example")
    try company.user("b", in: "05", name: "Bo", phone: "+33 5 61 24 92 49")
    let engines = try company.engines()
    for engine in [engines.index, engines.scan] {
      let hits = try engine.search(SearchRequest(SearchQuery("05 61 24 92 49"))).hits
      #expect(hits.map(\.row) == [1])
    }
  }
}
