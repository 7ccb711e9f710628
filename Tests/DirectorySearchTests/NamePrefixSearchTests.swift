import DirectoryModel
import DirectorySearch
import DirectoryTestSupport
import Testing

@Suite("Records in whose names words begin as typed")
struct NameBeginningsTests {
  private static func company() throws -> Company {
    var company = Company()
    try company.department("d0", name: "Köln")
    try company.department("d1", under: "d0", name: "Cold Storage")
    try company.department("d2", under: "d0", name: "北京 Office")
    let people = [
      "Ann Lee", "Lee Anne Smith-Lee", "Bo-Ann Li", "Hannah Lee", "张伟", "Мария Лунд", "Jürgen Ott",
    ]
    for (row, name) in people.enumerated() {
      try company.user("u\(row)", in: "d\(row % 3)", name: name, title: "Ann of title")
    }
    return company
  }

  /// What was typed, and the rows of whom it stands for.
  private static let people: [(String, Set<Int>)] = [
    ("an", [0, 1, 2]), ("ANN", [0, 1, 2]), ("ann lee", [0, 1]), ("lee an", [0, 1]), ("bo-a", [2]),
    ("lee", [0, 1, 3]), ("nah", []), ("title", []), ("", []), (" ", []), ("u0", []),
    // Only where no one is found by letters.
    ("zhang", [4]), ("zw", [4]), ("maria", [5]), ("juergen", [6]), ("jurg", [6]), ("li", [2]),
    ("name:ann", []), ("-ann", [2]), ("\"ann\"", []),
  ]
  private static let departments: [(String, Set<Int>)] = [
    ("kol", [0]), ("koeln", [0]), ("st", [1]), ("beijing", [2]), ("bj", [2]), ("ann", []),
  ]

  @Test func `are found letter for letter, or else as names are read`() throws {
    let engines = try Self.company().engines()
    let deadline = ContinuousClock.now + .seconds(60)
    for engine in [engines.index, engines.scan] {
      for (owner, cases) in [(RecordKind.user, Self.people), (.department, Self.departments)] {
        for (text, rows) in cases {
          let found = try engine.rows(
            withNamesBeginning: text,
            owner,
            limit: 10,
            deadline: deadline
          )
          #expect(Set(found.rows) == rows, "\(owner) “\(text)” \(engine.index == nil)")
        }
      }
    }
  }

  @Test func `are not looked for when the time is over`() throws {
    let engine = try Self.company().engines().scan
    #expect(throws: SearchError.late) {
      try engine.rows(withNamesBeginning: "ann", .user, limit: 10, deadline: .now)
    }
  }
}
