import DirectoryExchange

/// What departments and people's titles are called in a generated company.
struct SampleWords: Sendable {
  static let domain = Array("@fernlicht.example".utf8)

  private let titles: [[UInt8]]
  private let headTitles: [[UInt8]]

  init() {
    titles = Self.allTitles.map(Self.field)
    headTitles = Self.allHeadTitles.map(Self.field)
  }

  func title(_ random: inout SplitMix64) -> [UInt8] { titles[random.below(titles.count)] }

  func headTitle(level: Int) -> [UInt8] { headTitles[min(level, headTitles.count - 1)] }

  func departmentName(level: Int, _ random: inout SplitMix64) -> String {
    switch level {
    case 0: return "Fernlicht Group"
    case 1: return random.pick(Self.divisions)
    case 2: return "\(random.pick(Self.fields)) \(random.pick(Self.regions))"
    case 3: return "\(random.pick(Self.works)), \(random.pick(Self.places))"
    default: return "\(random.pick(Self.teams)) \(1 + random.below(99))"
    }
  }

  /// A text as a field of CSV, in quotes where it needs them.
  private static func field(_ text: String) -> [UInt8] {
    var writer = CSVWriter()
    var bytes: [UInt8] = []
    writer.append(text, to: &bytes)
    return bytes
  }
}

extension SampleWords {
  private static let allHeadTitles = [
    "Managing director", "Division president", "Vice president", "Director", "Head of department",
    "Team lead",
  ]

  private static let allTitles = [
    "Accountant", "Apprentice", "Archivist", "Astronomer", "Beacon engineer", "Buyer",
    "Calibration technician", "Carpenter", "Cartographer", "Clerk", "Coating specialist",
    "Controller", "Crane operator", "Customer advisor", "Data engineer", "Designer", "Diver",
    "Electrician", "Fitter", "Glazier", "Pilot", "Instrument maker", "IT administrator",
    "Lampwright", "Lawyer", "Lens grinder", "Logistics planner", "Machinist", "Metrologist",
    "Nurse", "Optical engineer", "Painter", "Photographer", "Physicist", "Planner",
    "Product manager", "Project lead, night shift", "Quality inspector", "Recruiter",
    "Researcher", "Safety officer", "Sales representative", "Software engineer",
    "Structural engineer", "Surveyor", "Technical writer", "Tester", "Trainer", "Translator",
    "Warehouse keeper", "Welder", "Feinmechanik", "Contrôle optique", "Servicio de faros",
    "Инженер-оптик", "Μηχανικός", "光学工程师", "灯塔管理员", "レンズ研磨工", "광학 엔지니어",
    "هندسة بصريات", "הנדסת אופטיקה", "प्रकाशिकी अभियंता", "วิศวกร",
  ]

  static let descriptions = [
    "Founded in 1874", "Around the clock", "Moved to the new hall in spring",
    "See the handbook, chapter 4", "Shares its budget with the department above",
    "Two shifts, no dogs", "Visitors welcome", "Открыто круглосуточно", "24 時間体制",
  ]

  private static let divisions = [
    "Lighthouses", "Telescopes", "Harbour Signals", "Optical Glass", "Clockwork & Drives",
    "Navigation Software", "Sales", "Service", "Research", "People", "Finance", "Supply",
  ]

  private static let fields = [
    "Assembly", "Beacons", "Buoys", "Calibration", "Coating", "Domes", "Eyepieces", "Fog Signals",
    "Foundations", "Lamps", "Lenses", "Mirrors", "Mounts", "Prisms", "Star Charts", "Towers",
  ]

  private static let regions = [
    "North", "South", "East", "West", "Atlantic", "Baltic", "Pacific", "Ibérica", "Österreich",
    "Россия", "Ελλάδα", "中国", "日本", "한국", "الخليج", "भारत",
  ]

  private static let works = [
    "Assembly hall", "Dockyard", "Foundry", "Glass works", "Grinding shop", "Laboratory",
    "Lighthouse service", "Observatory", "Office", "Pattern shop", "Stores", "Test range",
    "Training centre", "Workshop",
  ]

  private static let places = [
    "Ålesund", "Århus", "Bilbao", "Brest", "Cádiz", "Cork", "Dubrovnik", "Gdańsk", "Genova",
    "Göteborg", "Haifa", "Halifax", "Hội An", "İzmir", "Kochi", "Lagos", "Málaga", "Mombasa",
    "Odense", "Oʻahu", "Porto", "Reykjavík", "Riga", "Rostock", "São Luís", "Valparaíso", "Turku",
    "Αλεξανδρούπολη", "Владивосток", "Одеса", "青岛", "高雄", "函館", "부산", "الإسكندرية", "חיפה",
    "मुंबई", "চট্টগ্রাম", "சென்னை", "ภูเก็ต", "ბათუმი",
  ]

  private static let teams = [
    "Team", "Crew", "Shift", "Line", "Bench", "Watch", "Equipe", "Gruppe", "Brigada", "Squadra",
    "Бригада", "Ομάδα", "班组", "第 1 班", "작업반", "فريق", "צוות", "दल",
  ]
}
