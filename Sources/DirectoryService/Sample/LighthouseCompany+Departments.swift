extension LighthouseCompany {
  private static let everyone = NameStock.byWeight
  private static let eastAsian: [NameStock] = [
    .chinese, .taiwanese, .japanese, .japanese, .japanese, .korean, .korean,
  ]
  private static let american: [NameStock] = [
    .spanish, .spanish, .portuguese, .english, .african, .vietnamese,
  ]
  private static let southern: [NameStock] = [
    .greek, .greek, .turkish, .arabic, .hebrew, .armenian,
  ]

  static let departments: [Department] = [
    Department(
      id: "fernlicht",
      parent: "",
      name: "Fernlicht & Daughters",
      description: "Lighthouses and telescopes since 1874",
      size: 3,
      titles: ["Managing director", "Chair of the board", "Assistant to the board"],
      stocks: everyone,
      phone: .berlin
    ),
    Department(
      id: "lighthouses",
      parent: "fernlicht",
      name: "Lighthouse Works",
      description: "From the rock to the beam",
      size: 4,
      titles: ["Director of lighthouses", "Project manager", "Cost planner"],
      stocks: everyone,
      phone: .berlin
    ),
    Department(
      id: "lamps",
      parent: "lighthouses",
      name: "Lamps & Beacons",
      description: "",
      size: 12,
      titles: [
        "Head of lamps", "Lampwright", "Electrical engineer", "Beacon tester", "Apprentice",
      ],
      stocks: everyone,
      phone: .berlin
    ),
    Department(
      id: "fresnel",
      parent: "lamps",
      name: "Fresnel Lenses",
      description: "First to sixth order",
      size: 14,
      titles: [
        "Lens master", "Optical engineer", "Lens grinder", "Glazier", "Prism fitter", "Apprentice",
      ],
      stocks: everyone,
      phone: .paris
    ),
    Department(
      id: "towers",
      parent: "lighthouses",
      name: "Towers",
      description: "",
      size: 10,
      titles: ["Head of towers", "Structural engineer", "Stonemason", "Draughtsperson", "Rigger"],
      stocks: everyone,
      phone: .stockholm
    ),
    Department(
      id: "foundations",
      parent: "towers",
      name: "Fundamente auf See",
      description: "Foundations at sea, 0 to 60 m",
      size: 9,
      titles: ["Leitung Gründung", "Tauchen", "Geologie", "Kranführung"],
      stocks: [.german, .german, .polish, .nordic, .baltic, .russian],
      phone: .berlin
    ),
    Department(
      id: "fog",
      parent: "lighthouses",
      name: "Fog Signals",
      description: "Horns, bells and one whistle",
      size: 8,
      titles: ["Head of fog signals", "Acoustics engineer", "Bell founder", "Tuner"],
      stocks: everyone,
      phone: .london
    ),
    Department(
      id: "moon",
      parent: "lighthouses",
      name: "Moon Lighthouse",
      description: "Planned; waiting for a customer",
      size: 0,
      titles: ["Keeper"],
      stocks: everyone,
      phone: .boston
    ),
    Department(
      id: "telescopes",
      parent: "fernlicht",
      name: "Telescope Works",
      description: "Mirrors up to 4.2 m",
      size: 4,
      titles: ["Director of telescopes", "Systems engineer", "Project manager"],
      stocks: everyone,
      phone: .boston
    ),
    Department(
      id: "mirrors",
      parent: "telescopes",
      name: "Mirrors",
      description: "",
      size: 9,
      titles: ["Head of mirrors", "Glass technologist", "Furnace operator", "Metrologist"],
      stocks: everyone,
      phone: .boston
    ),
    Department(
      id: "polishing",
      parent: "mirrors",
      name: "Atelier de polissage",
      description: "Surfaces to 20 nm",
      size: 14,
      titles: ["Responsable d'atelier", "Spécialiste du poli", "Contrôle optique", "Stagiaire"],
      stocks: [.french, .french, .french, .african, .arabic, .portuguese, .vietnamese],
      phone: .paris
    ),
    Department(
      id: "coating",
      parent: "mirrors",
      name: "鍍膜部",
      description: "Aluminium, silver and gold",
      size: 8,
      titles: ["鍍膜部主任", "製程工程師", "真空技術員", "品管員"],
      stocks: [.taiwanese, .taiwanese, .taiwanese, .chinese],
      phone: .sanFrancisco
    ),
    Department(
      id: "mounts",
      parent: "telescopes",
      name: "Mounts & Drives",
      description: "",
      size: 11,
      titles: ["Head of mounts", "Mechanical engineer", "Gear cutter", "Fitter", "Servo engineer"],
      stocks: everyone,
      phone: .boston
    ),
    Department(
      id: "eyepieces",
      parent: "telescopes",
      name: "Eyepieces",
      description: "Small optics, large demand",
      size: 9,
      titles: ["Head of eyepieces", "Optical designer", "Lens grinder", "Packer"],
      stocks: [.hindi, .bengali, .tamil, .english, .thai, .persian],
      phone: .london
    ),
    Department(
      id: "software",
      parent: "fernlicht",
      name: "Software",
      description: "",
      size: 5,
      titles: ["Director of software", "Architect", "Technical writer", "Release manager"],
      stocks: everyone,
      phone: .stockholm
    ),
    Department(
      id: "catalogue",
      parent: "software",
      name: "Star Catalogue",
      description: "1.8 billion stars and counting",
      size: 12,
      titles: ["Head of catalogue", "Astronomer", "Data engineer", "Database administrator"],
      stocks: everyone,
      phone: .stockholm
    ),
    Department(
      id: "control",
      parent: "software",
      name: "Light Control",
      description: "Firmware that may not sleep",
      size: 13,
      titles: [
        "Head of light control", "Firmware engineer", "Software engineer", "Test engineer",
        "Safety engineer",
      ],
      stocks: everyone,
      phone: .berlin
    ),
    Department(
      id: "sales",
      parent: "fernlicht",
      name: "Sales & Harbours",
      description: "",
      size: 4,
      titles: ["Director of sales", "Tender manager", "Harbour liaison"],
      stocks: everyone,
      phone: .london
    ),
    Department(
      id: "europe",
      parent: "sales",
      name: "Europe & the Mediterranean",
      description: "",
      size: 10,
      titles: ["Head of sales, Europe", "Area manager", "Customer advisor"],
      stocks: southern + [.icelandic, .hungarian, .bulgarian, .ukrainian, .georgian],
      phone: .london
    ),
    Department(
      id: "east-asia",
      parent: "sales",
      name: "東アジア営業部",
      description: "Tokyo, Busan, Qingdao",
      size: 12,
      titles: ["営業部長", "営業担当", "エリアマネージャー", "カスタマーサポート"],
      stocks: eastAsian,
      phone: .sanFrancisco
    ),
    Department(
      id: "americas",
      parent: "sales",
      name: "Las Américas",
      description: "Halifax to Valparaíso",
      size: 10,
      titles: ["Dirección regional", "Gerencia de cuentas", "Asesoría de puertos"],
      stocks: american,
      phone: .chicago
    ),
    Department(
      id: "people",
      parent: "fernlicht",
      name: "People & Finance",
      description: "",
      size: 5,
      titles: ["Director of people", "Recruiter", "Accountant", "Payroll clerk"],
      stocks: everyone,
      phone: .berlin
    ),
    Department(
      id: "canteen",
      parent: "people",
      name: "Canteen “Zum Leuchtturm”",
      description: "Soup at any hour of the night",
      size: 8,
      titles: ["Chef", "Sous-chef", "Cook", "Baker"],
      stocks: everyone,
      phone: .berlin
    ),
    Department(
      id: "service",
      parent: "fernlicht",
      name: "Keepers’ Service",
      description: "We come when it goes dark",
      size: 6,
      titles: ["Director of service", "Dispatcher", "Service planner"],
      stocks: everyone,
      phone: .london
    ),
    Department(
      id: "night-watch",
      parent: "service",
      name: "Night Watch",
      description: "",
      size: 9,
      titles: ["Head of the watch", "Keeper", "Pilot", "Radio operator"],
      stocks: everyone + [.amharic, .amharic],
      phone: .london
    ),
  ]
}
